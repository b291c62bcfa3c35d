"""Who leads where the sessions of servers at the database are known."""

from hashrange.storage.engine import Changes
from hashrange.tables.catalog.leases import Lease, read_lease, take_lease
from hashrange.tables.keys.system_keys import lease_key
from tests.pace import loop_until
from tests.unit.background.test_leader import MINE, THEIRS, Server, scenario, working


# Time stands still here: nobody waits.
@scenario
async def test_a_lease_is_taken_at_once_when_the_session_of_its_owner_is_gone(engine):
    one = Server(engine)
    one.session = b"first"
    one.begin()
    await loop_until(lambda: one.is_working)
    other = Server(engine)
    other.session = b"second"
    other.begin()
    await other.looked(10)
    assert working([one, other]) == [one.name]
    await one.die()
    await other.looked(10)
    assert working([one, other]) == []
    other.gone.add(b"first")
    await loop_until(lambda: other.is_working)
    assert (await read_lease(engine, "work")).session == b"second"
    await other.leader.end()


# The connection broke, and was made again: the new session is named with the next renewal.
@scenario
async def test_the_owner_names_its_session_anew(engine):
    one = Server(engine)
    one.session = b"first"
    one.begin()
    await loop_until(lambda: one.is_working)
    one.session = b"again"
    await one.looked(10)
    assert (await read_lease(engine, "work")).session == b"again"
    other = Server(engine)
    other.gone.add(b"first")
    other.begin()
    await other.looked(10)
    assert working([one, other]) == [one.name]
    one.session = b""
    await one.looked(10)
    assert (await read_lease(engine, "work")).session == b""
    await one.leader.end()
    await other.leader.end()


# Two that lead for a moment, as when a connection broke and its process lives: one stops.
@scenario
async def test_an_owner_whose_session_was_lost_stops(engine):
    one, other = Server(engine), Server(engine)
    one.session = b"first"
    one.begin()
    await loop_until(lambda: one.is_working)
    other.gone.add(b"first")
    other.begin()
    await loop_until(lambda: other.is_working)
    await loop_until(lambda: working([one, other]) == [other.name])
    await one.leader.end()
    await other.leader.end()


# A build that knows of no sessions has taken it since: its session is not that of the one before.
@scenario
async def test_the_session_of_an_earlier_owner_is_not_that_of_the_lease(engine):
    lease = await take_lease(engine, await read_lease(engine, "work"), MINE, b"mine")
    row = THEIRS + (lease.term + 1).to_bytes(8)
    await engine.write(
        [lease_key("work")], lambda _: Changes(answer=None, puts={lease_key("work"): row})
    )
    assert await read_lease(engine, "work") == Lease("work", THEIRS, lease.term + 1, lease.beat)
