"""Keys whose share of a table's traffic jumps, by the stated rule."""

from datetime import UTC, datetime, timedelta

import msgspec

from hashrange.api.audit.anomalies import anomalies
from hashrange.api.audit.key_shares import COUNTERS_MAX, KeyShares
from tests.unit.api.audit.logs import event

START = datetime(2026, 11, 1, tzinfo=UTC)


def accesses(hour, table="orders", **counts):
    """Accesses of keys in an hour."""
    time = (START + timedelta(hours=hour)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return [
        msgspec.structs.replace(
            event(1),
            event_name="GetItem",
            event_time=time,
            management_event=False,
            request_parameters={"tableName": table, "key": {"pk": key, "sk": "1"}},
        )
        for key, count in counts.items()
        for _ in range(count)
    ]


def even(hour, keys=100, **more):
    return accesses(hour, **({f"k{number}": 2 for number in range(keys)} | more))


def found(events, **options):
    return [
        (each.table, each.time, each.text, each.rule)
        for each in anomalies(events, KeyShares(**options))
    ]


def test_key_that_jumps_is_named_with_its_shares():
    since = "2026-11-01T01:00:00Z"
    (only,) = found([*even(0), *even(1, k7=98)])
    assert only == (
        "orders",
        since,
        f"the partition key 'k7' had 33% of 296 accesses since {since}; at most 1.0% before",
        "key-share",
    )


def test_share_that_grows_less_than_the_factor_is_usual():
    assert found([*even(0, k7=5), *even(1, k7=38)]) == []
    assert len(found([*even(0, k7=5), *even(1, k7=38)], factor=2)) == 1


# A tenth is little: with a thousand keys one of them has often ten times its share.
def test_share_below_a_tenth_is_usual():
    assert found([*even(0, keys=1000), *even(1, keys=1000, k7=200)]) == []
    assert len(found([*even(0, keys=1000), *even(1, keys=1000, k7=300)])) == 1


def test_new_key_is_compared_with_the_highest_share_of_any():
    assert found([*even(0, hot=100), *even(1, new=100)]) == []
    (only,) = found([*even(0), *even(1, new=100)])
    assert "'new' had 33%" in only[2]


def test_hours_of_few_accesses_are_not_judged():
    assert found([*even(0), *accesses(1, k7=99)]) == []
    assert len(found([*even(0), *accesses(1, k7=100)])) == 1
    assert found([*accesses(0, k1=99), *accesses(1, k7=100)]) == [], "there is no hour before"


def test_tables_have_shares_of_their_own():
    assert found([*even(0), *accesses(1, table="users", k7=200)]) == []


def test_hot_key_is_found_among_more_keys_than_counters():
    before = accesses(0, **{f"k{number}": 1 for number in range(COUNTERS_MAX)})
    crowd = [f"c{number}" for number in range(COUNTERS_MAX + 100)]
    events = [*accesses(1, **dict.fromkeys(crowd, 1)), *accesses(1, hot=5000)]
    (only,) = found([*before, *events])
    assert "'hot' had 33%" in only[2]
