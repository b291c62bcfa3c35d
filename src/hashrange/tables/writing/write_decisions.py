"""Decisions of plans on stored items: the changes of one write of the engine. Pure.

A plan decides the new item. The item and its counters are added by `ItemChanges.replace`, what else
is written with it by the contributors of its table: index entries, change record, size of the
collection, tombstone.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

import msgspec

from hashrange.storage.engine import Changes, DelegableDecision
from hashrange.tables.items.images import (
    OWN_REGION,
    Counters,
    Image,
    ItemChanges,
    image_and_version,
    size_and_version_of,
)
from hashrange.tables.items.item_changes import CollectionSizes, ItemChange, WriteTerms
from hashrange.tables.keys.keyspace import bytes_key_of, item_count_key_of
from hashrange.tables.log.tombstones import tombstone, tombstone_key
from hashrange.tables.opened.vector_entries import charged_bytes
from hashrange.tables.writing.write_plans import (
    AnsweringPlan,
    Decision,
    WritePlan,
    WriteResult,
    is_conflict,
    leaves_as_is,
    next_version,
    replacement_bytes,
    replacement_from,
)

A = TypeVar("A")
R = TypeVar("R")

_ALONE: Final = WriteTerms()
_TABLE_BYTES: Final = 4
"""The bytes of a table's number, with which the keys of its items begin."""
_key: Final = attrgetter("key")
_table: Final = attrgetter("table")
_after: Final = attrgetter("after")
_replaces: Final = attrgetter("replaces")
_is_plain: Final = attrgetter("table.is_plain")


class WriteBatch(Generic[A]):
    """Several writes with the stored values of one moment, for one run of their decision.

    Attributes:
        writes: the plans.
        items: the stored items, in the order of the writes.
        more: the values of the further keys of `write_batch`.
        changes: those of the writes that were decided so far.
        replaces_all: each plan replaces an item of a plain table, so that none of them refuses.
    """

    __slots__ = ("_now_us", "_terms", "changes", "items", "more", "replaces_all", "writes")

    def __init__(
        self,
        writes: Sequence[WritePlan[A]],
        now_us: int,
        values: Sequence[bytes | None],
        terms: Sequence[WriteTerms] | None = None,
    ) -> None:
        self.writes = writes
        self._now_us = now_us
        self._terms = terms
        self.items, self.more = values[: len(writes)], values[len(writes) :]
        self.changes = ItemChanges()
        self.replaces_all = are_replacements(writes)

    def decide(self, position: int) -> WriteResult[A]:
        """Decide the write at a position, and add what it changes; to be called once for each.

        Raises errors of its decision.
        """
        terms = _ALONE if self._terms is None else self._terms[position]
        write, stored = self.writes[position], self.items[position]
        return _decide(write, self._now_us, stored, self.changes, terms=terms)

    def decide_all(self) -> list[WriteResult[A]]:
        """Decide all writes, in order. Raises errors of decisions."""
        if self.replaces_all:
            sizes = _replaced(self.changes, self.writes, self.items, self._now_us)
            results: list[WriteResult[Any]] = [WriteResult(None, size) for size in sizes]
            return results
        now_us, changes, terms = self._now_us, self.changes, self._terms or repeat(_ALONE)
        return [
            _decide(write, now_us, stored, changes, terms=each)
            for write, stored, each in zip(self.writes, self.items, terms)  # noqa: B905 - terms
        ]


def all_decided(batch: WriteBatch[A]) -> Changes[list[WriteResult[A]]]:
    """The changes of all writes of a batch, and their results."""
    return batch.changes.changes(batch.decide_all())


def decided(
    write: WritePlan[A],
    now_us: int,
    to_answer: Callable[[WriteResult[A]], R],
    values: Sequence[bytes | None],
    *,
    terms: WriteTerms = _ALONE,
) -> Changes[R]:
    """The changes of one write.

    Args:
        write: the plan.
        now_us: the time, for the version.
        to_answer: converts the result to the answer.
        values: the stored item comes first.
        terms: what is known besides.
    """
    changes = ItemChanges()
    return Changes(
        answer=to_answer(_decide(write, now_us, values[0], changes, terms=terms)),
        puts=changes.puts, deletes=changes.deletes, adds=changes.adds, appends=changes.appends,
    )  # fmt: skip


def decided_replicated(
    write: WritePlan[A],
    now_us: int,
    to_answer: Callable[[WriteResult[A]], R],
    values: Sequence[bytes | None],
) -> Changes[R]:
    """As `decided`, of an item of a replicated table; its tombstone comes second."""
    return decided(write, now_us, to_answer, values, terms=WriteTerms(values[1]))


def _decide(
    write: WritePlan[A],
    now_us: int,
    value: bytes | None,
    changes: ItemChanges,
    *,
    terms: WriteTerms,
) -> WriteResult[A]:
    """Decide one write on its stored item, and add all that it changes.

    Raises errors of its decision.
    """
    before = old_size = None
    version, region, table = now_us, OWN_REGION, write.table
    if value is not None:
        before, version = image_and_version(value)
        old_size, version = before.size, now_us if version < now_us else version + 1
    if table.is_ordered:
        latest = next_version(write, value, terms.tombstone, now_us)
        if latest is None:
            has_lost = is_conflict(write, value, terms.tombstone)
            return WriteResult(write.decide(None).answer, has_lost=has_lost)
        version, region = latest
    decision = write.decide(before)
    after = decision.after
    if after is before or (table.is_replicated and leaves_as_is(write, before, after)):
        # A deletion of another region counts without an item: an earlier change may come later.
        if after is None and write.origin is not None and table.is_replicated:
            changes.puts[tombstone_key(write.key)] = tombstone(version, region)
        return _unchanged(write, decision, terms.collections)
    size = changes.replace(table, write.key, old_size, after, version=version, region=region)
    if not table.contributors:
        return WriteResult(decision.answer, size)
    change = ItemChange(
        write.key, before, after, version, region, write.who, changes, terms, value, decision.item
    )
    if table.wants_places:
        change.places = []
    for contribute in table.contributors:
        contribute(change)
    if change.charged_bytes is not None:
        size = change.charged_bytes
    return WriteResult(decision.answer, size, change.units, change.collection_bytes, change.places)


def _unchanged(
    write: WritePlan[A], decision: Decision[A], collections: CollectionSizes | None
) -> WriteResult[A]:
    """The result of a write that does not change its item."""
    after = decision.after
    size = 0 if after is None else charged_bytes(write.table.table, after)
    if collections is None:
        return WriteResult(decision.answer, size)
    collection_bytes = collections.grow(write.key, 0)
    return WriteResult(decision.answer, size, collection_bytes=collection_bytes)


def are_replacements(writes: Sequence[WritePlan[Any]]) -> bool:
    """Whether each write replaces an item of a plain table, whatever is stored."""
    return bool(writes) and all(map(_replaces, writes)) and all(map(_is_plain, writes))


class Replacement(DelegableDecision[R], frozen=True):
    """Replaces one item of a plain table."""

    write: AnsweringPlan[Any, R]
    now_us: int

    def __call__(self, values: Sequence[bytes | None]) -> Changes[R]:
        """As `DelegableDecision`."""
        write, changes, value, now_us = self.write, ItemChanges(), values[0], self.now_us
        old_size, version = (None, 0) if value is None else size_and_version_of(value)
        version = now_us if version < now_us else version + 1
        size = changes.replace(write.table, write.key, old_size, _after(write), version=version)
        answer = write.to_outcome(WriteResult(None, size))
        return Changes(answer=answer, puts=changes.puts, deletes=changes.deletes, adds=changes.adds)

    def arguments(self) -> Sequence[bytes]:
        """As `DelegableDecision`."""
        return (replacement_bytes(_after(self.write), self.now_us),)

    def answer_from(self, numbers: Sequence[int]) -> R:
        """As `DelegableDecision`."""
        return self.write.to_outcome(WriteResult(None, numbers[0]))


class Replacements(DelegableDecision[list[WriteResult[Any]]], frozen=True):
    """Replaces several items of plain tables."""

    writes: Sequence[WritePlan[Any]]
    now_us: int

    def __call__(self, values: Sequence[bytes | None]) -> Changes[list[WriteResult[Any]]]:
        """As `DelegableDecision`."""
        changes = ItemChanges()
        sizes = _replaced(changes, self.writes, values, self.now_us)
        return changes.changes(self.answer_from(sizes))

    def arguments(self) -> Sequence[bytes]:
        """As `DelegableDecision`."""
        now_us = self.now_us
        return [replacement_bytes(after, now_us) for after in map(_after, self.writes)]

    def answer_from(self, numbers: Sequence[int]) -> list[WriteResult[Any]]:
        """As `DelegableDecision`."""
        return [WriteResult(None, size) for size in numbers]


class _TableCounters(msgspec.Struct, frozen=True):
    """The counters of a table of which only the key of an item is known."""

    item_count_key: bytes
    bytes_key: bytes


def decide_delegated(
    keys: Sequence[bytes], arguments: Sequence[bytes], values: Sequence[bytes | None]
) -> Changes[tuple[int, ...]]:
    """The changes of replacements that another process has sent as `arguments`.

    The answer is the size of the larger of the old and the new item of each.
    """
    counters: dict[bytes, Counters] = {}
    for key in keys:
        if key[:_TABLE_BYTES] not in counters:
            own = _TableCounters(item_count_key_of(key), bytes_key_of(key))
            counters[key[:_TABLE_BYTES]] = own
    tables = [counters[key[:_TABLE_BYTES]] for key in keys]
    afters, times = zip(*map(replacement_from, arguments), strict=True)
    changes = ItemChanges()
    sizes = _replace_each(changes, zip(tables, keys, afters, times, values, strict=True))
    return changes.changes(tuple(sizes))


def _replaced(
    changes: ItemChanges,
    writes: Sequence[WritePlan[Any]],
    values: Sequence[bytes | None],
    now_us: int,
) -> list[int]:
    """Replace the items of plans; returns the size of the larger image of each."""
    afters, times = map(_after, writes), repeat(now_us)
    each = zip(map(_table, writes), map(_key, writes), afters, times, values)  # noqa: B905 - times
    return _replace_each(changes, each)


def _replace_each(
    changes: ItemChanges,
    replacements: Iterable[tuple[Counters, bytes, Image | None, int, bytes | None]],
) -> list[int]:
    """Replace items: their counters, key, new image, the time, and the stored item of each."""
    sizes = []
    for counters, key, after, now_us, value in replacements:
        old_size, version = (None, 0) if value is None else size_and_version_of(value)
        version = now_us if version < now_us else version + 1
        sizes.append(changes.replace(counters, key, old_size, after, version=version))
    return sizes
