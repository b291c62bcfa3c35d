"""Many callers of one missing key cause one read of its table."""

import asyncio
from functools import wraps

import pytest

from hashrange.dax.cache.caches import Caches
from hashrange.dax.cache.reading import UnreadError, missing_item, missing_items
from tests.pace import turns

A, B, C = b"a", b"b", b"c"


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
        return value


def begun(caches, table, count):
    return [
        asyncio.ensure_future(missing_item(caches, A, table.read, lambda: 0)) for _ in range(count)
    ]


@in_loop
async def test_a_failed_read_reaches_all_of_them_and_the_next_caller_reads_again():
    caches, table = Caches(10_000), Table(error=OSError("gone"))
    callers = begun(caches, table, 3)
    await turns()
    table.open.set()
    outcomes = await asyncio.gather(*callers, return_exceptions=True)
    assert [type(each) for each in outcomes] == [OSError] * 3
    with pytest.raises(OSError, match="gone"):
        await missing_item(caches, A, table.read, lambda: 0)
    assert table.reads == 2


@in_loop
async def test_a_caller_that_goes_away_does_not_end_the_read_of_the_others():
    caches, table = Caches(10_000), Table()
    gone, stays = begun(caches, table, 2)
    await turns()
    gone.cancel()
    await turns()
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


def read_of(table, *kept):
    """Reads a batch from a table, and returns the given keys only."""

    async def read(keys):
        item = await table.read()
        return {key: item for key in keys if key in kept}

    return read


def zero():
    return 0


@in_loop
async def test_a_batch_and_a_get_of_one_key_share_a_read():
    caches, table, others = Caches(10_000), Table(), Table("other")
    batch = asyncio.ensure_future(missing_items(caches, [A, B], read_of(table, A, B), zero))
    await table.begun.wait()
    get = asyncio.ensure_future(missing_item(caches, A, others.read, zero))
    more = asyncio.ensure_future(missing_items(caches, [B, C], read_of(others, C), zero))
    await others.begun.wait()
    table.open.set()
    others.open.set()
    assert await batch == {A: "item", B: "item"}
    assert await get == "item"
    assert await more == {B: "item", C: "other"}
    assert (table.reads, others.reads) == (1, 1)
    assert caches.item(C, 0).value == "other"


@in_loop
async def test_an_item_that_a_batch_has_not_got_is_not_kept():
    caches, table = Caches(10_000), Table()
    batch = asyncio.ensure_future(missing_items(caches, [A, B], read_of(table, B), zero))
    await table.begun.wait()
    get = asyncio.ensure_future(missing_item(caches, A, table.read, zero))
    more = asyncio.ensure_future(missing_items(caches, [A], read_of(table), zero))
    await turns()
    table.open.set()
    assert await batch == {B: "item"}
    with pytest.raises(UnreadError):
        await get
    assert await more == {}
    assert caches.item(A, 0) is None


@in_loop
async def test_a_batch_that_fails_leaves_no_read_behind():
    caches, table = Caches(10_000), Table(error=OSError("gone"))
    batches = [
        asyncio.ensure_future(missing_items(caches, [A], read_of(table, A), zero)) for _ in range(2)
    ]
    await turns()
    table.open.set()
    outcomes = await asyncio.gather(*batches, return_exceptions=True)
    assert [type(each) for each in outcomes] == [OSError] * 2
    table.error = None
    assert await missing_item(caches, A, table.read, zero) == "item"
