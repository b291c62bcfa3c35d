"""Writes the rows of an import, and its progress with them.

While a write is put on the disk, the next rows are made. While requests come each write is waited
for, so that `Pacer` sees how long it took.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from hashrange.model.import_job import ImportJob, JobCounts
from hashrange.storage.engine import Engine, Fences
from hashrange.tables.jobs.transfers import put_rows
from hashrange.tables.opened.open_table import OpenTable

_replace: Final = msgspec.structs.replace


class ImportWrites:
    """The writes of one import, at most one of which is under way.

    Args:
        engine: holds the table.
        table: that of the import.
        job: as it is stored.
        fences: of the leader.
        is_busy: whether requests come.

    Attributes:
        job: as it is stored for certain; a write that is under way stores a later one.
    """

    def __init__(
        self,
        engine: Engine,
        table: OpenTable,
        job: ImportJob,
        *,
        fences: Callable[[], Fences],
        is_busy: Callable[[], bool],
    ) -> None:
        self._engine = engine
        self._table = table
        self._fences = fences
        self._is_busy = is_busy
        self._under_way: tuple[asyncio.Task[None], ImportJob] | None = None
        self.job = job

    async def put(
        self, rows: dict[bytes, bytes], adds: Mapping[bytes, int], counts: JobCounts
    ) -> None:
        """Begin to write rows, after those before them; progress alone if there are none.

        Args:
            rows: in the order of their keys, behind all that were written.
            adds: to counters of the table.
            counts: of the import with these rows.

        Raises:
            As `put_rows`, also for the write before.
        """
        await self.wait()
        written = next(reversed(rows)).hex() if rows else self.job.written
        after = _replace(self.job, counts=counts, written=written)
        fences = {**self._fences(), **self._table.fences}
        write = put_rows(self._engine, self.job, after, rows=rows, adds=adds, fences=fences)
        self._under_way = asyncio.ensure_future(write), after
        if self._is_busy():
            await self.wait()

    async def wait(self) -> None:
        """Wait for the write that is under way. Raises what `put_rows` raises."""
        if self._under_way is not None:
            (task, after), self._under_way = self._under_way, None
            await task
            self.job = after

    async def abandon(self) -> None:
        """Leave the write that is under way, if there is one; it may take effect."""
        if self._under_way is not None:
            (task, _), self._under_way = self._under_way, None
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                task.exception()  # it is not the first one, which is raised already
