"""The scenarios of the literature, through the pipeline of a server on a virtual clock."""

from statistics import mean

import pytest

from hashrange.tables.keys.keyspace import hash16
from tests.api.indexes import index_of
from tests.engines.openers import ENGINES
from tests.unit.api.admission.throttled_server import ThrottledServer

ON_DEMAND = {"BillingMode": "PAY_PER_REQUEST"}
UNITS = 100
LARGEST = 391
"""Write units of an item that is almost as large as can be."""


def provisioned(reads, writes):
    return {"ProvisionedThroughput": {"ReadCapacityUnits": reads, "WriteCapacityUnits": writes}}


def by_state():
    return {
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "state")
        ],
        "GlobalSecondaryIndexes": [index_of("by-state", "state")],
    }


TWO_PROCESSES = pytest.param("two processes", marks=pytest.mark.long)
POSTGRES = pytest.param("two servers on PostgreSQL", marks=pytest.mark.long)


# The same of one process as of two with allowances from the row: workers, or two servers.
@pytest.fixture(params=["one process", TWO_PROCESSES])
def local(request):
    made = ThrottledServer(processes=1 if request.param == "one process" else 2)
    yield made
    made.end()


@pytest.fixture
def alone():
    """One process, for what takes many requests."""
    made = ThrottledServer()
    yield made
    made.end()


@pytest.fixture(params=["one process", TWO_PROCESSES, POSTGRES])
def server(request, tmp_path):
    opened = ENGINES["postgres-two"](tmp_path) if "PostgreSQL" in request.param else None
    made = ThrottledServer(processes=1 if request.param == "one process" else 2, opened=opened)
    yield made
    made.end()


# "Partitions, hot keys, and split for heat", AWS Database Blog, 2023: 1,000 units for one item.
def test_one_celebrity_key_gets_a_partition_and_no_more(server):
    server.create(**ON_DEMAND)
    granted = server.load(8, 40, lambda _: UNITS * server.put("star", UNITS))
    assert max(granted[2:]) <= 1100
    assert mean(granted[2:]) == pytest.approx(1000, rel=0.1)
    assert server.put("somebody else"), "the table has units left"


def test_write_sharding_spreads_the_key_over_partitions(server):
    server.create(**ON_DEMAND)
    granted = server.load(6, 60, lambda n: UNITS * server.put(f"star#{n % 16}", UNITS))
    assert mean(granted[2:]) > 3000


# All writes of a day have one key; the next day is no better.
def test_a_date_as_the_key_is_one_partition_at_a_time(server):
    server.create(**ON_DEMAND)
    for day in ("2026-11-21", "2026-11-22"):
        granted = server.load(4, 30, lambda _, day=day: UNITS * server.put(day, UNITS))
        assert mean(granted[2:]) <= 1150


def test_an_index_of_few_values_throttles_the_writes_of_its_table(server):
    server.create(**ON_DEMAND, **by_state())
    granted = server.load(8, 40, lambda n: UNITS * server.put(f"order{n}", UNITS, state="OPEN"))
    assert mean(granted[3:]) <= 1150, "one partition of the index"
    while server.put("more", UNITS, state="OPEN"):
        pass
    fault, message = server.refused("PutItem", Item={"pk": {"S": "x"}, "state": {"S": "OPEN"}})
    assert fault.name == "THROTTLED"
    assert "global secondary indexes" in message
    reasons = server.capacity().indexes["by-state"].minute.throttled
    assert set(reasons) == {"IndexWriteKeyRangeThroughputExceeded"}


# "Initial throughput and scaling properties" of on-demand tables, Developer Guide. A write that its
# condition refuses costs what the item is, so sixteen items are enough for all these units.
@pytest.mark.long
def test_an_on_demand_table_is_launched_with_4000_units_and_doubles(server, alone):
    slow, fast = launched(server)
    assert mean(slow[10:]) == pytest.approx(4000, rel=0.03)
    assert mean(fast[10:]) == pytest.approx(8000, rel=0.03)
    warm = server.described()["WarmThroughput"]
    assert warm["WriteUnitsPerSecond"] == pytest.approx(8000, rel=0.03)
    assert (warm["ReadUnitsPerSecond"], warm["Status"]) == (12_000, "ACTIVE")
    for granted, expected in zip((slow, fast), launched(alone), strict=True):
        for begin in range(10, len(granted) - 9, 5):
            window, model = sum(granted[begin : begin + 10]), sum(expected[begin : begin + 10])
            assert 0.9 * model <= window <= 1.05 * model


def launched(server):
    """The units of each second of a new table under more than it serves, and of half an hour on."""
    server.create(**ON_DEMAND)
    assert len(server.capacity().table.partitions) == 4
    keys = evenly_placed(16)
    for key in keys:
        server.later(1000)
        assert server.put(key, LARGEST)
    slow = server.load(130, 12, lambda n: LARGEST * server.put_in_vain(keys[n % 16], LARGEST))
    peak = max(minute.write_units for minute in server.capacity().table.minutes) / 60
    for minutes, rate in ((20, 4000), (20, 2 * peak)):
        server.later(minutes * 60_000)
        assert all(server.put_in_vain(key, LARGEST) for key in keys[:2])
        server.keep(all_now=True)
        assert server.capacity().table.rates() == (12_000, pytest.approx(rate))
    return slow, server.load(30, 24, lambda n: LARGEST * server.put_in_vain(keys[n % 16], LARGEST))


def evenly_placed(count):
    """Keys of which each of so many equal ranges of hashes has one."""
    keys = {}
    for number in range(100 * count):
        place = int.from_bytes(hash16(({"S": f"{number}"},))[:2], "big") * count >> 16
        keys.setdefault(place, f"{number}")
    return list(keys.values())


# "Burst and adaptive capacity": up to 300 seconds of unused units.
def test_a_burst_after_idle_time_is_spent_once(server):
    server.create(**provisioned(10, 10))
    server.put("first")
    server.later(400_000)
    granted = server.load(5, 40, lambda n: 25 * server.put(f"{n}", 25))
    assert granted[:2] == [1000, 1000], "what a partition serves"
    assert sum(granted) == pytest.approx(3000 + 5 * 10, abs=60)
    assert sum(server.load(10, 8, lambda n: 25 * server.put(f"{n}", 25))) <= 10 * 10 + 60


# What a table or index has served, it serves again at once, until it is deleted.
def test_warm_throughput_of_an_index_rises_too_and_does_not_fall(local):
    local.create(**ON_DEMAND, **by_state())
    local.load(65, 8, lambda n: local.put(f"{n}", 391, state=f"{n}"))
    for _ in range(2):
        local.later(31 * 60_000)
        local.put("again")
        local.keep()
    (index,) = local.described()["GlobalSecondaryIndexes"]
    warm = index["WarmThroughput"]["WriteUnitsPerSecond"]
    assert warm > 4000
    lower = {"WriteUnitsPerSecond": warm - 1}
    update = {"IndexName": "by-state", "WarmThroughput": lower}
    fault, text = local.refused("UpdateTable", GlobalSecondaryIndexUpdates=[{"Update": update}])
    assert (fault.name, "lower than current" in text) == ("VALIDATION", True)
    units = {"Update": {"IndexName": "by-state", **provisioned(1, 1)}}
    local.update(
        BillingMode="PROVISIONED", **provisioned(1, 1), GlobalSecondaryIndexUpdates=[units]
    )
    (index,) = local.described()["GlobalSecondaryIndexes"]
    assert index["WarmThroughput"]["WriteUnitsPerSecond"] == warm


# Neither bounds of shards nor warm throughput pass to another table of the same name.
def test_a_table_that_is_made_again_begins_anew(local):
    local.create(**ON_DEMAND)
    local.load(65, 8, lambda n: local.put(f"{n}", 391))
    local.later(31 * 60_000)
    for pipeline, _capacities in local.processes:
        local.pipeline = pipeline
        local.call("GetItem", Key={"pk": {"S": "x"}})
    local.call("DeleteTable")
    local.create(**ON_DEMAND)
    local.put("x")
    local.keep()
    assert local.capacity().table.rates() == (12_000, 4000)
    assert len(local.capacity().table.partitions) == 4
    assert local.described()["WarmThroughput"]["WriteUnitsPerSecond"] == 4000


def test_a_hot_partition_of_many_keys_is_split(alone):
    alone.create(**provisioned(1, 4000), KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
    capacity = alone.capacity()
    hot = [str(n) for n in range(400) if _partition(capacity, str(n)) == 0][:40]
    before = len(capacity.table.partitions)

    def put(number):
        return 300 * alone.put(hot[number * 7 % len(hot)], 300)

    alone.load(320, 6, put)
    assert len(alone.capacity().table.partitions) > before


def _partition(capacity, pk):
    return capacity.table.at(hash16(({"S": pk},))).number
