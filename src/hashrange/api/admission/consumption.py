"""The units that this process has consumed of scaled tables, added to the counters of the engine.

Each process of a server, and each server, adds what it has counted itself, so the evaluation sees
all of it. What is counted between two rounds belongs to the minute of the second one.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias

from hashrange.storage.engine import StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.jobs.scaling_store import ScalingRows
from hashrange.tables.keys.system_keys import catalog_key, name_of_catalog_key

Names: TypeAlias = tuple[str, ...]
"""Table, or table and index."""
Totals: TypeAlias = Mapping[tuple[str, Names], tuple[float, float]]
"""Read and write units since the start, by scope and names."""

MINUTE_MS: Final = 60_000
FLUSH_SECONDS: Final = 5.0
"""Between two rounds, so that a minute is complete soon after its end."""

_log: Final = logging.getLogger(__name__)


class ScaledUnits:
    """The units of tables and indexes with scalable targets that this process has consumed.

    Attributes:
        tables: the keys of the catalog entries of tables that are followed.
        totals: consumed since they are.
        changed: called when there are followed tables for the first time, or none any more.
    """

    def __init__(self) -> None:
        self.tables: frozenset[bytes] = frozenset()
        self.totals: dict[tuple[str, Names], tuple[float, float]] = {}
        self.changed: Callable[[], None] = _ignore

    def follow(self, scaled: AbstractSet[tuple[str, Names]]) -> None:
        """Count these tables and indexes from now on, and no others."""
        before = self.tables
        stored = {f"{scope}:{name}" if scope else name for scope, (name, *_) in scaled}
        self.tables = frozenset(map(catalog_key, stored))
        self.totals = {place: units for place, units in self.totals.items() if place in scaled}
        for place in scaled:
            self.totals.setdefault(place, (0.0, 0.0))
        if bool(before) != bool(self.tables):
            self.changed()

    def count(self, key: bytes, index: str | None, read: float, write: float) -> None:
        """Count units of a table by the key of its catalog entry, or of its index."""
        scope, _, name = name_of_catalog_key(key).rpartition(":")
        place = (scope, (name,) if index is None else (name, index))
        before = self.totals.get(place)
        if before is not None:
            self.totals[place] = (before[0] + read, before[1] + write)


def _ignore(*_arguments: object) -> None:
    pass


class ConsumptionLog:
    """Adds consumed units to the counters.

    Args:
        rows: the rows of the engine.
        totals: returns what this process has counted since its start.
        now_ms: the clock.
        follow: called with the tables and indexes that have targets.
    """

    def __init__(
        self,
        rows: ScalingRows,
        totals: Callable[[], Totals],
        now_ms: Callable[[], int],
        follow: Callable[[AbstractSet[tuple[str, Names]]], None] = _ignore,
    ) -> None:
        self._rows = rows
        self._totals = totals
        self._now_ms = now_ms
        self._follow = follow
        self._written: dict[tuple[str, Names], tuple[float, float]] = {}

    async def run(self) -> None:
        """Add in rounds until it is cancelled."""
        failures = Failures(_log, "counting consumed units")
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            with failures.suppressed(StorageError):
                await self.flush()

    async def flush(self) -> None:
        """Add what was consumed since the last call, for targets only. Raises StorageError."""
        scaled = {(target.scope, target.names) async for target in self._rows.targets(None)}
        totals = self._totals()
        units = []
        for place, (read, write) in totals.items():
            before_read, before_write = self._written.get(place, (0.0, 0.0))
            if place in scaled and (read > before_read or write > before_write):
                units.append((*place, read - before_read, write - before_write))
        await self._rows.consume(self._now_ms() // MINUTE_MS, units)
        self._written = dict(totals)
        self._follow(scaled)
