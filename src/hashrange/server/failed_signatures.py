"""Delays answers to failed signatures, so that an address cannot try keys at full speed.

The first failures of an address are answered at once. No body is kept meanwhile.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from hashrange.bounded_cache import BoundedCache
from hashrange.errors import Fault
from hashrange.limits.access import (
    FAILED_ADDRESSES_MAX,
    FAILED_SIGNATURE_SECONDS_MAX,
    FAILED_SIGNATURES_FREE,
    FAILED_SIGNATURES_PER_SECOND,
    FAILED_SIGNATURES_WAITING_MAX,
)
from hashrange.observe.figures import Figures, labelled
from hashrange.server.peers import network_of
from hashrange.wire.exchange import Request

FAILURES: Final = frozenset(
    (
        Fault.MISSING_AUTHENTICATION_TOKEN,
        Fault.INCOMPLETE_SIGNATURE,
        Fault.INVALID_SIGNATURE,
        Fault.UNRECOGNIZED_CLIENT,
        Fault.EXPIRED_TOKEN,
    )
)
_NS_PER_S: Final = 1_000_000_000
_FAILURE_NS: Final = _NS_PER_S // FAILED_SIGNATURES_PER_SECOND
_DELAY_NS_MAX: Final = FAILED_SIGNATURE_SECONDS_MAX * _NS_PER_S
_ADDRESS_CHARS_MAX: Final = 64


async def pause(seconds: float) -> None:
    """Wait in a coroutine that no task runs."""
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    loop.call_later(seconds, ended.set_result, None)
    await ended


class FailedSignatures:
    """Counts failures by address.

    Args:
        monotonic_ns: the clock.
        wait: waits for some seconds.

    Attributes:
        waiting: answers that are delayed now.
    """

    def __init__(
        self,
        monotonic_ns: Callable[[], int],
        wait: Callable[[float], Awaitable[None]] = pause,
    ) -> None:
        self.waiting = 0
        self._refused = dict.fromkeys(FAILURES, 0)
        self._monotonic_ns = monotonic_ns
        self._wait = wait
        self._next_ns = BoundedCache[str, int](
            entries_max=FAILED_ADDRESSES_MAX,
            chars_max=FAILED_ADDRESSES_MAX * _ADDRESS_CHARS_MAX,
            entry_chars_max=_ADDRESS_CHARS_MAX,
        )

    async def slow(self, request: Request, fault: Fault) -> int:
        """Delay the answer to a request that was refused; the nanoseconds of the delay."""
        if fault not in FAILURES:
            return 0
        self._refused[fault] += 1
        delay_ns = self._delay_ns(network_of(request.peer.address))
        if delay_ns <= 0 or self.waiting >= FAILED_SIGNATURES_WAITING_MAX:
            return 0
        request.forget_body()
        self.waiting += 1
        try:
            await self._wait(delay_ns / _NS_PER_S)
        finally:
            self.waiting -= 1
        return delay_ns

    def figures(self) -> Figures:
        """Requests that were refused for their signature, by code."""
        counts = sorted((fault.code, count) for fault, count in self._refused.items())
        return {labelled("refused_signatures_total", code): count for code, count in counts}

    def _delay_ns(self, address: str) -> int:
        now_ns = self._monotonic_ns()
        earliest_ns = now_ns - FAILED_SIGNATURES_FREE * _FAILURE_NS
        next_ns = max(self._next_ns.get(address) or earliest_ns, earliest_ns) + _FAILURE_NS
        next_ns = min(next_ns, now_ns + _DELAY_NS_MAX)
        self._next_ns.keep(address, next_ns, len(address))
        return next_ns - now_ns
