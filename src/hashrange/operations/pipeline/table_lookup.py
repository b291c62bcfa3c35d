"""The step "tables" of a request: names or ARNs → open tables, or definitions of tables."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from hashrange.model.table import Table
from hashrange.operations.pipeline.accesses import OnTables
from hashrange.operations.pipeline.operation import (
    AnyOperation,
    CallerContext,
    RequestContext,
    TableMode,
)
from hashrange.tables.catalog import Catalog
from hashrange.tables.lifecycle import status_of, still_shown
from hashrange.tables.opened import OpenTable
from hashrange.wire.arns import table_name_of

Tables: TypeAlias = Sequence[OpenTable | Table | None]
"""The tables that are passed to `fit`; None only if the operation may lack tables."""
Found: TypeAlias = tuple[Tables, CallerContext]
"""The tables, and the context that is passed to `run`."""


class TableLookup:
    """Finds the tables of one operation for one caller."""

    __slots__ = ("_context", "_operation")

    def __init__(self, operation: AnyOperation, context: CallerContext) -> None:
        self._operation = operation
        self._context = context

    def at_hand(self) -> Callable[[str], OpenTable | None] | None:
        """A function that returns cached tables by name; None if cached tables may not be used.

        Tables with transient statuses are read for each request.
        """
        if self._operation.tables is not TableMode.OPEN or self._context.transient_ms:
            return None
        return self._context.catalog.cached

    async def found(self, checked: OnTables) -> Found:
        """Read the tables. Raises `Operation.not_found` for a table that does not exist."""
        context, operation = self._context, self._operation
        if operation.tables is TableMode.OPEN:
            return [await self._open(name) for name in checked.table_names], context
        clock = context.store.clock
        timed = RequestContext(
            context.caller,
            context.store,
            context.catalog,
            context.transient_ms,
            context.choices,
            clock.now_ms(),
            clock.new_uuid(),
        )
        if operation.tables is TableMode.NONE:
            return (), timed
        return [await self._definition(name, timed) for name in checked.table_names], timed

    async def _open(self, name: str) -> OpenTable | None:
        table = await self._context.catalog.open(table_name_of(name))
        if table is None or self._is_creating(table.table, self._context.store.clock.now_ms()):
            if self._operation.may_lack_tables:
                return None
            raise self._operation.not_found(name)
        return table

    async def _definition(self, name_or_arn: str, context: RequestContext) -> Table:
        operation, name = self._operation, table_name_of(name_or_arn)
        opened = await context.catalog.open(name)
        table = None
        if opened is not None:
            if operation.while_creating or not self._is_creating(opened.table, context.now_ms):
                table = opened.table
        elif operation.while_deleting:
            table = await deleting_table(context.catalog, name, context)
        if table is None:
            raise operation.not_found(name_or_arn)
        return table

    def _is_creating(self, table: Table, now_ms: int) -> bool:
        return status_of(table, now_ms, self._context.transient_ms) == "CREATING"


async def deleting_table(catalog: Catalog, name: str, context: RequestContext) -> Table | None:
    """The dropped table of that name, if it is still shown as DELETING."""
    if not context.transient_ms:
        return None
    for table in await catalog.dropped():
        if table.name == name and still_shown(table, context.now_ms, context.transient_ms):
            return table
    return None
