"""The one writer: nothing else in the program changes an item.

It carries out what a pure function decided: the item and the table's counters change together or
not at all. Index entries and change records join here.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

import msgspec

from hashrange.storage.engine import Changes, Engine
from hashrange.tables import keyspace
from hashrange.tables.images import Image, image_from
from hashrange.tables.opened import OpenTable

A = TypeVar("A")


class Decision(msgspec.Struct, Generic[A], frozen=True):
    """What becomes of one item.

    `after` is the item from now on, None for none; the very image that was handed in means that
    nothing changes.
    """

    after: Image | None
    answer: A


class ItemWrite(msgspec.Struct, Generic[A], frozen=True):
    """The plan of one write: a key and a pure function, which may run again."""

    table: OpenTable
    key: bytes
    decide: Callable[[Image | None], Decision[A]]


async def write_item(engine: Engine, write: ItemWrite[A]) -> A:
    """Write one item; what its decision raises changes nothing and reaches the caller."""
    return await engine.write((write.key,), partial(_changes, write), fences=write.table.fences)


async def write_items(engine: Engine, writes: Sequence[ItemWrite[A]]) -> list[A]:
    """Write several items of distinct keys as one: all of them, or none if a decision raises."""
    fences: dict[bytes, bytes] = {}
    for write in writes:
        fences.update(write.table.fences)
    keys = [write.key for write in writes]
    return await engine.write(keys, partial(_all_changes, writes), fences=fences)


def _changes(write: ItemWrite[A], stored: Sequence[bytes | None]) -> Changes[A]:
    """What one write makes of its item, and of the counters of its table."""
    value = stored[0]
    before = None if value is None else image_from(value)
    decision = write.decide(before)
    after = decision.after
    if after is before:
        return Changes(answer=decision.answer)
    adds = table_adds(write.table, before, after)
    if after is None:
        return Changes(answer=decision.answer, deletes=(write.key,), adds=adds)
    return Changes(answer=decision.answer, puts={write.key: after.stored()}, adds=adds)


def _all_changes(
    writes: Sequence[ItemWrite[A]], stored: Sequence[bytes | None]
) -> Changes[list[A]]:
    puts: dict[bytes, bytes] = {}
    deletes: list[bytes] = []
    adds: dict[bytes, int] = {}
    answers: list[A] = []
    for write, value in zip(writes, stored, strict=True):
        one = _changes(write, (value,))
        answers.append(one.answer)
        puts.update(one.puts)
        deletes.extend(one.deletes)
        for key, amount in one.adds.items():
            adds[key] = adds.get(key, 0) + amount
    return Changes(answer=answers, puts=puts, deletes=deletes, adds=adds)


def table_adds(table: OpenTable, before: Image | None, after: Image | None) -> dict[bytes, int]:
    """By how much a table's counters of items and bytes move; only those that do."""
    adds: dict[bytes, int] = {}
    items = (after is not None) - (before is not None)
    if items:
        adds[keyspace.item_count_key(table.number)] = items
    grown = (after.size if after else 0) - (before.size if before else 0)
    if grown:
        adds[keyspace.bytes_key(table.number)] = grown
    return adds
