"""Checks of keys in transactions: some errors refuse the request, others cancel the transaction.

An empty value of a key refuses the request before any item is read; a value of a wrong type is a
cancellation reason of its action. Source: captures of the service, June and October 2026.
"""

from collections.abc import Iterable
from typing import Final

from hashrange.errors import invalid
from hashrange.limits.requests import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.messages.items import values as messages
from hashrange.model.sizes import value_bytes
from hashrange.model.table import Index, KeyAttribute, Table
from hashrange.model.values import AttributeValue, Item
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.transactions import RefusedRequestError

_EMPTY_STRING: Final[AttributeValue] = {"S": ""}
_EMPTY_BINARY: Final[AttributeValue] = {"B": ""}


def refuse_empty_keys(table: OpenTable, item: Item) -> None:
    """Refuse an item or a key with an empty value of the table's key."""
    for attribute in table.table.key_attributes:
        value = item.get(attribute.name)
        if value is None or attribute.type not in value:
            continue
        if value == _EMPTY_STRING:
            raise invalid(messages.key_empty_string(attribute.name))
        if value == _EMPTY_BINARY:
            raise invalid(messages.key_empty_binary(attribute.name))


def refuse_empty_index_keys(table: Table, item: Item) -> None:
    """Refuse to put an item with an empty value of an index's key."""
    for index in table.indexes:
        for attribute in index.key_attributes:
            value = item.get(attribute.name)
            if value is None or attribute.type not in value:
                continue
            if value == _EMPTY_STRING:
                raise invalid(messages.index_key_empty_string(attribute.name, index.name))
            if value == _EMPTY_BINARY:
                raise invalid(messages.index_key_empty_binary(attribute.name, index.name))


def check_index_keys_of_update(table: Table, item: Item, targets: Iterable[str]) -> None:
    """Refuse invalid values that an update has written into key attributes of indexes.

    Raises:
        RefusedRequestError: an empty value.
        DynamoError: ValidationException for a wrong type, or too many bytes.
    """
    written = set(targets)
    for index in table.indexes:
        for attribute in index.key_attributes:
            value = item.get(attribute.name)
            if value is not None and attribute.name in written:
                _check(index, attribute, value)


def _check(index: Index, attribute: KeyAttribute, value: AttributeValue) -> None:
    if attribute.type not in value:
        raise invalid(messages.index_key_updated_to_other_type())
    if value == _EMPTY_STRING:
        raise RefusedRequestError(invalid(messages.index_key_updated_to_empty_string()))
    if value == _EMPTY_BINARY:
        raise RefusedRequestError(invalid(messages.index_key_updated_to_empty_binary()))
    most = PARTITION_KEY_BYTES_MAX if attribute in index.partition else SORT_KEY_BYTES_MAX
    if "N" not in value and value_bytes(value) > most:
        raise invalid(messages.index_key_updated_beyond_size())
