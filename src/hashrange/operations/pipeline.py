"""Steps 4 to 10 of a request, in DynamoDB's own order of checks.

check (no table yet) → tables → fit (schema) → run → settle. The order is the order of the calls.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from hashrange.capacity.units import write_units
from hashrange.errors import DynamoError, Fault
from hashrange.messages import contention
from hashrange.messages import tables as messages
from hashrange.messages.constraints import enveloped
from hashrange.operations.cancellation import CancelledError
from hashrange.operations.namespaces import refuse_foreign_resources, refuse_foreign_tables
from hashrange.operations.operation import (
    Caller,
    ItemOperation,
    Moment,
    Spent,
    StreamOperation,
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

Meter = Callable[[Spent, str], None]
"""Takes note of what an operation, given by its name, consumed."""


class Pipeline:
    """Carries out decoded requests on one store.

    Args:
        transient_ms: how long transient statuses are shown; 0 for only in the answer that
            begins them.
        separate: each account and region has tables of its own.
        stream_shards: with which a new stream begins.
    """

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        meter: Meter,
        *,
        transient_ms: int = 0,
        separate: bool = False,
        stream_shards: int = 1,
    ) -> None:
        self._store = store
        self._catalog = catalog
        self._clock = store.clock
        self._meter = meter
        self._transient_ms = transient_ms
        self._separate = separate
        self._stream_shards = stream_shards

    def cached(self, name: str, caller: Caller) -> OpenTable | None:
        """A table, by its name or ARN, if it is in memory."""
        catalog = self._catalog
        if self._separate:
            catalog = catalog.within(caller.account, caller.region)
        return catalog.cached(table_name_of(name))

    async def perform(self, name: str, request: object, caller: Caller) -> object:
        """The answer to a request of the operation `name`, to be encoded; None is an empty body.

        Raises DynamoError; StorageError where the engine could not do its part.
        """
        operation = OPERATIONS[name]
        catalog = self._catalog
        if self._separate:
            catalog = catalog.within(caller.account, caller.region)
        if not isinstance(operation, ItemOperation):
            return await self._on_catalog(operation, request, catalog, caller)
        checked = _checked(operation, request)
        names = operation.table_names(checked)
        if self._separate:
            refuse_foreign_tables(names, caller)
        tables = self._cached(catalog, names)
        for _ in range(PLANS_MAX):
            plan = operation.fit(checked, tables or await self._open(catalog, names))
            try:
                outcome = await operation.run(plan, self._store)
            except StaleFenceError:
                tables = None
            except ContendedError as error:
                # Nothing has happened; what SDKs do about a hot key is right: wait and try again.
                raise DynamoError(Fault.THROTTLED, contention.hot_key()) from error
            except DynamoError as error:
                self._note(_spent_on(error, names[0]), name)
                raise
            else:
                for spent in outcome.spent:
                    self._meter(spent, name)
                return outcome.answer
        raise DynamoError(Fault.UNAVAILABLE, messages.table_keeps_changing())

    def _note(self, consumed: Sequence[Spent], name: str) -> None:
        for spent in consumed:
            self._meter(spent, name)

    async def _on_catalog(
        self,
        operation: TableOperation[Any, Any] | StreamOperation[Any, Any],
        request: object,
        catalog: Catalog,
        caller: Caller,
    ) -> object:
        checked = operation.check(request)
        if self._separate:
            refuse_foreign_resources(request, caller)
        moment = Moment(
            caller,
            self._clock.now_ms(),
            self._clock.new_uuid(),
            self._transient_ms,
            self._stream_shards,
        )
        try:
            if isinstance(operation, StreamOperation):
                return (await operation.run(checked, catalog, self._store.engine, moment)).answer
            return (await operation.run(checked, catalog, moment)).answer
        except ContendedError as error:
            raise DynamoError(Fault.THROTTLED, contention.too_many_changes()) from error

    def _cached(self, catalog: Catalog, names: Sequence[str]) -> list[OpenTable] | None:
        """All tables, if none has to be read and none can be in a transient status."""
        if self._transient_ms:
            return None
        tables: list[OpenTable] = []
        for name in names:
            # Most are plain names, which need not be looked at: no table is named like an ARN.
            table = catalog.cached(name) or catalog.cached(table_name_of(name))
            if table is None:
                return None
            tables.append(table)
        return tables

    async def _open(self, catalog: Catalog, names: Sequence[str]) -> list[OpenTable]:
        opened: list[OpenTable] = []
        for name in names:
            table = await catalog.open(table_name_of(name))
            if table is None or self._is_creating(table):
                raise DynamoError(Fault.RESOURCE_NOT_FOUND, messages.resource_not_found())
            opened.append(table)
        return opened

    def _is_creating(self, table: OpenTable) -> bool:
        now_ms = self._clock.now_ms()
        return status_of(table.table, now_ms, self._transient_ms) == "CREATING"


def _spent_on(error: DynamoError, table_name: str) -> Sequence[Spent]:
    """What a refused write cost: it had to look at its item, or its items."""
    if isinstance(error, CancelledError):
        return error.spent
    if error.fault is Fault.CONDITION_FAILED:
        return (Spent(table_name, write_units=write_units(error.charged_bytes)),)
    return ()


def _checked(operation: ItemOperation[Any, Any, Any], request: object) -> Any:
    try:
        return operation.check(request)
    except DynamoError as error:
        if error.fault is not Fault.VALIDATION:
            raise
        check_binaries(request)
        if not operation.enveloped or error.bare:
            raise
        raise DynamoError(Fault.VALIDATION, enveloped(str(error.message))) from error
