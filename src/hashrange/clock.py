"""The only reader of time and randomness; everything else takes them as arguments."""

import os
import time
import uuid
from datetime import timedelta
from typing import Final, Protocol

OFFSET_MS_MAX: Final = timedelta(days=36_525) // timedelta(milliseconds=1)
"""How far tests can move a clock: a hundred years."""


class Clock(Protocol):
    """Time and ids for the edges; a simulation brings its own."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch, UTC."""

    def monotonic_ns(self) -> int:
        """Nanoseconds since an arbitrary point; never goes back."""

    def new_uuid(self) -> str:
        """A random UUID, version 4, in its hyphenated form."""

    def random_bytes(self, count: int) -> bytes:
        """Bytes that nobody can guess."""


class SystemClock:
    """The clock of the machine."""

    def now_ms(self) -> int:
        """See `Clock.now_ms`."""
        return time.time_ns() // 1_000_000  # noqa: TID251 - the one place that may

    monotonic_ns = staticmethod(time.monotonic_ns)
    """See `Clock.monotonic_ns`; looked at twice a request."""

    def new_uuid(self) -> str:
        """See `Clock.new_uuid`."""
        return str(uuid.uuid4())  # noqa: TID251 - the one place that may

    def random_bytes(self, count: int) -> bytes:
        """See `Clock.random_bytes`."""
        return os.urandom(count)


class OffsetError(ValueError):
    """A clock cannot be moved so far."""


class MovableClock(SystemClock):
    """The clock of the machine plus an offset, which tests increase.

    `monotonic_ns` does not move: timeouts and leases are measured in real time.

    Args:
        cell: holds the offset in milliseconds: memory that several processes share, or nothing
            for a clock of this process.
    """

    def __init__(self, cell: memoryview | None = None) -> None:
        self._cell: memoryview | list[int] = [0] if cell is None else cell

    def now_ms(self) -> int:
        """See `Clock.now_ms`."""
        return super().now_ms() + self.offset_ms

    @property
    def offset_ms(self) -> int:
        """How far the clock is ahead of the machine's."""
        return self._cell[0]

    def advance(self, by_ms: int) -> None:
        """Move the clock forward. Raises OffsetError beyond OFFSET_MS_MAX."""
        assert by_ms >= 0, "time that goes back is refused before"
        offset_ms = self.offset_ms + by_ms
        if offset_ms > OFFSET_MS_MAX:
            raise OffsetError
        self._cell[0] = offset_ms

    def reset(self) -> None:
        """Go back to the time of the machine."""
        self._cell[0] = 0
