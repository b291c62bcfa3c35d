"""The capacity of tables in the memory of a server of one process.

`keep` stores it from time to time and when the server stops. A process that is killed loses what
happened since: levels of buckets that were higher are filled again within seconds, at most five
minutes' units of a table; peaks and samples of hot keys are up to ten seconds older. No partition
is lost, since a split is stored when it is made.
"""

from typing import Final

import msgspec

from hashrange.api.admission.followers import follow_capacity, reopened
from hashrange.api.admission.hot_keys import HotKeyWarnings
from hashrange.api.admission.sizes import sizes_of
from hashrange.api.admission.stored import StoredCapacity, encode, stored_or_new
from hashrange.capacity.bucket_keys import Units
from hashrange.capacity.reservations import close_reservations
from hashrange.capacity.resources import TableCapacity
from hashrange.capacity.table_limiter import TableLimiter
from hashrange.clock import Clock
from hashrange.limits.tables import CAPACITY_TABLES_MAX, TABLE_CAPACITY_UNITS_MAX
from hashrange.storage.engine import Changes, Engine, StaleFenceError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.keys.keyspace import hash16
from hashrange.tables.keys.scaling_keys import capacity_key
from hashrange.tables.opened.open_table import OpenTable

STORE_MS: Final = 10_000
"""Interval in which capacity that has changed is stored."""
IDLE_MS: Final = 60 * 60_000
"""A table without requests for this time is forgotten, after it was stored."""


class _Kept(msgspec.Struct):
    """A table that is kept: its capacity, how it was opened last, and what is stored of it."""

    stored: StoredCapacity
    opened: OpenTable
    limiter: TableLimiter
    seen: tuple[float, ...] = ()
    seen_ms: float = 0.0
    stored_seen: tuple[float, ...] = ()
    stored_ms: float = 0.0


class OwnTables:
    """The capacity of all tables of an engine that only this process uses.

    Args:
        engine: holds the rows.
        catalog: the tables, for splits of shards.
        clock: the time.
        bytes_max: the size at which a partition is split.
        table_units: the quota of an on-demand table.
    """

    is_shared = False
    keep_seconds = 1.0

    def __init__(
        self,
        engine: Engine,
        catalog: Catalog,
        clock: Clock,
        bytes_max: int,
        *,
        table_units: int = TABLE_CAPACITY_UNITS_MAX,
    ) -> None:
        self._engine = engine
        self._catalog = catalog
        self._clock = clock
        self._bytes_max = bytes_max
        self._quota = float(table_units)
        self._kept: dict[int, _Kept] = {}
        self._warnings = HotKeyWarnings()

    def at_hand(self, opened: OpenTable) -> TableLimiter | None:
        """The limiter of a table that was opened now; None if its row must be read first."""
        kept = self._kept.get(opened.number)
        if kept is None:
            return None
        kept.stored.now_ms = self._clock.now_ms()
        kept.stored.follow(opened.table, self._quota)
        kept.opened = opened
        return kept.limiter

    async def limiter(self, opened: OpenTable) -> TableLimiter:
        """The limiter of a table. Raises StorageError."""
        found = self.at_hand(opened)
        if found is not None:
            return found
        (row,) = await self._engine.read((capacity_key(opened.number),))
        found = self.at_hand(opened)  # another request may have read it meanwhile
        if found is not None:
            return found
        now_ms = self._clock.now_ms()
        stored = stored_or_new(row, opened.table, now_ms, self._quota)
        limiter = TableLimiter(stored.capacity, hash16)
        if len(self._kept) >= CAPACITY_TABLES_MAX:
            del self._kept[next(iter(self._kept))]
        # Without a row a process that is killed would let the table begin anew: it is stored soon.
        stored_ms = now_ms if row is not None else now_ms - STORE_MS
        self._kept[opened.number] = _Kept(
            stored, opened, limiter, seen_ms=now_ms, stored_ms=stored_ms
        )
        return limiter

    async def more(
        self,
        opened: OpenTable,  # noqa: ARG002 - see `Capacities`
        needs: Units,  # noqa: ARG002
        wishes: Units | None = None,  # noqa: ARG002
    ) -> bool:
        """Nobody else has units."""
        return False

    async def snapshot(self, opened: OpenTable) -> TableCapacity:
        """The capacity of a table as it is now; not to be changed. Raises StorageError."""
        await self.limiter(opened)
        capacity = self._kept[opened.number].stored.capacity
        close_reservations(capacity, self._clock.now_ms())
        return capacity

    def forget(self) -> None:
        """Drop what is not stored."""
        self._kept.clear()

    async def keep(self, *, all_now: bool = False) -> None:
        """Do the maintenance that is due, store what has changed, forget what is idle.

        With `all_now`, at once. Raises StorageError.
        """
        for number, kept in list(self._kept.items()):
            now_ms = self._clock.now_ms()
            stored, splits = kept.stored, []
            close_reservations(stored.capacity, now_ms)
            seen = _use(stored.capacity)
            if seen != kept.seen:
                kept.seen_ms = now_ms
            stored.now_ms = now_ms
            if all_now or stored.is_maintenance_due(now_ms):
                self._warnings.look(stored.capacity, now_ms)
                sizes = await sizes_of(self._engine, kept.opened)
                splits = stored.maintain(sizes, self._bytes_max)
            kept.seen = _use(stored.capacity)
            is_changed = kept.seen_ms > kept.stored_ms or not kept.stored_seen
            is_due = all_now or now_ms - kept.stored_ms >= STORE_MS or now_ms < kept.stored_ms
            if splits or (is_changed and is_due):
                if not await self._store(kept):
                    del self._kept[number]
                    continue
                kept.stored_ms, kept.stored_seen = now_ms, kept.seen
            await follow_capacity(self._catalog, kept.opened, stored.capacity, now_ms)
            if now_ms - kept.seen_ms > IDLE_MS:
                del self._kept[number]

    async def _store(self, kept: _Kept) -> bool:
        """Store a table's row; False if the table is gone."""
        row = encode(kept.stored)
        key = capacity_key(kept.opened.number)
        for _ in range(2):
            try:
                await self._engine.write(
                    (key,),
                    lambda _values: Changes(answer=None, puts={key: row}),
                    fences=kept.opened.fences,
                )
            except StaleFenceError:
                opened = await reopened(self._catalog, kept.opened)
                if opened is None:
                    return False
                kept.opened = opened
            else:
                return True
        return True


def _use(capacity: TableCapacity) -> tuple[float, ...]:
    """Figures that change with each use, once all reservations are closed."""
    return tuple(
        figure
        for resource in capacity.resources()
        for bucket in (resource.read, resource.write)
        for figure in (bucket.at_ms, bucket.level)
    )
