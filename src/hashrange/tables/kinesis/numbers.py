"""Sequence numbers of records: 56 digits, as those of the service. Pure.

They are 49, then 10 digits for the stream, 10 for the shard, and 34 for the number of the record
within it. A child has a larger number than its parents, so those of a partition key ascend across
shards too. Another stream of the same name has others.
"""

from typing import Final, TypeAlias

ShardAddress: TypeAlias = tuple[int, int]
"""The numbers of a stream and of its shard."""

_PREFIX: Final = 49
_RECORDS: Final = 10**34
_SHARDS: Final = 10**10
_STREAMS: Final = 10**10


def sequence_number(address: ShardAddress, record: int) -> str:
    """The sequence number of a record; record 0 gives one that is before all of its shard."""
    stream, shard = address
    return str(((_PREFIX * _STREAMS + stream) * _SHARDS + shard) * _RECORDS + record)


def numbers_in(text: str) -> tuple[ShardAddress, int] | None:
    """The address and the number of a record in its sequence number; None for any other."""
    rest, record = divmod(int(text), _RECORDS)
    rest, shard = divmod(rest, _SHARDS)
    kind, stream = divmod(rest, _STREAMS)
    return ((stream, shard), record) if kind == _PREFIX else None
