"""The step "tables" of a request: names or ARNs → open tables, or definitions of tables."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from hashrange.api.steps.accesses import OF_OTHER_SERVICES, Resource
from hashrange.api.steps.arns import refuse_foreign
from hashrange.api.steps.operation import (
    AnyOperation,
    CallerContext,
    RequestContext,
    TableMode,
)
from hashrange.model.table import Table
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.lifecycle import is_creating, still_shown
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.streams.finding import stream_of
from hashrange.wire.arns import owner_of, table_name_of

Looked: TypeAlias = OpenTable | Table | None
"""A table as it was looked up; None for one that does not exist."""
Tables: TypeAlias = Sequence[Looked]
"""The tables that are passed to `fit`; None only if the operation may lack tables."""
Found: TypeAlias = tuple[Tables, CallerContext]
"""The tables, and the context that is passed to `run`."""
Governing: TypeAlias = Mapping[str, Looked]
"""Tables by `governing_name`."""

_ARN: Final = "arn:"
_STREAM: Final = "/stream/"
_OF_TABLES: Final = frozenset({"table", "index", "stream"})


def governing_name(resource: Resource) -> str:
    """The name or ARN of the table that has a resource, as sent."""
    return resource.name.partition(_STREAM)[0] if resource.kind == "stream" else resource.name


class TableLookup:
    """Finds the tables of one operation for one caller.

    Args:
        operation: its row.
        context: that of the caller.
        separate: each account and region has a catalog of its own.
    """

    __slots__ = ("_context", "_operation", "_separate")

    def __init__(self, operation: AnyOperation, context: CallerContext, *, separate: bool) -> None:
        self._operation = operation
        self._context = context
        self._separate = separate

    def at_hand(self) -> Callable[[str], OpenTable | None] | None:
        """A function that returns cached tables by name; None if cached tables may not be used.

        Tables with transient statuses are read for each request.
        """
        if self._operation.tables is not TableMode.OPEN or self._context.transient_ms:
            return None
        return self._context.catalog.cached

    async def found(self, checked: Any) -> Found:
        """Read the tables of a request that no policy decides on.

        Raises `Operation.not_found` for a table that does not exist, and for any resource of
        another account or region.
        """
        if self._separate:
            refuse_foreign(self._operation, checked, self._context.caller)
        tables, context = await self.sought(checked)
        self.refuse_missing(checked, tables)
        return tables, context

    async def sought(self, checked: Any) -> Found:
        """Read the tables, also those of other accounts; None for a table that does not exist."""
        context, operation = self._context, self._operation
        if operation.tables is TableMode.OPEN:
            return [await self._open(name) for name in checked.table_names], context
        clock = context.store.clock
        timed = RequestContext(
            context.caller,
            context.store,
            self._catalog_of(checked),
            context.transient_ms,
            context.choices,
            context.units,
            clock.now_ms(),
            clock.new_uuid(),
        )
        if operation.tables is TableMode.NONE:
            return (), timed
        return [await self._definition(name, timed) for name in checked.table_names], timed

    def refuse_missing(self, checked: Any, tables: Tables) -> None:
        """Raise `Operation.not_found`, or `without_table`, for the first table that is missing."""
        operation = self._operation
        if None not in tables or operation.may_lack_tables:
            return
        if operation.without_table is not None:
            raise operation.without_table(checked)
        raise operation.not_found(checked.table_names[tables.index(None)])

    async def governing(self, checked: Any) -> Governing:
        """The tables that a policy decides by, of an operation that looks up no tables."""
        return {
            governing_name(access.resource): await self._governing(access.resource)
            for access in self._operation.accesses(checked)
            if access.resource.kind in _OF_TABLES
        }

    async def _governing(self, resource: Resource) -> Table | None:
        """The table of a resource; of a stream it may have been dropped."""
        name = governing_name(resource)
        catalog, table_name = self._holding(name), table_name_of(name)
        opened = await catalog.open(table_name)
        found = None if opened is None else opened.table
        label = resource.name.partition(_STREAM)[2]
        if resource.kind == "stream" and (found is None or stream_of(found, label) is None):
            dropped = [each for each in await catalog.dropped.tables() if each.name == table_name]
            return next((each for each in dropped if stream_of(each, label) is not None), found)
        return found

    def _catalog_of(self, checked: Any) -> Catalog:
        """The catalog that has the resource of the request, which may be another account's."""
        catalog = self._context.catalog
        if self._separate:
            for access in self._operation.accesses(checked):
                if access.resource.kind not in OF_OTHER_SERVICES:
                    catalog = self._holding(access.resource.name)
        return catalog

    def _holding(self, name_or_arn: str) -> Catalog:
        catalog = self._context.catalog
        if not (self._separate and name_or_arn.startswith(_ARN)):
            return catalog
        owner = owner_of(name_or_arn)
        return catalog if owner is None else catalog.within(*owner)

    async def _open(self, name: str) -> OpenTable | None:
        table = await self._holding(name).open(table_name_of(name))
        if table is None or table.table.is_leaving:
            return None
        if self._is_creating(table.table, self._context.store.clock.now_ms()):
            return None
        return table

    async def _definition(self, name_or_arn: str, context: RequestContext) -> Table | None:
        operation, name = self._operation, table_name_of(name_or_arn)
        opened = await context.catalog.open(name)
        if opened is not None:
            shown = operation.while_creating or not self._is_creating(opened.table, context.now_ms)
            return opened.table if shown else None
        if operation.while_deleting:
            return await deleting_table(context.catalog, name, context)
        return None

    def _is_creating(self, table: Table, now_ms: int) -> bool:
        return is_creating(table, now_ms, self._context.transient_ms)


async def deleting_table(catalog: Catalog, name: str, context: RequestContext) -> Table | None:
    """The dropped table of that name, if it is still shown as DELETING."""
    if not context.transient_ms:
        return None
    for table in await catalog.dropped.tables():
        if table.name == name and still_shown(table, context.now_ms, context.transient_ms):
            return table
    return None
