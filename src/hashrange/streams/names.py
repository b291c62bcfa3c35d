"""What names a stream, its shards and its records to clients. Pure.

- A stream's label is the time when it was enabled: `2026-01-01T12:00:00.000`.
- A shard's id is made of the time when it was opened, in milliseconds, and of the number of its
  log: `shardId-{20 digits}-{8 hexadecimal digits}`.
- A sequence number has 25 digits: 1,000,000,000 and the number of the log, then 15 digits for the
  number of the record within it. As the log of a child has a higher number than that of its parent,
  they grow for an item from each of its changes to the next, across shards too.
"""

import re
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Final

import msgspec

from hashrange.limits import SEQUENCE_NUMBER_CHARS_MAX, SEQUENCE_NUMBER_CHARS_MIN
from hashrange.model.log import Shard
from hashrange.model.stream import Stream
from hashrange.model.table import Table
from hashrange.wire.arns import stream_arn

_LOGS: Final = 1_000_000_000
"""Added to the number of a log: all sequence numbers have as many digits."""
_RECORDS: Final = 10**15
_SHARD_ID: Final = re.compile(r"shardId-([0-9]{20})-([0-9a-f]{8})", re.ASCII)
_EVENT_ID_BYTES: Final = 16


class Position(msgspec.Struct, frozen=True):
    """A record's place: the number of its log, and its number there."""

    log: int
    record: int


def label_of(created_ms: int) -> str:
    """The label of a stream that was enabled then."""
    at = datetime.fromtimestamp(created_ms // 1000, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{created_ms % 1000:03}"


def arn_of(table: Table, stream: Stream) -> str:
    """The ARN of a stream, in the account and region of its table."""
    return stream_arn(table.arn, label_of(stream.created_ms))


def shard_id_of(shard: Shard) -> str:
    """The id of a shard; those of one table sort by the time when the shards were opened."""
    return _shard_id(shard.opened_ms, shard.number)


def parent_id_of(shard: Shard) -> str | None:
    """The id of the shard that this one goes on from; it may be gone."""
    return None if shard.parent is None else _shard_id(shard.parent_opened_ms, shard.parent)


def number_of_shard(shard_id: str) -> int | None:
    """The number in an id, of whatever shard; None if it is no id."""
    found = _SHARD_ID.fullmatch(shard_id)
    return None if found is None else int(found[2], 16)


def _shard_id(opened_ms: int, number: int) -> str:
    return f"shardId-{opened_ms:020}-{number:08x}"


def sequence_number(log: int, record: int) -> str:
    """The number of a record; of record 0, one before all records of its shard."""
    return f"{_LOGS + log}{record:015}"


def position_of(text: str) -> Position | None:
    """The inverse of `sequence_number`, with leading zeros or without; None if it is none."""
    if not (text.isascii() and text.isdecimal()):
        return None
    if not SEQUENCE_NUMBER_CHARS_MIN <= len(text) <= SEQUENCE_NUMBER_CHARS_MAX:
        return None
    log, record = divmod(int(text), _RECORDS)
    return Position(log - _LOGS, record) if log >= _LOGS else None


def event_id(table: Table, number: str) -> str:
    """32 hexadecimal digits that no other record has; the same at each reading."""
    return blake2b(f"{table.id}{number}".encode(), digest_size=_EVENT_ID_BYTES).hexdigest()
