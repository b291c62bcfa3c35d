"""Counts the units of tables and indexes that auto scaling follows, as an `Admission`.

It stands before the admission of the pipeline, and only while there are scalable targets: without
them nothing is counted by index, and requests on other tables cost one look at a set.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from hashrange.api.admission.consumption import ScaledUnits
from hashrange.api.steps.admission import Admission, Admitted
from hashrange.api.steps.operation import AnyOperation, Cost, no_charges
from hashrange.capacity.units import Charge
from hashrange.tables.opened.open_table import OpenTable

ByName: TypeAlias = Mapping[str, OpenTable]
"""Tables by their names as sent."""


class Followed(Admitted, frozen=True, kw_only=True):
    """A plan on tables that auto scaling follows; `inner` is what the other admission made."""

    inner: Admitted
    operation: AnyOperation
    tables: ByName


class UnitCounting:
    """Counts consumed units.

    Args:
        units: the tables that are followed, and what they consumed.
        install: makes the pipeline use an admission.
    """

    def __init__(self, units: ScaledUnits, install: Callable[[Admission | None], None]) -> None:
        self._units = units
        self._install = install
        self._inner: Admission | None = None
        units.changed = self._placed

    def stand_before(self, inner: Admission | None) -> None:
        """Pass requests on to an admission; None if all are admitted."""
        self._inner = inner
        self._placed()

    def _placed(self) -> None:
        self._install(self if self._units.tables else self._inner)

    def admit(self, operation: AnyOperation, plan: Any, tables: Sequence[Any]) -> Admitted | None:
        """As `Admission`; requests on several tables are admitted slowly."""
        if len(tables) != 1:
            return None
        inner: Admitted | None = Admitted(plan)
        if self._inner is not None:
            inner = self._inner.admit(operation, plan, tables)
        if inner is None or operation.charges is no_charges:
            return inner
        table = tables[0]
        if type(table) is not OpenTable or table.catalog_key not in self._units.tables:
            return inner
        charges = inner.charges or operation.charges(inner.plan)
        return _followed(inner, operation, {charge.table: table for charge in charges[:1]})

    async def admit_slowly(
        self, operation: AnyOperation, plan: Any, names: Sequence[str], tables: Sequence[Any]
    ) -> Admitted:
        """As `Admission`."""
        inner = Admitted(plan)
        if self._inner is not None:
            inner = await self._inner.admit_slowly(operation, plan, names, tables)
        if operation.charges is no_charges:
            return inner
        followed = {
            name: table
            for name, table in zip(names, tables, strict=True)
            if isinstance(table, OpenTable) and table.catalog_key in self._units.tables
        }
        return _followed(inner, operation, followed) if followed else inner

    def charge(self, admitted: Admitted, cost: Cost | None) -> None:
        """As `Admission`; then count what was consumed."""
        inner = admitted.inner if isinstance(admitted, Followed) else admitted
        if self._inner is not None:
            self._inner.charge(inner, cost)
        if cost is None or not isinstance(admitted, Followed):
            return
        if cost.charges:
            for charge in cost.charges:
                self._count(admitted, charge, charge.read_units, charge.write_units)
            return
        for charge in admitted.operation.charges(admitted.plan)[:1]:
            self._count(admitted, charge, cost.read_units, cost.write_units)

    def _count(self, admitted: Followed, charge: Charge, read: float, write: float) -> None:
        table = admitted.tables.get(charge.table)
        if table is not None:
            index = None if charge.index is None else table.table.index(charge.index)
            # A local index consumes the units of its table.
            name = None if index is None or index.is_local else index.name
            self._units.count(table.catalog_key, name, read, write)


def _followed(inner: Admitted, operation: AnyOperation, tables: ByName) -> Followed:
    for table in tables.values():
        table.wants_places = True
    return Followed(inner.plan, inner=inner, operation=operation, tables=tables)
