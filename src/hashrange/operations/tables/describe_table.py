"""DescribeTable."""

from typing import Final

import msgspec

from hashrange.model.table import Table
from hashrange.operations.pipeline.accesses import on_tables
from hashrange.operations.pipeline.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.operations.tables.descriptions import describe, sizes_of
from hashrange.operations.tables.table_names import TableReference, existing_table, no_such_table
from hashrange.operations.tables.table_shapes import TableDescription
from hashrange.tables.lifecycle import status_of


class DescribeTable(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None


class Answer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer."""

    table: TableDescription


def check(request: DescribeTable) -> TableReference:
    """See `Operation.check`."""
    return existing_table(request.table_name)


def fit(_reference: TableReference, table: Table) -> Table:
    """See `Operation.fit`."""
    return table


async def run(table: Table, context: RequestContext) -> Outcome:
    """See `Operation.run`."""
    sizes = await sizes_of(context.catalog, table)
    status = status_of(table, context.now_ms, context.transient_ms)
    description = describe(table, sizes, status, context.now_ms, transient_ms=context.transient_ms)
    return Outcome(Answer(description))


OPERATION: Final = Operation(
    request=DescribeTable,
    check=check,
    accesses=on_tables("DescribeTable"),
    tables=TableMode.DEFINITION,
    while_creating=True,
    while_deleting=True,
    not_found=no_such_table,
    fit=fit,
    run=run,
)
