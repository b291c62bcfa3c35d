"""The row of a table's capacity: buckets, partitions, peaks and open allowances.

The row belongs to the table. A row that cannot be read is replaced by that of a new table: the
table then has full partitions and no burst, which is never more than it had.
"""

import logging
from typing import Final

import msgspec

from hashrange.api.admission.entries import Declared, bring_up_to_date, capacity_of, declared_by
from hashrange.api.admission.sizes import Sizes, estimate_sizes
from hashrange.capacity.allowances import Allowances
from hashrange.capacity.maintenance import maintain
from hashrange.capacity.partitions import Split
from hashrange.capacity.resources import TableCapacity
from hashrange.limits.tables import TABLE_CAPACITY_UNITS_MAX
from hashrange.model.table import Table

MAINTENANCE_MS: Final = 5000
"""Interval of maintenance, in which minutes are finished and partitions are split."""

_log: Final = logging.getLogger(__name__)


class StoredCapacity(msgspec.Struct, kw_only=True):
    """The capacity of a table, as it is stored.

    Attributes:
        declared: what the catalog entry declared when it was last seen.
        now_ms: the time of the row, see `shared_tables`.
        maintained_ms: the time of the last maintenance.
        marks: units that were written when sizes were last estimated, by partition.
    """

    capacity: TableCapacity
    declared: dict[str, Declared]
    allowances: Allowances = msgspec.field(default_factory=Allowances, name="loans")
    now_ms: float = 0.0
    maintained_ms: float = 0.0
    marks: dict[str, dict[int, float]] = {}

    def follow(self, table: Table, quota: float) -> None:
        """Apply changes of the catalog entry, and of the quota of a table."""
        self.declared = bring_up_to_date(
            self.capacity, self.declared, table, self.now_ms, quota=quota
        )

    def maintain(self, sizes: Sizes | None, bytes_max: int) -> list[Split]:
        """Do the maintenance that is due now; `sizes` are None if they are not known."""
        if sizes is not None:
            self.marks = estimate_sizes(self.capacity, sizes, self.marks)
        self.maintained_ms = self.now_ms
        return maintain(self.capacity, self.now_ms, partition_bytes_max=bytes_max)

    def is_maintenance_due(self, now_ms: float) -> bool:
        """Whether maintenance is due; also if the clock was set back."""
        return not 0 <= now_ms - self.maintained_ms < MAINTENANCE_MS


def new_stored(table: Table, now_ms: float, quota: float) -> StoredCapacity:
    """The row of a table that has none."""
    return StoredCapacity(
        capacity=capacity_of(table, now_ms, quota),
        declared=declared_by(table, quota),
        now_ms=now_ms,
    )


def stored_or_new(
    row: bytes | None, table: Table, now_ms: float, quota: float = float(TABLE_CAPACITY_UNITS_MAX)
) -> StoredCapacity:
    """The capacity in a row, with the changes of the entry since; new if there is no such row."""
    if row is None:
        new = new_stored(table, now_ms, quota)
        _add_unused(new.capacity, table, now_ms)
        return new
    try:
        found = decode(row)
    except msgspec.DecodeError:
        _log.warning("%s: its stored capacity cannot be read; it begins anew", table.name)
        return new_stored(table, now_ms, quota)
    found.follow(table, quota)
    return found


def _add_unused(capacity: TableCapacity, table: Table, now_ms: float) -> None:
    """Add the units that a table and its indexes got before the first request on them.

    The units that were provisioned last are counted since then.
    """
    for resource in capacity.resources():
        place = table if resource.index is None else table.index(resource.index)
        assert place is not None, "the resources are those of the table"
        created_ms = place.created_ms or table.created_ms
        since_ms = max(created_ms, place.throughput.increased_ms or 0, place.changed_ms or 0)
        seconds = max(0.0, now_ms - since_ms) / 1000
        for bucket in (resource.read, resource.write):
            bucket.charge(-seconds * bucket.rate, now_ms)


encode: Final = msgspec.msgpack.Encoder().encode
decode: Final = msgspec.msgpack.Decoder(StoredCapacity).decode
