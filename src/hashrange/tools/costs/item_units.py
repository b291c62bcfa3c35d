"""The size of an item, and the units that each operation on it costs, with the table's indexes.

Source: Developer Guide, "DynamoDB item sizes and formats", "Capacity unit consumption for read
operations" and "… for write operations", "Using Global Secondary Indexes in DynamoDB".
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, cast

import msgspec

from hashrange.capacity.units import read_units, write_units
from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.model.canonical import canonical_item
from hashrange.model.sizes import attribute_bytes
from hashrange.model.values import AttributeValue
from hashrange.model.wording import Wording
from hashrange.tools.copying.item_lines import (
    Item,
    ItemError,
    is_typed,
    looks_typed,
    parsed_json,
    typed_value,
)

Projection: TypeAlias = Literal["ALL", "KEYS_ONLY", "INCLUDE"]
_TRANSACTION: Final = 2


class IndexParts(msgspec.Struct, frozen=True, kw_only=True):
    """An index of the item's table.

    Attributes:
        keys: the attributes of its key; an item without one of them has no entry.
        included: the attributes of an INCLUDE projection.
    """

    name: str
    keys: Sequence[str]
    projection: Projection = "ALL"
    included: Sequence[str] = ()


class EntryUnits(msgspec.Struct, frozen=True, kw_only=True):
    """The entry of an item in an index; nothing is written if the item has none."""

    bytes: int
    write_units: float


class ItemUnits(msgspec.Struct, frozen=True, kw_only=True):
    """The size of an item and the units of operations on it.

    Attributes:
        bytes: the size, which the limit of 400 KB and the units are based on.
        read_units: of an eventually consistent read; the others are in `operations`.
        write_units: of a write of the table, without indexes.
        operations: units of single operations; those of writes have the entries of `indexes` too.
        attributes: bytes by name, the largest first.
        indexes: entries by the name of the index; None if the item has no entry.
        is_too_large: whether DynamoDB refuses the item.
    """

    bytes: int
    read_units: float
    write_units: float
    operations: dict[str, float]
    attributes: dict[str, int]
    indexes: dict[str, EntryUnits | None]
    is_too_large: bool


def item_of(text: str) -> Item:
    """The item in a text, in DynamoDB's JSON or in plain JSON. Raises ItemError.

    It is DynamoDB's JSON if each of its values has the form of that.
    """
    found = parsed_json(text)
    if isinstance(found, dict) and found.keys() == {"Item"} and isinstance(found["Item"], dict):
        found = found["Item"]
    if not isinstance(found, dict):
        raise ItemError("it is not a JSON object")
    if not found:
        raise ItemError("the item has no attributes")
    if is_typed(found):
        return found
    if looks_typed(found):
        name, ((kind, _content),) = next(
            (name, value.items()) for name, value in found.items() if not is_typed({name: value})
        )
        raise ItemError(f"the value of {name} is not one of type {kind} in DynamoDB's JSON")
    return {name: typed_value(name, value, {}) for name, value in found.items()}


def indexes_of(shown: Mapping[str, Any]) -> tuple[list[IndexParts], list[str]]:
    """The indexes of a table and the attributes of its key, from its DescribeTable or request."""
    found = []
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        for index in shown.get(kind) or ():
            projection = index.get("Projection") or {}
            found.append(
                IndexParts(
                    name=index["IndexName"],
                    keys=[each["AttributeName"] for each in index["KeySchema"]],
                    projection=projection.get("ProjectionType", "ALL"),
                    included=projection.get("NonKeyAttributes") or (),
                )
            )
    return found, [each["AttributeName"] for each in shown["KeySchema"]]


def units_of_item(
    item: Item, indexes: Sequence[IndexParts] = (), table_keys: Sequence[str] = ()
) -> ItemUnits:
    """The size and the units of an item.

    Raises DynamoError for values that DynamoDB refuses; ItemError: a key attribute is missing.

    Args:
        item: in DynamoDB's JSON.
        indexes: the global and local indexes of its table.
        table_keys: the key attributes of the table, which each entry of an index has.
    """
    sized = canonical_item(cast("Mapping[str, AttributeValue]", item), Wording.CURRENT)
    canonical, size = sized.item, sized.bytes
    missing = [name for name in table_keys if name not in canonical]
    if missing:
        raise ItemError(f"the item lacks the key attribute {missing[0]} of the table")
    entries = {each.name: _entry(canonical, each, table_keys) for each in indexes}
    of_entries = sum(each.write_units for each in entries.values() if each)
    return ItemUnits(
        bytes=size,
        read_units=read_units(size, consistent=False),
        write_units=write_units(size),
        operations=dict(_operations(size, of_entries)),
        attributes=dict(
            sorted(
                ((name, attribute_bytes(name, value)) for name, value in canonical.items()),
                key=lambda pair: -pair[1],
            )
        ),
        indexes=entries,
        is_too_large=size > ITEM_BYTES_MAX,
    )


def _operations(size: int, of_indexes: float) -> Iterator[tuple[str, float]]:
    strong, writes = read_units(size, consistent=True), write_units(size)
    yield "GetItem, eventually consistent", read_units(size, consistent=False)
    yield "GetItem, strongly consistent", strong
    yield "TransactGetItems", strong * _TRANSACTION
    yield "PutItem, new or of the same size", writes + of_indexes
    yield "DeleteItem", writes + of_indexes
    yield "TransactWriteItems", writes * _TRANSACTION + of_indexes


def _entry(
    item: Mapping[str, Any], index: IndexParts, table_keys: Sequence[str]
) -> EntryUnits | None:
    if any(name not in item for name in index.keys):
        return None
    kept = {*index.keys, *table_keys, *index.included}
    size = sum(
        attribute_bytes(name, value)
        for name, value in item.items()
        if index.projection == "ALL" or name in kept
    )
    return EntryUnits(bytes=size, write_units=write_units(size))
