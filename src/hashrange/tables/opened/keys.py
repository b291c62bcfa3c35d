"""Checks keys of requests against the schema of a table and converts them to engine keys."""

from hashrange.errors import DynamoError, invalid
from hashrange.limits.requests import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.messages.items import values as messages
from hashrange.model.binary import binary_bytes
from hashrange.model.values import AttributeValue, Item
from hashrange.tables.keys.keyspace import item_key
from hashrange.tables.opened.open_table import OpenTable


def key_of(table: OpenTable, key: Item) -> bytes:
    """The engine key of a Key member, which must be exactly the table's key.

    Raises ValidationException: wrong attributes or types; then empty or too long values.
    """
    if len(key) != table.key_count:
        raise invalid(messages.key_schema_mismatch())
    return table.string_key(key) or _checked_key(table, key, is_whole=False)


def key_of_item(table: OpenTable, item: Item) -> bytes:
    """The engine key of a whole item.

    Raises ValidationException, which names the attribute that is missing or of another type; then
    as `key_of`.
    """
    return table.string_key(item) or _checked_key(table, item, is_whole=True)


def _checked_key(table: OpenTable, item: Item, *, is_whole: bool) -> bytes:
    partition = item.get(table.partition_name)
    sort = None if table.sort_name is None else item.get(table.sort_name)
    if (
        partition is None
        or table.partition_type not in partition
        or (table.sort_name is not None and (sort is None or table.sort_type not in sort))
    ):
        raise _misfit(table, item) if is_whole else invalid(messages.key_schema_mismatch())
    check_partition_key(table.partition_name, partition)
    if table.sort_name is not None and sort is not None:
        check_sort_key(table.sort_name, sort)
    return item_key(table.number, partition, sort)


def check_partition_key(name: str, value: AttributeValue) -> None:
    """Refuse an empty partition key and one of more than 2,048 bytes.

    Args:
        name: the name of the attribute.
        value: canonical, of the declared type.
    """
    if _key_bytes(name, value) > PARTITION_KEY_BYTES_MAX:
        raise invalid(messages.partition_key_too_large(), bare=True)


def check_sort_key(name: str, value: AttributeValue) -> None:
    """Refuse an empty sort key and one of more than 1,024 bytes; see `check_partition_key`."""
    if _key_bytes(name, value) > SORT_KEY_BYTES_MAX:
        raise invalid(messages.sort_key_too_large(), bare=True)


def _key_bytes(name: str, value: AttributeValue) -> int:
    text = value.get("S")
    if text is not None:
        if not text:
            raise invalid(messages.key_empty_string(name), bare=True)
        return len(text.encode())
    binary = value.get("B")
    if binary is not None:
        if not binary:
            raise invalid(messages.key_empty_binary(name), bare=True)
        return binary_bytes(binary)
    return 0  # no number comes near the limits


def _misfit(table: OpenTable, item: Item) -> DynamoError:
    """The error for the first key attribute that is missing or of another type."""
    for attribute in table.table.key_attributes:
        value = item.get(attribute.name)
        if value is None:
            return invalid(messages.key_missing(attribute.name))
        if attribute.type not in value:
            kind = next(iter(value))
            return invalid(messages.key_type_mismatch(attribute.name, attribute.type, kind))
    raise AssertionError("the item has the key of its table")
