"""The capacity of tables that several processes share, allotted from the row of the table.

The row has the only buckets that are refilled: it is the leader of `capacity.allowances`. An
exchange is one write of the row: it takes an allowance back, does the maintenance that is due, and
makes the next allowance, by pure functions. So there is nothing to elect and nothing to lose with a
process, and a row survives restarts. See docs/internals/adr/0018-allowances-from-the-row.md.

The time of a row only grows, with the clock of whichever process is ahead. A process adds to the
time that it last saw what has passed on its own clock since: clocks that differ grant nothing.
"""

import asyncio
import logging
from typing import Final

import msgspec

from hashrange.api.admission.followers import follow_capacity, reopened
from hashrange.api.admission.hot_keys import HotKeyWarnings
from hashrange.api.admission.sizes import Sizes, sizes_of
from hashrange.api.admission.stored import MAINTENANCE_MS, StoredCapacity, encode, stored_or_new
from hashrange.capacity.allowances import ALLOWANCE_MS, Allowance, Holder, Return, allot, take_back
from hashrange.capacity.bucket_keys import BucketKey, Units, named_buckets
from hashrange.capacity.reservations import close_reservations
from hashrange.capacity.resources import TableCapacity
from hashrange.capacity.table_limiter import TableLimiter
from hashrange.clock import Clock
from hashrange.limits.tables import CAPACITY_TABLES_MAX, TABLE_CAPACITY_UNITS_MAX
from hashrange.model.table import Table
from hashrange.storage.engine import Changes, Engine, StaleFenceError, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.keys.keyspace import hash16
from hashrange.tables.keys.scaling_keys import capacity_key
from hashrange.tables.opened.open_table import OpenTable

PAUSE_MS: Final = 50
"""After an allowance that lacked units, requests for them are throttled for so long at once."""
_EXCHANGES_MAX: Final = 3
"""Attempts of an exchange while the table changes."""

_log: Final = logging.getLogger(__name__)


class Exchanged(msgspec.Struct, frozen=True):
    """The result of an exchange: the allowance, the time of the row, and the capacity now."""

    allowance: Allowance = msgspec.field(name="loan")
    now_ms: float
    stored: StoredCapacity


class Exchange(msgspec.Struct, frozen=True):
    """An exchange with the row of a table.

    Attributes:
        key: of the row.
        table: the catalog entry, which is a fence of the write.
        given: the allowance that ends, and what is wanted next.
        expected_ms: the time of the row, as far as this process knows.
        sizes: None if they are not known.
        bytes_max: the size at which a partition is split.
        quota: units of an on-demand table.
    """

    key: bytes
    table: Table
    given: Return
    expected_ms: float
    sizes: Sizes | None
    bytes_max: int
    quota: float

    def decide(self, values: list[bytes | None]) -> Changes[Exchanged]:
        """The row after the exchange, and its result. Pure; may run again."""
        stored = stored_or_new(values[0], self.table, self.expected_ms, self.quota)
        stored.now_ms = max(stored.now_ms, self.expected_ms)
        tables = {self.table.name: stored.capacity}
        take_back(tables, stored.allowances, self.given, stored.now_ms)
        if stored.is_maintenance_due(stored.now_ms):
            stored.maintain(self.sizes, self.bytes_max)
        allowance = allot(tables, stored.allowances, self.given.wants, stored.now_ms)
        if not allowance.units:
            del stored.allowances.open[allowance.number]
        row = encode(stored)
        return Changes(answer=Exchanged(allowance, stored.now_ms, stored), puts={self.key: row})


class _Share:
    """A table in one process: its allowance, and the exchange that is under way."""

    def __init__(self, opened: OpenTable, capacity: TableCapacity, now_ms: int) -> None:
        table = opened.table
        self.opened = opened
        self.holder = Holder({table.name: capacity}, now_ms)
        self.limiter = TableLimiter(capacity, hash16)
        self.capacity = capacity
        self.layout = _layout(capacity)
        self.row_ms = 0.0
        self.at_ms = now_ms
        self.sized_ms = 0
        self.is_open = False
        self.needs: Units = {}
        self.wishes: Units = {}
        self.short: set[BucketKey] = set()
        self.exchange: asyncio.Task[None] | None = None

    def ask(self, needs: Units, wishes: Units) -> None:
        """Add the needs of a waiting request to the next exchange."""
        for key, units in needs.items():
            self.needs[key] = max(self.needs.get(key, 0.0), units)
        for key, units in wishes.items():
            self.wishes[key] = self.wishes.get(key, 0.0) + units

    def expected_ms(self, now_ms: int) -> float:
        """The time of the row, as far as this process knows; at first that of its clock."""
        return self.row_ms + max(0, now_ms - self.at_ms) if self.row_ms else float(now_ms)

    def receive(self, done: Exchanged, needs: Units, now_ms: int) -> None:
        """Start to spend an allowance; the partitions are as in the row."""
        table, name = done.stored.capacity, self.opened.table.name
        layout = _layout(table)
        if layout != self.layout:
            # Requests that ended meanwhile were charged to the old buckets.
            charged = {key: each.level for key, each in named_buckets({name: self.capacity})}
            self.capacity, self.layout = table, layout
            self.holder.renew({name: table}, now_ms)
            self.limiter.table = table
            for key, bucket in named_buckets({name: table}):
                bucket.level += charged.get(key, 0.0)
        shift = now_ms - done.now_ms
        starved = {
            each: {index: until + shift for index, until in indexes.items()}
            for each, indexes in done.allowance.starved.items()
        }
        self.holder.receive(msgspec.structs.replace(done.allowance, starved=starved))
        units = done.allowance.units
        self.short = {key for key, need in needs.items() if units.get(key, 0.0) < need}
        self.is_open = bool(units)
        # An exchange takes time: what this process expected has grown meanwhile.
        self.row_ms, self.at_ms = max(done.now_ms, self.expected_ms(now_ms)), now_ms


class SharedTables:
    """The capacity of all tables of an engine that several processes use.

    Args:
        engine: holds the rows.
        catalog: the tables, for splits of shards.
        clock: the time.
        bytes_max: the size at which a partition is split.
        table_units: the quota of an on-demand table.
    """

    is_shared = True
    keep_seconds = 0.05

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
        self._failures = Failures(_log, "allotting the units of tables")
        self._catalog = catalog
        self._clock = clock
        self._bytes_max = bytes_max
        self._quota = float(table_units)
        self._shares: dict[int, _Share] = {}
        self._warnings = HotKeyWarnings()

    def at_hand(self, opened: OpenTable) -> TableLimiter | None:
        """The limiter of a table that was opened now; None if its row must be read first."""
        share = self._shares.get(opened.number)
        if share is None:
            return None
        share.opened = opened
        return share.limiter

    async def limiter(self, opened: OpenTable) -> TableLimiter:
        """The limiter of a table. Raises StorageError."""
        found = self.at_hand(opened)
        if found is not None:
            return found
        capacity = await self.snapshot(opened)
        found = self.at_hand(opened)  # another request may have read it meanwhile
        if found is not None:
            return found
        if len(self._shares) >= CAPACITY_TABLES_MAX:
            del self._shares[next(iter(self._shares))]
        share = _Share(opened, capacity, self._clock.now_ms())
        self._shares[opened.number] = share
        return share.limiter

    async def more(self, opened: OpenTable, needs: Units, wishes: Units | None = None) -> bool:
        """Wait for an allowance; False if the last one has just shown that there are no units."""
        share = self._shares.get(opened.number)
        if share is None:
            return False
        is_new = 0 <= self._clock.now_ms() - share.at_ms < PAUSE_MS
        if is_new and not share.short.isdisjoint(needs):
            return False
        share.ask(needs, wishes or needs)
        if share.exchange is None:
            self._begin(share)
        assert share.exchange is not None, "it was begun"
        # Shielded: a client that goes away must not end the exchange of the others.
        await asyncio.shield(share.exchange)
        return True

    async def snapshot(self, opened: OpenTable) -> TableCapacity:
        """The capacity of a table in its row; units that are allotted count as spent."""
        (row,) = await self._engine.read((capacity_key(opened.number),))
        return stored_or_new(row, opened.table, self._clock.now_ms(), self._quota).capacity

    def forget(self) -> None:
        """Drop all allowances and what is not stored; exchanges end without an effect here."""
        self._shares.clear()

    async def keep(self, *, all_now: bool = False) -> None:
        """Give back the allowances that are over, once in ALLOWANCE_MS; with `all_now` all."""
        for share in list(self._shares.values()):
            held_ms = self._clock.now_ms() - share.at_ms
            is_due = all_now or not 0 <= held_ms < ALLOWANCE_MS - PAUSE_MS
            if share.is_open and is_due and share.exchange is None:
                self._begin(share)
            if share.exchange is not None and all_now:
                await asyncio.shield(share.exchange)

    def _begin(self, share: _Share) -> None:
        share.exchange = asyncio.get_running_loop().create_task(self._exchange(share))
        share.exchange.add_done_callback(self._noted)

    def _noted(self, task: asyncio.Task[None]) -> None:
        """Log a failure, for which perhaps no request waits."""
        error = None if task.cancelled() else task.exception()
        if isinstance(error, StorageError):
            self._failures.failed(error)
        elif error is not None:
            _log.warning("units of a table could not be allotted", exc_info=error)
        else:
            self._failures.done()

    async def _exchange(self, share: _Share) -> None:
        """Return the allowance and take the next. Raises StorageError."""
        sizes = None
        try:
            now_ms = self._clock.now_ms()
            if not 0 <= now_ms - share.sized_ms < MAINTENANCE_MS:
                share.sized_ms = now_ms
                sizes = await sizes_of(self._engine, share.opened)
            needs, wishes = share.needs, share.wishes
            share.needs, share.wishes = {}, {}
            close_reservations(share.capacity, now_ms)
            given = share.holder.give_back(needs, wishes)
            share.is_open = False
            done = await self._written(share, given, sizes)
            if done is None:
                self._shares.pop(share.opened.number, None)
                return
            share.receive(done, needs, self._clock.now_ms())
        finally:
            share.exchange = None
        if sizes is not None:
            self._warnings.look(done.stored.capacity, done.now_ms)
            await follow_capacity(
                self._catalog, share.opened, done.stored.capacity, self._clock.now_ms()
            )

    async def _written(self, share: _Share, given: Return, sizes: Sizes | None) -> Exchanged | None:
        """Write the exchange; None if the table is gone."""
        expected_ms = share.expected_ms(self._clock.now_ms())
        for _ in range(_EXCHANGES_MAX):
            opened = share.opened
            key = capacity_key(opened.number)
            exchange = Exchange(
                key, opened.table, given, expected_ms, sizes, self._bytes_max, self._quota
            )
            try:
                return await self._engine.write((key,), exchange.decide, fences=opened.fences)
            except StaleFenceError:
                found = await reopened(self._catalog, opened)
                if found is None:
                    return None
                share.opened = found
        return None


def _layout(capacity: TableCapacity) -> tuple[object, ...]:
    """The parts that must be equal in the row and in the copy of a holder."""
    return tuple(
        (each.index, each.terms, tuple(part.number for part in each.partitions))
        for each in capacity.resources()
    )
