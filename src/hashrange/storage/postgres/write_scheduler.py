"""Forms groups of queued writes, and executes a few groups at the same time.

No key is in two groups that are executed at the same time, so writes of one server never conflict
with each other. A write whose key is in such a group, or that finds all groups in use, is queued.
"""

import asyncio
from collections import Counter, deque
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
        self._queued_keys: Counter[bytes] = Counter()
        """The number of queued writes by key."""
        self._busy_keys: set[bytes] = set()
        self._tasks: dict[asyncio.Task[Sequence[PendingWrite]], Sequence[PendingWrite]] = {}
        self._is_closed = False

    def submit(self, write: PendingWrite) -> None:
        """Start a write at once if possible, else queue it. Raises StorageUnavailableError."""
        if self._is_closed:
            raise StorageUnavailableError("the storage is closed")
        if len(self._tasks) < self._groups_max and self._is_free(write.keys):
            self._start([write])
        else:
            self._queue(write)

    def cancel_abandoned(self) -> None:
        """Cancel groups of which all callers were cancelled, so that their keys are released."""
        for task, group in self._tasks.items():
            if all(write.waiter.done() for write in group):
                task.cancel()

    async def close(self, seconds: float) -> None:
        """Wait up to `seconds` for all writes; then cancel the groups and fail queued writes."""
        end = asyncio.get_running_loop().time() + seconds
        while self._tasks and (left := end - asyncio.get_running_loop().time()) > 0:
            await asyncio.wait(self._tasks, timeout=left)
        self._is_closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for write in self._queued:
            if not write.waiter.done():
                write.error = StorageUnavailableError("the server ends")
                write.waiter.set_result(None)
        self._queued.clear()

    def _is_free(self, keys: Sequence[bytes]) -> bool:
        return self._busy_keys.isdisjoint(keys) and self._queued_keys.keys().isdisjoint(keys)

    def _queue(self, write: PendingWrite) -> None:
        self._queued.append(write)
        self._queued_keys.update(set(write.keys))

    def _start(self, group: Sequence[PendingWrite]) -> None:
        keys = {key for write in group for key in write.keys}
        self._busy_keys |= keys
        task = asyncio.create_task(self._execute(group))
        self._tasks[task] = group
        task.add_done_callback(partial(self._finish, keys))

    def _finish(self, keys: set[bytes], task: asyncio.Task[Sequence[PendingWrite]]) -> None:
        del self._tasks[task]
        self._busy_keys -= keys
        left = () if task.cancelled() else task.result()
        self._queued.extendleft(reversed(left))
        for write in left:
            self._queued_keys.update(set(write.keys))
        self._start_groups()

    def _start_groups(self) -> None:
        while self._queued and len(self._tasks) < self._groups_max and not self._is_closed:
            group = self._next_group()
            if not group:
                return
            self._start(group)

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
                self._unqueue(write)
                if not write.waiter.done():  # it is done if the caller was cancelled
                    group.append(write)
                    keys.update(write.keys)
            else:
                skipped.append(write)
                blocked.update(write.keys)
        self._queued.extendleft(reversed(skipped))
        return group

    def _unqueue(self, write: PendingWrite) -> None:
        for key in set(write.keys):
            self._queued_keys[key] -= 1
            if not self._queued_keys[key]:
                del self._queued_keys[key]
