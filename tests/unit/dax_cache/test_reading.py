"""Many callers of one missing key cause one read of its table."""

import asyncio
from functools import wraps

import pytest

from hashrange.dax_cache.caches import Caches
from hashrange.dax_cache.reading import item_through

A = b"a"


def in_loop(test):
    """Runs a test in an event loop of its own."""

    @wraps(test)
    def run():
        asyncio.run(test())

    return run


class Table:
    """Counts reads, which wait until they are let go."""

    def __init__(self, value="item", error=None):
        self.value, self.error = value, error
        self.reads = 0
        self.begun, self.open = asyncio.Event(), asyncio.Event()

    async def read(self):
        self.reads += 1
        self.begun.set()
        value = self.value
        await self.open.wait()
        if self.error is not None:
            raise self.error
        return value, 10


def begun(caches, table, count):
    return [
        asyncio.ensure_future(item_through(caches, A, table.read, lambda: 0)) for _ in range(count)
    ]


@in_loop
async def test_callers_of_one_missing_key_share_a_read():
    caches, table = Caches(10_000), Table()
    callers = begun(caches, table, 50)
    await asyncio.sleep(0)
    table.open.set()
    assert set(await asyncio.gather(*callers)) == {"item"}
    assert await item_through(caches, A, table.read, lambda: 0) == "item"
    assert table.reads == 1


@in_loop
async def test_a_failed_read_reaches_all_of_them_and_the_next_caller_reads_again():
    caches, table = Caches(10_000), Table(error=OSError("gone"))
    callers = begun(caches, table, 3)
    await asyncio.sleep(0)
    table.open.set()
    outcomes = await asyncio.gather(*callers, return_exceptions=True)
    assert [type(each) for each in outcomes] == [OSError] * 3
    with pytest.raises(OSError, match="gone"):
        await item_through(caches, A, table.read, lambda: 0)
    assert table.reads == 2


@in_loop
async def test_a_caller_that_goes_away_does_not_end_the_read_of_the_others():
    caches, table = Caches(10_000), Table()
    gone, stays = begun(caches, table, 2)
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.sleep(0)
    table.open.set()
    assert await stays == "item"
    assert table.reads == 1


@in_loop
async def test_a_caller_after_a_write_does_not_join_the_read_before_it():
    caches, table = Caches(10_000), Table("old")
    before = begun(caches, table, 1)
    await table.begun.wait()
    table.begun.clear()
    with caches.writing([A]):
        table.value = "new"
    after = begun(caches, table, 1)
    await table.begun.wait()
    table.open.set()
    assert await asyncio.gather(*before, *after) == ["old", "new"]
    assert caches.item(A, 0).value == "new"
