"""The figures of a table, from the pages of a server, by value."""

import msgspec
import pytest

from hashrange.observe.snapshot import (
    CapacityUse,
    Contributor,
    Contributors,
    KeyCount,
    KeyCounts,
    PartitionUse,
)
from hashrange.tools.doctor.counters import Seen, counters_of, figures, index_reads
from tests.unit.observe.test_rates import AFTER

NAMES = {"t", "1:eu:t"}
PAGE = """
# TYPE hashrange_throttle_events_total counter
hashrange_throttle_events_total{table="1:eu:t",index="",event="WriteThrottleEvents"} 3.0
hashrange_throttle_events_total{table="1:eu:t",index="i",event="ReadThrottleEvents"} 0.0
hashrange_throttle_events_total{table="1:eu:other",index="",event="WriteThrottleEvents"} 9.0
# TYPE hashrange_consumed_read_units_total counter
hashrange_consumed_read_units_total{table="1:eu:t",operation="Scan"} 12.0
hashrange_consumed_read_units_total{table="1:eu:other",operation="Scan"} 99.0
# TYPE hashrange_consumed_write_units_total counter
hashrange_consumed_write_units_total{table="1:eu:t",operation="PutItem"} 5.0
# TYPE hashrange_requests_total counter
hashrange_requests_total{operation="PutItem",code="OK"} 7.0
hashrange_requests_total{operation="PutItem",code="TransactionConflictException"} 2.0
hashrange_requests_total{operation="GetItem",code="OK"} 50.0
# TYPE hashrange_trigger_lag_seconds gauge
hashrange_trigger_lag_seconds{trigger="mail",table="t"} 8.0
hashrange_trigger_lag_seconds{trigger="index",table="t"} 3.0
"""


def partition(number, units, throttled=0):
    return PartitionUse(
        number=number,
        start="" if number == 0 else "80",
        end="80" if number == 0 else "",
        item_bytes=0.0,
        read_units=units,
        write_units=0.0,
        throttled_reads=throttled,
        throttled_writes=0,
        read_left=1.0,
        write_left=1.0,
    )


def use(index, *partitions, table="t"):
    return CapacityUse(
        table=table,
        index=index,
        read_rate=1.0,
        write_rate=1.0,
        read_left=1.0,
        write_left=1.0,
        partition_count=len(partitions),
        partitions=partitions,
    )


SNAPSHOT = msgspec.structs.replace(
    AFTER,
    capacity=[
        use("", partition(0, 30.0, 4), partition(1, 10.0)),
        use("i", partition(0, 0.0)),
        use("", partition(0, 1.0), table="other"),
    ],
    hot_keys=KeyCounts(9, [KeyCount("t", '"a"', 6, "01"), KeyCount("t", '"b"', 2, "02")]),
    contributors=[
        Contributors(
            table="t",
            index="",
            rule=rule,
            minutes=15,
            total=9.0,
            error=0.0,
            keys=[Contributor('["a"]', 9.0, 9.0)],
        )
        for rule in ("PKT", "PKC")
    ],
)


def seen(page=PAGE, snapshot=SNAPSHOT):
    return Seen(counters_of(page), snapshot)


def test_figures_since_the_start():
    found = figures(NAMES, seen())
    assert found.throttles == {("", "WriteThrottleEvents"): 3.0}
    assert found.throttled_keys == {"": ['["a"]']}
    assert found.operation_units == {"Scan": (12.0, 0.0), "PutItem": (0.0, 5.0)}
    assert found.conflicts["TransactionConflictException"] == 2.0
    assert (found.writes, found.stream_lag_seconds) == (9.0, 8.0)
    first, second = found.partitions
    assert (first.share, first.units, first.throttled, first.count) == (0.75, 30.0, 4, 2)
    assert (first.hot_key, first.hot_key_share) == ('"a"', 0.75)
    assert second.share == 0.25


def test_figures_between_two_times():
    later = PAGE.replace('Events"} 3.0', 'Events"} 4.0').replace("} 8.0", "} 9.0")
    use_later = use("", partition(0, 30.0, 4), partition(1, 60.0))
    found = figures(
        NAMES, seen(later, msgspec.structs.replace(SNAPSHOT, capacity=[use_later])), seen()
    )
    assert found.throttles == {("", "WriteThrottleEvents"): 1.0}
    assert found.operation_units["Scan"] == (0.0, 0.0)
    assert found.stream_lag_seconds == 9.0
    (only,) = found.partitions
    assert (only.number, only.units) == (1, 50.0)


# A counter that is lower than before is that of a server that was started again.
def test_a_server_that_was_started_again():
    found = figures(NAMES, seen(PAGE.replace("} 3.0", "} 2.0")), seen())
    assert found.throttles == {("", "WriteThrottleEvents"): 2.0}


def test_a_table_without_capacity():
    found = figures(NAMES, seen(snapshot=AFTER))
    assert found.partitions is None
    assert index_reads(NAMES, AFTER) is None


def test_reads_by_index():
    assert index_reads(NAMES, SNAPSHOT) == {"": 40.0, "i": 0.0}
    unused = msgspec.structs.replace(SNAPSHOT, capacity=[use("", partition(0, 0.0))])
    assert index_reads(NAMES, unused) is None


def test_a_page_that_is_none():
    with pytest.raises(ValueError, match=r".+"):
        counters_of("<html>\n")
