"""DescribeTable: the definition, status and size of a table."""

from typing import Final

from hashrange.api.dynamodb.definitions.table_names import (
    TableReference,
    existing_table,
    no_such_table,
)
from hashrange.api.dynamodb.tables.descriptions import describe, sizes_of
from hashrange.api.steps.accesses import on_tables
from hashrange.api.steps.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import DescribeTable, DescribeTableAnswer
from hashrange.model.table import Table
from hashrange.tables.catalog.lifecycle import status_of


def check(request: DescribeTable) -> TableReference:
    """Refuse an invalid name."""
    return existing_table(request.table_name)


def fit(_reference: TableReference, table: Table) -> Table:
    """The definition of the table."""
    return table


async def run(table: Table, context: RequestContext) -> Outcome:
    """Describe the table with its current size."""
    sizes = await sizes_of(context.catalog, table)
    status = status_of(table, context.now_ms, context.transient_ms)
    description = describe(
        table,
        sizes,
        status,
        context.now_ms,
        transient_ms=context.transient_ms,
        master_key_id=context.choices.master_key_id,
    )
    return Outcome(DescribeTableAnswer(description))


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["DescribeTable"],
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
