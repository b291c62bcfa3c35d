"""The interface of the capacity of tables, in one process or shared by several."""

from typing import Protocol

from hashrange.capacity.bucket_keys import Units
from hashrange.capacity.resources import TableCapacity
from hashrange.capacity.table_limiter import TableLimiter
from hashrange.tables.opened.open_table import OpenTable


class Capacities(Protocol):
    """The capacity of all tables of an engine.

    Attributes:
        is_shared: other processes use the same engine, so that `more` may find units.
        keep_seconds: the interval in which `keep` is to be called.
    """

    is_shared: bool
    keep_seconds: float

    def at_hand(self, opened: OpenTable) -> TableLimiter | None:
        """The limiter of a table that was opened now; None if its row must be read first."""

    async def limiter(self, opened: OpenTable) -> TableLimiter:
        """The limiter of a table, by its name and its ARN. Raises StorageError."""

    async def more(self, opened: OpenTable, needs: Units, wishes: Units | None = None) -> bool:
        """Wait for units of buckets that a request needs; False if there are none to be had.

        `wishes` is what a batch has use for beyond what an item of it needs. Raises StorageError.
        """

    async def snapshot(self, opened: OpenTable) -> TableCapacity:
        """The capacity of a table as it is now, not to be changed: for views of it.

        `TableCapacity.resources` has the table and its global indexes; of each, `minutes` are the
        consumed units and throttled requests of the last minutes, `partitions` the ranges, sizes,
        units and levels of buckets. Raises StorageError.
        """

    def forget(self) -> None:
        """Drop what is not stored: the data were put back to another state."""

    async def keep(self, *, all_now: bool = False) -> None:
        """Do the work of background tasks that is due; all of it with `all_now`.

        Raises StorageError.
        """
