"""Access paths, and ExclusiveStartKey: a key, which no item need have."""

from typing import Final

from hashrange.errors import DynamoError, invalid
from hashrange.messages.items import queries as messages
from hashrange.messages.items import values as value_messages
from hashrange.messages.vectors import not_searched
from hashrange.model.canonical import canonical_item
from hashrange.model.table import KeyAttribute
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.tables.opened.access_paths import (
    AccessPath,
    check_partition_key,
    check_sort_key,
    key_of,
)
from hashrange.tables.opened.open_table import OpenTable

_OF_THE_KEY: Final = frozenset(
    {
        value_messages.value_empty(),
        value_messages.value_of_many_types(),
        value_messages.null_not_true(),
        value_messages.string_set_empty(),
        value_messages.binary_set_empty(),
        value_messages.nesting_too_deep(),
        value_messages.attribute_name_empty(),
        value_messages.attribute_name_too_large(),
    }
)
"""The faults of values that the older layer reports as faults of the starting key.

It reports those of numbers, and of sets that repeat a member, alone. Source: another emulator's
tests, recorded from the service, but for levels and names, of which nothing is known.
"""


def canonical_starting_key(key: Item | None, wording: Wording) -> Item | None:
    """The key with canonical values.

    Raises ValidationException for an invalid value; most texts of the older layer name the member.
    """
    if key is None:
        return None
    try:
        return canonical_item(key, wording).item
    except DynamoError as error:
        if wording is Wording.CURRENT or error.message not in _OF_THE_KEY:
            raise
        raise _refused(error) from error


def scan_starting_key(access_path: AccessPath, key: Item) -> bytes:
    """The engine key to start after, for a scan; `check_index_key` comes before it.

    Raises ValidationException.
    """
    if access_path.index is not None:
        check_table_key(access_path, key)
    try:
        found = access_path.position(key)
    except DynamoError as error:
        raise _refused(error) from error
    assert found is not None, "the attributes of the index's key were checked"
    return found


def check_index_key(access_path: AccessPath, key: Item) -> None:
    """Refuse a number of attributes that is not the key's, and invalid values of an index's key.

    Source: another emulator's tests, recorded from the service.
    """
    check_key_count(access_path, key)
    for attribute in access_path.partition:
        check_partition_key(attribute.name, key_value(key, attribute))
    for attribute in access_path.sort:
        check_sort_key(attribute.name, key_value(key, attribute))


def check_key_count(access_path: AccessPath, key: Item) -> None:
    """Refuse another number of attributes than that of the key."""
    if len(key) != len(access_path.key_names):
        raise invalid(messages.starting_key_invalid())


def key_value(key: Item, attribute: KeyAttribute) -> AttributeValue:
    """The value of a key attribute. Raises ValidationException: missing, or of another type."""
    value = key.get(attribute.name)
    if value is None or attribute.type not in value:
        raise invalid(messages.starting_key_invalid())
    return value


def check_table_key(access_path: AccessPath, key: Item) -> None:
    """Refuse a key of an index without the key of an item. Source: as of `check_index_key`."""
    table = access_path.table
    own = {each.name: key[each.name] for each in table.table.key_attributes if each.name in key}
    try:
        key_of(table, own)
    except DynamoError as error:
        raise _refused(error) from error


def _refused(error: DynamoError) -> DynamoError:
    return invalid(messages.starting_key_invalid(error.message), bare=error.bare)


def access_path_of(
    table: OpenTable, index_name: str | None, *, consistent: bool, operation: str = "Query"
) -> AccessPath:
    """The table, or its index of that name; the operation is named in texts.

    Raises ValidationException for an index that does not exist, is of vectors or being built, or
    has no consistent reads.
    """
    if index_name is None:
        return AccessPath(table)
    index = table.table.index(index_name)
    if index is None and index_name in table.vector_names:
        raise invalid(not_searched(operation))
    if index is None or index.state == "DELETING":
        raise invalid(messages.no_such_index(index_name))
    if consistent and not index.is_local:
        raise invalid(messages.consistent_global_index())
    if index.state == "BUILDING":
        raise invalid(messages.index_is_backfilling(index_name))
    return AccessPath(table, index)
