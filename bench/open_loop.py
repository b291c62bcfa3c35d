"""An open loop: requests are due at times that do not depend on the answers.

In a closed loop no requests are sent while the server stalls, so the requests that would have
waited are missing from the percentiles (coordinated omission). Here requests are due like those of
many independent clients (a Poisson process with a fixed seed). A request that is due while no
connection is free waits in a queue, and its latency counts from the time at which it was due.
"""

import asyncio
import ctypes
import os
import random
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol

from bench.asking import Sent
from bench.client import closes_connection, percentile_us, status_class, wire_requests

GRACE_SECONDS: Final = 5.0
"""For answers that are still missing when the last request is due; later ones count as failed."""
_CLOCK_MONOTONIC: Final = 1
_ABSOLUTE: Final = 1
_NS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A load: requests, rate and duration."""

    port: int
    requests: Sequence[Sent]
    per_second: float
    seconds: float
    connections: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAnswered:
    """The result of a load.

    `late_us_p99` is the client's own delay: a request is due and a connection is free, but it is
    not sent yet.
    """

    requests: int
    per_second: float
    p50_us: float
    p99_us: float
    late_us_p99: float
    failed: int


def run(load: Due) -> OpenAnswered:
    """Send the load from this process."""
    if sys.platform == "win32":
        return asyncio.run(_drive(load))
    import uvloop  # noqa: PLC0415 - not on Windows

    return uvloop.run(_drive(load))


async def _drive(load: Due) -> OpenAnswered:
    schedule = Schedule(
        list(_arrivals(load.per_second, load.seconds)), wire_requests(load.requests)
    )
    calls = _Calls(schedule, load.port)
    for _ in range(load.connections):
        await calls.connect()
    calls.timer = _Timer.made(calls.pump)
    try:
        schedule.begin(time.perf_counter())
        calls.pump()
        with suppress(TimeoutError):
            async with asyncio.timeout(load.seconds + GRACE_SECONDS):
                await calls.ended
    finally:
        calls.timer.close()
    return schedule.answered(load.seconds)


class Free(Protocol):
    """A connection that waits for its next request."""

    def send(self, request: bytes, due: float) -> None:
        """Send a request; `due` is the time at which it was due, in seconds of any clock."""


class Schedule:
    """Requests in the order in which they are due, and the connections that are free.

    Args:
        offsets: when each request is due, in seconds from the start.
        requests: are sent in turn.
    """

    def __init__(self, offsets: Sequence[float], requests: Sequence[bytes]) -> None:
        self._due = list(offsets)
        self._requests = requests
        self._next = 0
        self._idle: deque[Free] = deque()
        self._free_since = 0.0
        self._latencies: list[float] = []
        self._late: list[float] = []
        self._failed = 0

    def begin(self, now: float) -> None:
        """The start is now."""
        self._due = [now + offset for offset in self._due]
        self._free_since = now

    def free(self, connection: Free, now: float) -> None:
        """A connection can take a request."""
        if not self._idle:
            self._free_since = now
        self._idle.append(connection)

    def lost(self, connection: Free) -> None:
        """A connection is gone."""
        with suppress(ValueError):
            self._idle.remove(connection)

    def pump(self, now: float) -> float | None:
        """Send what is due, as far as connections are free.

        Returns:
            When the next one is due; None if there is none, or no connection for it.
        """
        while self._idle and self._next < len(self._due):
            due = self._due[self._next]
            if due > now:
                return due
            self._late.append(now - max(due, self._free_since))
            request = self._requests[self._next % len(self._requests)]
            self._next += 1
            self._idle.popleft().send(request, due)
        return None

    def done(self, due: float, now: float, *, failed: bool) -> bool:
        """Take note of the answer to a request that was due then; whether it was the last."""
        self._latencies.append(now - due)
        self._failed += failed
        return len(self._latencies) == len(self._due)

    def answered(self, seconds: float) -> OpenAnswered:
        """The figures; what was due and is not answered by now has failed."""
        answered = len(self._latencies)
        return OpenAnswered(
            requests=answered,
            per_second=answered / seconds,
            p50_us=percentile_us(self._latencies, 50),
            p99_us=percentile_us(self._latencies, 99),
            late_us_p99=percentile_us(self._late, 99),
            failed=self._failed + len(self._due) - answered,
        )


class _Calls:
    """The connections to one server, driven by a schedule."""

    def __init__(self, schedule: Schedule, port: int) -> None:
        self.schedule = schedule
        self.timer: _Timer | None = None
        self.ended = asyncio.get_running_loop().create_future()
        self._port = port
        self._connecting: set[asyncio.Task[None]] = set()

    async def connect(self) -> None:
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: _Connection(self), "127.0.0.1", self._port)

    def pump(self) -> None:
        if self.timer is None:
            return
        if (due := self.schedule.pump(time.perf_counter())) is not None:
            self.timer.wake_at(due)

    def free(self, connection: "_Connection") -> None:
        self.schedule.free(connection, time.perf_counter())
        self.pump()

    def done(self, due: float, *, failed: bool) -> None:
        if self.schedule.done(due, time.perf_counter(), failed=failed):
            self.ended.set_result(None)

    def lost(self, connection: "_Connection") -> None:
        """Closed by the server: there will be another."""
        self.schedule.lost(connection)
        if not self.ended.done():
            task = asyncio.get_running_loop().create_task(self.connect())
            self._connecting.add(task)
            task.add_done_callback(self._connecting.discard)


def _arrivals(per_second: float, seconds: float) -> Iterator[float]:
    """When requests are due, in seconds from the start; the same for the same rate."""
    chance = random.Random(per_second)
    at = chance.expovariate(per_second)
    while at < seconds:
        yield at
        at += chance.expovariate(per_second)


class _Connection(asyncio.Protocol):
    """One request at a time."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls
        self._buffer = b""
        self._due: float | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._calls.free(self)

    def send(self, request: bytes, due: float) -> None:
        self._due = due
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        status = status_class(self._buffer)
        if status is None:
            return
        closes = closes_connection(self._buffer)
        self._buffer = b""
        self._end(failed=status not in b"23")
        if closes:
            self._transport.close()
        else:
            self._calls.free(self)

    def connection_lost(self, error: Exception | None) -> None:
        del error
        self._end(failed=True)
        self._calls.lost(self)

    def _end(self, *, failed: bool) -> None:
        if self._due is not None:
            due, self._due = self._due, None
            self._calls.done(due, failed=failed)


class _Timer:
    """Wakes up within microseconds where the system can (Linux), else within the loop's own ms."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._handle: asyncio.TimerHandle | None = None

    @classmethod
    def made(cls, ring: Callable[[], None]) -> "_Timer":
        return (_FileTimer if sys.platform == "linux" else cls)(ring)

    def wake_at(self, when: float) -> None:
        """Ring once, then."""
        self.close()
        loop = asyncio.get_running_loop()
        self._handle = loop.call_later(max(0.0, when - time.perf_counter()), self._ring)

    def close(self) -> None:
        if self._handle is not None:
            self._handle.cancel()


class _FileTimer(_Timer):
    """A timerfd: the loop's timers count in milliseconds, in which a fast server answers dozens."""

    def __init__(self, ring: Callable[[], None]) -> None:
        super().__init__(ring)
        self._libc = ctypes.CDLL(None, use_errno=True)
        flags = os.O_NONBLOCK | os.O_CLOEXEC
        self._descriptor = self._libc.timerfd_create(_CLOCK_MONOTONIC, flags)
        assert self._descriptor >= 0, os.strerror(ctypes.get_errno())
        asyncio.get_running_loop().add_reader(self._descriptor, self._rang)

    def wake_at(self, when: float) -> None:
        ns = round(when * _NS)
        # An interval of zero, then when: seconds and nanoseconds of each.
        value = (ctypes.c_long * 4)(0, 0, ns // _NS, ns % _NS)
        self._libc.timerfd_settime(self._descriptor, _ABSOLUTE, value, None)

    def _rang(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._descriptor, 8)
        self._ring()

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._descriptor)
        os.close(self._descriptor)
