"""Who leads: one at a time, by each server's own clock."""

import asyncio
from collections.abc import Sequence
from random import Random

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.background.leader import Leader, ObservedLease, Pace, may_take, observed
from hashrange.storage.engine import NO_FENCES, StorageError
from hashrange.tables.catalog.leases import NOBODY, Lease, NotLeadingError, read_lease
from tests.pace import loop_until, seconds

S = 1_000_000_000
PACE = Pace(look_seconds=0, held_seconds=5, left_seconds=6)
MINE, THEIRS = b"m" * 16, b"t" * 16


class Server:
    """One server of several on an engine: its clock is moved by hand, and its storage may fail."""

    names = 0

    def __init__(self, engine, *, is_shared=True):
        Server.names += 1
        self.name, self.now_ns = Server.names, Server.names * 1_000_000 * S
        self.inner, self.fails, self.looks, self.runs = engine, False, 0, 0
        self.is_working, self.stopped = False, asyncio.Event()
        self.session, self.gone = b"", set()
        self.leader = Leader(self, self, "work", is_shared=is_shared, pace=PACE, sessions=self)

    async def own(self):
        """Its session at the database, if that is known."""
        return self.session

    async def is_gone(self, session):
        return session in self.gone

    def monotonic_ns(self):
        return self.now_ns

    def random_bytes(self, count):
        return self.name.to_bytes(count)

    async def read(self, keys: Sequence[bytes], **options):
        self.looks += 1
        return await self._may_fail() or await self.inner.read(keys, **options)

    async def write(self, keys, decide, **options):
        self.looks += 1
        return await self._may_fail() or await self.inner.write(keys, decide, **options)

    async def _may_fail(self):
        if self.fails:
            raise StorageError

    async def run(self):
        """Its work."""
        self.runs += 1
        self.is_working = True
        try:
            await asyncio.Event().wait()
        finally:
            self.is_working = False
            self.stopped.set()

    def begin(self):
        self.leader.begin([self])
        return self

    async def die(self):
        """As kill -9 does: nothing is given up."""
        self.fails = True
        await self.leader.end()

    async def looked(self, times=3):
        enough = self.looks + times
        await loop_until(lambda: self.looks >= enough)


def working(servers):
    return [server.name for server in servers if server.is_working]


async def pair(engine):
    """Two servers, of which the first leads."""
    one = Server(engine).begin()
    await loop_until(lambda: one.is_working)
    other = Server(engine).begin()
    await other.looked()
    return one, other


def scenario(test):
    """Runs a coroutine on an engine of its own."""

    def run():
        asyncio.run(test(DictEngine()))

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


@pytest.mark.parametrize(
    ("owner", "stood_seconds", "may"),
    [
        (NOBODY, 0, True),
        (MINE, 0, True),  # taken by a write whose answer was lost
        (THEIRS, 0, False),
        (THEIRS, 5.999, False),
        (THEIRS, 6, True),
    ],
)
def test_when_a_lease_may_be_taken(owner, stood_seconds, may):
    last = ObservedLease(Lease("work", owner, 7, 3), 100 * S)
    assert may_take(last, MINE, 100 * S + int(stood_seconds * S), 6.0) is may


# Only what stands still counts: each move begins the wait anew, and so does another owner.
def test_a_lease_that_moves_is_watched_anew():
    lease = Lease("work", THEIRS, 7, 3)
    first = observed(None, lease, 1)
    assert observed(first, lease, 2) is first
    assert observed(first, Lease("work", THEIRS, 7, 4), 2).since_ns == 2
    assert observed(first, Lease("work", MINE, 8, 3), 3).since_ns == 3


# A server that is alone needs no lease, and its data show none.
@scenario
async def test_alone_it_leads_at_once(engine):
    server = Server(engine, is_shared=False).begin()
    await loop_until(lambda: server.is_working)
    assert server.leader.leads
    assert server.leader.fences() == NO_FENCES
    assert engine.pairs == {}
    await server.leader.end()
    assert not server.is_working


@scenario
async def test_one_of_two_leads(engine):
    one, other = await pair(engine)
    assert working([one, other]) == [one.name]
    assert (one.leader.leads, other.leader.leads) == (True, False)
    with pytest.raises(NotLeadingError):
        other.leader.fences()
    await other.leader.end()
    await one.leader.end()


# As long as the owner moves it nobody else takes it, whatever time passes.
@scenario
async def test_who_lives_keeps_it(engine):
    one, other = await pair(engine)
    for _ in range(20):
        one.now_ns += 1 * S
        other.now_ns += 1 * S
        await one.looked()
        await other.looked()
    assert working([one, other]) == [one.name]
    assert (await read_lease(engine, "work")).term == 1
    await other.leader.end()
    await one.leader.end()


# A server that stops hands over: nobody's clock needs to move.
@scenario
async def test_who_ends_gives_it_up(engine):
    one, other = await pair(engine)
    await one.leader.end()
    assert not one.is_working
    await loop_until(lambda: other.is_working)
    await other.leader.end()


@scenario
async def test_who_dies_is_followed_after_a_while(engine):
    one, other = await pair(engine)
    await one.die()
    other.now_ns += 6 * S - 1
    await other.looked()
    assert not other.is_working
    other.now_ns += 1
    await loop_until(lambda: other.is_working)
    assert (await read_lease(engine, "work")).term == 2
    await other.leader.end()


# Who cannot reach the storage stops before others take over, and follows when it can again.
@scenario
async def test_who_is_cut_off_stops_by_itself(engine):
    one, other = await pair(engine)
    one.fails = True
    await one.looked()
    assert one.is_working
    for server in (one, other):
        server.now_ns += 5 * S
    await loop_until(lambda: not one.is_working)
    assert working([one, other]) == []
    other.now_ns += 1 * S
    await loop_until(lambda: other.is_working)
    one.fails = False
    await one.looked()
    assert working([one, other]) == [other.name]
    await other.leader.end()
    await loop_until(lambda: one.is_working)
    await one.leader.end()


# A server that stood still for a minute finds another one at work, and does not go on.
@scenario
async def test_who_wakes_late_goes_no_further(engine):
    one, other = await pair(engine)
    fences = one.leader.fences()
    lease = await read_lease(engine, "work")
    held, one.inner = one.inner, Stopped()
    await loop_until(lambda: one.inner.waiting)
    other.now_ns += 60 * S
    await loop_until(lambda: other.is_working)
    assert one.leader.fences() == fences != other.leader.fences()
    one.inner.go_on.set()
    one.inner = held
    await loop_until(lambda: not one.is_working)
    assert (await read_lease(engine, "work")).term == lease.term + 1
    assert working([one, other]) == [other.name]
    await one.leader.end()
    await other.leader.end()


class Stopped:
    """A storage that answers nothing until it goes on, and then that nothing was done."""

    def __init__(self):
        self.waiting, self.go_on = False, asyncio.Event()

    async def write(self, *_, **__):
        self.waiting = True
        await self.go_on.wait()
        raise StorageError

    read = write


# A defect of ours in leading must not leave work behind that nobody leads.
@scenario
async def test_a_fault_of_the_leader_ends_its_work(engine):
    server = Server(engine).begin()
    await loop_until(lambda: server.is_working)
    server.inner = None
    await loop_until(lambda: server.leader.failures == 1)
    assert not server.is_working
    server.inner = engine
    await server.leader.end()


class Lives:
    """Three servers whose clocks go on together, each a little wrong, and what becomes of them."""

    def __init__(self, engine, seed):
        self.random, self.engine, self.drifts = Random(seed), engine, {}
        self.servers = [self.born() for _ in range(3)]

    def born(self):
        server = Server(self.engine).begin()
        self.drifts[server.name] = self.random.uniform(0.99, 1.01)
        return server

    async def pass_time(self, seconds):
        for server in self.servers:
            server.now_ns += int(seconds * self.drifts[server.name] * S)
        for server in self.servers:
            await server.looked()
        assert len(working(self.servers)) <= 1

    async def step(self):
        await self.pass_time(self.random.uniform(0, 0.5))
        server = self.random.choice(self.servers)
        match self.random.randrange(30):
            case 0 | 1:
                server.fails = not server.fails
            case 2:
                await server.die()
                self.servers.remove(server)
                self.servers.append(self.born())
            case 3:
                await server.leader.end()
                self.servers.remove(server)
                self.servers.append(self.born())


# Servers come, go, and lose their storage: never do two work, and in the end one does.
@pytest.mark.parametrize("seed", range(10))
def test_never_two(seed):
    async def run():
        lives = Lives(DictEngine(), seed)
        terms = set()
        for _ in range(400):
            await lives.step()
            terms.add((await read_lease(lives.engine, "work")).term)
        for server in lives.servers:
            server.fails = False
        for _ in range(20):
            await lives.pass_time(0.5)
        assert len(working(lives.servers)) == 1
        assert len(terms) > 3
        for server in lives.servers:
            await server.leader.end()

    asyncio.run(run())


class Swallowing:
    """A storage that never answers, and does not even end when it is told to at first."""

    def __init__(self):
        self.over = asyncio.Event()

    async def write(self, *_, **__):
        try:
            await self.over.wait()
        except asyncio.CancelledError:
            await self.over.wait()
        raise StorageError

    read = write


# A network that swallows everything must not keep a server from stopping when its time is over,
# nor from ending.
@scenario
async def test_who_is_not_answered_stops_by_itself(engine):
    server = Server(engine)
    server.leader = Leader(
        server, server, "work", is_shared=True, pace=Pace(look_seconds=0, held_seconds=0.05)
    )
    server.begin()
    await loop_until(lambda: server.is_working)
    server.inner = swallowing = Swallowing()
    async with asyncio.timeout(seconds(20)):
        await server.stopped.wait()
        await server.leader.end()
    assert not server.is_working
    swallowing.over.set()


# Work that fails begins again and is counted, as that of a server that is alone.
@scenario
async def test_failures_are_counted(engine):
    server = Server(engine)

    async def fail():
        raise RuntimeError

    server.run = fail
    server.begin()
    await loop_until(lambda: server.leader.failures)
    await server.leader.end()
