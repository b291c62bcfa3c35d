"""Streams and shards as answers describe them."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from hashrange.model.structures.kinesis import (
    EnhancedMetrics,
    HashKeyRange,
    SequenceNumberRange,
    Shard,
)
from hashrange.tables.kinesis.numbers import sequence_number
from hashrange.tables.kinesis.streams import StoredShard, StoredStream, shard_id

NO_METRICS: Final = (EnhancedMetrics([]),)
"""There are no enhanced metrics of shards."""
UNENCRYPTED: Final = "NONE"
"""EncryptionType: the encryption of the server has no key of the caller's."""


def described_shards(stream: StoredStream, shards: Sequence[StoredShard]) -> list[Shard]:
    """Shards of a stream; parents that have been removed are not named."""
    present = {each.number for each in stream.shards}
    return [_described(stream.number, each, present) for each in shards]


def _described(stream: int, shard: StoredShard, present: AbstractSet[int]) -> Shard:
    parent, adjacent = (
        None if number is None or number not in present else shard_id(number)
        for number in (shard.parent, shard.adjacent)
    )
    address = stream, shard.number
    last = None if shard.end is None else sequence_number(address, shard.end)
    return Shard(
        shard_id=shard.id,
        parent_shard_id=parent,
        adjacent_parent_shard_id=adjacent,
        hash_key_range=hash_keys(shard),
        sequence_number_range=SequenceNumberRange(sequence_number(address, 0), last),
    )


def hash_keys(shard: StoredShard) -> HashKeyRange:
    """The hash keys of a shard."""
    return HashKeyRange(shard.first, shard.last)
