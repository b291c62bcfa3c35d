"""Requests come first: rests by value, on a clock that is moved by hand."""

import asyncio

import pytest

from hashrange.background.tasks import BUSY_NS, PAUSE_NS_MAX, PAUSE_PER_WORK, Pacer
from tests.pace import seconds, turns

PAGE_NS = 500_000


class Server:
    """A clock, a count of what has come, and turns by both."""

    def __init__(self):
        self.now_ns = 7
        self.arrived = 70
        self.pacer = Pacer(lambda: self.now_ns, lambda: self.arrived)

    def pause_ns(self, took_ns=PAGE_NS):
        """After a page that took so long."""
        began_ns = self.now_ns
        self.now_ns += took_ns
        return self.pacer.pause_ns(began_ns)


@pytest.fixture
def server():
    return Server()


# Nobody is there to be kept waiting: as fast as it goes.
def test_idle(server):
    assert server.pause_ns() == 0
    assert server.pause_ns(took_ns=10 * PAUSE_NS_MAX) == 0


# A page that waited long waited among requests: the more of them, the longer the rest.
@pytest.mark.parametrize("took_ns", [1, PAGE_NS, PAUSE_NS_MAX // PAUSE_PER_WORK])
def test_requests_come(server, took_ns):
    server.arrived += 1
    assert server.pause_ns(took_ns) == PAUSE_PER_WORK * took_ns


# It goes on, however slow the disk and however many the requests.
def test_rest_has_a_bound(server):
    server.arrived += 1
    assert server.pause_ns(10 * PAUSE_NS_MAX) == PAUSE_NS_MAX


# A client that waits for each answer sends nothing for a while: it is not gone yet.
def test_requests_have_come_lately(server):
    server.arrived += 1
    server.pause_ns()
    server.now_ns += BUSY_NS - PAGE_NS - 1
    assert server.pause_ns() > 0
    server.now_ns += BUSY_NS
    assert server.pause_ns() == 0


# What was counted before the server began is no request.
def test_begins_idle():
    assert Pacer(lambda: 5, lambda: 1_000).pause_ns(0) == 0


# Three works together are felt no more than one, and none is left out: a rest is its turn's too.
def test_one_page_at_a_time(server):
    events = []

    async def work(name):
        for _ in range(3):
            async with server.pacer.turn():
                events.append(f"{name} begins")
                server.arrived += 1
                server.now_ns += 1
                await turns()
            events.append(f"{name} has rested")

    async def together():
        await asyncio.gather(*map(work, "abc"))

    asyncio.run(together())
    assert events == [f"{name} {event}" for name in "abc" * 3 for event in ("begins", "has rested")]


# A page that failed hands its turn on at once; who calls knows how long to wait.
def test_page_fails(server):
    server.arrived += 1

    async def failing():
        async with server.pacer.turn():
            server.now_ns += 3_600_000_000_000
            raise RuntimeError

    async def scenario():
        with pytest.raises(RuntimeError):
            await failing()
        async with asyncio.timeout(seconds(10)), server.pacer.turn():
            return True

    assert asyncio.run(scenario())
