"""Writes records into the files of a chain, in a thread of its own.

A slow disk holds up this thread and nothing else. Records that cannot be written are lost: how many
is counted, logged, and shown by a record of the gap in the chain.
"""

import contextlib
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread
from typing import Final

import msgspec

from hashrange.api.audit.backlog import Backlog, Waiting
from hashrange.api.audit.chain import Head, linked
from hashrange.api.audit.files import AuditFile, created, files_in
from hashrange.clock import Clock
from hashrange.observe.logs import LogLimiter

SYNC_SECONDS: Final = 0.5
"""How long a written record waits for its sync at most; then the engine keeps the head at once."""
_IDLE_SECONDS: Final = 1.0
_NS: Final = 1_000_000_000
_BYTES_MAX: Final = 1024 * 1024
"""Of lines that are written together."""
SPARE_FILES: Final = 64
"""Files beyond those that are kept, while the engine does not let them be removed."""

_log: Final = logging.getLogger(__name__)


class Rotation(msgspec.Struct, frozen=True, kw_only=True):
    """When a file is followed by another, and how many are kept of all processes together."""

    directory: Path
    file_bytes_max: int
    files_max: int


class ChainWriter:
    """The thread that writes one chain.

    Args:
        chain: the id of the chain.
        rotation: where to write.
        backlog: has the records.
        clock: names files, and measures the time between two syncs.
        gap: makes the record of a number of dropped records.
        write: writes bytes to a descriptor, as `os.write`.

    Attributes:
        on_synced: is called by the thread when `synced` has changed; set before `start`.
        synced: the head of what is on disk.
        records_total: records that were written.
        failures_total: writes that failed.
        wants_removal: set when a file was begun, so that older ones may have to be removed.
    """

    def __init__(
        self,
        chain: str,
        rotation: Rotation,
        backlog: Backlog,
        *,
        clock: Clock,
        gap: Callable[[int], bytes],
        write: Callable[[int, memoryview], int] = os.write,
    ) -> None:
        self._chain = chain
        self._rotation = rotation
        self._backlog = backlog
        self._clock = clock
        self._gap = gap
        self._write_some = write
        self.on_synced: Callable[[], None] = _ignore
        self._limiter = LogLimiter(clock.monotonic_ns)
        self._descriptor = -1
        self._size = self._number = 0
        self._head = self.synced = Head()
        self._synced_ns = self._at_ms = 0
        self.records_total = self.failures_total = 0
        self.wants_removal = False
        self._thread = Thread(target=self._run, name="audit", daemon=True)

    def open(self) -> None:
        """Begin the first file, so that a directory that cannot be used is known at the start.

        Raises OSError.
        """
        self._begin_file()

    def start(self) -> None:
        """Start the thread, unless it runs."""
        if self._thread.ident is None:
            self._thread.start()

    def end(self, seconds_max: float) -> bool:
        """Write what waits and end the thread; False if the disk does not let it end in time."""
        self.start()
        self._backlog.close()
        self._thread.join(seconds_max)
        return not self._thread.is_alive()

    def _run(self) -> None:
        is_last = False
        while not is_last:
            is_behind = self._head != self.synced
            batch = self._backlog.take(
                wait_seconds(self._seconds_since_sync(), is_behind=is_behind)
            )
            is_last = batch.is_last
            self._write(batch.records)
            if batch.dropped:
                self._write_gap(batch.dropped)
            if is_last or self._seconds_since_sync() >= SYNC_SECONDS:
                self._sync()
        with contextlib.suppress(OSError):
            os.close(self._descriptor)

    def _seconds_since_sync(self) -> float:
        return (self._clock.monotonic_ns() - self._synced_ns) / _NS

    def _write(self, records: Sequence[Waiting]) -> None:
        start, bytes_max = 0, min(_BYTES_MAX, self._rotation.file_bytes_max)
        while start < len(records):
            end, size = start, 0
            while end < len(records) and (end == start or size < bytes_max):
                size += len(records[end].record)
                end += 1
            if not self._written(records[start:end]):
                self._backlog.lost(len(records) - start)
                return
            start = end

    def _write_gap(self, dropped: int) -> None:
        _log.error("%d audit records were dropped: the disk is too slow or failing", dropped)
        if not self._written([Waiting(self._clock.now_ms(), self._gap(dropped))]):
            # The gap is recorded with the next records that can be written.
            self._backlog.lost(dropped)
            self._backlog.dropped_total -= dropped

    def _written(self, records: Sequence[Waiting]) -> bool:
        """Append records; whole, or not at all."""
        head, at_ms, lines = self._head, self._at_ms, []
        for each in records:
            at_ms = max(at_ms, each.at_ms)
            line, head = linked(each.record, self._chain, at_ms, head)
            lines.append(line)
        data = b"".join(line + b"\n" for line in lines)
        try:
            if self._size and self._size + len(data) > self._rotation.file_bytes_max:
                self._sync()
                self._begin_file()
            self._write_all(data)
        except OSError as error:
            self._failed(error)
            return False
        self._head, self._at_ms = head, at_ms
        self._size += len(data)
        self.records_total += len(records)
        return True

    def _write_all(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[self._write_some(self._descriptor, left) :]

    def _failed(self, error: OSError) -> None:
        self.failures_total += 1
        if self._limiter.happened():
            _log.error("audit records cannot be written: %s", error)
        # What was written of a line would break the chain.
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, self._size)

    def _begin_file(self) -> None:
        directory = self._rotation.directory
        if len(files_in(directory)) >= self._rotation.files_max + SPARE_FILES:
            raise OSError(f"{directory} has too many files")
        file = AuditFile(max(self._clock.now_ms(), self._at_ms), self._chain, self._number + 1)
        descriptor = created(directory / file.name)
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self._size = descriptor, 0
        self._number += 1
        self.wants_removal = True

    def _sync(self) -> None:
        self._synced_ns = self._clock.monotonic_ns()
        if self._head == self.synced:
            return
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            self._failed(error)
            return
        self.synced = self._head
        self.on_synced()


def _ignore() -> None:
    """Nobody waits for syncs."""


def wait_seconds(since_sync: float, *, is_behind: bool) -> float:
    """How long the thread waits for records.

    Args:
        since_sync: seconds since the last sync.
        is_behind: records are written that are not synced.
    """
    return max(SYNC_SECONDS - since_sync, 0) if is_behind else _IDLE_SECONDS
