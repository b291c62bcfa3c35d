"""What is unusual for a principal, by the stated rules."""

from datetime import UTC, datetime, timedelta

import msgspec

from hashrange.api.audit.anomalies import Detector, anomalies
from hashrange.api.audit.events import Resource
from tests.unit.api.audit.logs import event

START = datetime(2026, 11, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def data_event(who, table, key, after, name="GetItem"):
    return msgspec.structs.replace(
        event(1),
        user_identity={"type": "IAMUser", "arn": who},
        event_source="dynamodb.amazonaws.com",
        event_name=name,
        event_time=(START + after).strftime("%Y-%m-%dT%H:%M:%SZ"),
        management_event=False,
        request_parameters={"tableName": table, "key": {"pk": key}} if key else {},
        resources=(Resource("1", "t", f"arn:aws:dynamodb:r:1:table/{table}"),),
    )


def keys(who, count, after, table="orders"):
    return [data_event(who, table, f"k{number}", after) for number in range(count)]


def found(events, **options):
    return [
        (each.principal, each.table, each.text) for each in anomalies(events, Detector(**options))
    ]


def test_many_more_keys_than_in_any_hour_before():
    usual = [*keys("app", 20, 0 * HOUR), *keys("app", 30, 2 * HOUR)]
    assert found([*usual, *keys("app", 299, 4 * HOUR)]) == []
    (told,) = found([*usual, *keys("app", 500, 4 * HOUR)])
    assert told[:2] == ("app", "orders")
    assert told[2].startswith("more than 300 partition keys since 2026-11-01T04:00:00Z")


def test_few_keys_are_never_unusual():
    assert found([*keys("app", 1, 0 * HOUR), *keys("app", 99, 2 * HOUR)]) == []
    assert found([*keys("app", 1, 0 * HOUR), *keys("app", 100, 2 * HOUR)])
    assert not found([*keys("app", 1, 0 * HOUR), *keys("app", 99, 2 * HOUR)], factor=2)


def test_the_same_keys_again_count_once():
    again = [*keys("app", 50, 2 * HOUR)] * 10
    assert found([*keys("app", 1, 0 * HOUR), *again]) == []


# A stolen key that was never used before is compared with all others.
def test_a_new_principal_is_compared_with_the_others():
    usual = [*keys("app", 20, 0 * HOUR), *keys("app", 1, 2 * HOUR)]
    assert found([*usual, *keys("new", 150, 3 * HOUR)]) == []
    (told,) = found([*usual, *keys("new", 250, 3 * HOUR)])
    assert told[0] == "new"


def test_the_first_hour_of_a_log_is_not_judged():
    assert found(keys("app", 5000, 0 * HOUR)) == []


def test_a_table_that_a_principal_never_touched():
    events = [
        data_event("app", "orders", "a", 0 * HOUR),
        data_event("app", "users", "a", 1 * HOUR),
        data_event("app", "secrets", "a", 30 * HOUR),
        data_event("app", "secrets", "a", 31 * HOUR),
        data_event("app", "orders", None, 32 * HOUR, name="Scan"),
        data_event("app", "orders", None, 33 * HOUR, name="Scan"),
    ]
    assert found(events) == [
        ("app", "secrets", "its first GetItem on this table"),
        ("app", "orders", "its first Scan of this table"),
    ]


def test_memory_is_bounded():
    detector = Detector(principals_max=2)
    events = [data_event(f"p{number}", "orders", "a", 0 * HOUR) for number in range(5)]
    assert list(anomalies(events, detector)) == []
    assert detector.ignored == 3
