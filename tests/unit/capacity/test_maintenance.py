"""Partitions over time: how many there are, when they split, what a split keeps."""

import pytest

from hashrange.capacity.bundles import BundleLimiter
from hashrange.capacity.maintenance import maintain
from hashrange.capacity.partitions import children_of, even_partitions, partitions_for
from hashrange.capacity.resources import Terms
from hashrange.capacity.units import Charge, HashRange
from tests.unit.capacity.tables import hash_of, key, limiter, provisioned, table, write

MINUTE = 60_000.0


STEP_MS = 500.0


def load(limit, made, charges, *, minutes, begin=0.0, a_second=2000):
    """Requests for some minutes, with maintenance every ten seconds.

    Gives the splits, and what was granted in each second, on an average of each step.
    """
    splits, granted = [], []
    now_ms = begin
    while now_ms < begin + minutes * MINUTE:
        done = 0
        for each in charges:
            count = int(a_second * STEP_MS / 1000 / len(charges))
            admitted, _refused = limit.admit_many([each], count, now_ms)
            limit.charge_many(each, each, admitted, now_ms)
            done += admitted
        granted.append(done * 1000 / STEP_MS)
        if now_ms % 10_000 == 0:
            splits += maintain(made, now_ms)
        now_ms += STEP_MS
    return splits, granted


def neighbours(count):
    """Keys whose hashes are in the first quarter of all."""
    texts = (f"k{number}" for number in range(1000))
    return [text for text in texts if hash_of(key(text))[0] < 64][:count]


def test_an_on_demand_table_begins_with_four():
    assert len(table().table.partitions) == 4
    assert len(table(indexes={"I": Terms()}).indexes["I"].partitions) == 4


@pytest.mark.parametrize(
    ("reads", "writes", "count"),
    [(1, 1, 1), (3000, 1000, 1), (3001, 1000, 2), (3000, 1001, 2), (12_000, 4_000, 4)],
)
def test_partitions_for_throughput(reads, writes, count):
    assert partitions_for(reads, writes) == count
    assert len(table(provisioned(reads, writes)).table.partitions) == count


def test_partitions_cover_all_positions():
    made = table(provisioned(writes=5000)).table
    assert [made.at(each.start).number for each in made.partitions] == [0, 1, 2, 3, 4]
    assert made.at(b"\xff" * 16).number == 4
    assert [each.end for each in made.partitions] == [*made.starts[1:], b""]
    assert [each.number for each in made.between(b"", b"")] == [0, 1, 2, 3, 4]
    assert [each.number for each in made.between(made.starts[1], made.starts[3])] == [1, 2]


def test_more_throughput_than_before_brings_partitions():
    made = table(provisioned(writes=1000))
    made.table.apply(provisioned(writes=3000), 0.0)
    splits = maintain(made, 0.0)
    assert [split.reason for split in splits] == ["GROWTH", "GROWTH"]
    assert len(made.table.partitions) == 3
    # They stay when the throughput goes down, and are enough when it comes back.
    made.table.apply(provisioned(writes=10), 0.0)
    assert maintain(made, 0.0) == []
    assert made.table.allowances() == (10.0, 3000.0)


def test_two_hot_keys_of_one_partition_are_parted():
    made = table(provisioned(writes=4000), has_sort_key=False)
    limit = limiter(made)
    splits, granted = load(limit, made, [write(text) for text in neighbours(2)], minutes=6)
    assert granted[20] == 1000
    assert [(split.reason, split.parent.number) for split in splits] == [("HEAT", 0)]
    assert granted[-1] == 2000


def test_one_hot_key_stays_at_one_partition():
    made = table(has_sort_key=False)
    splits, granted = load(limiter(made), made, [write("star")], minutes=15)
    assert max(granted[20:]) == 1000
    assert [split.reason for split in splits] == ["HEAT"]
    _before, isolated, _after = splits[0].children
    assert int.from_bytes(isolated.end, "big") == int.from_bytes(isolated.start, "big") + 1


def test_a_collection_is_split_unless_it_has_a_local_index():
    charges = [write("star", sort=bytes([number])) for number in range(10)]
    made = table()
    splits, granted = load(limiter(made), made, charges, minutes=12)
    assert granted[-1] == 2000
    assert len(splits[1].parent.start) == 16
    made = table(local_indexes=["L"])
    splits, granted = load(limiter(made), made, charges, minutes=12)
    assert granted[-1] == 1000
    assert len(splits) == 1, "it got a partition of its own, and no more"


def test_a_split_grants_nothing_by_itself():
    made = table(provisioned(writes=1000))
    partition = made.table.partitions[0]
    partition.write.level, partition.read.level, partition.item_bytes = 400.0, -30.0, 90.0
    (split,) = maintain(made, 0.0, partition_bytes_max=89)
    children = made.table.partitions
    assert [child.write.level for child in children] == [200.0, 200.0]
    assert sum(child.read.level for child in children) == -30.0
    assert [child.item_bytes for child in children] == [45.0, 45.0]
    assert [child.number for child in split.children] == [1, 2]
    assert (split.parent.start, split.parent.end) == (b"", b"")
    assert split.children[0].end == split.children[1].start == b"\x80" + bytes(15)


def test_a_partition_is_split_at_ten_gigabytes():
    made = table(provisioned())
    made.table.partitions[0].item_bytes = 10 * 1024**3 + 1
    (split,) = maintain(made, 0.0)
    assert split.reason == "SIZE"
    assert [child.start for child in split.children] == [b"", b"\x80" + bytes(15)]
    assert maintain(made, 0.0) == []


def test_the_size_of_partitions_can_be_set():
    made = table(provisioned())
    made.table.partitions[0].item_bytes = 1000.0
    assert len(maintain(made, 0.0, partition_bytes_max=999)) == 1


def test_the_only_collection_of_a_partition_is_halved_unless_it_has_a_local_index():
    for local, count in ((["L"], 3), ([], 4)):
        made = table(provisioned(), local_indexes=local)
        cuts = (b"\x80" * 16, b"\x80" * 15 + b"\x81")
        made.table.partitions = children_of(made.table.partitions[0], cuts, 1, 0.0)
        made.table.starts = [each.start for each in made.table.partitions]
        made.table.next_number = 4
        only = made.table.at(b"\x80" * 16)
        assert only.is_one_collection
        only.item_bytes = 1e11
        maintain(made, 0.0)
        assert len(made.table.partitions) == count


def test_partitions_have_a_bound():
    made = table(provisioned())
    made.table.partitions = even_partitions(4096, 0.0)
    made.table.starts = [each.start for each in made.table.partitions]
    made.table.next_number = 4096
    made.table.partitions[0].item_bytes = 1e11
    assert maintain(made, 0.0) == []


# Twice the previous peak at once, and a peak counts after 30 minutes.
def test_on_demand_doubles_within_30_minutes():
    made = table()
    limit = BundleLimiter({"T": made}, lambda _key: b"")
    charges = [spread_charge(bytes([number * 16]) + bytes(15)) for number in range(16)]
    _splits, granted = load(limit, made, charges, minutes=29, a_second=10_240)
    assert sum(granted[-120:]) / 120 == pytest.approx(4000.0, rel=0.02)
    _splits, granted = load(limit, made, charges, minutes=9, begin=29 * MINUTE, a_second=10_240)
    assert made.table.allowances()[1] == pytest.approx(8000.0, rel=0.03)
    assert sum(granted[-120:]) / 120 == pytest.approx(8000.0, rel=0.05)


def spread_charge(place):
    return Charge("T", HashRange(place, b""), write_units=1.0)


def test_warm_throughput_raises_the_floor():
    made = table(Terms(warm_write_units=9000.0))
    assert made.table.allowances() == (12_000.0, 9000.0)
    assert len(made.table.partitions) == 9


def test_what_was_provisioned_stays_warm_on_demand():
    made = table(provisioned(reads=8000, writes=24_000))
    made.table.apply(Terms(), 0.0)
    assert made.table.allowances() == (12_000.0, 24_000.0)
    made = table(provisioned(10_000, 10_000))
    made.table.apply(provisioned(10, 10), 0.0)
    made.table.apply(Terms(), 0.0)
    assert made.table.allowances() == (12_000.0, 10_000.0)
