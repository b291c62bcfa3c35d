"""What the writes of one item have in common once the item is written."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from hashrange.capacity.consumed import ConsumedCapacity, Units, consumed
from hashrange.capacity.units import write_units
from hashrange.model.values import AttributeValue, Item
from hashrange.operations.collection_metrics import ItemCollectionMetrics, metrics_of
from hashrange.operations.operation import ItemOutcome
from hashrange.tables.images import Image
from hashrange.tables.opened import OpenTable
from hashrange.tables.writer import Done


class WriteAnswer(msgspec.Struct, frozen=True, rename="pascal", omit_defaults=True):
    """The answer to PutItem, UpdateItem and DeleteItem."""

    attributes: msgspec.Raw | Item | None = None
    consumed_capacity: ConsumedCapacity | None = None
    item_collection_metrics: ItemCollectionMetrics | None = None


class Written(msgspec.Struct, frozen=True):
    """One item written: the size of its larger image, and what ReturnValues asks for."""

    size: int
    attributes: msgspec.Raw | Item | None = None


class Asked(Protocol):
    """What the requests have in common that write one item."""

    @property
    def return_consumed_capacity(self) -> str | None:
        """Of the request."""

    @property
    def return_item_collection_metrics(self) -> str | None:
        """Of the request."""


class OneWrite(Protocol):
    """What their plans have in common."""

    @property
    def table_name(self) -> str:
        """As it was sent."""

    @property
    def request(self) -> Asked:
        """What the client asked for."""

    @property
    def table(self) -> OpenTable:
        """Of the item."""


def larger(before: Image | None, after: Image | None) -> int:
    """The bytes that a write is charged for."""
    return max(0 if before is None else before.size, 0 if after is None else after.size)


def old_attributes(before: Image | None, return_values: str | None) -> msgspec.Raw | None:
    """The item before the write, if it is asked for and there was one."""
    if before is None or return_values != "ALL_OLD":
        return None
    return msgspec.Raw(before.json)


def outcome(
    plan: OneWrite, done: Done[Written], sent: Mapping[str, AttributeValue] | None
) -> ItemOutcome:
    """The answer and the cost of one written item; `sent` is the item or key of the request."""
    written, request, table_name = done.answer, plan.request, plan.table_name
    units = units_of(plan.table, written.size, done.index_units)
    detail = request.return_consumed_capacity
    capacity = None if detail is None else consumed(table_name, units, detail)
    size = done.collection_bytes
    if size is None or request.return_item_collection_metrics != "SIZE":
        return ItemOutcome(WriteAnswer(written.attributes, capacity), write_units=units.total)
    assert sent is not None, "it was written"
    metrics = metrics_of(plan.table, sent, size)
    answer = WriteAnswer(written.attributes, capacity, metrics)
    return ItemOutcome(answer, write_units=units.total)


def units_of(table: OpenTable, size: int, index_units: Mapping[str, float]) -> Units:
    """What a write of `size` bytes cost, with what it cost in each index."""
    units = write_units(size)
    if not index_units:
        return Units(table=units)
    local = {index.name for index in table.table.indexes if index.is_local}
    return Units(
        table=units,
        local_indexes={name: each for name, each in index_units.items() if name in local},
        global_indexes={name: each for name, each in index_units.items() if name not in local},
    )
