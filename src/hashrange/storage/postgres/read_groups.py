"""Reads keys of several requests in one statement, where others are being executed already.

A statement begins after all requests of its group, so each sees the writes that were acknowledged
before it came. Reads that come while few statements are executed do not wait.
"""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from hashrange.storage.engine import Fences, StaleFenceError
from hashrange.storage.postgres.fenced import FencedReader
from hashrange.storage.postgres.statements import READ

GROUPS_MAX: Final = 4
"""Statements that are executed at the same time."""
GROUP_READS_MAX: Final = 32
"""Reads of a group; all their values are in memory at once."""
GROUP_KEYS_MAX: Final = 100
"""Keys of a group without its last read."""

Rows = Mapping[bytes, Any]
"""Rows by their keys."""


class _Waiting(msgspec.Struct, eq=False):
    """A read that waits for its group."""

    keys: Sequence[bytes]
    fences: Fences
    waiter: asyncio.Future[Rows]


class ReadGroups:
    """Forms groups of reads.

    Args:
        reader: executes the statements.
    """

    def __init__(self, reader: FencedReader) -> None:
        self._reader = reader
        self._executed = 0
        self._queued: deque[_Waiting] = deque()
        self._tasks: set[asyncio.Task[None]] = set()

    async def read(self, keys: Sequence[bytes], fences: Fences) -> Rows:
        """The rows of keys at one moment, at which the fences held.

        Raises StaleFenceError, ContendedError, StorageError.
        """
        if self._executed < GROUPS_MAX:
            self._executed += 1
            try:
                return await self._rows(keys, fences)
            finally:
                self._ended()
        waiter: asyncio.Future[Rows] = asyncio.get_running_loop().create_future()
        self._queued.append(_Waiting(keys, fences, waiter))
        return await waiter

    async def _rows(self, keys: Sequence[bytes], fences: Fences) -> Rows:
        rows = await self._reader.rows(READ, [list(set(keys))], fences)
        return {row["k"]: row for row in rows}

    def _ended(self) -> None:
        """A statement has ended: the next group begins."""
        self._executed -= 1
        group = self._next_group()
        if group:
            self._executed += 1
            task = asyncio.create_task(self._execute(group))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _next_group(self) -> list[_Waiting]:
        """The oldest reads whose fences do not contradict each other."""
        group: list[_Waiting] = []
        fences: dict[bytes, bytes] = {}
        keys = 0
        while self._queued and len(group) < GROUP_READS_MAX and keys < GROUP_KEYS_MAX:
            read = self._queued[0]
            if not read.waiter.done():  # it is done if the caller was cancelled
                if any(fences.get(key, value) != value for key, value in read.fences.items()):
                    break
                fences.update(read.fences)
                keys += len(read.keys)
                group.append(read)
            self._queued.popleft()
        return group

    async def _execute(self, group: Sequence[_Waiting]) -> None:
        try:
            if len(group) > 1 and await self._together(group):
                return
            for read in group:
                await self._alone(read)
        except asyncio.CancelledError:
            for read in group:
                read.waiter.cancel()
            raise
        finally:
            self._ended()

    async def _together(self, group: Sequence[_Waiting]) -> bool:
        """Execute one statement for a group; False if a fence of one of them is stale."""
        keys = [key for read in group for key in read.keys]
        fences = {key: value for read in group for key, value in read.fences.items()}
        try:
            rows = await self._rows(keys, fences)
        except StaleFenceError:
            return False
        except Exception as error:  # noqa: BLE001 - the waiters must be resolved after any error
            for read in group:
                _fail(read, error)
            return True
        for read in group:
            if not read.waiter.done():
                read.waiter.set_result(rows)
        return True

    async def _alone(self, read: _Waiting) -> None:
        if read.waiter.done():
            return
        try:
            rows = await self._rows(read.keys, read.fences)
        except Exception as error:  # noqa: BLE001 - the waiter must be resolved after any error
            _fail(read, error)
            return
        if not read.waiter.done():
            read.waiter.set_result(rows)


def _fail(read: _Waiting, error: Exception) -> None:
    if not read.waiter.done():
        read.waiter.set_exception(error)
