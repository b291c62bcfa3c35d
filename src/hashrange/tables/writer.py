"""The one writer: nothing else in the program changes an item.

It carries out what a pure function decided: the item, its index entries, the counters and the
change record go together or not at all.

While an index is being built, an item may or may not have its entry yet. A write then looks first
which entries there would be, and names them beside the item, so that it sees them; if the item
changed meanwhile, it looks again. Where item collections are counted, it looks how large they are.
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final, Generic, Protocol, TypeVar

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.items.transactions import conflict
from hashrange.model.values import Item
from hashrange.storage.engine import Changes, ContendedError
from hashrange.tables import change_log, images, keyspace
from hashrange.tables.change_log import Actor, ChangeRecord
from hashrange.tables.entry_changes import EntryChanges
from hashrange.tables.images import Image, image_and_version, image_from
from hashrange.tables.indexes import changes_of, entry_keys_building
from hashrange.tables.item_collections import Room, room_of
from hashrange.tables.opened import OpenTable
from hashrange.tables.store import Store

A = TypeVar("A")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

LOOKS_MAX: Final = 20
"""How often a write looks anew at an item that changes while an index is built."""
_US: Final = 1000
"""In a millisecond. Versions are microseconds, for an item may change twice in a millisecond."""
_key: Final = attrgetter("key")
_table: Final = attrgetter("table")
_answer: Final = attrgetter("answer")
_NONE: Final[frozenset[bytes]] = frozenset()
_NOTHING: Final[Mapping[bytes, bytes]] = {}
_NO_KEYS: Final[tuple[bytes, ...]] = ()


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
    who: Actor = Actor.CALLER


class Planned(Protocol[A]):
    """What a plan of one write has, whatever else it knows."""

    @property
    def table(self) -> OpenTable:
        """Of the item."""

    @property
    def key(self) -> bytes:
        """Of the item, in the engine."""

    @property
    def who(self) -> Actor:
        """Who changes it."""

    @property
    def decide(self) -> Callable[[Image | None], Decision[A]]:
        """Pure; may run again."""


class Answering(Planned[A], Protocol[A, R_co]):
    """A plan of one write that makes its own answer."""

    def to_outcome(self, done: "WriteResult[A]", /) -> R_co:
        """The answer, from what became of the write. Pure; may run again."""


class StoreHolder(Protocol):
    """Knows where to write."""

    @property
    def store(self) -> Store:
        """To write to."""


class WriteResult(msgspec.Struct, Generic[A], frozen=True):
    """What became of a write: its answer, and what it is charged for.

    Attributes:
        answer: of the decision.
        size: the bytes of the larger of both images.
        index_units: the write units of each index that it changed.
        collection_bytes: the size of the item's collection, if the table counts them.
    """

    answer: A
    size: int = 0
    index_units: Mapping[str, float] = {}
    collection_bytes: int | None = None


class _ChangedError(Exception):
    """The item is not as it was looked at."""


class WriteBatch(Generic[A]):
    """Several writes as a decision sees them, at one moment; for one run of the decision.

    Attributes:
        writes: as they were planned.
        items: what is stored of each of their items.
        more: the values of the further keys that were asked for.
    """

    __slots__ = ("_absent", "_now_us", "_room", "items", "more", "writes")

    def __init__(
        self,
        writes: Sequence[Planned[A]],
        now_us: int,
        values: Sequence[bytes | None],
        *,
        room: Room | None,
        absent: Sequence[frozenset[bytes]] | None = None,
    ) -> None:
        self.writes = writes
        self._now_us = now_us
        self.items = values[: len(writes)]
        self.more = values[len(writes) :]
        self._room = room and room.copy()
        self._absent = absent

    def change(self, position: int) -> Changes[WriteResult[A]]:
        """What a write makes of its item; to be asked once for each. Raises what it decides."""
        write, stored = self.writes[position], (self.items[position],)
        absent = _NONE if self._absent is None else self._absent[position]
        return _changes(write, self._now_us, None, stored, absent=absent, room=self._room)

    def all_changes(self) -> list[Changes[WriteResult[A]]]:
        """What each write makes of its item; see `change`."""
        if self._absent is not None or self._room is not None:
            return [self.change(position) for position in range(len(self.writes))]
        pairs, now_us = zip(self.writes, self.items, strict=True), self._now_us
        return [_changes(write, now_us, None, (stored,)) for write, stored in pairs]


def write_item(write: Answering[A, R], context: StoreHolder) -> Coroutine[Any, Any, R]:
    """Write one item; what its decision raises changes nothing and reaches the caller.

    Raises TransactionConflictException, at once, if a transaction is about to touch the item.
    """
    store, key, table = context.store, write.key, write.table
    if store.in_flight and key in store.in_flight:
        raise DynamoError(Fault.TRANSACTION_CONFLICT, conflict())
    if table.needs_preread:
        return _write_looking(store, write)
    decide = partial(_changes, write, store.clock.now_ms() * _US, write.to_outcome)
    return store.engine.write((key,), decide, fences=table.fences)


async def _write_looking(store: Store, write: Answering[A, R]) -> R:
    (done,) = await write_items(store, (write,))
    return write.to_outcome(done)


async def write_items(store: Store, writes: Sequence[Planned[A]]) -> list[WriteResult[A]]:
    """Write several items of distinct keys as one: all of them, or none if a decision raises.

    Whether a transaction is about to touch one of them is the caller's to ask.
    """
    return await write_together(store, writes, _all_changes)


async def write_together(
    store: Store,
    writes: Sequence[Planned[A]],
    decide: Callable[[WriteBatch[A]], Changes[R]],
    more: Sequence[bytes] = (),
) -> R:
    """Let one decision be made over several writes of distinct keys.

    Args:
        store: to write to.
        writes: whose items are read.
        decide: pure; joins the changes of the writes, with `joined`, or raises.
        more: further keys to read, which the decision may put.
    """
    tables = set(map(_table, writes))
    fences: dict[bytes, bytes] = {}
    for table in tables:
        fences.update(table.fences)
    now_us = store.clock.now_ms() * _US
    items = list(map(_key, writes))
    engine, room = store.engine, None
    if any(table.has_collections for table in tables):
        counted = [write.key for write in writes if write.table.has_collections]
        room = await room_of(engine, counted, store.collection_bytes_max)
    if not any(table.is_building for table in tables):
        return await engine.write(
            [*items, *more],
            lambda values: decide(WriteBatch(writes, now_us, values, room=room)),
            fences=fences,
        )
    for _ in range(LOOKS_MAX):
        entries = _entries_building(writes, await engine.read(items, fences=fences))
        keys = [*items, *more, *(key for some in entries for key in some)]
        look = _Preread(writes, now_us, entries, room)
        try:
            return await engine.write(keys, partial(look.decided, decide), fences=fences)
        except _ChangedError:
            continue
    raise ContendedError("an item changes faster than its index can be built")


def _changes(
    write: Planned[A],
    now_us: int,
    told: Callable[[WriteResult[A]], Any] | None,
    stored: Sequence[bytes | None],
    *,
    absent: frozenset[bytes] = _NONE,
    room: Room | None = None,
) -> Changes[Any]:
    """What one write makes of its item, its index entries, and the counters of both.

    `absent` are keys of entries that there should be, but which are not built yet; `room` is moved.
    """
    value = stored[0]
    before, version = (None, 0) if value is None else image_and_version(value)
    decision = write.decide(before)
    after = decision.after
    if after is before:
        return _unchanged(write, decision, told, room)
    table = write.table
    puts, deletes = _NOTHING, _NO_KEYS
    adds: dict[bytes, int] = {}
    old_size = new_size = 0
    version = now_us if version < now_us else version + 1
    if before is None:
        adds[table.item_count_key] = 1
    else:
        old_size = before.size
    if after is None:
        adds[table.item_count_key] = -1
        deletes = (write.key,)
    else:
        new_size = after.size
        puts = {write.key: images.stored(after, version)}
    grown = new_size - old_size
    if grown:
        adds[table.bytes_key] = grown
    size = new_size if grown > 0 else old_size
    appends = () if table.logs is None else _logged(write, version, before, after)
    if not table.keeps_indexes:
        done = WriteResult(decision.answer, size)
        answer = done if told is None else told(done)
        return Changes(answer=answer, puts=puts, deletes=deletes, adds=adds, appends=appends)
    entries = EntryChanges({**puts}, [*deletes], adds, {})
    most = table.key_bytes_max
    for change in changes_of(
        table.table, _parsed(before), _parsed(after), absent=absent, key_bytes_max=most
    ):
        entries.take(table.number, change)
    collection_bytes = _grown(write, grown + entries.local_bytes, room, adds)
    done = WriteResult(decision.answer, size, entries.units, collection_bytes)
    return entries.changes(done if told is None else told(done), appends)


def _unchanged(
    write: Planned[A],
    decision: Decision[A],
    told: Callable[[WriteResult[A]], Any] | None,
    room: Room | None,
) -> Changes[Any]:
    """Of a write that leaves its item as it is, or leaves none."""
    image = decision.after
    size = 0 if image is None else image.size
    done = WriteResult(decision.answer, size, collection_bytes=_grown(write, 0, room, {}))
    return Changes(answer=done if told is None else told(done))


def _grown(write: Planned[A], grown: int, room: Room | None, adds: dict[bytes, int]) -> int | None:
    """Let the item's collection grow; its bytes then, None if nobody counts them."""
    if room is None or not write.table.has_collections:
        return None
    if grown:
        adds[keyspace.collection_key(write.key)] = grown
    return room.grow(write.key, grown)


def _logged(
    write: Planned[A], version: int, before: Image | None, after: Image | None
) -> Sequence[tuple[bytes, bytes]]:
    """The change record, if the item is another one now."""
    logs = write.table.logs
    if logs is None or not change_log.is_change(before, after):
        return ()
    record = ChangeRecord(write.who, before, after, version)
    return ((logs.log_of(write.key), change_log.stored(record)),)


def _parsed(image: Image | None) -> tuple[Item, Image] | None:
    return None if image is None else (image.item(), image)


def _entries_building(
    writes: Sequence[Planned[A]], values: Sequence[bytes | None]
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


class _Preread(msgspec.Struct, Generic[A], frozen=True):
    """What was looked up before several writes, some of them to tables with unfinished indexes."""

    writes: Sequence[Planned[A]]
    now_us: int
    entries: Sequence[Sequence[bytes]]
    room: Room | None

    def decided(
        self, decide: Callable[[WriteBatch[A]], Changes[R]], values: Sequence[bytes | None]
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
        together = WriteBatch(
            self.writes, self.now_us, values[:first], room=self.room, absent=absent
        )
        return decide(together)


def _all_changes(together: WriteBatch[A]) -> Changes[list[WriteResult[A]]]:
    return joined(together.all_changes())


def joined(changes: Sequence[Changes[WriteResult[A]]]) -> Changes[list[WriteResult[A]]]:
    """The changes of several writes as one; their answers in order."""
    puts: dict[bytes, bytes] = {}
    deletes: list[bytes] = []
    adds: dict[bytes, int] = {}
    appends: list[tuple[bytes, bytes]] = []
    for one in changes:
        puts.update(one.puts)
        if one.deletes:
            deletes.extend(one.deletes)
        if one.appends:
            appends.extend(one.appends)
        for key, amount in one.adds.items():
            adds[key] = adds.get(key, 0) + amount
    answers = list(map(_answer, changes))
    return Changes(answer=answers, puts=puts, deletes=deletes, adds=adds, appends=appends)
