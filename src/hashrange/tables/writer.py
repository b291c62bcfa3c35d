"""The one writer: nothing else in the program changes an item.

It carries out what a pure function decided: the item, its index entries, the counters and the
change record go together or not at all.

While an index is being built, an item may or may not have its entry yet. A write then looks first
which entries there would be, and names them beside the item, so that it sees them; if the item
changed meanwhile, it looks again. Where item collections are counted, it looks how large they are.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, Generic, TypeVar

import msgspec

from hashrange.capacity.units import write_units
from hashrange.errors import DynamoError, Fault
from hashrange.messages.transactions import conflict
from hashrange.model.values import Item
from hashrange.storage.engine import Changes, ContendedError
from hashrange.tables import change_log, keyspace
from hashrange.tables.change_log import ChangeRecord, Who
from hashrange.tables.images import Image, image_from
from hashrange.tables.indexes import EntryChange, changes_of, entry_keys_building
from hashrange.tables.item_collections import Room, room_of
from hashrange.tables.keyspace import TABLE_ITSELF
from hashrange.tables.opened import OpenTable
from hashrange.tables.store import Store

A = TypeVar("A")
R = TypeVar("R")

LOOKS_MAX: Final = 20
"""How often a write looks anew at an item that changes while an index is built."""
_NONE: Final[frozenset[bytes]] = frozenset()


class Decision(msgspec.Struct, Generic[A], frozen=True):
    """What becomes of one item.

    `after` is the item from now on, None for none; the very image that was handed in means that
    nothing changes.
    """

    after: Image | None
    answer: A


class ItemWrite(msgspec.Struct, Generic[A], frozen=True):
    """The plan of one write: a key and a pure function, which may run again.

    `time_ms` is when it is made, as the change record tells; the writer sets it.
    """

    table: OpenTable
    key: bytes
    decide: Callable[[Image | None], Decision[A]]
    who: Who = Who.CALLER
    time_ms: int = 0


class Done(msgspec.Struct, Generic[A], frozen=True):
    """What became of a write: its answer, and the write units of each index that it changed.

    `collection_bytes` is the size of the item's collection, if the table counts them.
    """

    answer: A
    index_units: Mapping[str, float] = {}
    collection_bytes: int | None = None


class _ChangedError(Exception):
    """The item is not as it was looked at."""


class Together(Generic[A]):
    """Several writes as a decision sees them, at one moment; for one run of the decision.

    Attributes:
        writes: as they were planned.
        items: what is stored of each of their items.
        more: the values of the further keys that were asked for.
    """

    __slots__ = ("_absent", "_room", "items", "more", "writes")

    def __init__(
        self,
        writes: Sequence[ItemWrite[A]],
        values: Sequence[bytes | None],
        room: Room | None,
        absent: Sequence[frozenset[bytes]] | None = None,
    ) -> None:
        self.writes = writes
        self.items = values[: len(writes)]
        self.more = values[len(writes) :]
        self._room = room and room.copy()
        self._absent = absent

    def change(self, position: int) -> Changes[Done[A]]:
        """What a write makes of its item; to be asked once for each. Raises what it decides."""
        absent = _NONE if self._absent is None else self._absent[position]
        return _changes(self.writes[position], (self.items[position],), absent, self._room)


async def write_item(store: Store, write: ItemWrite[A]) -> Done[A]:
    """Write one item; what its decision raises changes nothing and reaches the caller.

    Raises TransactionConflictException if a transaction is about to touch the item.
    """
    if store.in_flight and write.key in store.in_flight:
        raise DynamoError(Fault.TRANSACTION_CONFLICT, conflict())
    if write.table.looks_first:
        return (await write_items(store, (write,)))[0]
    if write.table.logs is not None:
        (write,) = _timed(store, (write,))
    decide = partial(_changes, write)
    return await store.engine.write((write.key,), decide, fences=write.table.fences)


async def write_items(store: Store, writes: Sequence[ItemWrite[A]]) -> list[Done[A]]:
    """Write several items of distinct keys as one: all of them, or none if a decision raises.

    Whether a transaction is about to touch one of them is the caller's to ask.
    """
    return await write_together(store, writes, _all_changes)


async def write_together(
    store: Store,
    writes: Sequence[ItemWrite[A]],
    decide: Callable[[Together[A]], Changes[R]],
    more: Sequence[bytes] = (),
) -> R:
    """Let one decision be made over several writes of distinct keys.

    Args:
        store: to write to.
        writes: whose items are read.
        decide: pure; joins the changes of the writes, with `joined`, or raises.
        more: further keys to read, which the decision may put.
    """
    fences: dict[bytes, bytes] = {}
    for write in writes:
        fences.update(write.table.fences)
    writes = _timed(store, writes)
    items = [write.key for write in writes]
    engine = store.engine
    counted = [write.key for write in writes if write.table.has_collections]
    room = await room_of(engine, counted, store.collection_bytes_max)
    if not any(write.table.is_building for write in writes):
        return await engine.write(
            [*items, *more], lambda values: decide(Together(writes, values, room)), fences=fences
        )
    for _ in range(LOOKS_MAX):
        entries = _entries_building(writes, await engine.read(items, fences=fences))
        keys = [*items, *more, *(key for some in entries for key in some)]
        look = _Look(writes, entries, room)
        try:
            return await engine.write(keys, partial(look.decided, decide), fences=fences)
        except _ChangedError:
            continue
    raise ContendedError("an item changes faster than its index can be built")


def _timed(store: Store, writes: Sequence[ItemWrite[A]]) -> Sequence[ItemWrite[A]]:
    """The writes with the time at which they are made, if that is to be logged."""
    if all(write.table.logs is None for write in writes):
        return writes
    now_ms = store.clock.now_ms()
    return [msgspec.structs.replace(write, time_ms=now_ms) for write in writes]


def _changes(
    write: ItemWrite[A],
    stored: Sequence[bytes | None],
    absent: frozenset[bytes] = frozenset(),
    room: Room | None = None,
) -> Changes[Done[A]]:
    """What one write makes of its item, its index entries, and the counters of both.

    `absent` are keys of entries that there should be, but which are not built yet; `room` is moved.
    """
    value = stored[0]
    before = None if value is None else image_from(value)
    decision = write.decide(before)
    after = decision.after
    table = write.table
    if after is before:
        size = room.grow(write.key, 0) if room is not None and table.has_collections else None
        return Changes(answer=Done(decision.answer, collection_bytes=size))
    adds = adds_of(table.number, TABLE_ITSELF, before, after)
    puts = {} if after is None else {write.key: after.stored()}
    deletes = (write.key,) if after is None else ()
    appends = () if table.logs is None else _logged(write, before, after)
    if not table.table.kept_indexes:
        done = Done(decision.answer)
        return Changes(answer=done, puts=puts, deletes=deletes, adds=adds, appends=appends)
    entries = _EntryChanges(puts, [*deletes], adds, {})
    parsed = _parsed(before), _parsed(after)
    most = table.key_bytes_max
    for change in changes_of(table.table, *parsed, absent=absent, key_bytes_max=most):
        entries.take(table.number, change)
    size = None
    if room is not None and table.has_collections:
        grown = entries.local_bytes + adds.get(keyspace.bytes_key(table.number), 0)
        size = room.grow(write.key, grown)
        if grown:
            adds[keyspace.collection_key(write.key)] = grown
    return Changes(
        answer=Done(decision.answer, entries.units, size),
        puts=entries.puts,
        deletes=entries.deletes,
        adds=entries.adds,
        appends=appends,
    )


def _logged(
    write: ItemWrite[A], before: Image | None, after: Image | None
) -> Sequence[tuple[bytes, bytes]]:
    """The change record, if the item is another one now."""
    logs = write.table.logs
    if logs is None or not change_log.is_change(before, after):
        return ()
    record = ChangeRecord(write.time_ms, write.who, before, after)
    return ((logs.log_of(write.key), change_log.stored(record)),)


class _EntryChanges(msgspec.Struct):
    """Changes of one write, to which those of its index entries are added."""

    puts: dict[bytes, bytes]
    deletes: list[bytes]
    adds: dict[bytes, int]
    units: dict[str, float]
    local_bytes: int = 0
    """By how much the entries in local indexes grow."""

    def take(self, number: int, change: EntryChange) -> None:
        """Add what becomes of one entry, and what that costs."""
        before, after = change.before, change.after
        if before is not None and change.moved:
            self.deletes.append(before.key)
        if after is not None:
            self.puts[after.key] = after.image.stored()
        old = None if before is None else before.image
        new = None if after is None else after.image
        self.adds.update(adds_of(number, change.index.number, old, new))
        if change.index.is_local:
            self.local_bytes += (new.size if new else 0) - (old.size if old else 0)
        # The index of what expires costs nobody anything; neither does another order of attributes.
        if not change.index.is_expiry and (change.moved or change_log.is_change(old, new)):
            self.units[change.index.name] = _units(change)


def _units(change: EntryChange) -> float:
    """An entry that changes its key is deleted and put; else the larger image counts."""
    sizes = [entry.image.size for entry in (change.before, change.after) if entry is not None]
    if change.moved:
        return sum(write_units(size) for size in sizes)
    return write_units(max(sizes))


def _parsed(image: Image | None) -> tuple[Item, Image] | None:
    return None if image is None else (image.item(), image)


def _entries_building(
    writes: Sequence[ItemWrite[A]], values: Sequence[bytes | None]
) -> list[tuple[bytes, ...]]:
    """The keys of the entries that each item has, or will have, in unfinished indexes."""
    return [
        entry_keys_building(
            write.table.table,
            None if value is None else image_from(value),
            write.table.key_bytes_max,
        )
        for write, value in zip(writes, values, strict=True)
    ]


class _Look(msgspec.Struct, Generic[A], frozen=True):
    """What was looked up before several writes, some of them to tables with unfinished indexes."""

    writes: Sequence[ItemWrite[A]]
    entries: Sequence[Sequence[bytes]]
    room: Room | None

    def decided(
        self, decide: Callable[[Together[A]], Changes[R]], values: Sequence[bytes | None]
    ) -> Changes[R]:
        """The decision on `values`, of which the last are those of the entries."""
        if _entries_building(self.writes, values[: len(self.writes)]) != self.entries:
            raise _ChangedError
        first = len(values) - sum(map(len, self.entries))
        rest = iter(values[first:])
        absent = [
            frozenset(key for key, entry in zip(keys, rest, strict=False) if entry is None)
            for keys in self.entries
        ]
        return decide(Together(self.writes, values[:first], self.room, absent))


def _all_changes(together: Together[A]) -> Changes[list[Done[A]]]:
    return joined([together.change(position) for position in range(len(together.writes))])


def joined(changes: Sequence[Changes[Done[A]]]) -> Changes[list[Done[A]]]:
    """The changes of several writes as one; their answers in order."""
    puts: dict[bytes, bytes] = {}
    deletes: list[bytes] = []
    adds: dict[bytes, int] = {}
    appends: list[tuple[bytes, bytes]] = []
    for one in changes:
        puts.update(one.puts)
        deletes.extend(one.deletes)
        appends.extend(one.appends)
        for key, amount in one.adds.items():
            adds[key] = adds.get(key, 0) + amount
    answers = [one.answer for one in changes]
    return Changes(answer=answers, puts=puts, deletes=deletes, adds=adds, appends=appends)


def adds_of(number: int, index: int, before: Image | None, after: Image | None) -> dict[bytes, int]:
    """By how much the counters of items and bytes move, of a table or an index of it."""
    adds: dict[bytes, int] = {}
    items = (after is not None) - (before is not None)
    if items:
        adds[keyspace.item_count_key(number, index)] = items
    grown = (after.size if after else 0) - (before.size if before else 0)
    if grown:
        adds[keyspace.bytes_key(number, index)] = grown
    return adds
