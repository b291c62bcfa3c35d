"""Steps 4 to 10 of a request, in DynamoDB's own order of checks.

check (no table yet) → tables → fit (schema) → run → settle. The order is the order of the calls.
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, Final, NoReturn, TypeAlias

from hashrange.capacity.units import write_units
from hashrange.errors import DynamoError, Fault
from hashrange.messages import contention
from hashrange.messages import tables as messages
from hashrange.messages.constraints import enveloped
from hashrange.observe.counts import UnitCounts
from hashrange.operations.cancellation import CancelledError
from hashrange.operations.namespaces import refuse_foreign_resources, refuse_foreign_tables
from hashrange.operations.operation import (
    BatchOperation,
    Caller,
    ItemOperation,
    Moment,
    Spent,
    StreamOperation,
    TableChoices,
    TableOperation,
)
from hashrange.operations.registry import OPERATIONS
from hashrange.storage.engine import ContendedError, StaleFenceError
from hashrange.tables.catalog import Catalog
from hashrange.tables.lifecycle import status_of
from hashrange.tables.opened import OpenTable
from hashrange.tables.store import Store
from hashrange.wire.arns import table_name_of
from hashrange.wire.binaries import check_binaries

PLANS_MAX: Final = 10
"""How often a request is planned anew because its table changed meanwhile."""
_PLANS: Final = range(PLANS_MAX)

Meter: TypeAlias = Callable[[str], Mapping[str, UnitCounts]]
"""What an operation, given by its name, has consumed: for any table, counts to be added to."""

Performer: TypeAlias = Callable[[Any], Coroutine[Any, Any, object]]
"""Gives the answer to a decoded request, to be encoded; None is an empty body.

Raises DynamoError; StorageError where the engine could not do its part.
"""


class Pipeline:
    """Carries out decoded requests on one store.

    Args:
        transient_ms: how long transient statuses are shown; 0 for only in the answer that
            begins them.
        separate: each account and region has tables of its own.
        choices: settings that operations on the catalog follow.
    """

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        meter: Meter,
        *,
        transient_ms: int = 0,
        separate: bool = False,
        choices: TableChoices = TableChoices(),  # noqa: B008 - immutable,
    ) -> None:
        self._store = store
        self._catalog = catalog
        self._clock = store.clock
        self._meter = meter
        self._transient_ms = transient_ms
        self._separate = separate
        self._choices = choices
        # Most tables are named by their plain names, which need not be looked at.
        self._at_hand = _nowhere if separate or transient_ms else catalog.cached

    def cached(self, name: str, caller: Caller) -> OpenTable | None:
        """A table, by its name or ARN, if it is in memory."""
        return self._catalog_of(caller).cached(table_name_of(name))

    def performer(self, name: str, caller: Caller) -> Performer:
        """What carries out an operation for a caller; to be asked for once for many requests."""
        operation = OPERATIONS[name]
        if isinstance(operation, ItemOperation):
            return partial(self._on_items, operation, self._meter(name), caller)
        if isinstance(operation, BatchOperation):
            return partial(self._on_batch, operation, self._meter(name), caller)
        return partial(self._on_catalog, operation, caller)

    async def perform(self, name: str, request: object, caller: Caller) -> object:
        """The answer to one request of the operation `name`; see `Performer`."""
        return await self.performer(name, caller)(request)

    async def _on_items(
        self,
        operation: ItemOperation[Any, Any, Any],
        units: Mapping[str, UnitCounts],
        caller: Caller,
        request: object,
    ) -> object:
        try:
            checked = operation.check(request)
        except DynamoError as error:
            _refuse(operation, request, error)
        table_name = checked.table_name
        table = self._at_hand(table_name)
        if table is None and (tables := self._looked_up((table_name,), caller)):
            (table,) = tables
        for _ in _PLANS:
            plan = operation.fit(checked, table or await self._open(table_name, caller))
            try:
                outcome = await operation.run(plan, self._store)
            except StaleFenceError:
                table = None
            except ContendedError as error:
                raise _contended() from error
            except DynamoError as error:
                if error.fault is Fault.CONDITION_FAILED:
                    # It had to look at its item.
                    units[table_name].write_units += write_units(error.charged_bytes)
                raise
            else:
                counts = units[table_name]
                counts.read_units += outcome.read_units
                counts.write_units += outcome.write_units
                return outcome.answer
        raise _keeps_changing()

    async def _on_batch(
        self,
        operation: BatchOperation[Any, Any, Any],
        units: Mapping[str, UnitCounts],
        caller: Caller,
        request: object,
    ) -> object:
        try:
            checked = operation.check(request)
        except DynamoError as error:
            _refuse(operation, request, error)
        names = operation.table_names(checked)
        tables = self._looked_up(names, caller)
        for _ in _PLANS:
            plan = operation.fit(checked, tables or [await self._open(n, caller) for n in names])
            try:
                outcome = await operation.run(plan, self._store)
            except StaleFenceError:
                tables = None
            except ContendedError as error:
                raise _contended() from error
            except CancelledError as error:
                _count(error.spent, units)
                raise
            else:
                _count(outcome.spent, units)
                return outcome.answer
        raise _keeps_changing()

    async def _on_catalog(
        self,
        operation: TableOperation[Any, Any] | StreamOperation[Any, Any],
        caller: Caller,
        request: object,
    ) -> object:
        checked = operation.check(request)
        if self._separate:
            refuse_foreign_resources(request, caller)
        catalog = self._catalog_of(caller)
        moment = Moment(
            caller,
            self._clock.now_ms(),
            self._clock.new_uuid(),
            self._transient_ms,
            self._choices,
        )
        try:
            if isinstance(operation, StreamOperation):
                return (await operation.run(checked, catalog, self._store.engine, moment)).answer
            return (await operation.run(checked, catalog, moment)).answer
        except ContendedError as error:
            raise DynamoError(Fault.THROTTLED, contention.too_many_changes()) from error

    def _catalog_of(self, caller: Caller) -> Catalog:
        catalog = self._catalog
        return catalog.within(caller.account, caller.region) if self._separate else catalog

    def _looked_up(self, names: Sequence[str], caller: Caller) -> list[OpenTable] | None:
        """All tables, if none has to be read and none can be in a transient status.

        Refuses those of others.
        """
        if self._separate:
            refuse_foreign_tables(names, caller)
        if self._transient_ms:
            return None
        catalog = self._catalog_of(caller)
        tables: list[OpenTable] = []
        for name in names:
            # No table is named like an ARN.
            table = catalog.cached(name) or catalog.cached(table_name_of(name))
            if table is None:
                return None
            tables.append(table)
        return tables

    async def _open(self, name: str, caller: Caller) -> OpenTable:
        table = await self._catalog_of(caller).open(table_name_of(name))
        if table is None or self._is_creating(table):
            raise DynamoError(Fault.RESOURCE_NOT_FOUND, messages.resource_not_found())
        return table

    def _is_creating(self, table: OpenTable) -> bool:
        now_ms = self._clock.now_ms()
        return status_of(table.table, now_ms, self._transient_ms) == "CREATING"


def _nowhere(_name: str) -> None:
    return None


def _count(consumed: Sequence[Spent], units: Mapping[str, UnitCounts]) -> None:
    for spent in consumed:
        counts = units[spent.table]
        counts.read_units += spent.read_units
        counts.write_units += spent.write_units


def _refuse(
    operation: ItemOperation[Any, Any, Any] | BatchOperation[Any, Any, Any],
    request: object,
    error: DynamoError,
) -> NoReturn:
    if error.fault is Fault.VALIDATION:
        check_binaries(request)
        if operation.enveloped and not error.bare:
            raise DynamoError(Fault.VALIDATION, enveloped(str(error.message))) from error
    raise error


def _contended() -> DynamoError:
    # Nothing has happened; what SDKs do about a hot key is right: wait and try again.
    return DynamoError(Fault.THROTTLED, contention.hot_key())


def _keeps_changing() -> DynamoError:
    return DynamoError(Fault.UNAVAILABLE, messages.table_keeps_changing())
