"""Rates of writes and reads of shards, if capacity is limited.

Each process of a server counts the requests that it answers.
"""

from typing import Final

import msgspec

from hashrange.capacity.buckets import Bucket
from hashrange.limits.kinesis import (
    PUT_BYTES_PER_SECOND_MAX,
    PUTS_PER_SECOND_MAX,
    RATED_SHARDS_MAX,
    READ_BYTES_PER_SECOND_MAX,
    READS_PER_SECOND_MAX,
)
from hashrange.tables.kinesis.numbers import ShardAddress


class _Rates(msgspec.Struct):
    puts: Bucket
    put_bytes: Bucket
    reads: Bucket
    read_bytes: Bucket


class ShardRates:
    """Counts the requests of shards."""

    def __init__(self) -> None:
        self._shards: dict[ShardAddress, _Rates] = {}

    def put(self, shard: ShardAddress, size: int, now_ms: int) -> bool:
        """Count a record that is written, if it is within the limits; whether it is."""
        rates = self._of(shard, now_ms)
        if rates.put_bytes.refill(now_ms) < size or not rates.puts.take(1.0, now_ms):
            return False
        rates.put_bytes.charge(float(size), now_ms)
        return True

    def may_read(self, shard: ShardAddress, now_ms: int) -> bool:
        """Count a read, if it is within the limits; whether it is."""
        rates = self._of(shard, now_ms)
        return rates.read_bytes.refill(now_ms) >= 0 and rates.reads.take(1.0, now_ms)

    def read(self, shard: ShardAddress, size: int, now_ms: int) -> None:
        """Count the bytes that a read has returned."""
        self._of(shard, now_ms).read_bytes.charge(float(size), now_ms)

    def _of(self, shard: ShardAddress, now_ms: int) -> _Rates:
        found = self._shards.get(shard)
        if found is None:
            if len(self._shards) >= RATED_SHARDS_MAX:
                del self._shards[next(iter(self._shards))]
            found = self._shards[shard] = _Rates(*(_bucket(most, now_ms) for most in _PER_SECOND))
        return found


_PER_SECOND: Final = (
    *(PUTS_PER_SECOND_MAX, PUT_BYTES_PER_SECOND_MAX),
    *(READS_PER_SECOND_MAX, READ_BYTES_PER_SECOND_MAX),
)


def _bucket(most: int, now_ms: int) -> Bucket:
    return Bucket(rate=most, capacity=most, level=most, at_ms=now_ms)
