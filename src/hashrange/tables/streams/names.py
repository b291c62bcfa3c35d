"""Names of streams, shards and records for clients. Pure.

- A stream's label is the time at which it was enabled: `2026-01-01T12:00:00.000`.
- A shard's id has the time at which it was opened, in milliseconds, and its number:
  `shardId-{20 digits}-{8 hexadecimal digits}`.
- A sequence number has 25 digits: the sum of 1,000,000,000 and the shard's number, then 15 digits
  for the number of the record within the shard. As a child shard has a higher number than its
  parent, sequence numbers of one item's changes ascend across shards too.
"""

import re
from hashlib import blake2b
from typing import Final

import msgspec

from hashrange.limits.tables import SEQUENCE_NUMBER_CHARS_MAX, SEQUENCE_NUMBER_CHARS_MIN
from hashrange.model.log import Shard
from hashrange.model.table import Table
from hashrange.model.table_features import Stream, label_of
from hashrange.wire.arns import stream_arn

_LOGS: Final = 1_000_000_000
"""Added to the number of a shard, so that all sequence numbers have the same length."""
_RECORDS: Final = 10**15
_SHARD_ID: Final = re.compile(r"shardId-([0-9]{20})-([0-9a-f]{8})", re.ASCII)
_EVENT_ID_BYTES: Final = 16


class Position(msgspec.Struct, frozen=True):
    """The position of a record in a table's change log."""

    log: int
    """The number of its shard."""
    record: int
    """Its number within the shard."""


def arn_of(table: Table, stream: Stream) -> str:
    """The ARN of a stream, in the account and region of its table."""
    return stream_arn(table.arn, label_of(stream.created_ms))


def shard_id_of(shard: Shard) -> str:
    """The id of a shard; the ids of one table sort by the time at which shards were opened."""
    return _shard_id(shard.opened_ms, shard.number)


def parent_id_of(shard: Shard) -> str | None:
    """The id of a shard's parent, which may have been removed; None if it has none."""
    return None if shard.parent is None else _shard_id(shard.parent_opened_ms, shard.parent)


def number_of_shard(shard_id: str) -> int | None:
    """The number in a shard's id; None if the text is no such id."""
    match = _SHARD_ID.fullmatch(shard_id)
    return None if match is None else int(match[2], 16)


def _shard_id(opened_ms: int, number: int) -> str:
    return f"shardId-{opened_ms:020}-{number:08x}"


def sequence_number(log: int, record: int) -> str:
    """The sequence number of a record; record 0 gives one that is before all of its shard."""
    return f"{_LOGS + log}{record:015}"


def position_of(text: str) -> Position | None:
    """The inverse of `sequence_number`; leading zeros may be added. None for any other text."""
    if not (text.isascii() and text.isdecimal()):
        return None
    if not SEQUENCE_NUMBER_CHARS_MIN <= len(text) <= SEQUENCE_NUMBER_CHARS_MAX:
        return None
    log, record = divmod(int(text), _RECORDS)
    return Position(log - _LOGS, record) if log >= _LOGS else None


def event_id(table: Table, number: str) -> str:
    """32 hexadecimal digits that identify a record, derived from its sequence number."""
    return blake2b(f"{table.id}{number}".encode(), digest_size=_EVENT_ID_BYTES).hexdigest()
