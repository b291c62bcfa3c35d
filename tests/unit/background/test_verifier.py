"""When a verification of a running server pauses, and what ends it."""

import asyncio

import pytest

from hashrange.background.tasks import Pacer
from hashrange.background.verifier import MOMENT_NS, Moments, PacedEngine, VerificationError
from hashrange.background.verifier import Verifier as Task
from hashrange.storage.engine import StorageError
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.verifying.requests import VERIFY_FILES, VerifyRequest
from tests.unit.regions.strong.fast_loop import run

ROWS = [(b"%06d" % number, b"v") for number in range(1000)]


class Clock:
    """Each reading takes a millisecond."""

    now_ns = 0

    def monotonic_ns(self):
        self.now_ns += 1_000_000
        return self.now_ns


class Rows:
    """An engine that counts the rows of its largest page."""

    key_bytes_max = 100

    def __init__(self):
        self.largest = 0

    async def scan(self, start, end, *, limit, bytes_max, reverse, fences):
        page = [pair for pair in ROWS if start <= pair[0] < end][:limit]
        self.largest = max(self.largest, len(page))
        return page


class Frozen:
    """A data file that cannot be kept after a time."""

    def __init__(self, fault=None):
        self.engine = Rows()
        self.is_closed = False
        self._fault = fault

    def check(self):
        if self._fault is not None:
            raise StorageError(self._fault)

    def close(self):
        self.is_closed = True


class Arrived:
    """Requests come all the time."""

    count = 0

    def __call__(self):
        self.count += 1
        return self.count


async def read(engine):
    return [pair async for pair in pairs(engine, (b"", b"\xff"))]


def test_requests_come_between_small_pages():
    async def reading():
        clock, frozen = Clock(), Frozen()
        loop, passed = asyncio.get_running_loop(), []

        def request():
            passed.append(1)
            if len(passed) < len(ROWS):
                loop.call_soon(request)

        loop.call_soon(request)
        engine = PacedEngine(frozen, Pacer(clock.monotonic_ns, Arrived()), clock.monotonic_ns)
        found = await read(engine)
        return found, frozen.engine.largest, len(passed)

    found, largest, passed = run(reading())
    assert found == ROWS
    assert largest <= 64
    assert passed > len(ROWS) // 64


def test_a_file_that_is_no_longer_kept_ends_the_verification():
    async def reading():
        clock = Clock()
        pacer = Pacer(clock.monotonic_ns, Arrived())
        await read(PacedEngine(Frozen("too much was written"), pacer, clock.monotonic_ns))

    with pytest.raises(VerificationError, match="too much was written"):
        run(reading())


# Between two tables, a backup that waits is made.
def test_a_new_moment_begins_after_a_time():
    async def moments():
        clock, made, turn = Clock(), [], asyncio.Lock()

        def freeze():
            made.append(Frozen())
            return made[-1]

        moments = Moments(freeze, turn, clock, pacer=Pacer(clock.monotonic_ns, Arrived()))
        first = await moments.engine()
        assert await moments.engine() is first
        clock.now_ns += MOMENT_NS
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(turn.acquire())
            second = group.create_task(moments.engine())
            await waiting
            assert [each.is_closed for each in made] == [True]
            turn.release()
        assert await second is not first
        moments.close()
        return [each.is_closed for each in made], turn.locked()

    assert run(moments()) == ([True, True], False)


# As with Ctrl-C: the command removes its request.
def test_a_request_that_is_withdrawn_ends_the_verification(tmp_path):
    async def asking():
        begun, ended = asyncio.Event(), asyncio.Event()

        async def find(_):
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        clock = Clock()
        pacer = Pacer(clock.monotonic_ns, Arrived())
        task = Task(tmp_path, lambda: Moments(Frozen, asyncio.Lock(), clock, pacer=pacer), find)
        running = asyncio.create_task(task.run())
        VERIFY_FILES.ask(tmp_path, VerifyRequest("one"))
        await begun.wait()
        taken = VERIFY_FILES.answered(tmp_path, "one")
        VERIFY_FILES.withdraw(tmp_path)
        await ended.wait()
        running.cancel()
        return taken

    assert run(asking()).has_ended is False
