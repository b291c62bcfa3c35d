"""Keys as clients send them against the schema of a table: values in, engine keys out."""

from typing import Final

from hashrange.errors import DynamoError, invalid
from hashrange.limits import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.messages.items import keys as messages
from hashrange.model.binary import binary_bytes
from hashrange.model.sizes import text_bytes
from hashrange.model.values import AttributeValue, Item, KeyType
from hashrange.tables.keyspace import item_key, partition_prefix, text_item_key
from hashrange.tables.opened import OpenTable

_CHAR_BYTES_MAX: Final = 4
SHORT_PARTITION_CHARS: Final = PARTITION_KEY_BYTES_MAX // _CHAR_BYTES_MAX
_SHORT_SORT_CHARS: Final = SORT_KEY_BYTES_MAX // _CHAR_BYTES_MAX
"""Text of so many characters is short enough, whatever they are."""


def key_of(table: OpenTable, key: Item) -> bytes:
    """The engine key of a Key member, which must be exactly the table's key.

    Raises ValidationException: wrong attributes or types; then empty or too long values.
    """
    partition = key.get(table.partition_name)
    if partition is None or table.partition_type not in partition or len(key) != table.key_count:
        raise _mismatch()
    sort = None
    if table.sort_name is not None:
        sort = key.get(table.sort_name)
        if sort is None or table.sort_type not in sort:
            raise _mismatch()
    return _checked_key(table, partition, sort)


def key_of_item(table: OpenTable, item: Item) -> bytes:
    """The engine key of a whole item.

    Raises ValidationException, which names the attribute that is missing or of another type.
    """
    partition = item.get(table.partition_name)
    if partition is None or table.partition_type not in partition:
        raise _no_key_attribute(partition, table.partition_name, table.partition_type)
    sort = None
    if table.sort_name is not None and table.sort_type is not None:
        sort = item.get(table.sort_name)
        if sort is None or table.sort_type not in sort:
            raise _no_key_attribute(sort, table.sort_name, table.sort_type)
    return _checked_key(table, partition, sort)


def _checked_key(table: OpenTable, partition: AttributeValue, sort: AttributeValue | None) -> bytes:
    """The engine key, once the values are known to be neither empty nor too long."""
    text = partition.get("S")
    if not text or len(text) > SHORT_PARTITION_CHARS:
        check_partition_key(table.partition_name, partition)
    if sort is None:
        return partition_prefix(table.number, partition)
    sort_text = sort.get("S")
    if not sort_text or len(sort_text) > _SHORT_SORT_CHARS:
        assert table.sort_name is not None, "it has a value"
        check_sort_key(table.sort_name, sort)
    if text is None or sort_text is None:
        return item_key(table.number, partition, sort)
    return text_item_key(table.number, text, sort_text)


def check_partition_key(name: str, value: AttributeValue) -> None:
    """Refuse an empty partition key and one of more than 2,048 bytes.

    Args:
        name: of the attribute.
        value: canonical, of the type that the schema says.
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
        return text_bytes(text)
    binary = value.get("B")
    if binary is not None:
        if not binary:
            raise invalid(messages.key_empty_binary(name), bare=True)
        return binary_bytes(binary)
    return 0  # no number comes near the limits


def _no_key_attribute(value: AttributeValue | None, name: str, kind: KeyType) -> DynamoError:
    """Why an attribute of an item cannot be that of a key."""
    if value is None:
        return invalid(messages.key_missing(name))
    return invalid(messages.key_type_mismatch(name, kind, next(iter(value))))


def _mismatch() -> DynamoError:
    return invalid(messages.key_schema_mismatch())
