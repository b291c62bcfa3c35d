"""Shares statements between reads of several requests, where others are being executed already.

A statement begins after all reads of its group, so each sees the writes that were acknowledged
before it came. Reads that come while few statements are executed do not wait.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeAlias, TypeVar

import msgspec

from hashrange.storage.engine import Fences, StaleFenceError

GROUPS_MAX: Final = 4
"""Statements that are executed at the same time."""
GROUP_WEIGHT_MAX: Final = 64
"""Weight of a group without its last read: all that its reads find is in memory at once."""

Asked = TypeVar("Asked")
Found = TypeVar("Found")
Execute: TypeAlias = Callable[[Sequence[Asked], Fences], Awaitable[Sequence[Found]]]
"""Answers several reads at one moment, at which all fences held."""


class _Waiting(msgspec.Struct, Generic[Asked, Found], eq=False):
    """A read that waits for its group."""

    asked: Asked
    fences: Fences
    waiter: asyncio.Future[Found]


class ReadGroups(Generic[Asked, Found]):
    """Forms groups of reads.

    Args:
        execute: executes the statement of a group.
        weigh: the number of keys of a read, or a number that stands for it.
    """

    def __init__(self, execute: Execute[Asked, Found], weigh: Callable[[Asked], int]) -> None:
        self._together = execute
        self._weigh = weigh
        self._executed = 0
        self._queued: deque[_Waiting[Asked, Found]] = deque()
        self._tasks: set[asyncio.Task[None]] = set()

    async def read(self, asked: Asked, fences: Fences) -> Found:
        """The answer of a read at one moment, at which the fences held.

        Raises StaleFenceError, ContendedError, StorageError.
        """
        if self._executed < GROUPS_MAX:
            self._executed += 1
            try:
                (found,) = await self._together([asked], fences)
            finally:
                self._ended()
            return found
        waiter: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        self._queued.append(_Waiting(asked, fences, waiter))
        return await waiter

    def _ended(self) -> None:
        """A statement has ended: the next group begins."""
        self._executed -= 1
        group = self._next_group()
        if group:
            self._executed += 1
            task = asyncio.create_task(self._execute(group))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _next_group(self) -> list[_Waiting[Asked, Found]]:
        """The oldest reads whose fences do not contradict each other."""
        group: list[_Waiting[Asked, Found]] = []
        fences: dict[bytes, bytes] = {}
        weight = 0
        while self._queued and weight < GROUP_WEIGHT_MAX:
            read = self._queued[0]
            if not read.waiter.done():  # it is done if the caller was cancelled
                if any(fences.get(key, value) != value for key, value in read.fences.items()):
                    break
                fences.update(read.fences)
                weight += self._weigh(read.asked)
                group.append(read)
            self._queued.popleft()
        return group

    async def _execute(self, group: Sequence[_Waiting[Asked, Found]]) -> None:
        try:
            try:
                await self._answer(group)
            except StaleFenceError:  # of one of them
                for read in group:
                    await self._answer_alone(read)
        except asyncio.CancelledError:
            for read in group:
                read.waiter.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - the waiters must be resolved after any error
            _fail(group, error)
        finally:
            self._ended()

    async def _answer(self, group: Sequence[_Waiting[Asked, Found]]) -> None:
        fences = {key: value for read in group for key, value in read.fences.items()}
        answers = await self._together([read.asked for read in group], fences)
        for read, found in zip(group, answers, strict=True):
            if not read.waiter.done():
                read.waiter.set_result(found)

    async def _answer_alone(self, read: _Waiting[Asked, Found]) -> None:
        if read.waiter.done():
            return
        try:
            await self._answer([read])
        except Exception as error:  # noqa: BLE001 - the waiter must be resolved after any error
            _fail([read], error)


def _fail(reads: Sequence[_Waiting[Asked, Found]], error: Exception) -> None:
    for read in reads:
        if not read.waiter.done():
            read.waiter.set_exception(error)
