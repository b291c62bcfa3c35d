"""Which works are carried out together, and when.

A group at a time is carried out in each of a few lanes. No key is in two lanes at once, so that
works of one server never lose to each other; who waits for a key or a lane is in the next group.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from hashrange.storage.engine import StorageUnavailableError
from hashrange.storage.pending_write import PendingWrite

LANES: Final = 3
WORKS_MAX: Final = 64
"""Of a group."""
KEYS_MAX: Final = 300
"""Of a group, but for those of its last work: their values are all in memory at once."""
LOOKED_AT_MAX: Final = 1_000
"""Waiting works, for a group: those behind wait for the next one."""


Carrying: TypeAlias = Coroutine[Any, Any, Sequence[PendingWrite]]


class WriteScheduler:
    """Works that wait or are carried out.

    Args:
        carry: carries out a group; answers those of it that must be in another one.
    """

    def __init__(
        self, carry: Callable[[Sequence[PendingWrite]], Carrying], lanes: int = LANES
    ) -> None:
        self._carry = carry
        self._lanes = lanes
        self._waiting: deque[PendingWrite] = deque()
        self._wanted: Counter[bytes] = Counter()
        """How many of those that wait want a key."""
        self._held: set[bytes] = set()
        self._tasks: dict[asyncio.Task[Sequence[PendingWrite]], Sequence[PendingWrite]] = {}
        self._is_closed = False

    def put(self, work: PendingWrite) -> None:
        """Let a work wait for its turn, which may be at once. Raises StorageUnavailableError."""
        if self._is_closed:
            raise StorageUnavailableError("the storage is closed")
        if len(self._tasks) < self._lanes and self._is_free(work.keys):
            self._begin([work])
        else:
            self._wait(work)

    def give_up(self) -> None:
        """Somebody has gone: stop what nobody waits for any more, lest others wait for its keys."""
        for task, group in self._tasks.items():
            if all(work.waiter.done() for work in group):
                task.cancel()

    async def close(self, seconds: float) -> None:
        """Let what waits and is carried out end, for some seconds; then fail the rest."""
        end = asyncio.get_running_loop().time() + seconds
        while self._tasks and (left := end - asyncio.get_running_loop().time()) > 0:
            await asyncio.wait(self._tasks, timeout=left)
        self._is_closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for work in self._waiting:
            if not work.waiter.done():
                work.waiter.set_exception(StorageUnavailableError("the server ends"))
        self._waiting.clear()

    def _is_free(self, keys: Sequence[bytes]) -> bool:
        return self._held.isdisjoint(keys) and self._wanted.keys().isdisjoint(keys)

    def _wait(self, work: PendingWrite) -> None:
        self._waiting.append(work)
        self._wanted.update(set(work.keys))

    def _begin(self, group: Sequence[PendingWrite]) -> None:
        keys = {key for work in group for key in work.keys}
        self._held |= keys
        task = asyncio.create_task(self._carry(group))
        self._tasks[task] = group
        task.add_done_callback(partial(self._ended, keys))

    def _ended(self, keys: set[bytes], task: asyncio.Task[Sequence[PendingWrite]]) -> None:
        del self._tasks[task]
        self._held -= keys
        left = () if task.cancelled() else task.result()
        self._waiting.extendleft(reversed(left))
        for work in left:
            self._wanted.update(set(work.keys))
        self._go_on()

    def _go_on(self) -> None:
        while self._waiting and len(self._tasks) < self._lanes and not self._is_closed:
            group = self._next_group()
            if not group:
                return
            self._begin(group)

    def _next_group(self) -> list[PendingWrite]:
        """Those that wait longest, but for those that wait for a key of somebody before them."""
        group: list[PendingWrite] = []
        keys: set[bytes] = set()
        passed: list[PendingWrite] = []
        blocked: set[bytes] = set()
        looked_at = 0
        while (
            self._waiting
            and looked_at < LOOKED_AT_MAX
            and len(group) < WORKS_MAX
            and len(keys) < KEYS_MAX
        ):
            work = self._waiting.popleft()
            looked_at += 1
            if self._held.isdisjoint(work.keys) and blocked.isdisjoint(work.keys):
                self._take_out(work)
                if not work.waiter.done():  # whoever is cancelled before its turn does nothing
                    group.append(work)
                    keys.update(work.keys)
            else:
                passed.append(work)
                blocked.update(work.keys)
        self._waiting.extendleft(reversed(passed))
        return group

    def _take_out(self, work: PendingWrite) -> None:
        for key in set(work.keys):
            self._wanted[key] -= 1
            if not self._wanted[key]:
                del self._wanted[key]
