"""Moves of a clock, and the passes that they cause."""

import asyncio

import pytest

from hashrange.background.time_shift import TimeShift
from hashrange.clock import OFFSET_MS_MAX, MovableClock, OffsetError
from hashrange.storage.engine import StorageError
from tests.pace import turns


class Gate:
    """A pass that goes on when it is let through; counts how often it began."""

    def __init__(self):
        self.begun = 0
        self.open = asyncio.Event()

    async def pass_(self):
        self.begun += 1
        await self.open.wait()


def test_answer_comes_after_all_passes_in_their_order():
    seen = []

    async def run():
        clock = MovableClock()

        async def first():
            await turns()
            seen.append(("first", clock.offset_ms))

        async def second():
            seen.append(("second", clock.offset_ms))

        async def before():
            seen.append(("before", clock.offset_ms))

        await TimeShift(clock, [first, second], before=before).move(5, True)
        seen.append(("answer", clock.offset_ms))

    asyncio.run(run())
    assert seen == [("before", 0), ("first", 5), ("second", 5), ("answer", 5)]


# However often a client asks without waiting, no more than two passes are under way.
def test_moves_that_do_not_wait_share_a_pass():
    async def run():
        clock, gate = MovableClock(), Gate()
        shift = TimeShift(clock, [gate.pass_])
        await shift.move(1, False)
        await turns()
        for _ in range(50):
            await shift.move(1, False)
        waiting = asyncio.create_task(shift.move(1, True))
        await turns()
        assert (gate.begun, clock.offset_ms, waiting.done()) == (1, 52, False)
        gate.open.set()
        await waiting
        assert gate.begun == 2

    asyncio.run(run())


def test_failed_pass_is_told_and_the_next_one_is_made():
    fails = [True, False]

    async def work():
        if fails.pop(0):
            raise StorageError("no disk")

    async def run():
        clock = MovableClock()
        shift = TimeShift(clock, [work])
        with pytest.raises(StorageError):
            await shift.move(7, True)
        assert clock.offset_ms == 7
        await shift.move(None, True)
        assert (clock.offset_ms, fails) == (0, [])

    asyncio.run(run())


def test_too_far_moves_nothing_and_begins_nothing():
    async def run():
        clock, gate = MovableClock(), Gate()
        shift = TimeShift(clock, [gate.pass_])
        with pytest.raises(OffsetError):
            await shift.move(OFFSET_MS_MAX + 1, True)
        await turns()
        assert (clock.offset_ms, gate.begun) == (0, 0)

    asyncio.run(run())
