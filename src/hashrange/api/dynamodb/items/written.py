"""The plan and the answer that PutItem, UpdateItem and DeleteItem share; the cost of writes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import ClassVar, Final, TypeAlias

import msgspec

from hashrange.api.dynamodb.items.charged import charges_of_write, key_values, metrics_of
from hashrange.api.dynamodb.items.conditions import Guard, Options
from hashrange.api.steps.operation import Outcome
from hashrange.api.steps.permissions import (
    Asked,
    Permission,
    consumed_option,
    permission_on_table,
    returned,
    tested,
)
from hashrange.capacity.consumed import Units, consumed
from hashrange.capacity.units import Charge, KeyValues, write_units
from hashrange.errors import invalid
from hashrange.expressions.program import Update
from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.limits.tables import WRITE_UNIT_BYTES
from hashrange.messages.items import operations as messages
from hashrange.model.log import Actor
from hashrange.model.sizes import attribute_bytes, item_bytes, value_bytes
from hashrange.model.structures.dynamodb import WriteAnswer
from hashrange.model.values import Item
from hashrange.tables.items.images import Image, decode_item
from hashrange.tables.keys.scaling_keys import ITEM_POSITION
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import WriteResult

Attributes: TypeAlias = msgspec.Raw | Item | None
"""The Attributes of an answer; None if ReturnValues asks for none."""


_NOTHING: Final = WriteAnswer()
_index_units: Final = attrgetter("index_units")
_size: Final = attrgetter("size")
_LEAST_UNITS: Final = write_units(0)


class SingleItemPlan(msgspec.Struct, frozen=True):
    """The plan of a request that writes one item; each operation adds `decide`.

    `item` has the canonical attributes that were sent: the item of a put, the key of others.
    """

    table: OpenTable
    key: bytes
    options: Options
    item: Item
    guard: Guard
    who: ClassVar[Actor] = Actor.CALLER
    origin: ClassVar[None] = None

    def to_outcome(self, done: WriteResult[Attributes]) -> Outcome:
        """The answer and the cost of a write. Pure."""
        attributes, options = done.answer, self.options
        # Most items are small.
        units = _LEAST_UNITS if done.size <= WRITE_UNIT_BYTES else write_units(done.size)
        if options.is_brief and not done.index_units:
            answer = _NOTHING if attributes is None else WriteAnswer(attributes)
            return Outcome(answer, write_units=units)
        all_units = units_of(self.table, units, done.index_units)
        capacity = None
        if options.capacity is not None:
            capacity = consumed(options.table_names[0], all_units, options.capacity)
        metrics = None
        if options.metrics and done.collection_bytes is not None:
            metrics = metrics_of(self.table, self.item, done.collection_bytes)
        answer = WriteAnswer(attributes, capacity, metrics)
        charges: Sequence[Charge] = ()
        if done.entry_units:
            charges = charges_of_write(options.table_names[0], self.key, done)
        return Outcome(
            answer,
            write_units=all_units.total,
            charges=charges,
            of_indexes=("write", {options.table_names[0]: all_units}),
        )

    def charges(self) -> Sequence[Charge]:
        """The least write units: those of an empty item without index entries."""
        partition = (self.item[self.table.partition_name],)
        name, position = self.options.table_names[0], self.key[ITEM_POSITION]
        return (Charge(name, partition, write_units=_LEAST_UNITS, position=position),)

    def spot(self) -> Charge:
        """The charge of `charges`, without the partition key."""
        position = self.key[ITEM_POSITION]
        return Charge(self.options.table_names[0], None, None, 0.0, _LEAST_UNITS, position)

    def keys(self) -> Sequence[KeyValues]:
        """The key of the item."""
        return (key_values(self.table, self.item),)

    def old_attributes(self, before: Image | None) -> msgspec.Raw | None:
        """The item before the write, if ReturnValues is ALL_OLD and the item existed."""
        if before is None or self.options.returns != "ALL_OLD":
            return None
        return msgspec.Raw(before.json)


def permissions_of_write(
    action: str, plan: SingleItemPlan, asked: Asked, names: Iterable[str] = ()
) -> Iterator[Permission]:
    """An action on the key; `names` are attributes beside those of `item` and the condition."""
    options, item = plan.options, plan.item
    for returns in returned(options.returns, old_on_failure=options.returns_old_on_failure):
        yield permission_on_table(
            action,
            options.table_names[0],
            asked,
            partitions=[(item[plan.table.partition_name],)],
            names=chain(item, names, tested(plan.guard.condition)),
            options={
                "dynamodb:returnvalues": (returns,),
                "dynamodb:returnconsumedcapacity": (consumed_option(options.capacity),),
            },
        )


def units_of(table: OpenTable, units: float, index_units: Mapping[str, float]) -> Units:
    """The units of a write, with its units in each index."""
    local, vectors = table.local_index_names, table.vector_names
    if not local and not vectors:
        return Units(table=units, global_indexes=index_units)
    others = local | vectors
    return Units(
        table=units,
        local_indexes={name: each for name, each in index_units.items() if name in local},
        global_indexes={name: each for name, each in index_units.items() if name not in others},
        vector_bytes={name: each for name, each in index_units.items() if name in vectors},
    )


def units_by_table(
    names: Iterable[str],
    tables: Iterable[OpenTable],
    done: Sequence[WriteResult[None]],
    *,
    times: int = 1,
) -> Mapping[str, Units]:
    """The units of several writes, by the name of their table, in the order of first use.

    Args:
        names: of the table of each write, as sent.
        tables: the table of each write.
        done: the result of each.
        times: how often an item is charged; index entries are charged once.
    """
    names = list(names)
    totals: dict[str, float] = {}
    for name, units in zip(names, map(write_units, map(_size, done)), strict=True):
        totals[name] = totals.get(name, 0.0) + units
    if not any(map(_index_units, done)):
        return {name: Units(table=times * total) for name, total in totals.items()}
    of_indexes: dict[str, dict[str, float]] = {name: {} for name in totals}
    for name, index_units in zip(names, map(_index_units, done), strict=True):
        found = of_indexes[name]
        for index, units in index_units.items():
            found[index] = found.get(index, 0.0) + units
    opened = dict(zip(names, tables, strict=True))
    return {
        name: units_of(opened[name], times * total, of_indexes[name])
        for name, total in totals.items()
    }


class Updated(msgspec.Struct, frozen=True):
    """An item before and after an update, and its size in bytes after it."""

    old: Item
    new: Item
    size: int


def updated(update: Update, before: Image | None, old: Item | None, key: Item) -> Updated | None:
    """Apply an update; None if the item does not exist and the update does not create it.

    Args:
        update: the update.
        before: the image of the item; None if it does not exist.
        old: the parsed item, if it was parsed already.
        key: the key of the item.

    Raises:
        DynamoError: ValidationException if the update does not fit the item, or makes it too large.
    """
    if before is None:
        if update.only_removes:
            return None
        # A condition sees no item, but an update sees the key of the item that it creates.
        old = key
    elif old is None:
        old = decode_item(before.json)
    new = update.apply(old)
    size = _size_after(before, update, old, new)
    if size > ITEM_BYTES_MAX:
        raise invalid(messages.item_too_large_after_update())
    return Updated(old, new, size)


def _size_after(before: Image | None, update: Update, old: Item, new: Item) -> int:
    """The size of the updated item; of an existing item only changed attributes are measured."""
    if before is None:
        return item_bytes(new)
    size = before.size
    for name in update.shape.targets:
        value, replaced = new.get(name), old.get(name)
        if value is None:
            size -= 0 if replaced is None else attribute_bytes(name, replaced)
        elif replaced is None:
            size += attribute_bytes(name, value)
        elif value is not replaced:
            size += value_bytes(value) - value_bytes(replaced)
    return size
