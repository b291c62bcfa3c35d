"""The requests that wait, once a turn of the loop has brought more than it can answer soon.

A turn reads what all clients have sent. As long as the work of a turn is short, requests are
answered as they are read, and one comparison is all that they have to do with this queue. What a
long turn brings waits here: the loop looks at its sockets again between parts of the work, so
pages are answered, and the time for which requests wait is known.

Each owner of waiting requests has a share of the time, as in start-time fair queueing (Goyal, Vin
and Cheng, 1996): the owner whose requests have taken the least is next. So who sends more than its
share waits for its own requests, not for those of others, and only its requests become late.
"""

import asyncio
import sys
from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final

from hashrange.limits.server import TURN_MS_MAX, WAITING_MS_MAX
from hashrange.observe.figures import Figures, labelled
from hashrange.storage.loop_waiter import LoopWaiter
from hashrange.wire.exchange import Request

_NS_PER_MS: Final = 1_000_000
_TASK_NS_MIN: Final = 50_000
_TASK_NS: Final = 1_000_000
"""The cost of a request that runs in a Task, until it is measured: it begins later in the loop."""
_OWNERS_MAX: Final = 1000
"""Owners without waiting requests that are remembered, if they had more than their share."""
_RESUMED: Final = 2
"""As `LoopWaiter.answered`: 1 would say that nobody else is resumed in this turn."""
_STANDING: Final = 2
"""A queue that has stood for this many times the longest wait is no burst."""
_STANDING_LOOKS: Final = 10
"""No more than a tenth of that time counts between two looks at the queue: a process that was
stopped is not overloaded."""
WAITED: Final = "waited"
SHARE: Final = "share"


class _Waiter(LoopWaiter, eq=False, kw_only=True):
    """A request in the queue, which is awaited."""

    since_ns: int
    is_late: bool = False


def address_of(request: Request) -> str:
    """The owner of a request where signatures are not verified: its address."""
    return request.peer.address


def _nothing() -> None:
    pass


class RequestQueue:
    """Lets requests wait for their turn, and says which are too late.

    Args:
        monotonic_ns: the clock.
        owner_of: who shares the time with others.
        waiting_ms_max: how long a request waits in a queue that stands; 0 for ever.
        turn_ms_max: how long a turn of the loop answers requests as they are read.

    Attributes:
        on_look: called before each part of the work.
        look_ns: a request that is read at this time or later has to ask `is_late`.
        waiting: requests that wait.
        refused: requests that were too late: because all `WAITED`, or for more than the `SHARE` of
            their owner while others were served.
        done_ns: the work done for owners without waiting requests, while the queue is not empty.
    """

    def __init__(
        self,
        monotonic_ns: Callable[[], int],
        owner_of: Callable[[Request], str] = address_of,
        *,
        waiting_ms_max: int = WAITING_MS_MAX,
        turn_ms_max: int = TURN_MS_MAX,
    ) -> None:
        self.on_look: Callable[[], object] = _nothing
        self.look_ns = self.waiting = 0
        self.refused = {WAITED: 0, SHARE: 0}
        self._monotonic_ns = monotonic_ns
        self._owner_of = owner_of
        self._waiting_ns_max = waiting_ms_max * _NS_PER_MS
        self._turn_ns_max = turn_ms_max * _NS_PER_MS
        self._loop: asyncio.AbstractEventLoop | None = None
        self._in_turn = self._is_serving = False
        self._looked_ns = self._stood_ns = 0
        self._lines: dict[str, deque[_Waiter]] = {}
        self._next: list[tuple[int, int, str]] = []
        """A heap of the owners whose requests wait: the work done for each, a number, the owner."""
        self._number = self._level = self._tasks = self._ended_ns = 0
        self._task_ns = _TASK_NS
        self.done_ns: dict[str, int] = {}

    async def is_late(self, request: Request, now_ns: int) -> bool:
        """Wait for the turn of a request; whether that took too long, so that it is refused."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._take_over(loop)
        if not self._is_serving and not self._in_turn:
            self._in_turn = True
            self.look_ns = now_ns + self._turn_ns_max
            loop.call_soon(self._end_turn)
            return False
        waiter = _Waiter(loop, since_ns=now_ns)
        self._add(self._owner_of(request), waiter)
        await waiter
        return waiter.is_late

    def figures(self) -> Figures:
        """Requests that wait, and those that were refused."""
        refused = self.refused.items()
        counts = {labelled("refused_requests_total", reason): count for reason, count in refused}
        return {"waiting_requests": self.waiting, **counts}

    def _take_over(self, loop: asyncio.AbstractEventLoop) -> None:
        # What another loop has left behind is not awaited any more.
        self._loop = loop
        self._in_turn = self._is_serving = False
        self.look_ns = self.waiting = self._tasks = 0
        self._lines, self._next = {}, []

    def _end_turn(self) -> None:
        self._in_turn = False

    def _add(self, owner: str, waiter: _Waiter) -> None:
        line = self._lines.get(owner)
        if line is None:
            line = self._lines[owner] = deque()
            self._queue_owner(owner, max(self.done_ns.pop(owner, 0), self._level))
        line.append(waiter)
        self.waiting += 1
        if not self._is_serving:
            self._is_serving = True
            self.look_ns = 0  # from now on all wait, since others came first
            self._looked_ns, self._stood_ns = waiter.since_ns, 0
            waiter.loop.call_soon(self._serve, waiter.loop)

    def _queue_owner(self, owner: str, done_ns: int) -> None:
        self._number += 1
        heappush(self._next, (done_ns, self._number, owner))

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        """Serve the requests whose turn it is, for as long as a turn may take."""
        if loop is not self._loop:
            return
        self.on_look()
        now_ns = self._monotonic_ns()
        self._refuse_late(now_ns)
        if self._tasks:
            self._task_ns = max((now_ns - self._ended_ns) // self._tasks, _TASK_NS_MIN)
            self._tasks = 0
        left_ns = self._turn_ns_max
        while self._next and left_ns > 0:
            done_ns, _, owner = heappop(self._next)
            line = self._lines[owner]
            if not line:  # all of them were late
                self._forget(owner, done_ns)
                continue
            self._level = done_ns
            self.waiting -= 1
            waiter = line.popleft()
            is_task = waiter.context is not None
            # What the connection has read meanwhile may be added to the line.
            waiter.set_result(_RESUMED)
            before_ns, now_ns = now_ns, self._monotonic_ns()
            cost_ns = self._task_ns if is_task else now_ns - before_ns
            self._tasks += is_task
            left_ns -= cost_ns
            if line:
                self._queue_owner(owner, done_ns + cost_ns)
            else:
                self._forget(owner, done_ns + cost_ns)
        self._ended_ns = now_ns
        if self._next:
            loop.call_soon(self._serve, loop)
        else:
            self._tasks = 0
            self._is_serving = False
            self.done_ns.clear()
            self._level = 0
            self.look_ns = now_ns

    def _forget(self, owner: str, done_ns: int) -> None:
        """Remove an owner without waiting requests; what was done counts if it comes back soon."""
        del self._lines[owner]
        self.done_ns[owner] = done_ns
        if len(self.done_ns) > _OWNERS_MAX:
            above = {each: done for each, done in self.done_ns.items() if done > self._level}
            self.done_ns = above if len(above) <= _OWNERS_MAX else {}

    def _refuse_late(self, now_ns: int) -> None:
        waiting_ns_max = self._waiting_ns_max
        standing_ns = _STANDING * waiting_ns_max
        look_ns_max = max(standing_ns // _STANDING_LOOKS, self._turn_ns_max)
        self._stood_ns += min(now_ns - self._looked_ns, look_ns_max)
        self._looked_ns = now_ns
        if not waiting_ns_max or self._stood_ns < standing_ns:
            return
        is_alone = len(self._lines) + len(self.done_ns) == 1
        for line in list(self._lines.values()):
            while line and now_ns - line[0].since_ns > waiting_ns_max:
                waiter = line.popleft()
                waiter.is_late = True
                self.waiting -= 1
                self.refused[WAITED if is_alone else SHARE] += 1
                waiter.set_result(_RESUMED)


NO_QUEUE: Final = RequestQueue(lambda: 0)
"""Of an endpoint whose requests never wait."""
NO_QUEUE.look_ns = sys.maxsize
