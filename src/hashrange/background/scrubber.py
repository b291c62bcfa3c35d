"""The task that reads all rows once in some days, so that damage is noticed before they are needed.

The period is divided into hours. In each hour, a part of the keys of each table, space and index is
read. The clock gives the part, so that nothing is stored. A part that a stop interrupts is read
again in the same hour, otherwise in the next period.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Final

from hashrange.background.tasks import IDLE_SECONDS, Pacer
from hashrange.clock import Clock
from hashrange.observe.figures import Figures
from hashrange.storage.engine import (
    KEY_BYTES_MAX,
    DamagedError,
    Engine,
    OnDamage,
    StorageError,
)
from hashrange.storage.failures import Failures
from hashrange.tables.keys.key_ranges import Range, is_full, prefix_range
from hashrange.tables.verifying.damage import part_of
from hashrange.tables.verifying.noticed import place_of
from hashrange.tables.writing.checked_values import fault_of

HOUR_MS: Final = 60 * 60 * 1000
_HOURS: Final = 24
_ROWS: Final = 256
_PAGE_BYTES: Final = 256 * 1024
_FIRST_KEY: Final = b"\x00"
_LAST_KEY: Final = b"\xff" * KEY_BYTES_MAX
_MS: Final = 1000

_log: Final = logging.getLogger(__name__)


class Scrubber:
    """Reads the rows, and reports those that are damaged.

    Args:
        engine: holds them; it reports those that it cannot read itself.
        report: takes the reports of values that were altered.
        days: the period.
        clock: that of the server.
        pacer: gives turns, one for each page.
    """

    def __init__(
        self, engine: Engine, report: OnDamage, days: int, clock: Clock, *, pacer: Pacer
    ) -> None:
        self._engine = engine
        self._report = report
        self._clock = clock
        self._turn = pacer.turn
        self._parts = days * _HOURS
        self._next = self._hour()
        self._done = self._rows = 0
        self._pass_ms: int | None = None
        self._draining = asyncio.Lock()

    def figures(self) -> Figures:
        """The rows that were read, and the parts of the pass; when the last one has ended."""
        found: dict[str, float] = {
            "scrub_rows_total": self._rows,
            "scrub_progress_ratio": self._done % self._parts / self._parts,
        }
        if self._pass_ms is not None:
            found["scrub_last_pass_time_seconds"] = self._pass_ms / _MS
        return found

    async def run(self) -> None:
        """Read the part of each hour until it is cancelled."""
        failures = Failures(_log, "reading all rows")
        while True:
            with failures.suppressed(StorageError):
                await self.drain()
            await asyncio.sleep(IDLE_SECONDS)

    async def drain(self) -> None:
        """Read the parts that are due by now, at most all. Raises StorageError."""
        async with self._draining:
            await self._drain(self._hour())

    async def read_all(self) -> None:
        """Read all rows once, without regard to the time. Raises StorageError."""
        for part in range(self._parts):
            await self._read(part)

    async def _drain(self, hour: int) -> None:
        if not hour - self._parts <= self._next <= hour + 1:  # the clock was set
            self._next, self._done = hour, 0
        while self._next <= hour:
            await self._read(self._next % self._parts)
            self._next += 1
            self._done += 1
            if self._done % self._parts == 0:
                self._pass_ms = self._clock.now_ms()

    def _hour(self) -> int:
        return self._clock.now_ms() // HOUR_MS

    async def _read(self, part: int) -> None:
        async for keys in _places(self._engine):
            start, end = part_of(keys, part, self._parts)
            while start < end:
                async with self._turn():
                    start = await self._read_page(start, end)

    async def _read_page(self, start: bytes, end: bytes) -> bytes:
        """Read a page; where the next one begins. Rows behind one that is unreadable wait."""
        try:
            page = await self._engine.scan(start, end, limit=_ROWS, bytes_max=_PAGE_BYTES)
        except DamagedError:
            return end
        for key, value in page:
            fault = fault_of(key, value)
            if fault is not None:
                self._report(key, fault)
        self._rows += len(page)
        return page[-1][0] + b"\x00" if is_full(page, rows=_ROWS, bytes_max=_PAGE_BYTES) else end


async def _places(engine: Engine) -> AsyncIterator[Range]:
    """The keys of each space and index that has rows. Raises StorageError.

    What lies behind a row that cannot be read is found from the end.
    """
    start, end = _FIRST_KEY, _LAST_KEY
    try:
        while first := await engine.scan(start, end, limit=1, bytes_max=1):
            keys = prefix_range(place_of(first[0][0]))
            yield keys
            start = keys[1]
    except DamagedError:
        with contextlib.suppress(DamagedError):
            while last := await engine.scan(start, end, limit=1, bytes_max=1, reverse=True):
                keys = prefix_range(place_of(last[0][0]))
                yield keys
                end = keys[0]
