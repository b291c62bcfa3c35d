"""The only reader of time and randomness; everything else takes them as arguments."""

import os
import random  # noqa: TID251 - the one place that may
import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Final, Protocol, TypeAlias

OFFSET_MS_MAX: Final = timedelta(days=36_525) // timedelta(milliseconds=1)
"""How far tests can move a clock: a hundred years."""

JUMP_MS: Final = 1000
"""A difference that is no jump: slow corrections, and the time between two readings."""
SERVERS_MS: Final = 60_000
"""By how much the clocks of servers may differ without a word."""
BELIEVED_NS: Final = 60 * 60 * 1_000_000_000
"""A jump forward that has lasted for an hour is the time: the machine was asleep, or wrong."""
_NS_PER_MS: Final = 1_000_000


class Clock(Protocol):
    """Time and randomness, as arguments of everything that needs them; tests bring their own."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch, UTC."""

    def monotonic_ns(self) -> int:
        """Nanoseconds since an arbitrary point; never goes back."""

    def new_uuid(self) -> str:
        """A random UUID, version 4, in its hyphenated form."""

    def random_bytes(self, count: int) -> bytes:
        """Random bytes of cryptographic strength."""


class SystemClock:
    """The clock of the machine."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch, by the clock of the machine."""
        return time.time_ns() // _NS_PER_MS  # noqa: TID251 - the one place that may

    monotonic_ns = staticmethod(time.monotonic_ns)
    """Nanoseconds; without a frame of its own, since each request calls it twice."""

    def new_uuid(self) -> str:
        """A random UUID, version 4, in its hyphenated form."""
        return str(uuid.uuid4())  # noqa: TID251 - the one place that may

    def random_bytes(self, count: int) -> bytes:
        """Random bytes of the operating system."""
        return os.urandom(count)


def draws(seed: int | None) -> Callable[[], float]:
    """A function that draws numbers from 0 up to but not including 1; the same for one seed."""
    return random.Random(seed).random  # noqa: S311 - for tests, which repeat a seed


class OffsetError(ValueError):
    """A move of the clock beyond OFFSET_MS_MAX."""


class MovableClock(SystemClock):
    """The clock of the machine plus an offset, which tests increase.

    `monotonic_ns` does not move: timeouts and leases are measured in real time.

    Args:
        cell: memory for the offset in milliseconds that several processes share; None for a clock
            of this process alone.
    """

    def __init__(self, cell: memoryview | None = None) -> None:
        self._cell: memoryview | list[int] = [0] if cell is None else cell

    def now_ms(self) -> int:
        """Milliseconds since the epoch, with the offset."""
        return super().now_ms() + self.offset_ms

    @property
    def offset_ms(self) -> int:
        """How far the clock is ahead of the machine's."""
        return self._cell[0]

    def advance(self, by_ms: int) -> None:
        """Move the clock forward. Raises OffsetError beyond OFFSET_MS_MAX."""
        assert by_ms >= 0, "the caller refuses negative moves"
        offset_ms = self.offset_ms + by_ms
        if offset_ms > OFFSET_MS_MAX:
            raise OffsetError
        self._cell[0] = offset_ms

    def reset(self) -> None:
        """Set the clock to the time of the machine."""
        self._cell[0] = 0


Times: TypeAlias = tuple[int, int, int]
"""Milliseconds since the epoch: the time by the clock; that for what is kept for a time, where a
jump forward counts when it has lasted for an hour; and what the clock would show if it had never
been set back."""


class SteadyClock:
    """The times for promises that last for a while, also when the clock of the machine is set.

    The time that has run since the last reading is known from the monotonic clock.

    Args:
        clock: the machine's. A MovableClock is moved by tests: what they add has passed.
    """

    def __init__(self, clock: Clock) -> None:
        self._monotonic_ns = clock.monotonic_ns
        self._now_ms = clock.now_ms
        self._movable = clock if isinstance(clock, MovableClock) else None
        self._offset_ms = self._moved_ms()
        self._at_ms = clock.monotonic_ns() // _NS_PER_MS
        self._kept_ms = self._latest_ms = now_ms = clock.now_ms()
        self._ahead_ms = now_ms - self._at_ms
        """By how much the clock was ahead of the monotonic one at the last reading."""
        self._is_even = True
        """All times are that of the clock, and the two above are not kept."""
        self._jumped_ms: int | None = None
        """When the clock was first seen ahead of the time that has run, by the monotonic one."""

    def _moved_ms(self) -> int:
        return 0 if self._movable is None else self._movable.offset_ms

    def times(self) -> Times:
        """The times now."""
        now_ms, at_ms = self._now_ms(), self._monotonic_ns() // _NS_PER_MS
        ahead_ms = now_ms - at_ms
        if self._is_even and -JUMP_MS <= ahead_ms - self._ahead_ms <= JUMP_MS:
            self._ahead_ms = ahead_ms
            return now_ms, now_ms, now_ms
        return self._set(now_ms, at_ms)

    def _set(self, now_ms: int, at_ms: int) -> Times:
        """The times when the clock was set, or moved by a test."""
        offset_ms = self._moved_ms()
        moved_ms, self._offset_ms = offset_ms - self._offset_ms, offset_ms
        run_ms = self._ahead_ms + at_ms + moved_ms
        kept_ms = latest_ms = run_ms
        if not self._is_even:
            passed_ms = at_ms - self._at_ms + moved_ms
            kept_ms, latest_ms = self._kept_ms + passed_ms, self._latest_ms + passed_ms
        elif -JUMP_MS <= now_ms - run_ms <= JUMP_MS:
            kept_ms = latest_ms = now_ms
        self._kept_ms, self._latest_ms = self._kept(now_ms, kept_ms, at_ms), max(now_ms, latest_ms)
        self._at_ms, self._ahead_ms = at_ms, now_ms - at_ms
        self._is_even = self._kept_ms == self._latest_ms
        return now_ms, self._kept_ms, self._latest_ms

    def _kept(self, now_ms: int, run_ms: int, at_ms: int) -> int:
        if now_ms <= run_ms + JUMP_MS:
            self._jumped_ms = None
            return now_ms
        if self._jumped_ms is None:
            self._jumped_ms = at_ms
        if (at_ms - self._jumped_ms) * _NS_PER_MS < BELIEVED_NS:
            return run_ms
        self._jumped_ms = None
        return now_ms

    def kept_ms(self) -> int:
        """The second of the times."""
        return self.times()[1]

    def seen(self, time_ms: int) -> None:
        """The clock has shown a time before this process began; that of another, a minute less."""
        _, self._kept_ms, latest_ms = self.times()
        if time_ms > latest_ms + SERVERS_MS:
            self._at_ms, self._latest_ms = self._monotonic_ns() // _NS_PER_MS, time_ms
            self._is_even = False
