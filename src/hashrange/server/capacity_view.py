"""The capacity of tables as `/top.json` and `/metrics` show it: partitions, units, burst.

A server of one process shows its own tables, those that requests have used. Processes that share
an engine show the rows of tables: what all of them together have used, up to a second ago, where
units that are allotted count as used.
"""

from collections.abc import Callable, Iterable

from hashrange.api.admission.capacities import Capacities
from hashrange.capacity.partitions import Partition
from hashrange.capacity.resources import Resource
from hashrange.limits.server import CAPACITY_VIEW_TABLES_MAX, METRIC_PARTITIONS_MAX
from hashrange.observe.snapshot import CapacityUse, PartitionUse
from hashrange.tables.catalog.catalog import Catalog


class CapacityView:
    """Reads the capacity of tables.

    Args:
        capacities: those of the server; None if it does not throttle.
        catalog: the tables.
        now_ms: the time.
    """

    def __init__(
        self, capacities: Capacities | None, catalog: Catalog, now_ms: Callable[[], int]
    ) -> None:
        self._capacities = capacities
        self._catalog = catalog
        self._now_ms = now_ms

    @property
    def throttles(self) -> bool:
        """Whether the server limits requests."""
        return self._capacities is not None

    async def uses(self, names: Iterable[str]) -> list[CapacityUse]:
        """The capacity of tables by stored name, with at most so many partitions in all.

        Raises StorageError.
        """
        capacities, found, room = self._capacities, list[CapacityUse](), METRIC_PARTITIONS_MAX
        if capacities is None:
            return found
        tables = 0
        for name in names:
            opened = self._catalog.cached(name)
            if opened is None:
                continue
            # A table that was changed is opened anew, and has no limiter before the next request.
            if not capacities.is_shared and capacities.at_hand(opened) is None:
                continue
            tables += 1
            if tables > CAPACITY_VIEW_TABLES_MAX:
                break
            capacity = await capacities.snapshot(opened)
            for resource in capacity.resources():
                found.append(_use(name, resource, self._now_ms(), room))
                room -= len(found[-1].partitions)
        return found

    async def of_table(self, name: str) -> list[CapacityUse]:
        """The capacity of a table by stored name, with at most so many partitions in all.

        Raises StorageError.
        """
        found, room = list[CapacityUse](), METRIC_PARTITIONS_MAX
        opened = self._catalog.cached(name) or await self._catalog.open(name)
        if self._capacities is None or opened is None:
            return found
        capacity = await self._capacities.snapshot(opened)
        for resource in capacity.resources():
            found.append(_use(name, resource, self._now_ms(), room))
            room -= len(found[-1].partitions)
        return found


def _use(table: str, resource: Resource, now_ms: float, room: int) -> CapacityUse:
    reads, writes = resource.rates()
    return CapacityUse(
        table=table,
        index=resource.index or "",
        read_rate=reads,
        write_rate=writes,
        read_left=resource.read.level_at(now_ms),
        write_left=resource.write.level_at(now_ms),
        partition_count=len(resource.partitions),
        partitions=[_partition(each, now_ms) for each in resource.partitions[: max(0, room)]],
    )


def _partition(partition: Partition, now_ms: float) -> PartitionUse:
    return PartitionUse(
        number=partition.number,
        start=partition.start.hex(),
        end=partition.end.hex(),
        item_bytes=partition.item_bytes,
        read_units=partition.read_units,
        write_units=partition.write_units,
        throttled_reads=partition.throttled_reads,
        throttled_writes=partition.throttled_writes,
        read_left=partition.read.level_at(now_ms),
        write_left=partition.write.level_at(now_ms),
    )
