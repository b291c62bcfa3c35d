"""Searches in vector indexes, and the groups of entries that a process keeps in memory.

A group is read from the rows of its index when it is first searched. Later the log of the index has
the keys of the entries that have changed since: each search reads the log up to its end before it
answers, so that it sees every write that was acknowledged before, by whichever server. If the log
is trimmed beyond the position of a group, or is another one, the group is read again.

A group has candidates for a search. Their rows have the exact vectors, and so the exact scores.

A group that was read is saved in a file, from which it is loaded at its first search after a start.

The bound of the memory is that of all groups together; those that were not searched for longest are
dropped. A group that alone is larger is kept, but no other beside it.
"""

import asyncio
import concurrent.futures
import contextlib
import logging
import os
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from heapq import nsmallest
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from hashrange.limits.requests import VECTOR_GROUPS_BYTES_MAX
from hashrange.model.table import Index
from hashrange.model.values import AttributeValue, Item
from hashrange.storage.engine import Changes, Engine, StorageBusyError, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.items.images import item_of, size_of
from hashrange.tables.keys.key_ranges import prefix_range
from hashrange.tables.keys.keyspace import index_partition_prefix, vector_log_key
from hashrange.tables.keys.log_keys import record_key, record_number
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.vector_entries import from_binary
from hashrange.tables.vectors.groups import Candidate, Group, Packages, installed, mark_of
from hashrange.tables.vectors.scores import Search, rank, scores

if TYPE_CHECKING:
    from hashrange.tables.vectors.group_files import GroupFiles

_STAMP_BYTES: Final = 8
_PAGE_ROWS: Final = 100
_PAGE_BYTES: Final = 256 * 1024
"""About a millisecond of work; requests are served between two pages."""
_SCORED_NUMBERS: Final = 16_384
"""Some milliseconds of exact scores."""
_RECORDS: Final = 1000
_ATTEMPTS: Final = 10
"""Searches again while the best entries change between the scores and the answer."""
_GROUP_BYTES: Final = 2_000
"""Our own estimate of the memory of a group without entries."""
FILE_BYTES_MIN: Final = 1_000_000
"""A smaller group is read from its rows in some milliseconds, and has no file."""
_RECORDS_BEHIND_MAX: Final = 1_000
"""A file that is as far behind is as good as a new one."""

_CORES: Final = os.cpu_count() or 1

S = TypeVar("S")
T = TypeVar("T")

_log: Final = logging.getLogger(__name__)


class VectorPlan(msgspec.Struct, frozen=True):
    """A search in a vector index.

    Attributes:
        table: the table.
        index: the index.
        partition: the value of the HASH attribute; None if the index has none.
        search: what is searched for.
    """

    table: OpenTable
    index: Index
    partition: AttributeValue | None
    search: Search


class Result(msgspec.Struct, frozen=True):
    """An entry that was found: its attributes, its size, and its score."""

    entry: Item
    size: int
    score: float


class _Kept:
    """A group with its position in the log of the index; `lock` is held while it is used.

    `saved` is the position of its file, as far as this process knows; None if it has to be written.
    """

    __slots__ = (
        "_index",
        "counted_bytes",
        "group",
        "is_read",
        "lock",
        "log",
        "packages",
        "position",
        "prefix",
        "record",
        "saved",
    )

    def __init__(self, plan: VectorPlan, prefix: bytes, packages: Packages) -> None:
        self._index, self.packages = plan.index, packages
        self.clear()
        self.lock = asyncio.Lock()
        self.log = vector_log_key(plan.table.number, plan.index.number)
        self.prefix = prefix
        self.counted_bytes = 0
        self.is_read = False
        self.position = 0
        self.record = b""
        self.saved: int | None = None

    def clear(self) -> None:
        """Forget all entries."""
        self.group = Group(self._index, self.packages)


class VectorSearches:
    """The groups of a process.

    One search at a time is shared with a second thread: another one leaves a core to the loop.

    Args:
        folder: of the files of groups; None if they have none.
        bytes_max: the bound of their memory.
        file_bytes_min: groups of less memory have no files.
        cores: of the machine.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        bytes_max: int = VECTOR_GROUPS_BYTES_MAX,
        file_bytes_min: int = FILE_BYTES_MIN,
        cores: int = _CORES,
    ) -> None:
        self._has_second = cores > 1
        self._second: concurrent.futures.ThreadPoolExecutor | None = None
        self._folder, self._file_bytes_min = folder, file_bytes_min
        self._failures = Failures(_log, "saving the vectors of an index")
        self._bytes_max = bytes_max
        self._groups: OrderedDict[bytes, _Kept] = OrderedDict()
        self._bytes = 0
        self._packages: Packages | None = None

    def forget(self) -> None:
        """Drop all groups: the data have been put back to another state."""
        self._groups.clear()
        self._bytes = 0
        self.discard_files()

    def discard_files(self, kept: Collection[bytes] = ()) -> None:
        """Delete the files of all indexes but those whose entries have keys that begin so."""
        if self._folder is not None and self._folder.is_dir():
            _files_in(self._folder).discard(kept)

    async def close(self) -> None:
        """Save what has changed since, for the next start."""
        for kept in self._groups.values():
            behind = kept.position - (kept.saved or 0)
            if kept.is_read and behind > _RECORDS_BEHIND_MAX and self._has_file(kept):
                async with kept.lock:
                    await self._save(kept)

    async def search(self, engine: Engine, plan: VectorPlan) -> list[Result]:
        """The best entries at one moment after the call, best first.

        Raises StaleFenceError, StorageError.
        """
        kept = self._kept(plan)
        results: list[Result] | None = None
        for _ in range(_ATTEMPTS):
            async with kept.lock:
                if not kept.is_read:
                    await self._load(kept)
                await _catch_up(engine, plan.table, kept)
                if kept.saved is None and self._has_file(kept):
                    await _mark(engine, plan.table, kept)
                    await self._save(kept)
                candidates = await self._candidates(kept.group, plan.search)
            self._make_room(kept)
            results = await _best(engine, plan, kept, candidates)
            if results is not None:
                return results
        raise StorageBusyError("the best entries change faster than they are read")

    def _kept(self, plan: VectorPlan) -> _Kept:
        if self._packages is None:
            self._packages = installed()
        values = [] if plan.partition is None else [plan.partition]
        prefix = index_partition_prefix(plan.table.number, plan.index.number, values, ())
        kept = self._groups.get(prefix)
        if kept is None:
            kept = self._groups[prefix] = _Kept(plan, prefix, self._packages)
        self._groups.move_to_end(prefix)
        return kept

    async def _candidates(self, group: Group, search: Search) -> list[Candidate]:
        if group.is_small:
            return group.candidates(search)
        if self._second is None and self._has_second:
            self._second = concurrent.futures.ThreadPoolExecutor(1, "vectors")
        beside = None if self._second is None else self._second.submit
        return await _in_thread(partial(group.candidates, beside=beside), search)

    def _has_file(self, kept: _Kept) -> bool:
        return self._folder is not None and kept.group.memory_bytes >= self._file_bytes_min

    async def _load(self, kept: _Kept) -> None:
        """Take the entries of a file, if there is one. The log shows whether they are current."""
        if self._folder is None:
            return
        loaded = await _in_thread(_files_in(self._folder).load, kept.prefix)
        if loaded is not None and await _in_thread(kept.group.fill, loaded.columns):
            kept.position, kept.record = loaded.head.position, loaded.head.record
            kept.saved, kept.is_read = kept.position, True

    async def _save(self, kept: _Kept) -> None:
        """Write the file of a group that has caught up; one that cannot be written is logged."""
        columns = kept.group.columns()
        kept.saved = kept.position
        if columns is None or not kept.position or self._folder is None:
            return
        with self._failures.suppressed(OSError):
            files = _files_in(self._folder)
            save = partial(files.save, kept.prefix, kept.position, kept.record)
            await _in_thread(save, columns)

    def _make_room(self, used: _Kept) -> None:
        """Count the memory of a group, and drop others until all fit."""
        if self._groups.get(used.prefix) is not used:
            return  # it was dropped meanwhile
        size = used.group.memory_bytes + _GROUP_BYTES
        self._bytes += size - used.counted_bytes
        used.counted_bytes = size
        while self._bytes > self._bytes_max and len(self._groups) > 1:
            prefix = next(iter(self._groups))
            if prefix == used.prefix:
                self._groups.move_to_end(prefix)
                continue
            self._bytes -= self._groups.pop(prefix).counted_bytes


def _files_in(folder: Path) -> "GroupFiles":
    from hashrange.tables.vectors.group_files import GroupFiles  # noqa: PLC0415 - few servers search

    return GroupFiles(folder)


async def _in_thread(function: Callable[[S], T], argument: S) -> T:
    """Call a function in a thread, which has ended afterwards, also if this call is cancelled."""
    work = asyncio.ensure_future(asyncio.to_thread(function, argument))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        raise


async def _mark(engine: Engine, table: OpenTable, kept: _Kept) -> None:
    """Begin the log of an index whose entries were all built, or imported.

    A file is of this index if the log has the record of its position. The key of this one is that
    of no entry.
    """
    if kept.position:
        return
    appends = [(kept.log, kept.prefix)]
    with contextlib.suppress(StorageError):
        await engine.write(
            [table.catalog_key],
            lambda _: Changes(answer=None, appends=appends),
            fences=table.fences,
        )
    await _catch_up(engine, table, kept)


async def _catch_up(engine: Engine, table: OpenTable, kept: _Kept) -> None:
    """Read what has changed in a group, or all of it. Raises StaleFenceError, StorageError."""
    if not kept.is_read:
        await _read_all(engine, table, kept)
    more = True
    while more:
        first = max(kept.position, 1)
        records = await engine.scan(
            record_key(kept.log, first),
            prefix_range(kept.log)[1],
            limit=_RECORDS,
            bytes_max=_PAGE_BYTES,
            fences=table.fences,
        )
        if not _continues(kept, records):
            kept.is_read = False
            await _read_all(engine, table, kept)
            continue
        news = records[1:] if kept.position else records
        changed = dict.fromkeys(
            key for _, record in news if (key := record[_STAMP_BYTES:]).startswith(kept.prefix)
        )
        await _read_some(engine, table, kept, [*changed])
        if news:
            kept.position, kept.record = record_number(news[-1][0]), news[-1][1]
        more = bool(news)


def _continues(kept: _Kept, records: Sequence[tuple[bytes, bytes]]) -> bool:
    """Whether records are those behind the position of a group, without a gap."""
    if not kept.position:
        return not records or record_number(records[0][0]) == 1
    return bool(records) and records[0] == (record_key(kept.log, kept.position), kept.record)


async def _read_all(engine: Engine, table: OpenTable, kept: _Kept) -> None:
    """Read all entries of a group, and the position of the log before that."""
    start, end = prefix_range(kept.log)
    last = await engine.scan(start, end, limit=1, bytes_max=1, reverse=True, fences=table.fences)
    kept.clear()
    kept.saved = None
    kept.position, kept.record = (record_number(last[0][0]), last[0][1]) if last else (0, b"")
    start, end = prefix_range(kept.prefix)
    while rows := await engine.scan(
        start, end, limit=_PAGE_ROWS, bytes_max=_PAGE_BYTES, fences=table.fences
    ):
        kept.group.put([(key[len(kept.prefix) :], item_of(value)) for key, value in rows])
        start = rows[-1][0] + b"\x00"
        await asyncio.sleep(0)
    kept.is_read = True


async def _read_some(engine: Engine, table: OpenTable, kept: _Kept, keys: Sequence[bytes]) -> None:
    """Read the entries of keys that have changed."""
    for first in range(0, len(keys), _PAGE_ROWS):
        some = keys[first : first + _PAGE_ROWS]
        entries: list[tuple[bytes, Item]] = []
        for key, value in zip(some, await engine.read(some, fences=table.fences), strict=True):
            if value is None:
                kept.group.remove(key[len(kept.prefix) :])
            else:
                entries.append((key[len(kept.prefix) :], item_of(value)))
        kept.group.put(entries)
        await asyncio.sleep(0)


async def _best(
    engine: Engine, plan: VectorPlan, kept: _Kept, candidates: Sequence[Candidate]
) -> list[Result] | None:
    """The best candidates by the vectors of their rows; None if one has changed.

    Raises StaleFenceError, StorageError.
    """
    search, vector = plan.search, plan.index.vector
    assert vector is not None, "a vector index"
    best: list[tuple[float, bytes, Result]] = []
    rows = max(_SCORED_NUMBERS // vector.dimensions, 1)
    for first in range(0, len(candidates), rows):
        some, found, vectors = candidates[first : first + rows], list[tuple[Item, int]](), []
        keys = [kept.prefix + each.key for each in some]
        for each, row in zip(some, await engine.read(keys, fences=plan.table.fences), strict=True):
            if row is None:
                return None
            entry = item_of(row)
            data = from_binary(entry[vector.attribute])
            if mark_of(data) != each.mark or not _has(entry, search.required):
                return None
            found.append((entry, size_of(row)))
            vectors.append(data)
        exact_scores = scores(search.distance, search.query, vectors, kept.packages.numpy)
        for each, (entry, size), exact in zip(some, found, exact_scores, strict=True):
            best.append((rank(search.distance, exact), each.key, Result(entry, size, exact)))
        best = nsmallest(search.top, best, key=itemgetter(0, 1))
        if len(candidates) > rows:
            await asyncio.sleep(0)
    return [result for _, _, result in best]


def _has(entry: Item, required: Mapping[str, AttributeValue]) -> bool:
    return all(entry.get(name) == value for name, value in required.items())
