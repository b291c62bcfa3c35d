"""How fast requests are sent: as fast as the rate limit and the throttling of the server allow."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from hashrange.clock import Clock
from hashrange.tools.copying.endpoint import RANDOM_BYTES, THROTTLED, retry_delay_seconds
from hashrange.tools.copying.place import Pause, RefusedError

T = TypeVar("T")

THROTTLED_TRIES_MAX: Final = 60
"""Consecutive throttled attempts of one request: some ten minutes."""
_NS_PER_S: Final = 1_000_000_000


class RateLimit:
    """When requests may be sent so that they consume so many units a second. Pure.

    A request reserves the units that it is expected to consume, and the difference is corrected
    afterwards: the mean is exact, and there are no bursts.

    Args:
        units_a_second: the limit; None for none.
    """

    def __init__(self, units_a_second: float | None) -> None:
        self._ns_per_unit = None if units_a_second is None else _NS_PER_S / units_a_second
        self._free_ns = 0.0
        self._expected = 1.0

    def reserve(self, now_ns: int) -> float:
        """Reserve the units of a request; the seconds until it may be sent."""
        if self._ns_per_unit is None:
            return 0.0
        begins_ns = max(self._free_ns, now_ns)
        self._free_ns = begins_ns + self._expected * self._ns_per_unit
        return (begins_ns - now_ns) / _NS_PER_S

    def consumed(self, units: float, expected: float) -> None:
        """Correct a reservation of `expected` units."""
        if self._ns_per_unit is not None:
            self._free_ns += (units - expected) * self._ns_per_unit
            if units:
                self._expected = units

    @property
    def expected(self) -> float:
        """The units that the next request reserves: those of the last request."""
        return self._expected


class Pacer:
    """Sends requests in parallel, again if they are throttled, and within a rate limit.

    The number of requests at the same time is halved when the server throttles, and grows by one
    after as many successful requests as are sent in parallel.

    Args:
        clock: time and randomness.
        parallel: requests at the same time, at most.
        units_a_second: units that reads, and units that writes consume, at most; None for no limit.
        pause: waits.

    Attributes:
        throttled: throttled requests so far.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        parallel: int,
        units_a_second: float | None = None,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._pause = pause
        self._parallel = parallel
        self._allowed = float(parallel)
        self._running = 0
        self._shrunk = 0
        self._changed = asyncio.Condition()
        self._reads = RateLimit(units_a_second)
        self._writes = RateLimit(units_a_second)
        self.throttled = 0

    @property
    def parallel(self) -> int:
        """Requests that are sent at the same time now."""
        return max(1, int(self._allowed))

    async def read(self, send: Callable[[], Awaitable[T]], units_of: Callable[[T], float]) -> T:
        """The answer of a request that reads. Raises CopyError, RefusedError.

        Args:
            send: sends it.
            units_of: the units that it consumed, by its answer.
        """
        return await self._perform(send, units_of, self._reads)

    async def write(self, send: Callable[[], Awaitable[T]], units_of: Callable[[T], float]) -> T:
        """The answer of a request that writes; otherwise as `read`."""
        return await self._perform(send, units_of, self._writes)

    async def _perform(
        self, send: Callable[[], Awaitable[T]], units_of: Callable[[T], float], limit: RateLimit
    ) -> T:
        tries = 0
        while True:
            expected = limit.expected
            wait = limit.reserve(self._clock.monotonic_ns())
            if wait > 0:
                await self._pause(wait)
            try:
                answer = await self._sent(send)
            except RefusedError as error:
                limit.consumed(0.0, expected)
                tries += 1
                if error.code not in THROTTLED or tries == THROTTLED_TRIES_MAX:
                    raise
                drawn = self._clock.random_bytes(RANDOM_BYTES)
                await self._pause(retry_delay_seconds(tries, drawn))
            else:
                limit.consumed(units_of(answer), expected)
                return answer

    async def _sent(self, send: Callable[[], Awaitable[T]]) -> T:
        async with self._changed:
            await self._changed.wait_for(lambda: self._running < self.parallel)
            self._running += 1
        shrunk = self._shrunk
        try:
            answer = await send()
        except RefusedError as error:
            if error.code in THROTTLED:
                self.throttled += 1
                # Requests that were on their way together are one sign of too much load.
                if shrunk == self._shrunk:
                    self._shrunk += 1
                    self._allowed = max(1.0, self._allowed / 2)
            raise
        else:
            self._allowed = min(self._parallel, self._allowed + 1 / self._allowed)
            return answer
        finally:
            self._running -= 1
            async with self._changed:
                self._changed.notify_all()
