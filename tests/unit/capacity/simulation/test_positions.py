"""Keys are drawn as a workload distributes them."""

from collections import Counter

import pytest

from hashrange.capacity.simulation.positions import hashes, partition_hash, sort_bytes
from hashrange.capacity.simulation.workload import Keys

EVEN = [(number + 0.5) / 10_000 for number in range(10_000)]


def drawn(keys, second=0.0):
    hash_at = hashes("key", keys)
    return Counter(hash_at(draw, second) for draw in EVEN)


def test_uniform():
    counts = drawn(Keys(count=100))
    assert len(counts) == 100
    assert set(counts.values()) == {100}


def test_zipf():
    counts = drawn(Keys(kind="zipf", count=3, exponent=1.0))
    assert counts[partition_hash("key/0#0")] == pytest.approx(5454, abs=2)
    assert counts[partition_hash("key/2#0")] == pytest.approx(1818, abs=2)


def test_hot():
    counts = drawn(Keys(kind="hot", count=11, hot=1, share=0.9))
    assert sorted(counts.values()) == [100] * 10 + [9000]
    assert drawn(Keys(kind="hot", count=2, hot=5, share=0.5)).most_common(1)[0][1] == 5000


def test_shards_part_each_key():
    counts = drawn(Keys(kind="hot", count=1, share=1.0, shards=10))
    assert list(counts.values()) == [1000] * 10


def test_time():
    keys = Keys(kind="time", period_seconds=60, shards=2)
    assert drawn(keys, 0.0) == drawn(keys, 59.9)
    assert set(drawn(keys, 0.0)) & set(drawn(keys, 60.0)) == set()
    assert sorted(drawn(keys, 0.0).values()) == [5000, 5000]


def test_sort_keys():
    assert sort_bytes("none", 0.5, 1.0) == b""
    assert sort_bytes("rising", 0.9, 1.0) < sort_bytes("rising", 0.1, 1.001)
    assert sort_bytes("random", 0.1, 2.0) < sort_bytes("random", 0.9, 1.0)
    assert len(sort_bytes("random", 0.999999, 0.0)) == 8
