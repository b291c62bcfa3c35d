"""The connections to the upstream: a bounded number, and a bounded queue for them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from hashrange.dax.upstream.connection import UpstreamConnection
from hashrange.errors import DynamoError, Fault
from hashrange.limits.dax import (
    UPSTREAM_CONNECTIONS_MAX,
    UPSTREAM_IDLE_SECONDS_MAX,
    UPSTREAM_WAITING_MAX,
)
from hashrange.messages.dax import too_many_waiting

_IDLE_NS_MAX: Final = int(UPSTREAM_IDLE_SECONDS_MAX * 1_000_000_000)


class Pool:
    """Hands out connections, the last one used first.

    Args:
        connect: makes a connection. Raises OSError.
        monotonic_ns: the clock.
        connections_max: how many there may be.
        waiting_max: how many requests may wait for one.

    Attributes:
        waiting: requests that wait for a connection.
        in_use: connections that are in use.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[UpstreamConnection]],
        monotonic_ns: Callable[[], int],
        *,
        connections_max: int = UPSTREAM_CONNECTIONS_MAX,
        waiting_max: int = UPSTREAM_WAITING_MAX,
    ) -> None:
        self._connect = connect
        self._monotonic_ns = monotonic_ns
        self._room = asyncio.Semaphore(connections_max)
        self._waiting_max = waiting_max
        self._idle: list[UpstreamConnection] = []
        self.waiting = self.in_use = 0

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[UpstreamConnection]:
        """A connection within a context.

        Raises:
            DynamoError: ThrottlingException, since too many requests wait.
            OSError: no connection can be made.
        """
        if self._room.locked() and self.waiting >= self._waiting_max:
            raise DynamoError(Fault.THROTTLED, too_many_waiting())
        self.waiting += 1
        try:
            await self._room.acquire()
        finally:
            self.waiting -= 1
        self.in_use += 1
        try:
            connection = self._take() or await self._connect()
            yield connection
            if connection.is_usable:
                connection.used_ns = self._monotonic_ns()
                self._idle.append(connection)
        finally:
            self.in_use -= 1
            self._room.release()

    def sweep(self) -> None:
        """Close connections that were idle for too long."""
        since_ns = self._monotonic_ns() - _IDLE_NS_MAX
        kept = []
        for each in self._idle:
            if each.is_usable and each.used_ns >= since_ns:
                kept.append(each)
            else:
                each.close()
        self._idle = kept

    def close(self) -> None:
        """Close the connections that are idle."""
        for each in self._idle:
            each.close()
        self._idle = []

    def _take(self) -> UpstreamConnection | None:
        self.sweep()
        return self._idle.pop() if self._idle else None
