"""Readings: in any order, over days, and in the archive."""

import json

import patterns
import workflows
from dynamo import keys_of

NEVER = 4102444800


def reading(at, celsius=20):
    return {"at": at, "celsius": celsius, "bar": 3}


def test_a_late_message_does_not_replace_the_latest(db):
    assert workflows.store(db, "d1", [reading("2026-11-20T11:00:00Z", 25)], NEVER)
    assert not workflows.store(db, "d1", [reading("2026-11-20T10:30:00Z", 24)], NEVER)
    assert patterns.latest_of_a_device(db, "d1")["celsius"] == 25


def test_a_period_may_have_several_days(db):
    times = [f"2026-11-{day:02}T12:00:00Z" for day in range(20, 25)]
    workflows.store(db, "d2", [reading(at) for at in times], NEVER)
    found = workflows.readings_between(db, "d2", "2026-11-21T00:00:00Z", "2026-11-23T23:59:59Z")
    assert [each["at"] for each in found] == times[1:4]


def test_an_hour_is_the_same_when_it_is_computed_twice(db):
    for _ in range(2):
        assert workflows.roll_up(db, "d1", "2026-11-20T10")
    hour = patterns.hours_of_a_month(db, "d1", "2026-11")[-1]
    assert [hour[name] for name in ("readings", "low", "high", "sum")] == [2, 20, 21, 41]
    assert not workflows.roll_up(db, "d1", "2026-11-20T12")


def test_cleared_alarms_leave_the_index(db):
    patterns.clear_an_alarm(db, "d1", "2026-11-20T10:00:20Z")
    assert patterns.open_alarms_of_a_site(db, "north") == []
    assert len(keys_of(patterns.device_with_its_alarms(db, "d1"))) == 4


def test_only_expired_readings_are_archived():
    image = {"pk": {"S": "DEVICE#d1#2026-11-20"}, "day": {"S": "2026-11-20"}, "bar": {"N": "3"}}
    expiry = {"principalId": workflows.EXPIRY, "type": "Service"}
    records = [
        {"eventName": "REMOVE", "userIdentity": expiry, "dynamodb": {"OldImage": image}},
        {"eventName": "REMOVE", "dynamodb": {"OldImage": image}},
        {
            "eventName": "REMOVE",
            "userIdentity": expiry,
            "dynamodb": {"OldImage": {"pk": {"S": "x"}}},
        },
        {"eventName": "INSERT", "dynamodb": {}},
    ]
    assert [json.loads(line)["bar"] for line in workflows.archived(records)] == ["3"]
