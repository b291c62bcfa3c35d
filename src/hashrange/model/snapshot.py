"""Where the items of a table that is being restored come from, as the catalog stores it."""

import msgspec

from hashrange.model.stream import StreamViewType


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
