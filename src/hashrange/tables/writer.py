"""The writer of items: no other module changes an item, but `replacements` on plain tables.

A pure function decides the new item. The item, its index entries, the counters and the change
record are written together in one write of the engine.

While an index is being built, an item may or may not have its entry yet. Then the item is read
first, the keys of its possible entries are added to the keys of the write, and the write is retried
if the item changed in between. If item collections are counted, their sizes are read first.
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.items.transactions import conflict
from hashrange.storage.engine import NO_FENCES, Changes, ContendedError, Fences
from hashrange.tables import change_log, images, replicated
from hashrange.tables.change_log import ChangeRecord
from hashrange.tables.entry_changes import changed_entries
from hashrange.tables.images import OWN_REGION, Image, image_and_version, parsed
from hashrange.tables.indexes import changes_of
from hashrange.tables.item_collections import CollectionSizes, collection_sizes, grown_by
from hashrange.tables.joined_changes import joined
from hashrange.tables.prereads import entries_building
from hashrange.tables.replicated import next_version, strong_version, tombstone_keys, with_tombstone
from hashrange.tables.store import Store
from hashrange.tables.strong import is_proposed, write_each
from hashrange.tables.tombstones import tombstone_key
from hashrange.tables.write_plans import (
    AnsweringPlan,
    Decision,
    StoreHolder,
    WritePlan,
    WriteResult,
    WriteTerms,
)

A = TypeVar("A")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

PREREADS_MAX: Final = 20
"""Attempts of a write whose item changes after the preread, while an index is being built."""
_US: Final = 1000
"""Microseconds in a millisecond; in us, since an item may change twice in a millisecond."""
_key: Final = attrgetter("key")
_table: Final = attrgetter("table")
_is_strong: Final = attrgetter("table.is_strong")
_NONE: Final[frozenset[bytes]] = frozenset()
_NOTHING: Final[Mapping[bytes, bytes]] = {}
_NO_KEYS: Final[tuple[bytes, ...]] = ()
_ALONE: Final = WriteTerms()


class _ChangedError(Exception):
    """The item has changed since the preread."""


class WriteBatch(Generic[A]):
    """Several writes with the stored values of one moment, for one run of their decision.

    Attributes:
        writes: the plans.
        items: the stored items, in the order of the writes.
        more: the values of the further keys of `write_batch`.
    """

    __slots__ = (
        "_absent",
        "_collections",
        "_is_plain",
        "_now_us",
        "_tombstones",
        "items",
        "more",
        "writes",
    )

    def __init__(
        self,
        writes: Sequence[WritePlan[A]],
        now_us: int,
        values: Sequence[bytes | None],
        *,
        collections: CollectionSizes | None,
        absent: Sequence[frozenset[bytes]] | None = None,
        tombstones: int = 0,
    ) -> None:
        self.writes = writes
        self._now_us = now_us
        more = len(writes) + tombstones
        self.items = values[: len(writes)]
        self._tombstones = iter(values[len(writes) : more]) if tombstones else None
        self.more = values[more:]
        self._collections = collections and collections.copy()
        self._absent = absent
        self._is_plain = absent is None and collections is None and not tombstones

    def change(self, position: int) -> Changes[WriteResult[A]]:
        """The changes of the write at a position; to be called once for each, in order.

        Raises errors of its decision.
        """
        write, stored = self.writes[position], (self.items[position],)
        if self._is_plain and write.origin is None:
            return _changes(write, self._now_us, None, stored)
        absent = _NONE if self._absent is None else self._absent[position]
        tombstone = version = None
        if write.table.is_strong:
            version = strong_version(write, stored[0])
            if version is None:
                return _unchanged(write, Decision(None, write.decide(None).answer), None, None)
            terms = WriteTerms(absent, self._collections, version)
            return _changes(write, self._now_us, None, stored, terms=terms)
        if self._tombstones is not None and write.table.is_replicated:
            tombstone = next(self._tombstones)
            version = next_version(write, stored[0], tombstone, self._now_us)
            if version is None:
                decision = write.decide(None)
                return _unchanged(write, Decision(None, decision.answer), None, None)
        terms = WriteTerms(absent, self._collections, version)
        changes = _changes(write, self._now_us, None, stored, terms=terms)
        return changes if version is None else with_tombstone(changes, write, version, tombstone)

    def all_changes(self) -> list[Changes[WriteResult[A]]]:
        """The changes of all writes, in order. Raises errors of decisions."""
        if not self._is_plain:
            return [self.change(position) for position in range(len(self.writes))]
        pairs, now_us = zip(self.writes, self.items, strict=True), self._now_us
        return [_changes(write, now_us, None, (stored,)) for write, stored in pairs]


def write_item(write: AnsweringPlan[A, R], context: StoreHolder) -> Coroutine[Any, Any, R]:
    """Write one item; an error of its decision changes nothing and reaches the caller.

    Raises TransactionConflictException, at once, if the item is in flight.
    """
    store, key, table = context.store, write.key, write.table
    if store.in_flight and key in store.in_flight:
        raise DynamoError(Fault.TRANSACTION_CONFLICT, conflict())
    if table.needs_preread:
        if table.is_strong:
            now_us = store.clock.now_ms() * _US
            return store.strong.write(
                table, key, partial(_changes, write, now_us, write.to_outcome)
            )
        if table.is_building or table.has_collections:
            return _write_with_preread(store, write)
        decide = partial(_replicated_changes, write, store.clock.now_ms() * _US, write.to_outcome)
        return store.engine.write((key, tombstone_key(key)), decide, fences=table.fences)
    decide = partial(_changes, write, store.clock.now_ms() * _US, write.to_outcome)
    return store.engine.write((key,), decide, fences=table.fences)


async def _write_with_preread(store: Store, write: AnsweringPlan[A, R]) -> R:
    (done,) = await write_items(store, (write,))
    return write.to_outcome(done)


async def write_items(store: Store, writes: Sequence[WritePlan[A]]) -> list[WriteResult[A]]:
    """Write several items of distinct keys atomically; none if a decision raises.

    Items of strong tables are written each for itself. The caller has checked that none of the
    items is in flight.
    """
    if any(map(_is_strong, writes)):
        return await _write_strong_ones(store, writes)
    return await write_batch(store, writes, _all_changes)


async def _write_strong_ones(store: Store, writes: Sequence[WritePlan[A]]) -> list[WriteResult[A]]:
    """Write items of which some are of strong tables. Raises the first error."""
    now_us = store.clock.now_ms() * _US
    others = [write for write in writes if not is_proposed(write)]
    plain = await write_batch(store, others, _all_changes) if others else list[WriteResult[A]]()
    proposed = [
        (each, partial(_changes, each, now_us, None)) for each in writes if is_proposed(each)
    ]
    results = iter(await write_each(store.strong, proposed))
    done, found = iter(plain), list[WriteResult[A]]()
    for write in writes:
        result = next(results) if is_proposed(write) else next(done)
        if isinstance(result, BaseException):
            raise result
        found.append(result)
    return found


async def write_batch(
    store: Store,
    writes: Sequence[WritePlan[A]],
    decide: Callable[[WriteBatch[A]], Changes[R]],
    more: Sequence[bytes] = (),
    *,
    fences: Fences = NO_FENCES,
) -> R:
    """Write several items of distinct keys with a common decision.

    Args:
        store: the store to write to.
        writes: the plans.
        decide: pure; joins the changes of the writes with `joined`, or raises.
        more: further keys to read, which the decision may put.
        fences: of the write, beside those of the tables.
    """
    tables = set(map(_table, writes))
    held = {**fences}
    for table in tables:
        held.update(table.fences)
    now_us = store.clock.now_ms() * _US
    items = list(map(_key, writes))
    tombstones: Sequence[bytes] = ()
    if any(table.is_replicated for table in tables):
        tombstones = tombstone_keys(writes)
        more = (*tombstones, *more)
    engine, collections = store.engine, None
    if any(table.has_collections for table in tables):
        counted = [write.key for write in writes if write.table.has_collections]
        collections = await collection_sizes(engine, counted, store.collection_bytes_max)
    if not any(table.is_building for table in tables):
        return await engine.write(
            [*items, *more],
            lambda values: decide(
                WriteBatch(
                    writes, now_us, values, collections=collections, tombstones=len(tombstones)
                )
            ),
            fences=held,
        )
    for _ in range(PREREADS_MAX):
        entries = entries_building(writes, await engine.read(items, fences=held))
        keys = [*items, *more, *(key for entry_keys in entries for key in entry_keys)]
        preread = _Preread(writes, now_us, entries, collections, len(tombstones))
        try:
            return await engine.write(keys, partial(preread.decided, decide), fences=held)
        except _ChangedError:
            continue
    raise ContendedError("an item changes faster than its index can be built")


def _changes(
    write: WritePlan[A],
    now_us: int,
    to_answer: Callable[[WriteResult[A]], Any] | None,
    stored: Sequence[bytes | None],
    *,
    terms: WriteTerms = _ALONE,
) -> Changes[Any]:
    """The changes of one write: its item, index entries, counters and change record.

    Args:
        write: the plan.
        now_us: the time, for the version.
        to_answer: converts the result to the answer; None to answer the result itself.
        stored: the stored item, as the only element.
        terms: what the changes depend on besides.
    """
    value = stored[0]
    before, version = (None, 0) if value is None else image_and_version(value)
    decision = write.decide(before)
    table, after = write.table, decision.after
    if after is before or (table.is_replicated and replicated.leaves_as_is(write, before, after)):
        return _unchanged(write, decision, to_answer, terms.collections)
    puts, deletes = _NOTHING, _NO_KEYS
    adds: dict[bytes, int] = {}
    old_size = new_size = 0
    version, region = (now_us if version < now_us else version + 1), OWN_REGION
    if terms.version is not None:
        version, region = terms.version
    if before is None:
        adds[table.item_count_key] = 1
    else:
        old_size = before.size
    if after is None:
        adds[table.item_count_key] = -1
        deletes = (write.key,)
    else:
        new_size = after.size
        puts = {write.key: images.stored(after, version, region)}
    grown = new_size - old_size
    if grown:
        adds[table.bytes_key] = grown
    size = new_size if grown > 0 else old_size
    appends = () if table.logs is None else _logged(write, (version, region), before, after)
    if not table.keeps_indexes:
        done = WriteResult(decision.answer, size)
        answer = done if to_answer is None else to_answer(done)
        return Changes(answer=answer, puts=puts, deletes=deletes, adds=adds, appends=appends)
    entries = changed_entries(table, puts, deletes, adds)
    most = table.key_bytes_max
    for change in changes_of(
        table.table, parsed(before), parsed(after), absent=terms.absent, key_bytes_max=most
    ):
        entries.take(table.number, change)
    collection_bytes = grown_by(
        terms.collections, table, write.key, grown + entries.local_bytes, adds=adds
    )
    done = WriteResult(decision.answer, size, entries.units, collection_bytes, entries.places)
    return entries.changes(done if to_answer is None else to_answer(done), appends)


def _replicated_changes(
    write: WritePlan[A],
    now_us: int,
    to_answer: Callable[[WriteResult[A]], Any],
    stored: Sequence[bytes | None],
) -> Changes[Any]:
    """The changes of a write of a client to a global table; `stored` are item and tombstone."""
    item, mark = stored
    version, terms = None, _ALONE
    if mark is not None:
        version = next_version(write, item, mark, now_us)
        terms = WriteTerms(version=version)
    changes = _changes(write, now_us, to_answer, (item,), terms=terms)
    if version is None:
        # Without a tombstone the version is that of any other table's item.
        if write.key not in changes.deletes:
            return changes
        version = next_version(write, item, mark, now_us)
    assert version is not None, "a change of this region wins"
    return with_tombstone(changes, write, version, mark)


def _unchanged(
    write: WritePlan[A],
    decision: Decision[A],
    to_answer: Callable[[WriteResult[A]], Any] | None,
    collections: CollectionSizes | None,
) -> Changes[Any]:
    """The result of a write that does not change its item; there are no changes."""
    image = decision.after
    size = 0 if image is None else image.size
    done = WriteResult(
        decision.answer,
        size,
        collection_bytes=grown_by(collections, write.table, write.key, 0, adds={}),
    )
    return Changes(answer=done if to_answer is None else to_answer(done))


def _logged(
    write: WritePlan[A], version: tuple[int, int], before: Image | None, after: Image | None
) -> Sequence[tuple[bytes, bytes]]:
    """The change record to append, if the table has a log and the item differs."""
    logs = write.table.logs
    if logs is None:
        return ()
    if not write.table.is_replicated and not change_log.is_change(before, after):
        return ()
    if logs.keeps_new or before is None or after is None:
        stored = change_log.stored(ChangeRecord(write.who, before, after, *version))
    else:
        stored = change_log.stored_before(before, after.size, *version)
    return ((logs.log_of(write.key), stored),)


class _Preread(msgspec.Struct, Generic[A], frozen=True):
    """The result of the preread of several writes."""

    writes: Sequence[WritePlan[A]]
    now_us: int
    entries: Sequence[Sequence[bytes]]
    """The keys of possible entries of each item, in indexes that are being built."""
    collections: CollectionSizes | None
    tombstones: int
    """The number of tombstones that were read, which are behind the items."""

    def decided(
        self, decide: Callable[[WriteBatch[A]], Changes[R]], values: Sequence[bytes | None]
    ) -> Changes[R]:
        """The decision on `values`, the last of which are those of the entries.

        Raises _ChangedError: an item can have other entries than at the preread.
        """
        if entries_building(self.writes, values[: len(self.writes)]) != self.entries:
            raise _ChangedError
        first = len(values) - sum(map(len, self.entries))
        rest = iter(values[first:])
        absent = [
            frozenset(key for key, entry in zip(keys, rest, strict=False) if entry is None)
            for keys in self.entries
        ]
        batch = WriteBatch(
            self.writes, self.now_us, values[:first],
            collections=self.collections, absent=absent, tombstones=self.tombstones,
        )  # fmt: skip
        return decide(batch)


def _all_changes(batch: WriteBatch[A]) -> Changes[list[WriteResult[A]]]:
    return joined(batch.all_changes())
