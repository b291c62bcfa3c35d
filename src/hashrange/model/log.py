"""A table's change log, with its shards and readers, as the catalog stores it."""

from enum import Enum
from typing import Final, Literal, TypeAlias

import msgspec

ReaderKind: TypeAlias = Literal["ARCHIVE", "COPY", "DESTINATION", "RECOVERY"]
"""ARCHIVE: items that expire are stored in a bucket. COPY: a snapshot of the table is being read.
DESTINATION: its changes are put into a Kinesis data stream. RECOVERY: its history is kept for
point-in-time recovery."""

ALL_RECORDS: Final = 2**63 - 1
"""A value of `Shard.trimmed_to`: the whole shard is being removed, and streams do not show it."""


class Actor(Enum):
    """The author of a change of an item."""

    CALLER = 0
    TIME_TO_LIVE = 1


class Shard(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One part of a change log, of the items whose partition hash is in a range.

    A write goes to the one open shard of its range; as the catalog entry is the fence of every
    write, nothing is appended to a shard once the entry says that it is closed.
    """

    number: int
    """Part of its records' keys; a child has a larger one than its parent; never used again."""
    start: bytes = b""
    """The first partition hash."""
    end: bytes = b""
    """The first hash after the range; empty if there is none."""
    parent: int | None = None
    """The number of the shard that it continues."""
    parent_opened_ms: int = 0
    """`opened_ms` of the parent, a part of the parent's name: it may be removed before this one."""
    opened_ms: int
    closed_ms: int | None = None
    trimmed_to: int = 1
    """Streams do not show records before this number."""
    kept_from: int | None = None
    """The first record that a `LogReader` may still need; None if they need no record."""

    @property
    def cleared_to(self) -> int:
        """Records before this number have been or are being removed."""
        kept_from = self.kept_from
        return self.trimmed_to if kept_from is None else min(self.trimmed_to, kept_from)


class LogReader(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A reader of a change log that is no stream; records are kept for it.

    Streams have a retention of their own.
    """

    name: str
    """Unique in the table."""
    kind: ReaderKind
    first_shard: int
    """Records of shards with lower numbers are not needed."""
    cut: int | None = None
    """Of a snapshot: changes in shards from this number on are later than its moment."""
    retention_ms: int | None = None
    """For how long a record is needed; None for as long as the reader exists."""


class Log(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The change log of a table; it has open shards while a stream or a reader needs changes."""

    shards: tuple[Shard, ...] = ()
    """In the order of their numbers; open shards, if there are any, cover all hashes."""
    readers: tuple[LogReader, ...] = ()
    next_shard: int = 1
    """The number of the next shard."""

    @property
    def open_shards(self) -> tuple[Shard, ...]:
        """The shards to which changes are appended, in the order of their hashes."""
        shards = [shard for shard in self.shards if shard.closed_ms is None]
        return tuple(sorted(shards, key=lambda shard: shard.start))
