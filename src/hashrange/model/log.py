"""A table's change log, its shards and its readers: what the catalog keeps of them."""

from typing import Final, Literal, TypeAlias

import msgspec

ReaderKind: TypeAlias = Literal["COPY"]
"""COPY: a consistent copy of the table is being made."""

ALL_RECORDS: Final = 2**63 - 1
"""As `Shard.trimmed_to`: the shard as a whole is on its way out, and no stream shows it."""


class Shard(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One part of a change log, of the items whose partition hash is in a range.

    A write goes to the one open shard of its range; as the catalog entry is the fence of every
    write, nothing is appended to a shard once the entry says that it is closed.
    """

    number: int
    """Of its records under the table; grows from parent to child, and is never used again."""
    start: bytes = b""
    """First partition hash."""
    end: bytes = b""
    """The first hash that is not in it any more; empty for none."""
    parent: int | None = None
    """Number of the shard that it goes on from."""
    parent_opened_ms: int = 0
    """When that one was opened, which is in its name: it may be gone before this one is."""
    opened_ms: int
    closed_ms: int | None = None
    trimmed_to: int = 1
    """Streams do not show records before this number."""
    kept_from: int | None = None
    """The first record that another reader may still need; None if none of them needs any."""

    @property
    def cleared_to(self) -> int:
        """Records before this number are gone, or are going."""
        kept_from = self.kept_from
        return self.trimmed_to if kept_from is None else min(self.trimmed_to, kept_from)


class LogReader(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who needs the records of a log, beside streams, which keep them for a time of their own."""

    name: str
    """No two readers of a table have the same."""
    kind: ReaderKind
    first_shard: int
    """Records of shards with lower numbers are not needed."""
    retention_ms: int | None = None
    """For how long a record is needed; None for as long as the reader is there."""
    until_ms: int | None = None
    """The reader is taken for dead, and removed, after this time unless it was moved on."""


class Log(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A table has open shards as soon as a stream or a reader needs its changes."""

    shards: tuple[Shard, ...] = ()
    """By number; the open ones, if there are any, cover all hashes."""
    readers: tuple[LogReader, ...] = ()
    next_shard: int = 1
    """The number of the next shard."""

    @property
    def open_shards(self) -> tuple[Shard, ...]:
        """Where changes are logged, in the order of their hashes."""
        shards = [shard for shard in self.shards if shard.closed_ms is None]
        return tuple(sorted(shards, key=lambda shard: shard.start))
