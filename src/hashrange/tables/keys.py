"""Keys as clients send them against the schema of a table: values in, engine keys out."""

from hashrange.errors import DynamoError, invalid
from hashrange.messages import keys as messages
from hashrange.model.values import AttributeValue, Item, KeyType
from hashrange.tables.keyspace import check_partition_key, check_sort_key, item_key
from hashrange.tables.opened import OpenTable


def key_of(table: OpenTable, key: Item) -> bytes:
    """The engine key of a Key member, which must be exactly the table's key.

    Raises ValidationException: wrong attributes or types; then empty or too long values.
    """
    partition = key.get(table.partition_name)
    if partition is None or table.partition_type not in partition:
        raise _mismatch()
    if len(key) != len(table.key_names):
        raise _mismatch()
    sort_name = table.sort_name
    if sort_name is None:
        check_partition_key(table.partition_name, partition)
        return item_key(table.number, partition, None)
    sort = key.get(sort_name)
    if sort is None or table.sort_type not in sort:
        raise _mismatch()
    check_partition_key(table.partition_name, partition)
    check_sort_key(sort_name, sort)
    return item_key(table.number, partition, sort)


def key_of_item(table: OpenTable, item: Item) -> bytes:
    """The engine key of a whole item.

    Raises ValidationException, which names the attribute that is missing or of another type.
    """
    partition = _key_attribute(item, table.partition_name, table.partition_type)
    if table.sort_name is None or table.sort_type is None:
        check_partition_key(table.partition_name, partition)
        return item_key(table.number, partition, None)
    sort = _key_attribute(item, table.sort_name, table.sort_type)
    check_partition_key(table.partition_name, partition)
    check_sort_key(table.sort_name, sort)
    return item_key(table.number, partition, sort)


def _key_attribute(item: Item, name: str, kind: KeyType) -> AttributeValue:
    value = item.get(name)
    if value is None:
        raise invalid(messages.key_missing(name))
    if kind not in value:
        raise invalid(messages.key_type_mismatch(name, kind, next(iter(value))))
    return value


def _mismatch() -> DynamoError:
    return invalid(messages.key_schema_mismatch())
