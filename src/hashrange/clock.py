"""The only reader of time and randomness; everything else takes them as arguments."""

import os
import random  # noqa: TID251 - the one place that may
import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Final, Protocol

OFFSET_MS_MAX: Final = timedelta(days=36_525) // timedelta(milliseconds=1)
"""How far tests can move a clock: a hundred years."""


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
        return time.time_ns() // 1_000_000  # noqa: TID251 - the one place that may

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
