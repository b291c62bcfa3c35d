"""A table's streams, as the catalog stores them."""

from datetime import UTC, datetime
from typing import Literal, TypeAlias

import msgspec

from hashrange.model.log import Shard
from hashrange.model.resource_policy import ResourcePolicy

StreamViewType: TypeAlias = Literal["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]


def label_of(created_ms: int) -> str:
    """The label of a stream that was enabled at a time, in ms since the epoch."""
    enabled = datetime.fromtimestamp(created_ms // 1000, UTC)
    return f"{enabled:%Y-%m-%dT%H:%M:%S}.{created_ms % 1000:03}"


class Stream(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The changes of a table while a stream was enabled: a range of shards of the change log."""

    view_type: StreamViewType
    created_ms: int
    """When it was enabled; also its label, unique in the table."""
    disabled_ms: int | None = None
    first_shard: int
    """The number of its first shard; all shards from there to `end_shard` belong to it."""
    end_shard: int | None = None
    """The number after its last shard; None while it is enabled."""
    policy: ResourcePolicy | None = None
    """None if it never had one."""

    def has(self, shard: Shard) -> bool:
        """Whether a shard of the table's log belongs to the stream."""
        return self.first_shard <= shard.number and (
            self.end_shard is None or shard.number < self.end_shard
        )
