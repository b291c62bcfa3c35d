"""Time to live on a server whose clock stands still until it is told."""

import pytest

from hashrange.errors import Fault
from hashrange.tables.keys.keyspace import items_range
from hashrange.tables.verifying.verify import findings
from tests.api.indexes import index_of
from tests.unit.api.dynamodb.still_server import StillServer
from tests.unit.tables.definitions import HOUR_MS, NOON_MS

NOON_S = NOON_MS // 1000
YEAR_S = 365 * 24 * 60 * 60
CHANGE_MS = 31 * 60 * 1000


@pytest.fixture
def server():
    made = StillServer(transient_ms=0)
    made.create(BillingMode="PAY_PER_REQUEST")
    made.time_ms = NOON_MS
    yield made
    assert made.run(findings(made.engine)) == []
    made.end()


def specification(*, enabled=True, attribute="expires"):
    return {"TimeToLiveSpecification": {"Enabled": enabled, "AttributeName": attribute}}


def enable(server):
    server.call("UpdateTimeToLive", **specification())
    server.index()


def put(server, key, expires, **more):
    server.call("PutItem", Item={"pk": {"S": key}, "expires": expires, **more})


def keys(server):
    return sorted(item["pk"]["S"] for item in server.call("Scan")["Items"])


def refused(server, **chosen):
    return server.refused("UpdateTimeToLive", **specification(**chosen))


# A client that waits for ENABLED must see the way to it, and the name only while there is one.
def test_statuses(server):
    told = server.perform("UpdateTimeToLive", **specification())
    assert told == {"Enabled": True, "AttributeName": "expires"}
    seen = [server.perform("DescribeTimeToLive")]
    server.index()
    seen.append(server.perform("DescribeTimeToLive"))
    server.later(HOUR_MS)
    server.call("UpdateTimeToLive", **specification(enabled=False))
    seen.append(server.perform("DescribeTimeToLive"))
    server.index()
    assert seen == [
        {"TimeToLiveStatus": status, "AttributeName": "expires"}
        for status in ("ENABLING", "ENABLED", "DISABLING")
    ]
    assert server.perform("DescribeTimeToLive") == {"TimeToLiveStatus": "DISABLED"}


# Catalogue 165; with the waits of the service. Those measured by users, October 2026: half an hour.
def test_refusals():
    server = StillServer(transient_ms=1)
    server.create(BillingMode="PAY_PER_REQUEST")
    already = Fault.VALIDATION, "TimeToLive is already enabled"
    disabled = Fault.VALIDATION, "TimeToLive is already disabled"
    often = (
        Fault.VALIDATION,
        "Time to live has been modified multiple times within a fixed interval",
    )
    other = (
        Fault.VALIDATION,
        "TimeToLive is active on a different AttributeName: current AttributeName is expires",
    )
    assert refused(server, enabled=False) == disabled
    enable(server)
    assert refused(server) == already
    assert refused(server, attribute="b") == other
    assert refused(server, enabled=False, attribute="b") == other
    server.later(CHANGE_MS - 1)
    assert refused(server, enabled=False) == often
    server.later(1)
    server.call("UpdateTimeToLive", **specification(enabled=False))
    assert refused(server) == often
    assert refused(server, enabled=False) == disabled
    server.index()
    assert refused(server) == often
    server.later(CHANGE_MS)
    enable(server)
    server.end()


# A test suite that turns time to live off again need not wait for half an hour.
def test_a_second_change_is_refused_only_where_waits_are_wanted(server):
    for attribute in ("expires", "other"):
        server.call("UpdateTimeToLive", **specification(attribute=attribute))
        server.index()
        server.call("UpdateTimeToLive", **specification(enabled=False, attribute=attribute))
        assert server.perform("DescribeTimeToLive")["TimeToLiveStatus"] == "DISABLING"
        server.index()
        assert server.perform("DescribeTimeToLive") == {"TimeToLiveStatus": "DISABLED"}


# Times are compared by whole seconds; what is no time, or too old to be one, stays.
@pytest.mark.parametrize(
    ("expires", "is_deleted"),
    [
        ({"N": str(NOON_S - 1)}, True),
        ({"N": f"{NOON_S - 1}.999"}, True),
        ({"N": str(NOON_S)}, False),
        ({"N": str(NOON_S + 1)}, False),
        ({"N": str(NOON_S - 5 * YEAR_S + 1)}, True),
        ({"N": str(NOON_S - 5 * YEAR_S)}, False),
        ({"N": str(NOON_MS)}, False),
        ({"N": "0"}, False),
        ({"N": f"-{NOON_S}"}, False),
        ({"S": str(NOON_S - 1)}, False),
        ({"L": [{"N": str(NOON_S - 1)}]}, False),
        ({"NULL": True}, False),
    ],
    ids=str,
)
def test_what_expires(server, expires, is_deleted):
    enable(server)
    put(server, "a", expires)
    assert server.expire() == is_deleted
    assert keys(server) == ([] if is_deleted else ["a"])


# What was there before is found too, and what changed its mind is not.
def test_a_full_table(server):
    for number in range(250):
        put(server, f"{number:03}", {"N": str(NOON_S - number - 1)})
    put(server, "later", {"N": str(NOON_S + 60)})
    server.call("UpdateTimeToLive", **specification())
    assert server.expire() == 0
    server.index()
    for key in ("000", "100"):
        put(server, key, {"N": str(NOON_S + 60)})
    put(server, "200", {"S": "never"})
    assert server.expire() == 247
    assert keys(server) == ["000", "100", "200", "later"]
    server.later(61_000)
    assert server.expire() == 3
    assert keys(server) == ["200"]


# An expired item that is not deleted yet is there as before.
def test_delay(server):
    enable(server)
    put(server, "a", {"N": str(NOON_S - 1)})
    assert server.expire(delay_seconds=10) == 0
    assert keys(server) == ["a"]
    server.later(10_000)
    assert server.expire(delay_seconds=10) == 1


# Index entries go with their item, and nobody pays.
def test_indexes_and_cost(server):
    server.call(
        "UpdateTable",
        AttributeDefinitions=[{"AttributeName": "gsi", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[{"Create": index_of("by-gsi", "gsi")}],
    )
    server.index()
    enable(server)
    told = server.call(
        "PutItem",
        Item={"pk": {"S": "a"}, "expires": {"N": str(NOON_S - 1)}, "gsi": {"S": "x"}},
        ReturnConsumedCapacity="INDEXES",
    )["ConsumedCapacity"]
    assert told["CapacityUnits"] == 2.0
    assert list(told["GlobalSecondaryIndexes"]) == ["by-gsi"]
    server.spent.clear()
    assert server.expire() == 1
    assert server.spent == []
    assert server.call("Scan", IndexName="by-gsi")["Count"] == 0
    described = server.describe()
    assert [index["IndexName"] for index in described["GlobalSecondaryIndexes"]] == ["by-gsi"]


# A transaction that is about to write an item must find it as it was admitted to.
def test_an_item_of_a_transaction_waits(server):
    enable(server)
    put(server, "a", {"N": str(NOON_S - 1)})
    table = server.run(server.catalog.open("a-table"))
    ((key, _),) = server.run(
        server.engine.scan(*items_range(table.number), limit=1, bytes_max=1_000_000)
    )
    server.store.in_flight[key] = True
    assert server.expire() == 0
    server.store.in_flight.clear()
    assert server.expire() == 1
