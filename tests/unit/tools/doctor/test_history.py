"""Idle units, and what of their history is judged."""

import pytest

from hashrange.tools.doctor.examining import Described, diagnosis
from hashrange.tools.doctor.history import History
from tests.api.indexes import index_of

NOW, DAY = 1_790_000_000.0, 86_400
UNITS = {"ReadCapacityUnits": 100, "WriteCapacityUnits": 9}


def described(age=2 * DAY, **more):
    shown = {
        "TableName": "orders",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "ProvisionedThroughput": UNITS,
        "CreationDateTime": NOW - age,
        "ItemCount": 0,
        "TableSizeBytes": 0,
        **more,
    }
    return Described(shown=shown, time_to_live=None, items=())


def found(table, history):
    return [
        (each.rule, each.subject) for each in diagnosis(table, NOW, None, history=history).findings
    ]


@pytest.mark.parametrize(
    ("busiest", "age", "rules"),
    [
        ({("", "Read"): 19.9, ("", "Write"): 0.0}, 2 * DAY, [("idle-units", "orders")]),
        ({("", "Read"): 20.0}, 2 * DAY, []),
        # A table that was just made has had no time to be busy.
        ({("", "Read"): 0.0}, DAY - 1, []),
    ],
)
def test_units_that_are_not_used_in_days_are_idle(busiest, age, rules):
    assert found(described(age), History(days=7, busiest=busiest, period=3600)) == rules


def test_indexes_are_judged_as_tables_and_the_text_says_how_long():
    index = index_of(
        "by-day", "day", ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 50}
    )
    busiest = {("by-day", "Write"): 1.25, ("by-day", "Read"): 0.0}
    (finding,) = [
        each
        for each in diagnosis(
            described(GlobalSecondaryIndexes=[index]),
            NOW,
            None,
            history=History(days=3, busiest=busiest),
        ).findings
        if each.rule == "idle-units"
    ]
    assert finding.subject == "by-day"
    assert "50 write units a second, and used 1.2 at most (5 minutes of 3 days)" in finding.text


def test_throttles_are_those_of_the_days():
    history = History(days=7, throttles={("", "WriteProvisionedThroughputThrottleEvents"): 5.0})
    assert found(described(), history) == [("throttled-by-units", "orders")]
