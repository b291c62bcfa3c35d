"""DisableKinesisStreamingDestination: a stream gets no further changes, but those before."""

from functools import partial
from typing import Final

from hashrange.api.dynamodb.definitions.table_names import no_such_table
from hashrange.api.dynamodb.destinations.requests import CheckedDestination, checked
from hashrange.api.steps.accesses import on_tables
from hashrange.api.steps.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.errors import invalid
from hashrange.messages.tables import destinations as messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import StreamingDestination, StreamingDestinationAnswer
from hashrange.model.table import Table
from hashrange.tables.kinesis.destinations import destination_of, disabled, status_of
from hashrange.wire.model_constraints.dynamodb import DISABLE_KINESIS_STREAMING_DESTINATION_ROWS


def check(request: StreamingDestination) -> CheckedDestination:
    """Refuse invalid members, and a precision."""
    destination = checked(request, DISABLE_KINESIS_STREAMING_DESTINATION_ROWS)
    if destination.precision is not None:
        raise invalid(messages.configuration_of_disabled())
    return destination


def fit(destination: CheckedDestination, table: Table) -> CheckedDestination:
    """Refuse a table that is being deleted."""
    if table.deleted_ms is not None:
        raise invalid(messages.not_active())
    return destination


async def run(destination: CheckedDestination, context: RequestContext) -> Outcome:
    """Disable the destination. Raises ValidationException: it is not active."""
    table = await context.catalog.change(
        destination.table.name, partial(_changed, destination, context)
    )
    return Outcome(StreamingDestinationAnswer(table.name, destination.stream_arn, "DISABLING"))


def _changed(sent: CheckedDestination, context: RequestContext, table: Table) -> Table:
    """The table with the destination disabled; one that is being disabled stays as it is."""
    destination = destination_of(table, sent.stream_arn)
    status = None
    if destination is not None:
        status = status_of(destination, context.now_ms, context.transient_ms)
    if destination is None or status not in {"ACTIVE", "DISABLING"}:
        raise invalid(messages.not_active())
    return table if status == "DISABLING" else disabled(table, destination, context.now_ms)


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["DisableKinesisStreamingDestination"],
    request=StreamingDestination,
    check=check,
    accesses=on_tables("DisableKinesisStreamingDestination"),
    tables=TableMode.DEFINITION,
    while_deleting=True,
    not_found=no_such_table,
    fit=fit,
    run=run,
)
