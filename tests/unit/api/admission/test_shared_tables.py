"""Processes that share a table grant together what one process would grant."""

import asyncio

import msgspec
import pytest

from hashrange.api.admission.stored import decode
from hashrange.capacity.bucket_keys import BucketKey
from hashrange.errors import DynamoError
from hashrange.tables.keys.scaling_keys import capacity_key
from tests.pace import turns
from tests.unit.api.admission.throttled_server import ThrottledServer

RATE = 40
refusals = []


@pytest.fixture
def server():
    made = ThrottledServer(processes=3)
    made.create(ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": RATE})
    yield made
    made.end()


def attempt(server, process, number, **more):
    """Whether a put at one of the processes is admitted."""
    server.pipeline = server.processes[process][0]
    try:
        server.call("PutItem", Item={"pk": {"S": f"{process}-{number}"}}, **more)
    except DynamoError as error:
        refusals.append(error.fault.name)
        return False
    return True


def run(server, seconds, processes, each_ms=20):
    """The times at which puts were granted, of attempts at all of these processes."""
    granted = []
    for step in range(seconds * 1000 // each_ms):
        times = [server.time_ms for process in processes if attempt(server, process, step)]
        granted += times
        server.later(each_ms)
        if step % 3 == 0:
            server.keep()
    return granted


@pytest.mark.parametrize("processes", [[0], [0, 1, 2]])
def test_over_ten_seconds_they_grant_the_rate_of_the_table(server, processes):
    run(server, 4, processes)
    begin_ms = server.time_ms
    granted = run(server, 12, processes)
    for late in range(0, 2001, 500):
        start = begin_ms + late
        window = sum(start <= at < start + 10_000 for at in granted)
        assert 0.9 * RATE * 10 <= window <= 1.05 * RATE * 10
    assert set(refusals) == {"THROUGHPUT_EXCEEDED"}


def allotted(server):
    """The write units of the table that processes hold."""
    opened = server.run(server.catalog.open("a-table"))
    (row,) = server.run(server.engine.read((capacity_key(opened.number),)))
    return decode(row).capacity.table.write.allotted


def test_an_unused_allowance_is_back_within_a_second(server):
    assert attempt(server, 0, 1)
    assert allotted(server) > 0
    for _ in range(10):
        server.later(100)
        server.keep()
    server.run(_turn())
    assert allotted(server) == 0


# The names of earlier versions; a row without them would lose the units of open allowances.
def test_names_in_the_row(server):
    assert attempt(server, 0, 1)
    opened = server.run(server.catalog.open("a-table"))
    (row,) = server.run(server.engine.read((capacity_key(opened.number),)))
    stored = members(row)
    capacity = members(stored["capacity"])
    table = members(capacity["table"])
    (partition,) = msgspec.msgpack.decode(table["partitions"], type=list[msgspec.Raw])
    assert members(members(stored["loans"])["open"], int)
    assert msgspec.msgpack.decode(members(table["write"])["lent"]) > 0
    assert {"read_till", "write_till"} < set(members(partition))
    assert "tills" in capacity


def members(encoded, names=str):
    """The members of a map, each still encoded."""
    return msgspec.msgpack.decode(encoded, type=dict[names, msgspec.Raw])


async def _turn():
    """Let exchanges end that `keep` has begun."""
    await turns(20)


# A process that was killed holds its allowance for a second; after that its units count as spent.
def test_the_units_of_a_process_that_died_are_no_loss_for_ever(server):
    assert attempt(server, 1, 1)
    del server.processes[1]
    run(server, 4, [0])
    granted = run(server, 10, [0])
    assert 0.9 * RATE * 10 <= len(granted) <= 1.05 * RATE * 10


# Otherwise two servers whose clocks differ would each refill the buckets of the row.
def test_clocks_that_differ_grant_nothing(server):
    real = server.now_ms
    late = type("Clock", (), {"now_ms": staticmethod(lambda: real() - 30_000)})()
    server.processes[1][1]._clock = late  # noqa: SLF001 - a process on another machine
    run(server, 4, [0, 1])
    granted = run(server, 10, [0, 1])
    assert 0.9 * RATE * 10 <= len(granted) <= 1.05 * RATE * 10


def test_throttled_requests_of_all_processes_are_in_the_row(server):
    run(server, 4, [0, 1])
    server.later(1000)
    server.keep()
    server.run(_turn())
    capacity = server.capacity()
    throttled = sum(
        sum(minute.throttled.values())
        for minute in (*capacity.table.minutes, capacity.table.minute)
    )
    assert throttled > 50
    assert sum(each.throttled_writes for each in capacity.table.partitions) > 50


# A batch that is larger than what the table has left is done in part, as one process does it.
def test_a_batch_gets_the_units_that_there_are(server):
    while attempt(server, 0, 0):
        pass
    server.later(500)
    server.pipeline = server.processes[1][0]
    puts = [{"PutRequest": {"Item": {"pk": {"S": f"b{number}"}}}} for number in range(25)]
    answer = server.call("BatchWriteItem", RequestItems={"a-table": puts})
    assert 5 <= len(answer["UnprocessedItems"]["a-table"]) <= 20


# They wait for one exchange; with less than its need, the larger one would wait in vain.
@pytest.mark.parametrize("needs", [(30.0, 1.0), (1.0, 30.0)])
def test_an_exchange_brings_the_largest_need_of_those_who_wait(server, needs):
    while attempt(server, 0, 0):
        pass
    server.keep(all_now=True)
    server.later(1000)
    capacities = server.processes[1][1]
    opened = server.run(server.catalogs[1].open("a-table"))
    server.run(capacities.limiter(opened))
    key = BucketKey("a-table", None, is_write=True)

    async def asked():
        await asyncio.gather(*(capacities.more(opened, {key: need}) for need in needs))

    server.run(asked())
    assert allotted(server) >= max(needs)
