"""Limits of reads of one shard of a stream: requests and bytes a second.

The limits are DynamoDB's (Developer Guide, "Best practices for DynamoDB Streams"); which exception
refuses a read is our choice. Each process of a server limits the reads that it answers.
"""

from typing import Final, TypeAlias

import msgspec

from hashrange.capacity.buckets import Bucket
from hashrange.errors import DynamoError, Fault
from hashrange.limits.tables import (
    STREAM_READ_BYTES_PER_SECOND_MAX,
    STREAM_READS_PER_SECOND_MAX,
    STREAM_SHARD_READERS_MAX,
)
from hashrange.messages.items.throttling import stream_reads

StreamShard: TypeAlias = tuple[str, int]
"""The ARN of a stream, and the number of a shard."""


class _Reads(msgspec.Struct):
    requests: Bucket
    read_bytes: Bucket


class StreamReads:
    """Counts the reads of shards."""

    def __init__(self) -> None:
        self._shards: dict[StreamShard, _Reads] = {}

    def admit(self, shard: StreamShard, now_ms: float) -> None:
        """Count a read. Raises DynamoError if there were too many, or too large ones."""
        reads = self._reads(shard, now_ms)
        if reads.read_bytes.refill(now_ms) < 0 or not reads.requests.take(1.0, now_ms):
            raise DynamoError(Fault.THROTTLED, stream_reads())

    def charge(self, shard: StreamShard, read_bytes: int, now_ms: float) -> None:
        """Count what a read has returned."""
        self._reads(shard, now_ms).read_bytes.charge(float(read_bytes), now_ms)

    def _reads(self, shard: StreamShard, now_ms: float) -> _Reads:
        found = self._shards.get(shard)
        if found is None:
            if len(self._shards) >= STREAM_SHARD_READERS_MAX:
                del self._shards[next(iter(self._shards))]
            requests, size = _PER_SECOND
            found = self._shards[shard] = _Reads(
                Bucket(rate=requests, capacity=requests, level=requests, at_ms=now_ms),
                Bucket(rate=size, capacity=size, level=size, at_ms=now_ms),
            )
        return found


_PER_SECOND: Final = (float(STREAM_READS_PER_SECOND_MAX), float(STREAM_READ_BYTES_PER_SECOND_MAX))
