"""The use of partitions between two snapshots."""

import msgspec

from hashrange.observe.partition_rates import partition_rates
from hashrange.observe.snapshot import CapacityUse, KeyCount, KeyCounts, PartitionUse


def partition(number, start="", end="", **more):
    zero = {"item_bytes": 0.0, "read_units": 0.0, "write_units": 0.0}
    zero |= {"throttled_reads": 0, "throttled_writes": 0, "read_left": 9.0, "write_left": 9.0}
    return PartitionUse(number=number, start=start, end=end, **{**zero, **more})


def use(*partitions, table="t", index=""):
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


def test_rates_are_differences_and_those_that_throttle_come_first():
    before = [use(partition(0, end="80", write_units=10.0), partition(1, "80", read_units=5.0))]
    after = [
        use(
            partition(0, end="80", write_units=30.0),
            partition(1, "80", read_units=6.0, throttled_reads=3, throttled_writes=1),
        )
    ]
    first, second = partition_rates(before, after, None, 2.0)
    assert (first.number, first.read_units, first.throttled) == (1, 0.5, 2.0)
    assert (second.number, second.write_units, second.hot_key) == (0, 10.0, None)


def test_idle_partitions_are_left_out_and_children_of_a_split_begin_at_zero():
    before = [use(partition(0, write_units=10.0))]
    after = [use(partition(1, end="80", write_units=4.0), partition(2, "80"))]
    (child,) = partition_rates(before, after, None, 1.0)
    assert (child.number, child.write_units) == (1, 4.0)
    assert partition_rates([], after, None, 1.0) == [], "what a stored table did before"


def test_the_hottest_key_is_that_of_the_range_and_the_place():
    keys = KeyCounts(
        90,
        [
            KeyCount("t", "cold", 40, "10"),
            KeyCount("t", "star", 30, "90"),
            KeyCount("t", "other", 10, "a0"),
            KeyCount("t/i", "entry", 10, "90"),
            KeyCount("t", "unknown", 10),
        ],
    )
    parts = [partition(0, end="80"), partition(1, "80")]
    used = [msgspec.structs.replace(each, write_units=1.0) for each in parts]
    found = partition_rates([use(*parts)], [use(*used)], keys, 1.0)
    assert [(each.hot_key, each.hot_share) for each in found] == [("cold", 1.0), ("star", 0.75)]
