"""Rows of an import are made while those before them are put on the disk, but never beside more."""

import asyncio

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.background.import_writes import ImportWrites
from hashrange.model.import_job import ImportJob, JobCounts, JobSource
from hashrange.storage.engine import NO_FENCES, StorageError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.jobs.transfers import IMPORTS
from tests.pace import seconds, turns
from tests.unit.tables.definitions import NOON_MS, definition

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/target/import/1"


class Slow:
    """An engine whose writes take as long as its disk lets them, and then may fail."""

    def __init__(self):
        self.engine = DictEngine(now_ms=lambda: NOON_MS)
        self.disk = asyncio.Event()
        self.begun = 0
        self.is_full = False
        self.read, self.scan = self.engine.read, self.engine.scan
        self.key_bytes_max = self.engine.key_bytes_max

    async def write(self, keys, decide, *, fences=NO_FENCES):
        self.begun += 1
        await self.disk.wait()
        if self.is_full:
            raise StorageError("full")
        return await self.engine.write(keys, decide, fences=fences)


async def prepared(*, is_busy):
    slow = Slow()
    table = await Catalog(slow.engine).create(
        lambda number: definition(number=number, name="target"), "target"
    )
    job = ImportJob(
        arn=ARN,
        table="target",
        table_number=table.number,
        table_arn=table.arn,
        table_id=table.id,
        source=JobSource(bucket="bucket", format="CSV"),
        creation={},
        started_ms=NOON_MS,
    )
    await IMPORTS.create(slow.engine, job)
    opened = await Catalog(slow.engine).open("target")
    writes = ImportWrites(slow, opened, job, fences=lambda: NO_FENCES, is_busy=lambda: is_busy)
    return slow, writes


def test_one_write_is_under_way_at_a_time():
    async def run():
        slow, writes = await prepared(is_busy=False)
        await writes.put({b"\xffa": b"1"}, {}, JobCounts(items=1))
        second = asyncio.create_task(writes.put({b"\xffb": b"2"}, {}, JobCounts(items=2)))
        await turns(10)
        assert (slow.begun, second.done(), writes.job.counts.items) == (1, False, 0)
        slow.disk.set()
        async with asyncio.timeout(seconds(10)):
            await second
            await writes.wait()
        assert writes.job == await IMPORTS.find(slow.engine, ARN)
        assert (writes.job.counts.items, writes.job.written) == (2, b"\xffb".hex())
        assert await slow.read([b"\xffa", b"\xffb"]) == [b"1", b"2"]

    asyncio.run(run())


# The rest after a turn is as long as its work took, so the work must be in it.
def test_while_requests_come_each_write_is_waited_for():
    async def run():
        slow, writes = await prepared(is_busy=True)
        first = asyncio.create_task(writes.put({b"\xffa": b"1"}, {}, JobCounts(items=1)))
        await turns(10)
        assert (slow.begun, first.done()) == (1, False)
        slow.disk.set()
        async with asyncio.timeout(seconds(10)):
            await first
        assert writes.job.counts.items == 1

    asyncio.run(run())


def test_a_write_that_fails_is_told_with_the_next_one():
    async def run():
        slow, writes = await prepared(is_busy=False)
        slow.is_full = True
        await writes.put({b"\xffa": b"1"}, {}, JobCounts(items=1))
        slow.disk.set()
        with pytest.raises(StorageError, match="full"):
            await writes.put({b"\xffb": b"2"}, {}, JobCounts(items=2))
        assert (slow.begun, writes.job.counts.items) == (1, 0)
        await writes.abandon()

    asyncio.run(run())


# A server that stops waits for no disk.
def test_a_write_can_be_abandoned():
    async def run():
        slow, writes = await prepared(is_busy=False)
        await writes.put({b"\xffa": b"1"}, {}, JobCounts(items=1))
        await turns(10)
        async with asyncio.timeout(seconds(10)):
            await writes.abandon()
        assert writes.job.counts.items == 0
        assert await slow.read([b"\xffa"]) == [None]

    asyncio.run(run())
