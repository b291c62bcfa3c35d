"""What the writes of one item have in common once the item is written."""

from collections.abc import Mapping

import msgspec

from hashrange.capacity.consumed import ConsumedCapacity, Units, consumed
from hashrange.capacity.units import write_units
from hashrange.model.values import Item
from hashrange.operations.operation import Outcome, Spent
from hashrange.tables.images import Image
from hashrange.tables.opened import OpenTable
from hashrange.tables.writer import Done


class WriteAnswer(msgspec.Struct, frozen=True, rename="pascal", omit_defaults=True):
    """The answer to PutItem, UpdateItem and DeleteItem."""

    attributes: msgspec.Raw | Item | None = None
    consumed_capacity: ConsumedCapacity | None = None


class Written(msgspec.Struct, frozen=True):
    """One item written: the size of its larger image, and what ReturnValues asks for."""

    size: int
    attributes: msgspec.Raw | Item | None = None


def larger(before: Image | None, after: Image | None) -> int:
    """The bytes that a write is charged for."""
    return max(0 if before is None else before.size, 0 if after is None else after.size)


def old_attributes(before: Image | None, return_values: str | None) -> msgspec.Raw | None:
    """The item before the write, if it is asked for and there was one."""
    if before is None or return_values != "ALL_OLD":
        return None
    return msgspec.Raw(before.json)


def outcome(table_name: str, table: OpenTable, done: Done[Written], detail: str | None) -> Outcome:
    """The answer and the cost of one written item; `detail` is ReturnConsumedCapacity."""
    written = done.answer
    units = units_of(table, written.size, done.index_units)
    spent = (Spent(table_name, write_units=units.total),)
    capacity = None if detail is None else consumed(table_name, units, detail)
    return Outcome(WriteAnswer(written.attributes, capacity), spent)


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
