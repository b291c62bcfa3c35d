"""DisableKinesisStreamingDestination: a stream gets no further changes, but those before."""

from functools import partial
from typing import Final

from hashrange.api.dynamodb.definitions.table_names import existing_table, no_such_table
from hashrange.api.dynamodb.destinations.requests import CheckedDestination
from hashrange.api.steps.accesses import on_tables
from hashrange.api.steps.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.errors import invalid
from hashrange.messages.tables import destinations as messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import StreamingDestination, StreamingDestinationAnswer
from hashrange.model.table import Table
from hashrange.tables.kinesis.destinations import destination_of, disabled, status_of
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import DISABLE_KINESIS_STREAMING_DESTINATION_ROWS
from hashrange.wire.rules import Form


def check(request: StreamingDestination) -> CheckedDestination:
    """Refuse invalid members, and a precision."""
    table = existing_table(request.table_name)
    check_constraints(request, DISABLE_KINESIS_STREAMING_DESTINATION_ROWS, Form.MODEL)
    asked = request.enable_kinesis_streaming_configuration
    if asked is not None and asked.approximate_creation_date_time_precision is not None:
        raise invalid(messages.configuration_of_disabled())
    assert request.stream_arn is not None, "required"
    return CheckedDestination(table, request.stream_arn, None)


def fit(checked: CheckedDestination, table: Table) -> CheckedDestination:
    """Refuse a table that is being deleted."""
    if table.deleted_ms is not None:
        raise invalid(messages.not_active())
    return checked


async def run(checked: CheckedDestination, context: RequestContext) -> Outcome:
    """Disable the destination. Raises ValidationException: it is not active."""
    table = await context.catalog.change(checked.table.name, partial(_changed, checked, context))
    return Outcome(StreamingDestinationAnswer(table.name, checked.stream_arn, "DISABLING"))


def _changed(checked: CheckedDestination, context: RequestContext, table: Table) -> Table:
    """The table with the destination disabled; one that is being disabled stays as it is."""
    destination = destination_of(table, checked.stream_arn)
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
