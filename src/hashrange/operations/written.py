"""What the writes of one item have in common once the item is written."""

import msgspec

from hashrange.capacity.consumed import ConsumedCapacity, consumed
from hashrange.capacity.units import write_units
from hashrange.model.values import Item
from hashrange.operations.operation import Outcome, Spent
from hashrange.tables.images import Image


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


def outcome(table_name: str, written: Written, detail: str | None) -> Outcome:
    """The answer and the cost of one written item; `detail` is ReturnConsumedCapacity."""
    units = write_units(written.size)
    spent = (Spent(table_name, write_units=units),)
    capacity = None if detail is None else consumed(table_name, units, detail)
    return Outcome(WriteAnswer(written.attributes, capacity), spent)
