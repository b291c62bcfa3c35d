"""Descriptions of tables, by value, as the JSON that clients read."""

import msgspec
import pytest

from hashrange.api.dynamodb.tables.descriptions import NOTHING, Sizes, describe
from hashrange.model.table import OnDemandLimits, Throughput, VisibleSettings, WarmUnits
from hashrange.tables.opened.reader import TableSize
from tests.api.shapes import assert_shape
from tests.unit.tables.definitions import HOUR_MS, NOON_MS, PK, SK, definition, on_demand

NOON = NOON_MS / 1000
EMPTY = NOTHING


def described(table, size=EMPTY, status="ACTIVE", *, now_ms=NOON_MS, transient_ms=0):
    answer = describe(table, size, status, now_ms, transient_ms=transient_ms)
    description = msgspec.json.decode(msgspec.json.encode(answer))
    assert_shape("DescribeTable", {"Table": description})
    return description


def test_provisioned_table():
    assert described(definition(), Sizes(TableSize(3, 45)), "UPDATING") == {
        "TableName": "a-table",
        "TableStatus": "UPDATING",
        "TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/a-table",
        "TableId": "5be1c7f0-0000-4000-8000-000000000001",
        "CreationDateTime": NOON,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "ProvisionedThroughput": {
            "NumberOfDecreasesToday": 0,
            "ReadCapacityUnits": 5,
            "WriteCapacityUnits": 5,
        },
        "WarmThroughput": {
            "ReadUnitsPerSecond": 5,
            "WriteUnitsPerSecond": 5,
            "Status": "ACTIVE",
        },
        "ItemCount": 3,
        "TableSizeBytes": 45,
        "DeletionProtectionEnabled": False,
    }


def test_on_demand_table():
    description = described(on_demand())
    assert description["BillingModeSummary"] == {
        "BillingMode": "PAY_PER_REQUEST",
        "LastUpdateToPayPerRequestDateTime": NOON,
    }
    assert description["ProvisionedThroughput"] == {
        "NumberOfDecreasesToday": 0,
        "ReadCapacityUnits": 0,
        "WriteCapacityUnits": 0,
    }
    assert description["WarmThroughput"]["ReadUnitsPerSecond"] == 12_000
    assert description["WarmThroughput"]["WriteUnitsPerSecond"] == 4_000


# Definitions are sorted by name; the key has its partition key first. Measured by users, 2026.
def test_keys():
    description = described(definition(attributes=(SK, PK), sort=SK))
    assert [each["AttributeName"] for each in description["AttributeDefinitions"]] == ["pk", "sk"]
    assert description["KeySchema"] == [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ]


def test_throughput_that_was_changed():
    throughput = Throughput(
        read_units=1,
        write_units=9,
        increased_ms=NOON_MS + 1,
        decreased_ms=NOON_MS + 2,
        decreases_today=2,
    )
    table = definition(throughput=throughput)
    assert described(table)["ProvisionedThroughput"] == {
        "LastIncreaseDateTime": NOON + 0.001,
        "LastDecreaseDateTime": NOON + 0.002,
        "NumberOfDecreasesToday": 2,
        "ReadCapacityUnits": 1,
        "WriteCapacityUnits": 9,
    }
    # The count is of the day on which it is looked at.
    tomorrow = described(table, now_ms=NOON_MS + 12 * HOUR_MS)["ProvisionedThroughput"]
    assert tomorrow["NumberOfDecreasesToday"] == 0


# A class that was chosen when the table was made was never updated.
def test_table_class():
    assert "TableClassSummary" not in described(definition())
    chosen = definition(table_class="STANDARD")
    assert described(chosen)["TableClassSummary"] == {"TableClass": "STANDARD"}
    changed = msgspec.structs.replace(chosen, class_changed_ms=NOON_MS)
    assert described(changed)["TableClassSummary"] == {
        "TableClass": "STANDARD",
        "LastUpdateDateTime": NOON,
    }


def test_deletion_protection():
    assert described(definition(deletion_protection=True))["DeletionProtectionEnabled"] is True


# What is in the catalog for the server alone is not told.
def test_status_is_the_one_that_was_asked_for():
    table = definition(changed_ms=NOON_MS, deleted_ms=NOON_MS, tags={"a": "b"})
    assert described(table, status="DELETING") == {
        **described(definition()),
        "TableStatus": "DELETING",
    }


# While a change is under way the table is shown as it was, with the dates of the change.
BEFORE = VisibleSettings(
    at_ms=NOON_MS,
    throughput=Throughput(read_units=3, write_units=3, increased_ms=NOON_MS),
    warm=WarmUnits(read_units=4, write_units=4),
    table_class="STANDARD",
)
SOME = {"throughput": Throughput(read_units=9, write_units=9), "table_class": "STANDARD"}


def test_change_under_way():
    table = definition(changed_ms=NOON_MS, meanwhile=BEFORE, **SOME)
    described_now = described(table, status="UPDATING", transient_ms=1)
    assert described_now["ProvisionedThroughput"]["ReadCapacityUnits"] == 3
    assert described_now["ProvisionedThroughput"]["LastIncreaseDateTime"] == NOON
    assert described_now["WarmThroughput"] == {
        "ReadUnitsPerSecond": 4,
        "WriteUnitsPerSecond": 4,
        "Status": "ACTIVE",
    }
    assert described_now["TableClassSummary"] == {"TableClass": "STANDARD"}
    assert described(table)["ProvisionedThroughput"]["ReadCapacityUnits"] == 9


# What is kept of a change belongs to that change; another one shows the table as it is.
def test_change_under_way_is_another():
    table = definition(changed_ms=NOON_MS + 1, meanwhile=BEFORE, **SOME)
    shown = described(table, status="UPDATING", transient_ms=1)
    assert shown["ProvisionedThroughput"]["ReadCapacityUnits"] == 9


# The mode is the new one at once, the date of the switch is not. Measured by users, 2026.
def test_switch_under_way():
    table = on_demand(changed_ms=NOON_MS, meanwhile=BEFORE)
    shown = described(table, status="UPDATING", transient_ms=1)
    assert shown["BillingModeSummary"] == {"BillingMode": "PAY_PER_REQUEST"}


# A change that changes nothing is answered with UPDATING too: of what was before, nothing is left.
def test_change_that_is_over():
    table = definition(changed_ms=NOON_MS, meanwhile=BEFORE, **SOME)
    shown = described(table, status="UPDATING", now_ms=NOON_MS + 1, transient_ms=1)
    assert shown["ProvisionedThroughput"]["ReadCapacityUnits"] == 9


# Only the warm throughput, and only if it was the last to be asked for.
def test_warming():
    table = on_demand(warm_changed_ms=NOON_MS, meanwhile=BEFORE)
    now = described(table, transient_ms=1)
    assert now["WarmThroughput"] == {
        "ReadUnitsPerSecond": 4,
        "WriteUnitsPerSecond": 4,
        "Status": "UPDATING",
    }
    assert now["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    assert described(table)["WarmThroughput"]["ReadUnitsPerSecond"] == 12_000


# The most that a table was ever prepared for; never less than what it is provisioned for.
@pytest.mark.parametrize(
    ("most", "read", "write"), [((0, 0), 5, 5), ((9, 1), 9, 5), ((1, 9), 5, 9), ((9, 9), 9, 9)]
)
def test_warm_throughput(most, read, write):
    table = definition(warm=WarmUnits(read_units=most[0], write_units=most[1]))
    assert described(table)["WarmThroughput"] == {
        "ReadUnitsPerSecond": read,
        "WriteUnitsPerSecond": write,
        "Status": "ACTIVE",
    }


@pytest.mark.parametrize(
    ("limits", "shown"),
    [
        (OnDemandLimits(), None),
        (OnDemandLimits(max_read_units=7), {"MaxReadRequestUnits": 7}),
        (OnDemandLimits(max_write_units=7), {"MaxWriteRequestUnits": 7}),
        (
            OnDemandLimits(max_read_units=1, max_write_units=2),
            {"MaxReadRequestUnits": 1, "MaxWriteRequestUnits": 2},
        ),
    ],
)
def test_on_demand_limits(limits, shown):
    assert described(on_demand(on_demand=limits)).get("OnDemandThroughput") == shown
