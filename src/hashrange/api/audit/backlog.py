"""The records that wait for the thread that writes them: bounded, and never waited for."""

from collections import deque
from collections.abc import Sequence
from threading import Condition
from typing import Final

import msgspec

from hashrange.limits.access import AUDIT_BACKLOG_BYTES_MAX, AUDIT_BACKLOG_RECORDS_MAX


class Waiting(msgspec.Struct, frozen=True):
    """A record that waits: milliseconds since the epoch, and the encoded record."""

    at_ms: int
    record: bytes


class Batch(msgspec.Struct, frozen=True):
    """Records to be written, and how many were dropped after them; `is_last` once closed."""

    records: Sequence[Waiting]
    dropped: int
    is_last: bool


class Backlog:
    """A queue from the event loop to one thread, with a bound of records and of bytes.

    Attributes:
        dropped_total: records that found no place.
    """

    def __init__(
        self,
        records_max: int = AUDIT_BACKLOG_RECORDS_MAX,
        bytes_max: int = AUDIT_BACKLOG_BYTES_MAX,
    ) -> None:
        self._records_max = records_max
        self._bytes_max = bytes_max
        self._waiting: Final[deque[Waiting]] = deque()
        self._bytes = 0
        self._dropped = 0
        self._is_closed = False
        self._changed = Condition()
        self.dropped_total = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, at_ms: int, record: bytes) -> bool:
        """Add a record; False if there is no place for it, so that it is dropped.

        Once a record was dropped, so are those after it until the thread has taken the others: what
        is missing is then known by its place.
        """
        with self._changed:
            is_full = len(self._waiting) >= self._records_max
            if self._dropped or is_full or self._bytes + len(record) > self._bytes_max:
                self._dropped += 1
                self.dropped_total += 1
                return False
            self._waiting.append(Waiting(at_ms, record))
            self._bytes += len(record)
            self._changed.notify()
            return True

    def take(self, seconds_max: float) -> Batch:
        """All records that wait; waits for one, for a limited time. Called by one thread."""
        with self._changed:
            if not (self._waiting or self._dropped or self._is_closed):
                self._changed.wait(seconds_max)
            batch = Batch(list(self._waiting), self._dropped, self._is_closed)
            self._waiting.clear()
            self._bytes = self._dropped = 0
            return batch

    def lost(self, count: int) -> None:
        """Count records that were taken and could not be written."""
        with self._changed:
            self._dropped += count
            self.dropped_total += count

    def close(self) -> None:
        """Let `take` return at once from now on."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
