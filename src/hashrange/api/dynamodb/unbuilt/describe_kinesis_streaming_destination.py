"""DescribeKinesisStreamingDestination: such destinations are not built, so no table has one."""

from typing import Final

from hashrange.api.dynamodb.definitions.table_names import (
    TableReference,
    existing_table,
    no_such_table,
)
from hashrange.api.steps.accesses import on_tables
from hashrange.api.steps.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    DescribeKinesisStreamingDestination,
    DescribeKinesisStreamingDestinationAnswer,
)


def check(request: DescribeKinesisStreamingDestination) -> TableReference:
    """Refuse an invalid name."""
    return existing_table(request.table_name)


async def run(table: TableReference, _context: RequestContext) -> Outcome:
    """The table without destinations."""
    return Outcome(DescribeKinesisStreamingDestinationAnswer(table.name, ()))


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["DescribeKinesisStreamingDestination"],
    request=DescribeKinesisStreamingDestination,
    check=check,
    accesses=on_tables("DescribeKinesisStreamingDestination"),
    tables=TableMode.DEFINITION,
    while_deleting=True,
    not_found=no_such_table,
    run=run,
)
