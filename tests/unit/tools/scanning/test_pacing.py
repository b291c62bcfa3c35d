"""The pace of requests, on a clock that only waiting moves."""

import asyncio

import pytest

from hashrange.tools.copying.place import RefusedError
from hashrange.tools.scanning.pacing import THROTTLED_TRIES_MAX, Pacer
from hashrange.tools.scanning.segments import chosen_segments
from tests.pace import turns
from tests.rows import rows


class Clock:
    def __init__(self):
        self.now_ns = 0

    def monotonic_ns(self):
        return self.now_ns

    def random_bytes(self, count):
        return b"\x80" * count

    async def pause(self, seconds):
        self.now_ns += int(seconds * 1_000_000_000)
        await turns()


def throttled():
    return RefusedError("there", "Scan", "ThrottlingException", "slower")


def pacer(clock, **options):
    return Pacer(clock, pause=clock.pause, **{"parallel": 4, **options})


@rows("units", [1.0, 5.0, 0.5])
def test_units_a_second_are_held_in_the_long_run(units):
    clock = Clock()

    async def run():
        paced = pacer(clock, units_a_second=10)

        async def send():
            return units

        for _ in range(200):
            await paced.read(send, lambda answer: answer)

    asyncio.run(run())
    rate = 200 * units / (clock.now_ns / 1_000_000_000)
    assert 10 <= rate <= 10.6, "the last request needs no wait"


def test_throttling_halves_and_success_restores_the_parallel_requests():
    clock, answers = Clock(), [throttled(), throttled(), 1, *[1] * 40]
    paced = pacer(clock, parallel=8)
    seen = []

    async def send():
        answer = answers.pop(0)
        seen.append(paced.parallel)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def run():
        while answers:
            await paced.read(send, lambda _: 1.0)

    asyncio.run(run())
    assert seen[:3] == [8, 4, 2]
    assert sorted(seen[2:]) == seen[2:]
    assert paced.parallel == 8
    assert paced.throttled == 2
    assert clock.now_ns > 0, "throttled requests wait"


def test_no_more_requests_than_allowed_run_at_once():
    clock = Clock()
    running = most = 0

    async def run():
        paced = pacer(clock, parallel=3)

        async def send():
            nonlocal running, most
            running += 1
            most = max(most, running)
            await turns()
            running -= 1

        async with asyncio.TaskGroup() as group:
            for _ in range(12):
                group.create_task(paced.read(send, lambda _: 1.0))

    asyncio.run(run())
    assert most == 3


def test_what_is_throttled_for_good_fails():
    sent = 0

    async def send():
        nonlocal sent
        sent += 1
        raise throttled()

    with pytest.raises(RefusedError, match="slower"):
        asyncio.run(pacer(Clock()).read(send, lambda _: 1.0))
    assert sent == THROTTLED_TRIES_MAX


@rows("size, segments", [(0, 4), (100 << 20, 7), (1 << 40, 64)])
def test_segments_are_chosen_by_the_size(size, segments):
    assert chosen_segments(size) == segments
