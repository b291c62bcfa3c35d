"""Shards beyond a bound in bytes, by value."""

import pytest

from hashrange.model.log import Shard
from hashrange.tables.streams.byte_bounds import over

SHARDS = [Shard(number=number, opened_ms=0, closed_ms=10 * number) for number in (1, 2, 3)]


@pytest.mark.parametrize(
    ("bytes_max", "gone"), [(60, set()), (59, {1}), (30, {1, 2}), (0, {1, 2, 3})]
)
def test_oldest_shards_go_first(bytes_max, gone):
    sizes = dict(zip(reversed(SHARDS), (30, 20, 10), strict=True))
    assert over(sizes, bytes_max) == gone
