"""Descriptions of tables, by value, as the JSON that clients read."""

import msgspec

from hashrange.api.dynamodb.tables.descriptions import NOTHING, describe
from hashrange.model.table import Throughput, VisibleSettings, WarmUnits
from tests.api.shapes import assert_shape
from tests.unit.tables.definitions import HOUR_MS, NOON_MS, definition

NOON = NOON_MS / 1000
EMPTY = NOTHING


def described(table, size=EMPTY, status="ACTIVE", *, now_ms=NOON_MS, transient_ms=0):
    answer = describe(table, size, status, now_ms, transient_ms=transient_ms)
    description = msgspec.json.decode(msgspec.json.encode(answer))
    assert_shape("DescribeTable", {"Table": description})
    return description


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


# What is kept of a change belongs to that change; another one shows the table as it is.
def test_change_under_way_is_another():
    table = definition(changed_ms=NOON_MS + 1, meanwhile=BEFORE, **SOME)
    shown = described(table, status="UPDATING", transient_ms=1)
    assert shown["ProvisionedThroughput"]["ReadCapacityUnits"] == 9


# A change that changes nothing is answered with UPDATING too: of what was before, nothing is left.
def test_change_that_is_over():
    table = definition(changed_ms=NOON_MS, meanwhile=BEFORE, **SOME)
    shown = described(table, status="UPDATING", now_ms=NOON_MS + 1, transient_ms=1)
    assert shown["ProvisionedThroughput"]["ReadCapacityUnits"] == 9
