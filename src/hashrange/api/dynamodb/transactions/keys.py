"""Checks of keys in transactions: some errors refuse the request, others cancel the transaction.

An empty value of a key refuses the request before any item is read; a value of a wrong type is a
cancellation reason of its action. Source: captures of the service, June and October 2026.
"""

import re
from collections.abc import Iterable
from typing import Final, TypeVar

import msgspec

from hashrange.api.steps.constraints import NAME_PATTERN
from hashrange.errors import invalid
from hashrange.limits.requests import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.limits.tables import TABLE_NAME_CHARS_MAX
from hashrange.messages.items import values as messages
from hashrange.model.sizes import value_bytes
from hashrange.model.table import Index, KeyAttribute, Table
from hashrange.model.values import AttributeValue, Item
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.vector_entries import check_vector
from hashrange.tables.writing.transactions import RefusedRequestError
from hashrange.wire.arns import table_name_of
from hashrange.wire.constraints import length, matches

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
    for index in table.all_indexes:
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
    for index in table.all_indexes:
        if index.vector is not None and index.vector.attribute in written:
            check_vector(index, item)
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


TABLE_NAME: Final = (
    matches("table_name", NAME_PATTERN),
    length("table_name", 1, TABLE_NAME_CHARS_MAX),
)
"""Constraints of a name; an ARN breaks them."""

_matches: Final = re.compile(NAME_PATTERN, re.ASCII).fullmatch


N = TypeVar("N", bound=msgspec.Struct)


def is_table(name_or_arn: str | None) -> bool:
    """Whether it may be a name or an ARN of a table; another check refuses a missing name."""
    if name_or_arn is None:
        return True
    if _matches(name_or_arn) is not None and len(name_or_arn) <= TABLE_NAME_CHARS_MAX:
        return True
    return table_name_of(name_or_arn) != name_or_arn


def with_name(action: N | None) -> N | None:
    """An action with a name in the place of an ARN, so that it meets `TABLE_NAME`."""
    name = getattr(action, "table_name", None)
    if action is None or name is None:
        return action
    return msgspec.structs.replace(action, table_name=table_name_of(name))
