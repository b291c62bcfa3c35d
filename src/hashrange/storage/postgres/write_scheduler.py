"""Forms groups of queued writes, and executes a few groups at the same time.

No key is in two groups that are executed at the same time, so writes of one server never conflict
with each other. Writes of one turn of the event loop are in one group. A write whose key is in a
group, or that finds all groups in use, is queued.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from hashrange.storage.engine import StorageUnavailableError
from hashrange.storage.pending_write import PendingWrite

GROUPS_MAX: Final = 3
"""The number of groups that are executed at the same time."""
GROUP_WRITES_MAX: Final = 64
"""Writes of a group."""
GROUP_KEYS_MAX: Final = 300
"""Keys of a group without its last write; all their values are in memory at once."""
GROUP_SHARE: Final = 0.5
"""A group starts beside others when it has this share of their writes: a statement costs as much as
several rows, so few large groups cost less than many small ones."""
WAIT_SECONDS_MAX: Final = 0.01
"""After which a smaller group starts, too."""
CONSIDERED_WRITES_MAX: Final = 1_000
"""Queued writes that are considered for a group."""


Execution: TypeAlias = Coroutine[Any, Any, Sequence[PendingWrite]]


class WriteScheduler:
    """Queues writes and starts groups of them.

    Args:
        execute: executes a group; returns those of its writes that must be in another group.
        groups_max: the number of groups that are executed at the same time.
    """

    def __init__(
        self, execute: Callable[[Sequence[PendingWrite]], Execution], groups_max: int = GROUPS_MAX
    ) -> None:
        self._execute = execute
        self._groups_max = groups_max
        self._queued: deque[PendingWrite] = deque()
        self._busy_keys: set[bytes] = set()
        self._tasks: dict[asyncio.Task[Sequence[PendingWrite]], Sequence[PendingWrite]] = {}
        self._executed = 0
        """Writes of the groups that are executed."""
        self._start_handle: asyncio.Handle | None = None
        self._wait_handle: asyncio.TimerHandle | None = None
        self._is_closed = False

    def submit(self, write: PendingWrite) -> None:
        """Queue a write for a group that starts, if it may, in the next turn of the event loop.

        Raises StorageUnavailableError.
        """
        if self._is_closed:
            raise StorageUnavailableError("the storage is closed")
        self._queued.append(write)
        may_start = len(self._tasks) < self._groups_max and self._busy_keys.isdisjoint(write.keys)
        if may_start and self._start_handle is None:
            self._start_handle = asyncio.get_running_loop().call_soon(self._start_groups)

    def cancel_abandoned(self) -> None:
        """Cancel groups of which all callers were cancelled, so that their keys are released."""
        for task, group in self._tasks.items():
            if all(write.waiter.done() for write in group):
                task.cancel()

    async def close(self, seconds: float) -> None:
        """Wait up to `seconds` for all writes; then cancel the groups and fail queued writes."""
        end = asyncio.get_running_loop().time() + seconds
        self._start_groups(waits=False)
        while self._tasks and (left := end - asyncio.get_running_loop().time()) > 0:
            await asyncio.wait(self._tasks, timeout=left)
            self._start_groups(waits=False)
        self._is_closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for write in self._queued:
            if not write.waiter.done():
                write.error = StorageUnavailableError("the server ends")
                write.waiter.set_result(None)
        self._queued.clear()

    def _start(self, group: Sequence[PendingWrite]) -> None:
        if self._wait_handle is not None:
            self._wait_handle.cancel()
            self._wait_handle = None
        keys = {key for write in group for key in write.keys}
        self._busy_keys |= keys
        task = asyncio.create_task(self._execute(group))
        self._tasks[task] = group
        self._executed += len(group)
        task.add_done_callback(partial(self._finish, keys))

    def _finish(self, keys: set[bytes], task: asyncio.Task[Sequence[PendingWrite]]) -> None:
        self._executed -= len(self._tasks.pop(task))
        self._busy_keys -= keys
        left = () if task.cancelled() else task.result()
        self._queued.extendleft(reversed(left))
        self._start_groups()

    def _start_groups(self, *, waits: bool = True) -> None:
        """Start as many groups as may be executed, and wait with those that are too small."""
        self._start_handle = None
        while self._queued and len(self._tasks) < self._groups_max and not self._is_closed:
            if waits and len(self._queued) < self._executed * GROUP_SHARE:
                self._wait()
                return
            group = self._next_group()
            if not group:
                return
            self._start(group)

    def _wait(self) -> None:
        if self._wait_handle is None:
            loop = asyncio.get_running_loop()
            self._wait_handle = loop.call_later(WAIT_SECONDS_MAX, self._end_wait)

    def _end_wait(self) -> None:
        self._wait_handle = None
        self._start_groups(waits=False)

    def _next_group(self) -> list[PendingWrite]:
        """The longest queued writes whose keys are not used by a group or an earlier write."""
        group: list[PendingWrite] = []
        keys: set[bytes] = set()
        skipped: list[PendingWrite] = []
        blocked: set[bytes] = set()
        considered = 0
        while (
            self._queued
            and considered < CONSIDERED_WRITES_MAX
            and len(group) < GROUP_WRITES_MAX
            and len(keys) < GROUP_KEYS_MAX
        ):
            write = self._queued.popleft()
            considered += 1
            if self._busy_keys.isdisjoint(write.keys) and blocked.isdisjoint(write.keys):
                if not write.waiter.done():  # it is done if the caller was cancelled
                    group.append(write)
                    keys.update(write.keys)
            else:
                skipped.append(write)
                blocked.update(write.keys)
        self._queued.extendleft(reversed(skipped))
        return group
