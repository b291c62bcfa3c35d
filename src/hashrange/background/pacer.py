"""How fast work in the background goes: one page at a time, and requests come first.

All works that go through many rows take turns: three of them together are felt no more than one.
While requests come, each page is followed by a rest of several times as long as it took; a page
takes longer the more requests there are, for it waits among them for its group and its commit.
While none come, nothing rests.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

REST_PER_WORK: Final = 4
"""Measured with 32 connections of puts while items expired: at 1 their p99 rose to 1.4 to 1.9 times
what it was, at 4 to 1.1 times."""
REST_NS_MAX: Final = 10_000_000
"""So that work gets done on a slow disk too, and in a server that is overrun."""
BUSY_NS: Final = 100_000_000
"""For so long after a request has come more are expected."""
_NS_PER_S: Final = 1_000_000_000


class Pacer:
    """Whose turn it is, and when the next one comes.

    Args:
        monotonic_ns: the clock.
        arrived: a number that changes whenever a request comes.
    """

    def __init__(self, monotonic_ns: Callable[[], int], arrived: Callable[[], int]) -> None:
        self._monotonic_ns = monotonic_ns
        self._arrived = arrived
        self._seen = arrived()
        self._busy_until_ns = monotonic_ns()
        self._taken = asyncio.Lock()

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Do one page of work, when it is its turn; then rest, unless it failed."""
        async with self._taken:
            began_ns = self._monotonic_ns()
            yield
            await asyncio.sleep(self.rest_ns(began_ns) / _NS_PER_S)

    def rest_ns(self, began_ns: int) -> int:
        """For how long to rest now, after a page that was begun at `began_ns`."""
        now_ns, arrived = self._monotonic_ns(), self._arrived()
        if arrived != self._seen:
            self._seen, self._busy_until_ns = arrived, now_ns + BUSY_NS
        if now_ns >= self._busy_until_ns:
            return 0
        return min((now_ns - began_ns) * REST_PER_WORK, REST_NS_MAX)
