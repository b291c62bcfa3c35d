"""Rows of positions: written with what is delivered, gone with their shards."""

import asyncio

import pytest

from hashrange.background.triggers.batches import Rules
from hashrange.background.triggers.definitions import TRIM_HORIZON, Definition
from hashrange.background.triggers.destinations import Function
from hashrange.background.triggers.positions import Positions, forget_gone, no_fences
from hashrange.background.triggers.runner import TriggerRunner
from hashrange.background.triggers.sources import TriggerCounters
from hashrange.tables.catalog.leases import read_lease, take_lease
from hashrange.tables.keys import system_keys
from tests.pace import loop_until, seconds, turns
from tests.unit.api.dynamodb.still_server import TABLE
from tests.unit.tables.streams.still_streams import DAY_MS, RULES, StillStreams


@pytest.fixture
def server():
    made = StillStreams()
    yield made
    made.check()
    made.end()


def trigger(server, delivered, name="mail", fences=no_fences):
    def handler(event, _context):
        delivered.extend(record["dynamodb"]["Keys"]["pk"]["S"] for record in event["Records"])

    definition = Definition(
        name=name,
        table=TABLE["TableName"],
        destination=Function("a:b", handler),
        batch_size=2,
        batch_window_ms=0,
        starting_position=TRIM_HORIZON,
        filters=(),
        rules=Rules(retention_ms=DAY_MS),
        on_failure=None,
        timeout_seconds=20,
    )
    return TriggerRunner(definition, server.store, server.catalog, TriggerCounters(), fences=fences)


def positions(server, name="mail"):
    return Positions(server.engine, name, TABLE["TableName"])


def deliver(server, runner):
    """Look once, and read all shards whose turn it is to their ends: they must be closed."""

    async def look():
        async with asyncio.TaskGroup() as tasks:
            await runner.update_shards(tasks)

    server.run(look())


def places(server):
    rows = server.run(
        server.engine.scan(*system_keys.triggers_range(positions=True), limit=100, bytes_max=10**6)
    )
    return {system_keys.trigger_place(key): int.from_bytes(value, "big") for key, value in rows}


def closed(server):
    """Two shards, one after the other, of a table that is deleted; a trigger that saw it made."""
    runner = trigger(server, delivered := [])
    server.run(positions(server).begin({}, 0))
    server.begin()
    for pk in ("a", "b", "c"):
        server.put(pk, n={"N": "1"})
    server.later(RULES.shard_ms)
    server.sweep()
    server.put("d", n={"N": "1"})
    server.call("DeleteTable")
    return runner, delivered


def test_position_is_behind_what_was_delivered(server):
    runner, delivered = closed(server)
    deliver(server, runner)
    assert delivered == ["a", "b", "c"]
    deliver(server, runner)
    assert delivered == ["a", "b", "c", "d"]
    assert places(server) == {(1, 1): 4, (1, 2): 2}
    # After a restart nothing comes again.
    again = trigger(server, delivered)
    for _ in range(3):
        deliver(server, again)
    assert delivered == ["a", "b", "c", "d"]


def test_position_goes_with_its_shard(server):
    runner, _ = closed(server)
    deliver(server, runner)
    deliver(server, runner)
    server.later(2 * DAY_MS)
    server.sweep()
    deliver(server, runner)
    assert places(server) == {}


def test_positions_of_whoever_are_forgotten_at_the_start(server):
    closed(server)
    for shard_key in ((1, 1), (1, 9), (9, 1)):
        server.run(positions(server, "x").write(shard_key, 1))
    assert server.run(forget_gone(server.engine, server.catalog)) == 2
    assert places(server) == {(1, 1): 1}
    assert server.run(forget_gone(server.engine, server.catalog)) == 0


# Of servers that start together one fixes where a trigger begins; what it has come to stays.
def test_who_begins_later_takes_nothing_back(server):
    first, other = positions(server), positions(server)
    server.run(first.begin({(1, 1): 1}, 0))
    server.run(first.write((1, 1), 5))
    server.run(other.begin({(1, 1): 1, (1, 2): 1}, 0))
    assert places(server) == {(1, 1): 5}


# A server that was followed without noticing may deliver a batch again, and nothing more: it takes
# no position back, and waits until it is told.
def test_who_was_followed_delivers_no_further(server):
    def taken(owner):
        found = server.run(read_lease(server.engine, "triggers"))
        return server.run(take_lease(server.engine, found, owner * 16))

    lease = taken(b"1")
    closed(server)
    following = taken(b"2")
    delivered, theirs = [], []
    runner = trigger(server, delivered, fences=lambda: lease.fences)

    async def resumed():
        task = asyncio.create_task(runner.run())
        await loop_until(lambda: len(delivered) >= 2)  # by a thread, which tells nobody
        await turns(1000)  # far more turns than a batch takes
        assert not task.done()
        task.cancel()

    server.run(asyncio.wait_for(resumed(), seconds(20)))
    assert delivered == ["a", "b"]
    assert places(server) == {}
    deliver(server, trigger(server, theirs, fences=lambda: following.fences))
    assert theirs == ["a", "b", "c"]
