"""A table's streams, destinations, insights, policies and origin, as the catalog stores them.

The origin of a table that is being restored is where its items come from.
"""

from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.model.log import Shard


class ResourcePolicy(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A policy, or the trace of one that was deleted.

    Attributes:
        text: JSON in canonical form; None if the policy was deleted.
        revision_ms: when it was set or deleted; greater with each change of the resource's policy,
            so that a revision stands for one text.
        principal_ids: unique ids of the users and roles that the policy named by ARN when it was
            set.
    """

    text: str | None = None
    revision_ms: int
    principal_ids: dict[str, str] = {}


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


Mode: TypeAlias = Literal["ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"]
DEFAULT_MODE: Final[Mode] = "ACCESSED_AND_THROTTLED_KEYS"


class InsightsSetting(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Contributor insights as they were last enabled or disabled.

    Attributes:
        mode: the keys that are counted; kept while insights are disabled.
        since_ms: when they were enabled, part of the names of the rules; None while disabled.
        changed_ms: when they were last enabled, disabled or given another mode.
    """

    mode: Mode
    since_ms: int | None = None
    changed_ms: int


Precision: TypeAlias = Literal["MILLISECOND", "MICROSECOND"]
DestinationState: TypeAlias = Literal[
    "ENABLING", "ENABLED", "UPDATED", "DISABLING", "DISABLED", "FAILED"
]


class Destination(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A Kinesis data stream that gets, or got, the changes of a table.

    Attributes:
        stream_arn: its ARN; a table has one destination for each.
        state: ENABLED, UPDATED: it gets changes. ENABLING: it will, once its server has answered.
            DISABLING: it gets those before `end_shard`, and no other destination can be enabled.
            FAILED: it could not be enabled.
        changed_ms: when it was last enabled, updated or disabled.
        precision: of the times in its records; None for milliseconds that nobody asked for.
        updates_ms: when the precision was changed within the last day, oldest first.
        first_shard: the first shard of the table's log whose records it gets.
        end_shard: the number after the last one; None until it is disabled.
        failure: why it could not be enabled, or why changes wait.
        is_remote: the stream is of another server.
    """

    stream_arn: str
    state: DestinationState
    changed_ms: int
    precision: Precision | None = None
    updates_ms: tuple[int, ...] = ()
    first_shard: int = 0
    end_shard: int | None = None
    failure: str | None = None
    is_remote: bool = False

    @property
    def gets_changes(self) -> bool:
        """Whether changes may still be put into it."""
        return self.state in {"ENABLING", "ENABLED", "UPDATED", "DISABLING"}


class Restore(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A restore of a backup, if `items` is set, or of the state of a table at a time.

    Or the copy of the items for a new replica, if `regions` is set.
    """

    source_arn: str
    """Of the table whose items they were."""
    time_ms: int
    """The state of that table at this time is restored."""
    backup_arn: str | None = None
    items: int | None = None
    """The items of the backup are stored under this number."""
    source: str | None = None
    """The table, as the whole catalog has it; None for a backup."""
    source_number: int = 0
    regions: tuple[str, ...] = ()
    """Of a new replica: the regions of the source by their numbers in its items."""
    stream_shards: int = 0
    """Of a new replica: the shards of its stream, which is enabled when all items are there."""
    stream_view: StreamViewType = "NEW_AND_OLD_IMAGES"
    """Of a new replica: the view type of its stream."""

    @property
    def is_sent(self) -> bool:
        """Whether another server sends the items."""
        return bool(self.regions) and self.source is None
