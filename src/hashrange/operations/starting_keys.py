"""ExclusiveStartKey: where a page begins. It must be a key, but need not be an item's."""

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages import queries as messages
from hashrange.model.canonical import canonical_item
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.keys import key_of
from hashrange.tables.keyspace import partition_prefix
from hashrange.tables.opened import OpenTable
from hashrange.tables.reader import KeyRange


def canonical_starting_key(key: Item | None, wording: Wording) -> Item | None:
    """The key with canonical values. Raises ValidationException, which says whose value is bad."""
    if key is None:
        return None
    try:
        return canonical_item(key, wording).item
    except DynamoError as error:
        raise _refused(error) from error


def starting_key(table: OpenTable, key: Item) -> bytes:
    """The engine key to go on after, for a scan."""
    try:
        return key_of(table, key)
    except DynamoError as error:
        raise _refused(error) from error


def query_starting_key(table: OpenTable, key: Item, keys: KeyRange, *, single: bool) -> bytes:
    """The engine key to go on after, which must lie in the queried range `keys`.

    `single`: the key condition can match one item at most, so there is nothing to go on with.
    """
    if set(key) != set(table.key_names):
        raise invalid(messages.starting_key_invalid())
    found = starting_key(table, key)
    if single:
        raise invalid(messages.query_cannot_restart())
    if not keys.start <= found < keys.end:
        partition = partition_prefix(table.number, key[table.partition_name])
        if keys.start.startswith(partition):
            raise invalid(messages.starting_key_off_range())
        raise invalid(messages.starting_key_outside())
    return found


def _refused(error: DynamoError) -> DynamoError:
    if error.fault is not Fault.VALIDATION:
        return error
    return invalid(messages.starting_key_invalid(error.message), bare=error.bare)
