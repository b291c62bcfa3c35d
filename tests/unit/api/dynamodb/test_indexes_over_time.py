"""Indexes on a server whose clock stands still: what is shown, and what has to wait."""

import pytest

from hashrange.errors import Fault
from tests.api.indexes import attributes, create, delete, index_of, schema, units, update
from tests.unit.api.dynamodb.still_server import SHOWN_MS, StillServer
from tests.unit.tables.definitions import HOUR_MS

IN_USE = "Attempt to change a resource which is still in use: "
KEYS = {"AttributeDefinitions": attributes(pk="S", a="S"), "KeySchema": schema("pk")}
ON_DEMAND = {"BillingMode": "PAY_PER_REQUEST"}
ONE = index_of("one", "a", **units(2, 2))
MAXIMA = {"MaxReadRequestUnits": 9}


@pytest.fixture
def server():
    made = StillServer()
    yield made
    made.end()


@pytest.fixture
def provisioned(server):
    """A table with units and an index."""
    server.create(**KEYS, **units(5, 5), GlobalSecondaryIndexes=[ONE])
    return server


@pytest.fixture
def on_demand(server):
    """A table on demand with an index."""
    server.create(**KEYS, **ON_DEMAND, GlobalSecondaryIndexes=[index_of("one", "a")])
    return server


def updates(*each, **changes):
    definitions = attributes(a="S", b="S")
    return {
        "GlobalSecondaryIndexUpdates": list(each),
        "AttributeDefinitions": definitions,
        **changes,
    }


def index_in(table, name="one"):
    return next(each for each in table["GlobalSecondaryIndexes"] if each["IndexName"] == name)


def waits(server, text, **changes):
    assert server.refused(**changes) == (Fault.RESOURCE_IN_USE, IN_USE + text)


# Measured by users, 2026: of an index alone, and with the table's statuses.
def test_units_are_shown_as_they_were_until_the_change_is_complete(provisioned):
    answer = provisioned.update(**updates(update(**units(9, 1))))
    for table in (answer, provisioned.describe()):
        index = index_in(table)
        assert (table["TableStatus"], index["IndexStatus"]) == ("ACTIVE", "UPDATING")
        assert index["ProvisionedThroughput"]["ReadCapacityUnits"] == 2
        assert index["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0
        assert "LastDecreaseDateTime" not in index["ProvisionedThroughput"]
        assert "LastIncreaseDateTime" not in index["ProvisionedThroughput"]
        assert index["WarmThroughput"]["ReadUnitsPerSecond"] == 2
    provisioned.later(SHOWN_MS)
    index = index_in(provisioned.describe())
    assert index["IndexStatus"] == "ACTIVE"
    assert index["ProvisionedThroughput"]["ReadCapacityUnits"] == 9
    assert index["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 1
    assert {"LastDecreaseDateTime", "LastIncreaseDateTime"} <= set(index["ProvisionedThroughput"])
    warm = {"ReadUnitsPerSecond": 9, "WriteUnitsPerSecond": 2, "Status": "ACTIVE"}
    assert index["WarmThroughput"] == warm


# The new maxima are shown at once. Measured by users, 2026.
def test_maxima_are_shown_at_once(on_demand):
    on_demand.update(**updates(update(OnDemandThroughput=MAXIMA)))
    index = index_in(on_demand.describe())
    assert (index["IndexStatus"], index["OnDemandThroughput"]) == ("UPDATING", MAXIMA)
    on_demand.later(SHOWN_MS)
    assert index_in(on_demand.describe())["IndexStatus"] == "ACTIVE"


# Measured by users, 2026: the last who asks is the one who gets it.
def test_warm_throughput_takes_its_time(on_demand):
    for read in (13_000, 14_000):
        on_demand.update(**updates(update(WarmThroughput={"ReadUnitsPerSecond": read})))
        index = index_in(on_demand.describe())
        assert index["IndexStatus"] == "ACTIVE"
        assert index["WarmThroughput"]["Status"] == "UPDATING"
    on_demand.later(SHOWN_MS)
    warm = {"ReadUnitsPerSecond": 14_000, "WriteUnitsPerSecond": 4_000, "Status": "ACTIVE"}
    assert index_in(on_demand.describe())["WarmThroughput"] == warm


# The text of the table's. Measured by users, 2026.
def test_an_index_that_is_being_changed(provisioned):
    provisioned.update(**updates(update(**units(9, 9))))
    text = "Index is being updated. Table: a-table Index: one"
    waits(provisioned, text, **updates(update(**units(8, 8))))
    waits(provisioned, text, **updates(delete()))
    text = "Cannot delete table while indexes are being created, updated, or deleted."
    assert provisioned.refused("DeleteTable") == (Fault.RESOURCE_IN_USE, IN_USE + text)
    provisioned.later(SHOWN_MS)
    provisioned.update(**updates(update(**units(8, 8))))


# First the service looks for room, then it fills the index; the table is ACTIVE meanwhile.
# Measured by users, 2026.
def test_an_index_is_made(on_demand):
    answer = on_demand.update(**updates(create("two", "b")))
    for table in (answer, on_demand.describe()):
        index = index_in(table, "two")
        assert table["TableStatus"] == "UPDATING"
        assert (index["IndexStatus"], index["Backfilling"]) == ("CREATING", False)
    on_demand.later(SHOWN_MS)
    table = on_demand.describe()
    index = index_in(table, "two")
    assert table["TableStatus"] == "ACTIVE"
    assert (index["IndexStatus"], index["Backfilling"]) == ("CREATING", True)
    on_demand.index()
    index = index_in(on_demand.describe(), "two")
    assert index["IndexStatus"] == "ACTIVE"
    assert "Backfilling" not in index


# It may be there sooner than it is shown.
def test_an_index_is_shown_as_being_made_for_a_while(on_demand):
    on_demand.update(**updates(create("two", "b")))
    on_demand.index()
    index = index_in(on_demand.describe(), "two")
    assert (index["IndexStatus"], index["Backfilling"]) == ("CREATING", False)
    on_demand.later(SHOWN_MS)
    assert index_in(on_demand.describe(), "two")["IndexStatus"] == "ACTIVE"


# Measured by users, 2026.
def test_what_waits_while_room_is_looked_for(on_demand):
    on_demand.update(**updates(create("two", "b")))
    limit = "Subscriber limit exceeded: Only 1 online index can be created or deleted "
    for change in (create("six", "b"), delete()):
        fault, text = on_demand.refused(**updates(change))
        assert fault is Fault.LIMIT_EXCEEDED
        assert text.startswith(limit)
    waits(
        on_demand,
        "Index is being created.  Table: a-table Index: two",
        **updates(create("two", "b")),
    )
    waits(
        on_demand,
        "Index creation is in resource allocation phase. Retry deletion during backfilling phase "
        "or when the index is active. Table: a-table Index: two",
        **updates(delete("two")),
    )
    waits(
        on_demand,
        "Index is being created but is not backfilling yet.  Table: a-table Index: two",
        **updates(update("two", OnDemandThroughput=MAXIMA)),
    )
    waits(
        on_demand,
        "Can't change table IOPS when an index is being created. Table: a-table Indexes: [two]",
        BillingMode="PROVISIONED",
        **units(1, 1),
    )
    waits(
        on_demand,
        "OnDemandThroughput cannot be updated while index creation is in progress for indexes: "
        "[two]",
        OnDemandThroughput=MAXIMA,
    )
    text = "Cannot delete table while indexes are being created, updated, or deleted."
    assert on_demand.refused("DeleteTable") == (Fault.RESOURCE_IN_USE, IN_USE + text)
    # These need not wait, nor do other indexes.
    on_demand.update(DeletionProtectionEnabled=False)
    on_demand.update(**ON_DEMAND)
    on_demand.update(**updates(update(OnDemandThroughput=MAXIMA)))


# Measured by users, 2026.
def test_what_need_not_wait_while_an_index_is_filled(on_demand):
    on_demand.update(**updates(create("two", "b")))
    on_demand.later(SHOWN_MS)
    on_demand.update(OnDemandThroughput=MAXIMA)
    on_demand.update(**updates(update("two", OnDemandThroughput=MAXIMA)))
    on_demand.later(SHOWN_MS)
    fault, _ = on_demand.refused(**updates(create("six", "b")))
    assert fault is Fault.LIMIT_EXCEEDED
    text = "Cannot delete table while indexes are being created, updated, or deleted."
    assert on_demand.refused("DeleteTable") == (Fault.RESOURCE_IN_USE, IN_USE + text)
    answer = on_demand.update(**updates(delete("two")))
    assert index_in(answer, "two")["IndexStatus"] == "DELETING"
    on_demand.index()
    assert [each["IndexName"] for each in on_demand.describe()["GlobalSecondaryIndexes"]] == ["one"]


# Until it is gone, whatever the settings say. Measured by users, 2026.
def test_what_waits_while_an_index_is_deleted(provisioned):
    provisioned.update(**updates(delete()))
    provisioned.later(HOUR_MS)
    table = provisioned.describe()
    assert (table["TableStatus"], index_in(table)["IndexStatus"]) == ("UPDATING", "DELETING")
    held = "Can't change table IOPS when an index is being deleted. Table: a-table Indexes: [one]"
    for change in (units(2, 2), ON_DEMAND, {"BillingMode": "PROVISIONED", **units(2, 2)}):
        waits(provisioned, held, **change)
    busy = "Index is being deleted. Table: a-table Index: one"
    waits(provisioned, busy, **updates(update(**units(2, 2)), **units(2, 2)))
    waits(provisioned, busy, **updates(delete()))
    waits(provisioned, busy, **updates(create("one", "a", **units(1, 1))))
    fault, _ = provisioned.refused(**updates(create("two", "a", **units(1, 1))))
    assert fault is Fault.LIMIT_EXCEEDED
    text = "Cannot delete table while indexes are being created, updated, or deleted."
    assert provisioned.refused("DeleteTable") == (Fault.RESOURCE_IN_USE, IN_USE + text)
    provisioned.update(DeletionProtectionEnabled=False)
    provisioned.index()
    assert provisioned.describe()["TableStatus"] == "ACTIVE"
    provisioned.update(**units(2, 2))


# Measured by users, 2026.
def test_maxima_of_the_table_wait_while_an_index_is_deleted(on_demand):
    on_demand.update(**updates(delete()))
    waits(
        on_demand,
        "OnDemandThroughput cannot be updated while index deletion is in progress for indexes: "
        "[one]",
        OnDemandThroughput=MAXIMA,
    )
    on_demand.update(**ON_DEMAND)


# Measured by users, 2026.
def test_indexes_wait_for_the_table(provisioned):
    provisioned.update(**units(6, 6))
    text = "Can't create or delete indexes while table IOPS are being updated. Table: a-table"
    waits(provisioned, text, **updates(create("two", "b", **units(1, 1))))
    waits(provisioned, text, **updates(delete()))
    provisioned.later(SHOWN_MS)
    provisioned.update(TableClass="STANDARD_INFREQUENT_ACCESS")
    text = "Can't create or delete an index when a table class update is in progress."
    waits(provisioned, text, **updates(create("two", "b", **units(1, 1))))
    provisioned.later(SHOWN_MS)
    provisioned.update(WarmThroughput={"ReadUnitsPerSecond": 50})
    provisioned.update(**updates(create("two", "b", **units(1, 1))))


# A day like that of tables: four decreases, then one an hour.
def test_decreases_of_an_index_over_a_day(server):
    server.create(
        **KEYS, **units(5, 5), GlobalSecondaryIndexes=[index_of("one", "a", **units(20, 20))]
    )
    left = iter(range(19, 0, -1))

    def lower():
        server.later(SHOWN_MS)
        return updates(update(**units(next(left), 20)))

    for _ in range(4):
        server.update(**lower())
    fault, _ = server.refused(**lower())
    assert fault is Fault.LIMIT_EXCEEDED
    server.later(HOUR_MS)
    server.update(**lower())
    fault, text = server.refused(**lower())
    assert fault is Fault.LIMIT_EXCEEDED
    assert "Number of decreases today: 5" in text
    server.later(12 * HOUR_MS)
    index = index_in(server.describe())
    assert index["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0
    server.update(**lower())
