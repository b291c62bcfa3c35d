"""DescribeKinesisStreamingDestination."""

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
    KinesisDataStreamDestination,
)
from hashrange.model.table import Table
from hashrange.tables.kinesis.destinations import status_of


def check(request: DescribeKinesisStreamingDestination) -> TableReference:
    """Refuse an invalid name."""
    return existing_table(request.table_name)


def fit(_reference: TableReference, table: Table) -> Table:
    """The definition of the table."""
    return table


async def run(table: Table, context: RequestContext) -> Outcome:
    """All destinations, of those that ended as well; the newest comes first.

    A precision that nobody asked for is left out, and a description but of failures, and of changes
    that wait for another server.
    """
    described = []
    for each in table.destinations:
        status = status_of(each, context.now_ms, context.transient_ms)
        described.append(
            KinesisDataStreamDestination(
                stream_arn=each.stream_arn,
                destination_status=status,
                destination_status_description=(
                    None if status == "ENABLING" and not each.is_remote else each.failure
                ),
                approximate_creation_date_time_precision=each.precision,
            )
        )
    return Outcome(DescribeKinesisStreamingDestinationAnswer(table.name, described))


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["DescribeKinesisStreamingDestination"],
    request=DescribeKinesisStreamingDestination,
    check=check,
    accesses=on_tables("DescribeKinesisStreamingDestination"),
    tables=TableMode.DEFINITION,
    while_deleting=True,
    not_found=no_such_table,
    fit=fit,
    run=run,
)
