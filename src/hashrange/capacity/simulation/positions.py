"""Positions of items (partition hash and sort key) with the distribution of a workload."""

from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate
from typing import Final, TypeAlias

from hashrange.capacity.heat import HASH_BYTES
from hashrange.capacity.simulation.workload import Keys

_SORT_BYTES: Final = 8
_PERIODS_MAX: Final = 4096

HashAt: TypeAlias = Callable[[float, float], bytes]
"""The partition hash of a draw between 0 and 1, at a second of the workload's clock."""


@lru_cache(maxsize=_PERIODS_MAX)
def partition_hash(key: str) -> bytes:
    """The partition hash of a key."""
    return blake2b(key.encode(), digest_size=HASH_BYTES).digest()


def hashes(name: str, keys: Keys) -> HashAt:
    """A function that draws partition hashes; keys of different names have different hashes.

    The keys are ordered by their hashes, so evenly spaced draws give each range of hashes its
    share.
    """
    if keys.kind == "time":
        return _of_time(name, keys)
    weights = _weights(keys)
    placed = [
        (partition_hash(f"{name}/{number}#{shard}"), weight / keys.shards)
        for number, weight in enumerate(weights)
        for shard in range(keys.shards)
    ]
    placed.sort()
    ordered = [place for place, _weight in placed]
    sums = list(accumulate(weight for _place, weight in placed))
    total = sums[-1]

    def hash_at(draw: float, _second: float) -> bytes:
        return ordered[min(bisect_right(sums, draw * total), len(ordered) - 1)]

    return hash_at


def sort_bytes(kind: str, draw: float, second: float) -> bytes:
    """The beginning of a sort key, in the byte order of sort keys."""
    if kind == "none":
        return b""
    if kind == "rising":
        return int(second * 1_000_000).to_bytes(_SORT_BYTES, "big")
    return int(draw * 256**_SORT_BYTES).to_bytes(_SORT_BYTES + 1, "big")[1:]


def _of_time(name: str, keys: Keys) -> HashAt:
    def hash_at(draw: float, second: float) -> bytes:
        period = int(second // keys.period_seconds)
        return partition_hash(f"{name}/{period}#{int(draw * keys.shards)}")

    return hash_at


def _weights(keys: Keys) -> list[float]:
    count = keys.count
    if keys.kind == "zipf":
        return [rank**-keys.exponent for rank in range(1, count + 1)]
    if keys.kind == "hot":
        hot = min(keys.hot, count)
        cold = count - hot
        share = keys.share if cold else 1.0
        return [share / hot] * hot + [(1 - share) / cold for _ in range(cold)]
    return [1.0] * count
