"""ExclusiveStartKey: where a page begins. It must be a key, but need not be an item's."""

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.expressions.program import KeyClause
from hashrange.messages import queries as messages
from hashrange.messages.keys import key_schema_mismatch
from hashrange.model.canonical import canonical_item
from hashrange.model.values import AttributeValue, Item, KeyType
from hashrange.model.wording import Wording
from hashrange.tables.keys import key_of
from hashrange.tables.keyspace import (
    check_partition_key,
    check_sort_key,
    item_key,
    partition_prefix,
    sort_range,
)
from hashrange.tables.opened import OpenTable
from hashrange.tables.reader import KeyRange


def canonical_starting_key(key: Item | None, wording: Wording) -> Item | None:
    """The key with canonical values.

    Raises ValidationException: the fault of a value; the older layer says whose value it is.
    """
    if key is None:
        return None
    try:
        return canonical_item(key, wording).item
    except DynamoError as error:
        if wording is Wording.CURRENT:
            raise
        raise _refused(error) from error


def scan_starting_key(table: OpenTable, key: Item) -> bytes:
    """The engine key to go on after, for a scan."""
    try:
        return key_of(table, key)
    except DynamoError as error:
        raise _refused(error) from error


def _refused(error: DynamoError) -> DynamoError:
    if error.fault is not Fault.VALIDATION:
        return error
    return invalid(messages.starting_key_invalid(error.message), bare=error.bare)


def check_starting_partition(table: OpenTable, key: Item) -> None:
    """Refuse, for a query, another number of attributes and what is no partition key."""
    if len(key) != len(table.key_names):
        raise invalid(messages.starting_key_invalid())
    partition = _key_value(key, table.partition_name, table.partition_type)
    check_partition_key(table.partition_name, partition)


def check_starting_sort(table: OpenTable, key: Item) -> None:
    """Refuse, for a query, what is no sort key, if the table has one."""
    if table.sort_name is not None and table.sort_type is not None:
        check_sort_key(table.sort_name, _key_value(key, table.sort_name, table.sort_type))


def _key_value(key: Item, name: str, kind: KeyType) -> AttributeValue:
    value = key.get(name)
    if value is None:
        raise invalid(messages.starting_key_invalid())
    if kind not in value:
        raise invalid(key_schema_mismatch())
    return value


def query_starting_key(
    table: OpenTable, key: Item, keys: KeyRange, sort: KeyClause | None
) -> bytes:
    """The engine key to go on after, which must lie in the queried range.

    Args:
        table: that is queried.
        key: with attributes that `check_starting_partition` and `check_starting_sort` let pass.
        keys: what the key condition selects.
        sort: the condition on the sort key.
    """
    partition = key[table.partition_name]
    found = item_key(
        table.number, partition, None if table.sort_name is None else key[table.sort_name]
    )
    if not keys.start <= found < keys.end:
        raise _outside(partition_prefix(table.number, partition), found, sort)
    if table.sort_name is None or (sort is not None and sort.operator == "="):
        raise invalid(messages.query_cannot_restart())
    return found


def _outside(prefix: bytes, found: bytes, sort: KeyClause | None) -> DynamoError:
    """Why a key is outside: the service looks at the sort key first if it has a condition."""
    if sort is None:
        return invalid(messages.starting_key_outside())
    start, end = sort_range(prefix, sort.operator, sort.operands)
    if start <= found < end:
        return invalid(messages.query_cannot_restart())
    return invalid(messages.starting_key_off_range())
