"""Which writes PostgreSQL gets together, and when; no database is needed for that."""

import asyncio

import pytest

from hashrange.storage.engine import NO_FENCES, Changes, StorageUnavailableError
from hashrange.storage.pending_write import PendingWrite
from hashrange.storage.postgres.write_scheduler import WriteScheduler
from tests.pace import loop_until, turns


def nothing(_values):
    return Changes(answer=None)


class Carried:
    """Groups, each of which ends when it is told."""

    def __init__(self, groups_max=2):
        self.groups = []
        self.scheduler = WriteScheduler(self._execute, groups_max)
        self._left = []

    async def _execute(self, works):
        end = asyncio.Event()
        self.groups.append((works, end))
        await end.wait()
        for work in works:
            if work not in self._left and not work.waiter.done():
                work.waiter.set_result(None)
        return self._left

    def put(self, *keys):
        waiter = asyncio.get_running_loop().create_future()
        work = PendingWrite(keys=keys, decide=nothing, fences=NO_FENCES, waiter=waiter)
        self.scheduler.submit(work)
        return work

    async def begin(self, *keys):
        """A write that no other comes with."""
        work = self.put(*keys)
        await turns(3)
        return work

    async def end(self, position, left=()):
        self._left = list(left)
        await turns()
        self.groups[position][1].set()
        await turns(5)

    @property
    def keys(self):
        return [[work.keys for work in works] for works, _ in self.groups]


def test_writes_that_wait_for_a_key_or_a_group_go_together():
    async def run():
        carried = Carried()
        await carried.begin(b"a")
        await carried.begin(b"b")
        for keys in ([b"a"], [b"a", b"c"], [b"d"], [b"c"]):
            await carried.begin(*keys)
        assert carried.keys == [[(b"a",)], [(b"b",)]]
        await carried.end(1)
        # Those that wait for "a", or for one that waits for it, wait on.
        assert carried.keys[2:] == [[(b"d",)]]
        await carried.end(0)
        assert carried.keys[3:] == [[(b"a",), (b"a", b"c"), (b"c",)]]

    asyncio.run(run())


def test_writes_of_one_turn_go_together():
    async def run():
        carried = Carried()
        for key in (b"a", b"b", b"a"):
            carried.put(key)
        await turns(3)
        assert carried.keys == [[(b"a",), (b"b",), (b"a",)]]

    asyncio.run(run())


# Beside a large group a small one is not worth its statement, for a while.
def test_a_small_group_waits_for_more_writes_but_not_for_long():
    async def run():
        carried = Carried(groups_max=3)
        for number in range(4):
            carried.put(b"%d" % number)
        await turns(3)
        await carried.begin(b"a")
        assert len(carried.groups) == 1
        await carried.begin(b"b")
        assert carried.keys[1:] == [[(b"a",), (b"b",)]]
        await carried.begin(b"c")
        await loop_until(lambda: len(carried.groups) == 3)
        assert carried.keys[2] == [(b"c",)]

    asyncio.run(run())


def test_closing_waits_for_writes_that_have_not_begun():
    async def run():
        carried = Carried(groups_max=1)
        first = carried.put(b"a")
        closing = asyncio.create_task(carried.scheduler.close(10))
        await turns(3)
        await carried.end(0)
        await closing
        assert first.waiter.done()
        assert first.error is None

    asyncio.run(run())


def test_who_goes_away_before_its_turn_never_begins():
    async def run():
        carried = Carried(groups_max=1)
        first = await carried.begin(b"a")
        gone, last = carried.put(b"a"), carried.put(b"a")
        gone.waiter.cancel()
        await turns()
        await carried.end(0)
        assert first.waiter.done()
        assert [works for works, _ in carried.groups[1:]] == [[last]]
        await carried.end(1)
        await carried.begin(b"a")
        assert len(carried.groups) == 3

    asyncio.run(run())


def test_what_is_left_over_comes_first_in_the_next_group():
    async def run():
        carried = Carried(groups_max=1)
        await carried.begin(b"a")
        works = [carried.put(key) for key in (b"b", b"c", b"d", b"b")]
        await carried.end(0)
        assert carried.groups[1][0] == works
        behind = carried.put(b"c")
        await carried.end(1, left=works[2:])
        assert carried.groups[2][0] == [*works[2:], behind]

    asyncio.run(run())


# A statement that hangs is stopped once all who wait for it have gone, and not before.
def test_a_group_that_nobody_waits_for_is_stopped():
    async def run():
        carried = Carried(groups_max=1)
        await carried.begin(b"first")
        hanging = [carried.put(b"a"), carried.put(b"b")]
        await carried.end(0)
        behind = carried.put(b"a")
        for work, groups in zip(hanging, (2, 3), strict=True):
            work.waiter.cancel()
            carried.scheduler.cancel_abandoned()
            await turns(5)
            assert len(carried.groups) == groups
        await carried.end(2)
        await behind.waiter

    asyncio.run(run())


def test_closing_fails_what_waits_for_ever():
    async def run():
        carried = Carried(groups_max=1)
        await carried.begin(b"a")
        waiting = carried.put(b"a")
        await turns()
        await carried.scheduler.close(0.01)
        assert waiting.waiter.done()
        assert isinstance(waiting.error, StorageUnavailableError)
        with pytest.raises(StorageUnavailableError):
            carried.put(b"b")
        assert len(carried.groups) == 1

    asyncio.run(run())
