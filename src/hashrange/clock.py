"""The only reader of time and randomness; everything else takes them as arguments."""

import os
import time
import uuid
from typing import Protocol


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
