"""Sorts more records than memory holds: in pieces, which are then merged.

A record begins with its key; `packed` makes one and `key_of` finds its key. Keys must be such that
none is a prefix of another one. Of records of one key the last added is the last one.

Pieces that memory does not hold are in files without a name, which a crash leaves nothing of.
"""

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from itertools import chain
from struct import Struct
from typing import Final, Protocol, TypeAlias

from hashrange.limits.backups import (
    SORT_BLOCK_BYTES,
    SORT_PIECE_BYTES,
    SORT_PIECE_RECORDS,
    SORT_RUNS_MAX,
)

Turn: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]
"""Waits until a step of some milliseconds may be done: `Pacer.turn`."""

_SEQUENCE_BYTES: Final = 6
_key_bytes: Final = Struct(">H")
_counts: Final = Struct(">II")
"""Before a block: its bytes, and the number of its records, whose lengths follow."""


def packed(key: bytes, sequence: int, value: bytes) -> bytes:
    """A record; `sequence` orders records of one key."""
    tail = _key_bytes.pack(len(key))
    return b"%b%b%b%b" % (key, sequence.to_bytes(_SEQUENCE_BYTES), value, tail)


def unpacked(record: bytes) -> tuple[bytes, bytes]:
    """Key and value of a record."""
    length = record[-2] << 8 | record[-1]
    return record[:length], record[length + _SEQUENCE_BYTES : -2]


class Spool(Protocol):
    """A file without a name."""

    def write(self, data: bytes) -> None:
        """Append bytes. Raises OSError: the disk is full."""

    def read(self, start: int, size: int) -> bytes:
        """Bytes that were written. Raises OSError."""

    def close(self) -> None:
        """Remove the file."""


class _Run(Protocol):
    """Sorted records, in blocks."""

    def blocks(self) -> Iterator[list[bytes]]:
        """The blocks in order; none is empty."""


class _Held:
    """A run in memory."""

    def __init__(self, records: list[bytes]) -> None:
        self._records = records

    def blocks(self) -> Iterator[list[bytes]]:
        if self._records:
            yield self._records


class _Spooled:
    """A run in a file."""

    def __init__(self, spool: Spool, start: int) -> None:
        self._spool = spool
        self.start = self.end = start

    async def extend(self, records: Sequence[bytes]) -> None:
        """Append records, which are sorted."""
        data = b"".join(_blocks(records))
        await asyncio.to_thread(self._spool.write, data)
        self.end += len(data)

    def blocks(self) -> Iterator[list[bytes]]:
        place = self.start
        while place < self.end:
            size, count = _counts.unpack(self._spool.read(place, _counts.size))
            place += _counts.size
            yield _records(self._spool.read(place, size), count)
            place += size


def _blocks(records: Sequence[bytes]) -> Iterator[bytes]:
    first = size = 0
    for position, record in enumerate(records, start=1):
        size += len(record)
        if size >= SORT_BLOCK_BYTES or position == len(records):
            block = records[first:position]
            lengths = Struct(f">{len(block)}I").pack(*map(len, block))
            yield _counts.pack(len(lengths) + size, len(block))
            yield lengths
            yield b"".join(block)
            first, size = position, 0


def _records(data: bytes, count: int) -> list[bytes]:
    lengths = Struct(f">{count}I")
    found, place = [], lengths.size
    for length in lengths.unpack_from(data):
        found.append(data[place : place + length])
        place += length
    return found


class _Level:
    """Runs of about one size, which are in one file."""

    def __init__(self, spool: Spool) -> None:
        self.spool = spool
        self.runs: list[_Spooled] = []

    def begun(self) -> _Spooled:
        """A new run at the end of the file."""
        run = _Spooled(self.spool, self.runs[-1].end if self.runs else 0)
        self.runs.append(run)
        return run


class Sorter:
    """Sorts records.

    Args:
        new_spool: makes files.
        turn: for each step.
        piece_records: that are sorted in memory; tests make it small.
        runs_max: runs of one level; when there are so many they become one of the next level.
    """

    def __init__(
        self,
        new_spool: Callable[[], Spool],
        turn: Turn,
        *,
        piece_records: int = SORT_PIECE_RECORDS,
        runs_max: int = SORT_RUNS_MAX,
    ) -> None:
        self._new_spool = new_spool
        self._turn = turn
        self._piece_records = piece_records
        self._runs_max = runs_max
        self._parts: list[list[bytes]] = []
        self._held = self._held_bytes = 0
        self._levels: list[_Level] = []

    async def add(self, records: list[bytes]) -> None:
        """Add records, in one turn of the caller; the list is the sorter's from now on."""
        records.sort()
        self._parts.append(records)
        self._held += len(records)
        self._held_bytes += sum(map(len, records))
        if self._held >= self._piece_records or self._held_bytes >= SORT_PIECE_BYTES:
            piece = self._piece()
            await self._level(0).begun().extend(piece)

    async def merge_runs(self) -> None:
        """Merge runs that have become too many; not within a turn of the caller."""
        number = 0
        while number < len(self._levels):
            level = self._levels[number]
            if len(level.runs) >= self._runs_max:
                run = self._level(number + 1).begun()
                async for page in self._merged(level.runs):
                    await run.extend(page)
                level.spool.close()
                self._levels[number] = _Level(self._new_spool())
            number += 1

    def _level(self, number: int) -> _Level:
        if number == len(self._levels):
            self._levels.append(_Level(self._new_spool()))
        return self._levels[number]

    def _piece(self) -> list[bytes]:
        """The records in memory as one sorted list; the parts are sorted, so this is a merge."""
        piece = list(chain.from_iterable(self._parts))
        self._parts, self._held, self._held_bytes = [], 0, 0
        piece.sort()
        return piece

    async def pages(self) -> AsyncIterator[list[bytes]]:
        """All records in order, in pages of some hundred; may be read once."""
        runs: list[_Run] = [run for level in self._levels for run in level.runs]
        runs.append(_Held(self._piece()))
        async for page in self._merged(runs):
            yield page

    async def _merged(self, runs: Sequence[_Run]) -> AsyncIterator[list[bytes]]:
        cursors = [_Cursor(run.blocks()) for run in runs]
        cursors = [cursor for cursor in cursors if cursor.block]
        while cursors:
            async with self._turn():
                page = _next_page(cursors)
                cursors = [cursor for cursor in cursors if cursor.block]
            yield page

    def close(self) -> None:
        """Remove the files."""
        for level in self._levels:
            level.spool.close()
        self._levels = []


class _Cursor:
    """A place in a run; `block` is empty at its end."""

    __slots__ = ("_blocks", "block", "position")

    def __init__(self, blocks: Iterator[list[bytes]]) -> None:
        self._blocks = blocks
        self.block: list[bytes] = next(blocks, [])
        self.position = 0

    def taken(self, bound: bytes) -> list[bytes]:
        """The records up to a bound, which are passed."""
        start = self.position
        end = self.position = bisect_right(self.block, bound, start)
        found = self.block[start:end]
        if end == len(self.block):
            self.block, self.position = next(self._blocks, []), 0
        return found


def _next_page(cursors: Sequence[_Cursor]) -> list[bytes]:
    """The records up to the end of the block that ends first."""
    bound = min(cursor.block[-1] for cursor in cursors)
    page: list[bytes] = []
    for cursor in cursors:
        if cursor.block[cursor.position] <= bound:
            page += cursor.taken(bound)
    page.sort()
    return page
