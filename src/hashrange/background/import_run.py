"""One import, from its first object to its last index entry.

All items are read, checked and sorted by their keys; then they are written in that order, and their
index entries are sorted and written likewise. An import that a stop or a crash has interrupted
reads its objects again, and writes only what is behind the last key that was written.
"""

from collections.abc import AsyncIterator, Callable
from typing import Final

import msgspec

from hashrange.background.import_writes import ImportWrites
from hashrange.backups.imports.error_log import ErrorLog
from hashrange.backups.imports.filling import RecordMaker, entry_adds, item_adds, last_of_each
from hashrange.backups.imports.lines import Refused
from hashrange.backups.imports.reading import Batch, batches, listed
from hashrange.backups.imports.sorting import Sorter, Spool, Turn
from hashrange.backups.objects.bucket import Bucket
from hashrange.model.import_job import JobCounts
from hashrange.observe.jobs import Job
from hashrange.tables.opened.open_table import OpenTable

ROWS_BYTES_MAX: Final = 512 * 1024
"""Of the rows of one write."""
_BATCHES_UNTOLD_MAX: Final = 64
"""Batches that are read before the description says so."""
_READ_SHARE: Final = 0.7
"""The share of the time in which objects are read; measured with one index of keys."""
_ITEMS_SHARE: Final = 0.2
"""That in which items are written; in the rest it is index entries."""
_US: Final = 1000
_replace: Final = msgspec.structs.replace


class ImportRun:
    """The work of one import.

    Args:
        table: that of the import.
        writes: of its rows.
        turn: waits for a turn, one for each step.
        new_spool: makes files for the sorter.
        rows_max: of one write.
    """

    def __init__(
        self,
        table: OpenTable,
        writes: ImportWrites,
        *,
        turn: Turn,
        new_spool: Callable[[], Spool],
        rows_max: int,
    ) -> None:
        job = writes.job
        self._table = table
        self._source = job.source
        self._turn = turn
        self._rows_max = rows_max
        self._writes = writes
        self._done = bytes.fromhex(job.written)
        """Rows up to this key were written before."""
        self._maker = RecordMaker(table, job.started_ms * _US)
        self._counts = JobCounts()
        self._entry_count = 0
        self._items = Sorter(new_spool, turn)
        self._entries = Sorter(new_spool, turn)

    async def run(self, bucket: Bucket, log: ErrorLog, progress: Job) -> None:
        """Write all rows.

        Raises BucketError, TooManyObjectsError, StorageError, StaleFenceError, OSError;
        JobLostError: the import is stored as something else.
        """
        try:
            await self._read(bucket, log, progress)
            await self._write_items(progress)
            await self._write_entries(progress)
            await self._writes.wait()
        finally:
            await self._writes.abandon()
            self._items.close()
            self._entries.close()

    async def _read(self, bucket: Bucket, log: ErrorLog, progress: Job) -> None:
        """Read and sort all items."""
        source = self._source
        objects = await listed(bucket, source)
        total = sum(entry.size_bytes for entry in objects)
        self._counts = JobCounts(objects_bytes=total)
        types = {each.name: each.type for each in self._table.table.attributes}
        untold = stored_bytes = 0
        async for batch in batches(bucket, source, objects, types):
            async with self._turn():
                records = self._checked(batch, log)
                if records:
                    await self._items.add(records)
            await self._items.merge_runs()
            stored_bytes += batch.stored_bytes
            progress.reached(_READ_SHARE * stored_bytes / (total or 1))
            untold += 1
            if untold == _BATCHES_UNTOLD_MAX:
                untold = 0
                await self._writes.put({}, {}, self._counts)
        await self._writes.put({}, {}, self._counts)

    def _checked(self, batch: Batch, log: ErrorLog) -> list[bytes]:
        """The items of a batch, to be sorted; what is refused is counted and logged."""
        found: list[bytes] = []
        counts = self._counts
        read = refused = 0
        for index, line in batch.lines():
            read += 1
            try:
                if isinstance(line, Refused):
                    raise line
                assert line.item is not None, "a line has an item"
                found.append(self._maker.record_of(line.item, counts.records + read))
            except Refused as error:
                refused += 1
                log.refused(batch.key, index, error.text)
        self._counts = _replace(
            counts,
            records=counts.records + read,
            refused=counts.refused + refused,
            bytes=counts.bytes + batch.size_bytes,
        )
        return found

    async def _write_items(self, progress: Job) -> None:
        """Write the items, and sort their index entries."""
        records, written = self._counts.records - self._counts.refused, 0
        async for payloads in self._rows(self._items):
            async with self._turn():
                rows, entries = self._maker.rows_of(payloads)
                if entries:
                    await self._entries.add(entries)
            await self._entries.merge_runs()
            written += len(rows)
            self._entry_count += len(entries)
            progress.reached(_READ_SHARE + _ITEMS_SHARE * written / records)
            new = self._new(rows)
            if new:
                async with self._turn():
                    self._counts = _replace(self._counts, items=self._counts.items + len(new))
                    await self._writes.put(new, item_adds(self._table, new), self._counts)
        self._items.close()
        counts = self._counts
        self._counts = _replace(counts, items=counts.records - counts.refused)
        await self._writes.put({}, {}, self._counts)

    async def _write_entries(self, progress: Job) -> None:
        written = 0
        async for rows in self._rows(self._entries):
            written += len(rows)
            shares = _READ_SHARE + _ITEMS_SHARE
            progress.reached(shares + (1 - shares) * written / self._entry_count)
            new = self._new(rows)
            if new:
                async with self._turn():
                    adds = entry_adds(self._table.number, new)
                    await self._writes.put(new, adds, self._counts)

    def _new(self, rows: dict[bytes, bytes]) -> dict[bytes, bytes]:
        """The rows behind the last key that was written before."""
        if next(iter(rows)) > self._done:
            return rows
        return {key: value for key, value in rows.items() if key > self._done}

    async def _rows(self, sorter: Sorter) -> AsyncIterator[dict[bytes, bytes]]:
        """The rows in order, as many at a time as one write takes."""
        rows: dict[bytes, bytes] = {}
        size = 0
        async for page in sorter.pages():
            rows |= last_of_each(page)
            size += sum(map(len, page))
            if len(rows) > self._rows_max or size >= ROWS_BYTES_MAX:
                # The next page may have a later record of the last key.
                last = rows.popitem()
                if rows:
                    yield rows
                rows, size = dict((last,)), len(last[1])
        if rows:
            yield rows
