"""Charges replicated writes to the replica that receives them, as writes of clients are.

Source: Developer Guide, "Global tables: pricing and capacity": each replica consumes the units of
every write, and one that lacks them is throttled and tried again.
"""

from collections.abc import Callable, Sequence
from typing import Final

from hashrange.api.admission.capacities import Capacities
from hashrange.api.admission.consumption import ScaledUnits
from hashrange.capacity.limiter import Limiter
from hashrange.capacity.units import Charge, write_units
from hashrange.tables.keys.scaling_keys import ITEM_POSITION
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import WriteResult

_LEAST: Final = 1.0


class ReplicaCharges:
    """Charges the writes to one replica.

    Args:
        table: the replica.
        limiter: of its capacity; None without limits.
        capacities: of tables; None without limits.
        scaled: counts what auto scaling follows.
        now_ms: the time.
    """

    def __init__(
        self,
        table: OpenTable,
        limiter: Limiter | None,
        capacities: Capacities | None,
        *,
        scaled: ScaledUnits,
        now_ms: Callable[[], int],
    ) -> None:
        self._table = table
        self._limiter = limiter
        self._capacities = capacities
        self._scaled = scaled
        self._now_ms = now_ms
        self._taken: dict[bytes, Charge] = {}

    async def takes(self, key: bytes) -> bool:
        """Take the least units of a write of an item by its key; whether there were as many."""
        if self._limiter is None or key in self._taken:
            return True
        name = self._table.table.name
        charge = Charge(name, write_units=_LEAST, position=key[ITEM_POSITION])
        if self._limiter.admit([charge], self._now_ms(), counts=False) is None:
            self._taken[key] = charge
            return True
        if self._capacities is not None and self._capacities.is_shared:
            # Another process may have left some: asked for now, they are there the next time.
            await self._capacities.more(self._table, self._limiter.needs([charge]))
        self._limiter.admit([charge], self._now_ms())  # counts as throttled
        return False

    def charge(self, keys: Sequence[bytes], results: Sequence[WriteResult[None]]) -> None:
        """Charge what the writes of items cost, and return what was taken for them."""
        name, charges = self._table.table.name, list[Charge]()
        for key, result in zip(keys, results, strict=True):
            units = max(write_units(result.size), _LEAST)
            charges.append(Charge(name, write_units=units, position=key[ITEM_POSITION]))
            for index, place, more, *_ in result.entry_units or ():
                charges.append(Charge(name, index=index, write_units=more, position=place))
            if result.entry_units is None:
                charges += [
                    Charge(name, index=index, write_units=more)
                    for index, more in result.index_units.items()
                    if index not in self._table.vector_names
                ]
        if self._limiter is not None:
            self._limiter.charge(charges, self._now_ms(), [*self._taken.values()])
            self._taken.clear()
        if self._table.catalog_key in self._scaled.tables:
            for charge in charges:
                self._count(charge)

    def _count(self, charge: Charge) -> None:
        index = None if charge.index is None else self._table.table.index(charge.index)
        # A local index consumes the units of its table.
        name = None if index is None or index.is_local else index.name
        self._scaled.count(self._table.catalog_key, name, 0.0, charge.write_units)


class WriteCharges:
    """Charges replicated writes of this server.

    Args:
        capacities: of tables; None without limits.
        scaled: counts what auto scaling follows.
        now_ms: the time.
    """

    def __init__(
        self, capacities: Capacities | None, scaled: ScaledUnits, now_ms: Callable[[], int]
    ) -> None:
        self._capacities = capacities
        self._scaled = scaled
        self._now_ms = now_ms

    async def of(self, table: OpenTable) -> ReplicaCharges | None:
        """The charges of a replica; None if nobody limits or counts them. Raises StorageError."""
        limiter = None
        if self._capacities is not None:
            limiter = table.limiter = await self._capacities.limiter(table)
            table.wants_places = True
        elif table.catalog_key not in self._scaled.tables:
            return None
        return ReplicaCharges(
            table, limiter, self._capacities, scaled=self._scaled, now_ms=self._now_ms
        )
