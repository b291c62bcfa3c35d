"""Workload files: what they may say, and what is refused."""

import pytest

from hashrange.capacity.simulation.workload import Keys, WorkloadError, parsed
from tests.rows import rows

LEAST = """
title = "Least"
[table]
[[traffic]]
name = "writes"
operation = "put"
rate = 10
keys = { count = 5 }
"""


def test_the_least():
    workload = parsed(LEAST)
    assert workload.seconds == 3600
    assert workload.table.mode == "on-demand"
    assert workload.traffic[0].keys == Keys(kind="uniform", count=5)


@rows(
    ("change", "text"),
    [
        (("count = 5", "count = 0"), r"traffic\[0\].keys.count"),
        (("count = 5", "cuont = 5"), "cuont"),
        (('"put"', '"scan"'), "operation"),
        (("rate = 10", "rate = -1"), "rate"),
        (("rate = 10", "rate = []"), "at least one point"),
        (("rate = 10", 'rate = 10\nindex = "i"'), "writes: no such index: i"),
        (("rate = 10", "rate = 10\nentries = { i = {} }"), "no such index: i"),
        (("[table]", '[table]\nlocal_indexes = ["i"]\n[indexes.g]'), None),
        (("rate = 10", "rate = 10\nitem_bytes = 409601"), "item_bytes"),
        (("[table]", "seconds = 604801\n[table]"), "seconds"),
        (("[table]", '[table]\nmode = "free"'), "mode"),
        (("[table]", "[table"), "Expected"),
        (("[[traffic]]", "[traffic]"), "array"),
        (("count = 5", "count = 5, hot = 2"), "keys of kind uniform have no hot"),
        (("count = 5", "count = 5000, shards = 100"), "more than 200000 keys"),
        (
            ("[table]", "[table]\nwrite_units = 5"),
            "write_units is not of a table in mode on-demand",
        ),
        (
            ("[table]", '[table]\nmode = "provisioned"\nmax_read_units = 5'),
            "max_read_units is not of a table in mode provisioned",
        ),
        (("[table]", "[table.scaling.write]\nmin = 1\nmax = 2"), "scaling is not of a table"),
        (("[table]", "[table.scaling.write]\nmin = 3\nmax = 2"), "min is above max"),
        (("rate = 10", "rate = 10\npage_bytes = 5"), "only a query has page_bytes"),
        (("rate = 10", "rate = 10\nconsistent = true"), "writes are not consistent reads"),
        (("[table]", "[indexes.g]\nread_units = 5\n[table]"), "read_units is not of a table"),
    ],
)
def test_what_a_file_may_say(change, text):
    changed = LEAST.replace(*change)
    assert changed != LEAST
    if text is None:
        assert parsed(changed)
        return
    with pytest.raises(WorkloadError, match=text):
        parsed(changed)


INDEXED = LEAST.replace("[table]", "[table]\n[indexes.g]")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (("rate = 10", 'rate = 10\nindex = "g"'), "an index is read, not written"),
        (('"put"', '"get"\nindex = "g"'), "an item is not read from an index"),
        (('"put"', '"get"\nentries = { g = {} }'), "only writes have entries"),
    ],
)
def test_reads_and_writes_of_indexes(change, text):
    with pytest.raises(WorkloadError, match=text):
        parsed(INDEXED.replace(*change))


@pytest.mark.parametrize(
    ("second", "rate"), [(0, 100), (50, 100), (60, 100), (90, 250), (120, 400), (121, 0), (9999, 0)]
)
def test_rates_change_evenly_between_points(second, rate):
    points = "rate = [[0, 100], [60, 100], [120, 400], [120.5, 0]]"
    traffic = parsed(LEAST.replace("rate = 10", points)).traffic[0]
    assert traffic.rate_at(second) == rate


def test_two_points_at_one_second_are_a_jump():
    traffic = parsed(LEAST.replace("rate = 10", "rate = [[0, 1], [60, 1], [60, 9]]")).traffic[0]
    assert [traffic.rate_at(second) for second in (0, 59.9, 60, 70)] == [1, 1, 9, 9]


@pytest.mark.parametrize("rate", ["[[10, 5]]", "[[10, 5], [20, 5]]"])
def test_a_rate_holds_before_the_first_point(rate):
    assert parsed(LEAST.replace("rate = 10", f"rate = {rate}")).traffic[0].rate_at(0) == 5


def test_names_of_traffic_stand_once():
    twice = LEAST + LEAST[LEAST.index("[[traffic]]") :]
    with pytest.raises(WorkloadError, match="writes: there is another traffic of this name"):
        parsed(twice)
