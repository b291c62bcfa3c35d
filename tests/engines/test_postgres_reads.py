"""Reads that PostgreSQL executes together: the same answers from fewer statements."""

import asyncio
import uuid

import pytest

from hashrange.assembly.engines.trials.subject import change
from hashrange.storage.engine import StaleFenceError, StorageUnavailableError
from hashrange.storage.postgres.read_groups import GROUPS_MAX
from tests.engines.postgres_engines import opened, planted
from tests.engines.postgres_server import url_of
from tests.pace import loop_until

READS = 64
FENCES = {b"fence": b"1"}


@pytest.fixture
def url():
    return url_of(str(uuid.uuid4()))


def numbered(number):
    return b"k%03d" % number


async def filled(engine):
    await change(engine, puts={numbered(number): b"v%d" % number for number in range(READS)})
    await change(engine, puts={b"fence": b"1", b"other": b"1"}, adds={b"counter": 7})


def test_concurrent_reads_share_statements(url):
    async def run():
        async with opened(url) as engine:
            await filled(engine)
            await engine.read([b"k000"], fences={b"fence": b"1"})
            before = engine.stats().statements
            found = await asyncio.gather(
                *(
                    engine.read([numbered(number), b"none"], fences={b"fence": b"1"})
                    for number in range(READS)
                ),
                engine.read([b"counter", b"k001"]),
            )
            assert engine.stats().statements - before <= GROUPS_MAX + READS // 16
        return found

    *items, counter = asyncio.run(run())
    assert items == [[b"v%d" % number, None] for number in range(READS)]
    assert counter == [(7).to_bytes(8), b"v1"]


@pytest.mark.parametrize("reverse", [False, True])
def test_concurrent_scans_share_statements(url, reverse):
    def scanned(engine, number):
        place = {"start": numbered(number), "end": numbered(number + 3), "reverse": reverse}
        return engine.scan(**place, limit=2 + number % 3, bytes_max=5, fences=FENCES)

    async def run():
        async with opened(url) as engine:
            await filled(engine)
            await engine.read([], fences=FENCES)
            before = engine.stats().statements
            pages = await asyncio.gather(*(scanned(engine, number) for number in range(READS)))
            assert engine.stats().statements - before <= GROUPS_MAX + READS // 8
            counted = (
                engine.scan(b"c", b"d", limit=9, bytes_max=9, reverse=reverse) for _ in range(9)
            )
            return pages, await asyncio.gather(*counted)

    pages, counters = asyncio.run(run())
    for number, page in enumerate(pages):
        there = [(numbered(each), b"v%d" % each) for each in range(number, min(number + 3, READS))]
        ordered = there[::-1] if reverse else there
        # Values have two or three bytes; a page ends with the one by which it has five.
        rows = 3 if sum(len(value) for _, value in ordered[:2]) < 5 else 2
        assert page == ordered[: min(rows, 2 + number % 3)]
    assert counters == [[(b"counter", (7).to_bytes(8))]] * 9


# Each read has the answer that it would have alone.
def test_stale_fence_fails_its_own_read_only(url):
    async def run():
        async with opened(url) as engine:
            await filled(engine)
            return await asyncio.gather(
                *(
                    engine.read([numbered(number)], fences={b"fence": value, b"other": b"1"})
                    for number, value in enumerate([b"1", b"1", b"1", b"1", b"1", b"0", b"1", b"1"])
                ),
                return_exceptions=True,
            )

    found = asyncio.run(run())
    assert isinstance(found.pop(5), StaleFenceError)
    assert found == [[b"v%d" % number] for number in range(8) if number != 5]


def test_fence_that_changes_between_reads(url):
    async def run():
        async with opened(url) as first, opened(url) as second:
            await filled(first)
            await first.read([b"k000"], fences={b"fence": b"1"})
            await change(second, puts={b"fence": b"2"})
            old = [first.read([b"k001"], fences={b"fence": b"1"}) for _ in range(9)]
            new = [first.read([b"k001"], fences={b"fence": b"2"}) for _ in range(9)]
            return await asyncio.gather(*old, *new, return_exceptions=True)

    found = asyncio.run(run())
    assert all(isinstance(each, StaleFenceError) for each in found[:9])
    assert found[9:] == [[b"v1"]] * 9


def test_failure_fails_all_reads_and_later_ones_go_on(url):
    async def run():
        async with planted(url) as engine:
            await filled(engine)
            entered, ends = 0, asyncio.Event()

            async def fail(*_arguments, **_options):
                nonlocal entered
                entered += 1
                await ends.wait()
                raise StorageUnavailableError("planted")

            engine.pool.read = fail
            reads = [asyncio.ensure_future(engine.read([b"k001"])) for _ in range(40)]
            await loop_until(lambda: entered == GROUPS_MAX)
            # Callers that go away leave the others alone.
            for read in reads[::2]:
                read.cancel()
            ends.set()
            found = await asyncio.gather(*reads, return_exceptions=True)
            engine.pool.heal()
            assert await engine.read([b"k001"]) == [b"v1"]
        return found

    found = asyncio.run(run())
    assert all(isinstance(each, asyncio.CancelledError) for each in found[::2])
    assert all(isinstance(each, StorageUnavailableError) for each in found[1::2])


# A read that comes after an acknowledged write sees it, though older statements are executed.
def test_reads_see_writes_that_were_acknowledged_before(url):
    async def run():
        async with opened(url) as reader, opened(url) as writer:
            stale = []
            over = False

            async def read():
                while not over:
                    least = latest
                    (value,) = await reader.read([b"n"])
                    if int(value) < least:
                        stale.append((least, value))

            latest = 0
            await change(writer, puts={b"n": b"0"})
            reading = [asyncio.ensure_future(read()) for _ in range(24)]
            for number in range(1, 100):
                await change(writer, puts={b"n": b"%d" % number})
                latest = number
            over = True
            await asyncio.gather(*reading)
            assert stale == []

    asyncio.run(run())
