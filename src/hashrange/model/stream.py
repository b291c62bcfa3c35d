"""A table's streams and their shards: what the catalog keeps of them."""

from typing import Final, Literal, TypeAlias

import msgspec

StreamViewType: TypeAlias = Literal["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]

ALL_RECORDS: Final = 2**63 - 1
"""As `Shard.trimmed_to`: the shard as a whole is on its way out, and nobody sees it."""


class Shard(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One change log, of the items whose partition hash is in a range.

    A write goes to the one open shard of its range; as the catalog entry is the fence of every
    write, nothing is appended to a shard once the entry says that it is closed.
    """

    number: int
    """Of its log under the table; grows from parent to child, and is never used again."""
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
    """Records before this number are gone, or are going."""


class Stream(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was changed from when a stream was enabled until it was disabled."""

    view_type: StreamViewType
    created_ms: int
    """Also its label; no two streams of a table have the same."""
    disabled_ms: int | None = None
    shards: tuple[Shard, ...] = ()
    """By number; the open ones cover all hashes."""
