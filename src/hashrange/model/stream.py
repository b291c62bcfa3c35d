"""A table's streams: what the catalog keeps of them."""

from typing import Literal, TypeAlias

import msgspec

from hashrange.model.log import Shard

StreamViewType: TypeAlias = Literal["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]


class Stream(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A reader of the table's log: what was changed from when it was enabled to when disabled."""

    view_type: StreamViewType
    created_ms: int
    """Also its label; no two streams of a table have the same."""
    disabled_ms: int | None = None
    first_shard: int
    """The number of its first shard; it has all that follow."""
    end_shard: int | None = None
    """The number after its last shard; None while it is enabled."""

    def has(self, shard: Shard) -> bool:
        """Whether a shard of the table's log is one of its own."""
        return self.first_shard <= shard.number and (
            self.end_shard is None or shard.number < self.end_shard
        )
