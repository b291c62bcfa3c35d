"""Replication begins when a table is written, and rests between."""

import asyncio
from types import SimpleNamespace

import pytest

from hashrange.background.replication_task import ReplicationTask
from hashrange.background.tasks import RETRY_SECONDS
from hashrange.regions.replication.positions import Positions
from hashrange.storage.engine import NO_FENCES, StorageError
from hashrange.tables.keys.keyspace import log_key
from tests.pace import turns
from tests.unit.regions.strong import fast_loop
from tests.unit.regions.strong.fast_loop import passes
from tests.unit.tables.definitions import NOON_MS

NUMBER = 7


class Task(ReplicationTask):
    """Counts its work; nothing but a write ends its intervals."""

    PAUSE_SECONDS = 1e-6
    LOOK_SECONDS_MAX = 1000.0
    GROWTH = 10.0**9

    def __init__(self, now_ms=lambda: 0):
        opened = SimpleNamespace(number=NUMBER)
        catalog = SimpleNamespace(cached=lambda _name: opened)
        engine = SimpleNamespace()
        positions = Positions(engine, lambda: NO_FENCES)
        super().__init__(catalog, lambda _: True, now_ms=now_ms, positions=positions)
        self.works = 0
        self.is_away = self.fails = False

    @property
    def _seconds_max(self):
        return 2000.0 if self.is_away else super()._seconds_max

    async def work(self):
        self.works += 1
        await self._watched.open("a-table")
        if self.fails:
            raise StorageError("the disk is full")
        return False

    async def _sweep(self):
        raise AssertionError("it is not due")


def run(test):
    async def with_task():
        task = Task()
        task.wake("a-table")
        running = asyncio.create_task(task.run())
        await turns(100)
        try:
            await test(task)
        finally:
            running.cancel()

    asyncio.run(with_task())


async def is_woken(task, number=NUMBER):
    works = task.works
    task.appended([log_key(number, 3)])
    await turns(100)
    return task.works > works


def test_a_write_is_replicated_at_once():
    async def test(task):
        assert await is_woken(task)

    run(test)


@pytest.mark.parametrize("number", [NUMBER - 1, NUMBER * 256])
def test_writes_of_other_tables_wake_nobody(number):
    async def test(task):
        assert not await is_woken(task, number)

    run(test)


# Each write would be a call that fails.
@pytest.mark.parametrize("fault", ["is_away", "fails"])
def test_writes_wake_nobody_while_nothing_can_be_replicated(fault):
    async def test(task):
        setattr(task, fault, True)
        assert await is_woken(task)
        assert not await is_woken(task)

    run(test)


class Sweeping(Task):
    """Reads the catalog when that is due; the first time fails."""

    sweeps = 0

    async def work(self):
        await self._sweep_due(self._now_ms())
        return False

    async def _sweep(self):
        self.sweeps += 1
        if self.sweeps == 1:
            raise StorageError("the disk does not answer")


def test_a_sweep_that_failed_is_done_again_soon():
    """Otherwise a server that starts on a slow disk replicates nothing for a minute."""

    async def test():
        task = Sweeping(lambda: NOON_MS + int(asyncio.get_running_loop().time() * 1000))
        running = asyncio.create_task(task.run())
        await passes(RETRY_SECONDS * 2)
        running.cancel()
        return task.sweeps

    assert fast_loop.run(test()) == 2
