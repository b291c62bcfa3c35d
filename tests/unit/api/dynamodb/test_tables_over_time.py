"""Tables on a server whose clock stands still until it is told: what is shown while time passes."""

import pytest

from hashrange.api.steps.operation import TableChoices
from hashrange.errors import DynamoError, Fault
from hashrange.messages.tables import dates
from tests.api.indexes import index_of
from tests.unit.api.dynamodb.still_server import SHOWN_MS, StillServer
from tests.unit.tables.definitions import HOUR_MS

DAY_MS = 24 * HOUR_MS
IN_USE = "Attempt to change a resource which is still in use: "
INFREQUENT = "STANDARD_INFREQUENT_ACCESS"


BY_N = index_of("by-n", "n")


@pytest.fixture
def server():
    made = StillServer(choices=TableChoices(accepts_encryption=True))
    yield made
    made.end()


def units(read, write):
    return {"ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write}}


ON_DEMAND = {"BillingMode": "PAY_PER_REQUEST"}
PROVISIONED = {"BillingMode": "PROVISIONED"}


# While a change is under way, DescribeTable shows what the answer showed; then what it led to.
# Measured by users, October 2026, for each of these.
@pytest.mark.parametrize(
    ("made", "change", "member", "after"),
    [
        (units(5, 5), units(9, 9), ("ProvisionedThroughput", "ReadCapacityUnits"), (5, 9)),
        (units(5, 5), units(9, 9), ("WarmThroughput", "ReadUnitsPerSecond"), (5, 9)),
        (units(5, 5), ON_DEMAND, ("WarmThroughput", "ReadUnitsPerSecond"), (5, 12_000)),
        (units(5, 5), ON_DEMAND, ("ProvisionedThroughput", "ReadCapacityUnits"), (0, 0)),
        (
            ON_DEMAND,
            {**PROVISIONED, **units(3, 3)},
            ("ProvisionedThroughput", "ReadCapacityUnits"),
            (3, 3),
        ),
        (
            {**ON_DEMAND, "TableClass": "STANDARD"},
            {"TableClass": INFREQUENT},
            ("TableClassSummary", "TableClass"),
            ("STANDARD", INFREQUENT),
        ),
    ],
)
def test_change_under_way(server, made, change, member, after):
    server.create(**made)
    group, name = member
    meanwhile, in_the_end = after
    answer = server.update(**change)
    assert (answer["TableStatus"], answer[group][name]) == ("UPDATING", meanwhile)
    server.later(SHOWN_MS - 1)
    assert server.describe() == answer
    server.later(1)
    table = server.describe()
    assert (table["TableStatus"], table[group][name]) == ("ACTIVE", in_the_end)


# The table itself stays ACTIVE, and takes other changes.
def test_warming(server):
    server.create(**ON_DEMAND)
    answer = server.update(WarmThroughput={"ReadUnitsPerSecond": 13_000})
    server.later(SHOWN_MS - 1)
    table = server.describe()
    assert table == answer
    assert table["TableStatus"] == "ACTIVE"
    assert table["WarmThroughput"]["Status"] == "UPDATING"
    assert table["WarmThroughput"]["ReadUnitsPerSecond"] == 12_000
    assert server.update(TableClass=INFREQUENT)["TableStatus"] == "UPDATING"
    server.later(1)
    assert server.describe()["WarmThroughput"]["ReadUnitsPerSecond"] == 13_000


CLASS_AND_CLASS = (
    "Can't update table class when a table class update is in progress. Table: a-table "
    f"TableClassUpdateInProgress: {INFREQUENT}"
)
CLASS_AND_MAXIMA = (
    "OnDemandThroughput cannot be updated while TableClass update is in progress. "
    f"TableClassUpdateInProgress: {INFREQUENT}"
)


CLASS_AND_STREAM = (
    "Can't change stream status when a table class update is in progress. Table: a-table "
    f"TableClassUpdateInProgress: {INFREQUENT}"
)
STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}}
NO_STREAM = {"StreamSpecification": {"StreamEnabled": False}}


# What meets a change that is under way depends on both. Measured by users, October 2026, but for
# the last two, whose text is the general one.
@pytest.mark.parametrize(
    ("made", "first", "second", "text"),
    [
        (
            units(5, 5),
            units(6, 6),
            units(7, 7),
            "Table IOPS are currently being updated. Table: a-table",
        ),
        (
            units(5, 5),
            units(6, 6),
            ON_DEMAND,
            "Table IOPS are currently being updated. Table: a-table",
        ),
        (
            units(5, 5),
            ON_DEMAND,
            {"OnDemandThroughput": {"MaxReadRequestUnits": 5}},
            "OnDemandThroughput cannot be updated while BillingMode update is in progress",
        ),
        (ON_DEMAND, {"TableClass": INFREQUENT}, {"TableClass": "STANDARD"}, CLASS_AND_CLASS),
        (
            ON_DEMAND,
            {"TableClass": INFREQUENT},
            {"OnDemandThroughput": {"MaxReadRequestUnits": 5}},
            CLASS_AND_MAXIMA,
        ),
        (ON_DEMAND, {"TableClass": INFREQUENT}, STREAM, CLASS_AND_STREAM),
        (
            units(5, 5),
            units(6, 6),
            STREAM,
            "Can't enable or disable stream while table IOPS are being updated. Table: a-table",
        ),
        (
            ON_DEMAND,
            STREAM,
            {"OnDemandThroughput": {"MaxReadRequestUnits": 5}},
            "OnDemandThroughput cannot be updated while stream status update is in progress",
        ),
        (ON_DEMAND, {"TableClass": INFREQUENT}, ON_DEMAND, "Table is being updated: a-table"),
        (units(5, 5), units(6, 6), {"TableClass": INFREQUENT}, "Table is being updated: a-table"),
    ],
)
def test_change_meets_another(server, made, first, second, text):
    server.create(**made)
    server.update(**first)
    assert server.refused(**second) == (Fault.RESOURCE_IN_USE, IN_USE + text)
    server.later(SHOWN_MS)
    server.update(**second)


# Measured by users, October 2026. The stream that is being changed is named by its label.
@pytest.mark.parametrize(
    ("second", "text"),
    [
        (NO_STREAM, "A stream status change is currently in progress."),
        (units(7, 7), "Can't change table IOPS when stream status is being updated."),
        (
            {"TableClass": INFREQUENT},
            "Can't update table class when stream status is being updated.",
        ),
    ],
)
def test_change_meets_that_of_a_stream(server, second, text):
    server.create(**units(5, 5))
    label = server.update(**STREAM)["LatestStreamLabel"]
    place = f"Table: a-table Stream: {label} Operation:"
    assert server.refused(**second) == (Fault.RESOURCE_IN_USE, f"{IN_USE}{text} {place} ENABLE")
    deleted = "Cannot delete table while stream is being enabled/disabled."
    assert server.refused("DeleteTable") == (Fault.RESOURCE_IN_USE, IN_USE + deleted)
    server.later(SHOWN_MS)
    server.update(**NO_STREAM)
    if second is not NO_STREAM:
        told = server.refused(**second)
        assert told == (Fault.RESOURCE_IN_USE, f"{IN_USE}{text} {place} DISABLE")
    server.later(SHOWN_MS)
    server.call("DeleteTable")


# Measured by users, October 2026, but for the end of the text.
def test_stream_waits_for_an_index(server):
    server.create(**ON_DEMAND)
    server.update(
        AttributeDefinitions=[{"AttributeName": "n", "AttributeType": "N"}],
        GlobalSecondaryIndexUpdates=[{"Create": BY_N}],
    )
    text = (
        "Can't change stream status when an index is being created. Table: a-table Indexes: [by-n]"
    )
    assert server.refused(**STREAM) == (Fault.RESOURCE_IN_USE, IN_USE + text)
    server.later(SHOWN_MS)
    server.index()
    server.update(**STREAM)


# These wait for no other, and leave its status alone. Measured by users, October 2026; there, the
# status is ACTIVE at once after a change of encryption.
@pytest.mark.parametrize(
    "second",
    [
        {"DeletionProtectionEnabled": True},
        {"WarmThroughput": {"ReadUnitsPerSecond": 13_000}},
        {"SSESpecification": {"Enabled": True}},
    ],
)
@pytest.mark.parametrize("first", [{"TableClass": INFREQUENT}, STREAM], ids="".join)
def test_change_beside_another(server, first, second):
    server.create(**ON_DEMAND)
    server.update(**first)
    server.later(SHOWN_MS // 2)
    assert server.update(**second)["TableStatus"] == "UPDATING"
    server.later(SHOWN_MS // 2)
    assert server.describe()["TableStatus"] == "ACTIVE"


# Nothing is admitted while a table is being made.
def test_change_of_a_table_that_is_creating(server):
    server.create(**ON_DEMAND)
    server.later(-1)
    told = server.refused(DeletionProtectionEnabled=True)
    assert told == (Fault.RESOURCE_IN_USE, f"{IN_USE}Table is being created: a-table")


# A table that is made on demand has made the first of them. Measured, September 2026.
def test_switches_of_a_table_that_is_made_on_demand(server):
    server.create(**ON_DEMAND)
    for switch in range(4):
        server.later(SHOWN_MS)
        server.update(**PROVISIONED, **units(5, 5))
        server.later(SHOWN_MS)
        if switch < 3:
            server.update(**ON_DEMAND)
    with pytest.raises(DynamoError, match=r"limited to 4 in 1 day") as error:
        server.update(**ON_DEMAND)
    created = server.describe()["CreationDateTime"]
    next_day = dates.in_short(round(created * 1000) + DAY_MS)
    assert str(error.value.message).endswith(f"Next update can be made at {next_day}")
