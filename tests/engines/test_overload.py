"""More writes than can be done: what is refused, and that the rest is done as fast as ever.

Time is counted in groups that were committed, so the engine does `GROUP` writes a turn, however
slow the machine is.
"""

import asyncio

import pytest

from hashrange.storage.engine import Changes, StorageBusyError
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.tuning import Tuning
from tests.pace import turns

GROUP, QUEUE, TURNS = 8, 40, 100


class Load:
    """Writers that come in each turn, whether those before them have been answered or not."""

    def __init__(self, engine):
        self._engine = engine
        self._tasks = set()
        self.done = self.refused = self.longest = 0

    async def _write(self, number):
        came = self.turn
        try:
            await self._engine.write(
                [b"%d" % number], lambda _: Changes(answer=None, puts={b"%d" % number: b"v"})
            )
        except StorageBusyError:
            self.refused += 1
            # At once: who is refused late has waited for nothing.
            assert self.turn == came
        else:
            self.done += 1
            self.longest = max(self.longest, self.turn - came)

    @property
    def turn(self):
        """Groups committed."""
        return self._engine.stats().groups

    async def run(self, writes_a_turn):
        """Offer so many writes for each group that is committed; the longest queue."""
        longest_queue = offered = 0
        while self.turn < TURNS:
            while offered < writes_a_turn * (self.turn + 1):
                self._tasks.add(asyncio.ensure_future(self._write(offered)))
                offered += 1
            await turns()
            longest_queue = max(longest_queue, self._engine.stats().queue_length)
        done = self.done
        await asyncio.gather(*self._tasks)
        assert self.done + self.refused == offered
        return done, longest_queue


@pytest.fixture
def engine():
    tuning = Tuning(group_works_max=GROUP, queue_works_max=QUEUE)
    engine = SqliteEngine.open(None, tuning=tuning)
    yield engine
    engine.close()


def test_what_can_be_done_is_done(engine):
    load = Load(engine)
    done, longest_queue = asyncio.run(load.run(GROUP))
    assert done >= GROUP * (TURNS - 2)
    assert load.refused == 0
    assert longest_queue <= 2 * GROUP


@pytest.mark.parametrize("times", [2, 10])
def test_at_several_times_the_possible_load_as_much_is_done(engine, times):
    load = Load(engine)
    done, longest_queue = asyncio.run(load.run(times * GROUP))
    # Goodput stays what it was.
    assert done >= GROUP * (TURNS - 2)
    assert longest_queue <= QUEUE
    refused = (times - 1) * GROUP * TURNS
    assert refused - QUEUE - 2 * GROUP <= load.refused <= refused + times * GROUP
    assert engine.stats().refused == load.refused
    # Nobody waits longer than the queue is long.
    assert load.longest <= QUEUE // GROUP + 2
