"""One bulk operation, from its first record to its reports.

Each page is written together with the place in the objects at which it ends, so that each record is
put once, whatever interrupts the operation.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from hashrange.api.admission.capacities import Capacities
from hashrange.background.bulk_pages import (
    Page,
    Pointer,
    Put,
    Unmet,
    deciding,
    put_of,
)
from hashrange.background.job_runner import JobContext
from hashrange.backups.imports.lines import Refused
from hashrange.backups.imports.reading import Batch, batches
from hashrange.backups.objects.bucket import Bucket, ObjectEntry
from hashrange.capacity.limiter import debt_ms, needs, takes
from hashrange.capacity.units import Charge, write_units
from hashrange.errors import DynamoError
from hashrange.model.import_job import BulkJob
from hashrange.observe.jobs import Job
from hashrange.storage.engine import KeyTooLongError
from hashrange.tables.jobs.transfers import BULK_JOBS
from hashrange.tables.keys.scaling_keys import ITEM_POSITION
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import WriteResult
from hashrange.tables.writing.writer import write_batch

_WAIT_SECONDS: Final = 0.05
"""How long to wait for units of a partition, or for the end of a transaction."""
_WAITS_MAX: Final = 200
"""Then the page is written anyway: the engine keeps it and the transaction apart."""
_MS_PER_S: Final = 1000


class BulkRun:
    """The work of one bulk operation.

    Args:
        context: of the work on jobs.
        table: that of the operation.
        job: as it is stored.
        capacities: of tables; None without limits.

    Attributes:
        job: as it is stored now.
    """

    def __init__(
        self,
        context: JobContext,
        table: OpenTable,
        job: BulkJob,
        capacities: Capacities | None,
    ) -> None:
        self._context = context
        self._store = store = context.store
        self._table = table
        self.job = job
        self._capacities = capacities
        self._began_ms = store.clock.now_ms()
        self._units = 0.0

    async def run(self, bucket: Bucket, objects: Sequence[ObjectEntry], progress: Job) -> None:
        """Put all records that are not done yet.

        Raises BucketError, StorageError, StaleFenceError; JobLostError: the operation was
        cancelled, or another server does it.
        """
        if self._capacities is not None:
            self._table.limiter = await self._capacities.limiter(self._table)
        source, done = self.job.source, self.job.objects
        async for batch in batches(bucket, source, objects, {}, done=done):
            for page in self._pages(batch):
                await self._admit(page.puts)
                async with self._context.pacer.turn():
                    await self._write(page)
                counts = self.job.counts
                progress.reached(counts.bytes / (counts.objects_bytes or 1))
                await self._pause()

    def _pages(self, batch: Batch) -> Iterator[Page]:
        """The pages of a batch, with what is not done yet."""
        job = self.job
        skipped = job.records if batch.position == job.objects else 0
        puts: dict[bytes, Put] = {}
        refused: list[tuple[Pointer, str]] = []
        # The first records of a batch that is read again were put together with its bytes.
        size_bytes, end = 0 if batch.first < skipped else batch.stored_bytes, batch.first
        for index, line in batch.lines():
            if index < skipped:
                continue
            pointer = Pointer(batch.position, batch.key, index)
            try:
                if isinstance(line, Refused):
                    raise line
                put = put_of(self._table, line, pointer)
            except Refused as error:
                refused.append((pointer, error.text))
            else:
                if put.key in puts or len(puts) == self._context.sizes.bulk_puts:
                    yield Page(tuple(puts.values()), refused, batch.position, index, size_bytes)
                    puts, refused, size_bytes = {}, [], 0
                puts[put.key] = put
            end = index + 1
        if puts or refused or size_bytes:
            records = max(end, skipped)
            yield Page(tuple(puts.values()), refused, batch.position, records, size_bytes)

    async def _admit(self, puts: Sequence[Put]) -> None:
        """Wait until the partitions of the items have units, and no transaction is on them."""
        limiter = self._table.limiter
        for put in puts:
            units = write_units(put.plan.after.size)
            self._units += units
            if limiter is not None:
                name = self._table.table.name
                charge = Charge(name, write_units=units, position=put.key[ITEM_POSITION])
                assert self._capacities is not None, "it has made the limiter"
                while not takes(limiter, charge, self._store.clock.now_ms()):
                    more = needs(limiter, charge)
                    if not await self._capacities.more(self._table, more):
                        await asyncio.sleep(_WAIT_SECONDS)
        await self._await_transactions([put.key for put in puts])

    async def _await_transactions(self, keys: Sequence[bytes]) -> None:
        in_flight = self._store.in_flight
        for _ in range(_WAITS_MAX):
            if in_flight.keys().isdisjoint(keys):
                return
            await asyncio.sleep(_WAIT_SECONDS)

    async def _write(self, page: Page) -> None:
        """Write a page; if a put of it is refused by the storage, each put alone."""
        try:
            await self._write_whole(page)
        except (DynamoError, KeyTooLongError) as error:
            if len(page.puts) == 1:
                text = error.message if isinstance(error, DynamoError) else None
                refused = [*page.refused, (page.puts[0].pointer, text or str(error))]
                await self._write_whole(msgspec.structs.replace(page, puts=(), refused=refused))
                return
            for part in _parts(page):
                await self._write(part)

    async def _write_whole(self, page: Page) -> None:
        self._context.fences()
        key = BULK_JOBS.key(self.job.arn)
        self.job, results = await write_batch(
            self._store, page.puts, deciding(self.job, page), [key]
        )
        await self._charge(results)

    async def _charge(self, results: Sequence[WriteResult[Unmet | None]]) -> None:
        """Charge the partitions of index entries, and wait until they have paid."""
        limiter = self._table.limiter
        if limiter is None:
            return
        name, now_ms = self._table.table.name, self._store.clock.now_ms()
        waits = [
            debt_ms(limiter, Charge(name, index=index, write_units=units, position=place), now_ms)
            for result in results
            for index, place, units, *_ in result.entry_units or ()
        ]
        if waits:
            await asyncio.sleep(max(waits) / _MS_PER_S)

    async def _pause(self) -> None:
        """Pause so long that MaxWriteRequestUnits is kept, from the beginning on."""
        most = self.job.units_max
        if most is not None:
            due_ms = self._began_ms + self._units / most * _MS_PER_S
            pause_ms = due_ms - self._store.clock.now_ms()
            if pause_ms > 0:
                await asyncio.sleep(pause_ms / _MS_PER_S)


def _parts(page: Page) -> Iterator[Page]:
    """The page as one of each put; what else it has is in the first one, its end in the last."""
    refused, size_bytes = page.refused, page.size_bytes
    for put in page.puts:
        records = page.records if put is page.puts[-1] else put.pointer.index + 1
        yield Page((put,), refused, page.objects, records, size_bytes)
        refused, size_bytes = (), 0
