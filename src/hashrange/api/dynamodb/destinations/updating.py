"""UpdateKinesisStreamingDestination: the precision of the times in the records of a stream."""

from functools import partial
from typing import Final

from hashrange.api.dynamodb.definitions.table_names import existing_table, no_such_table
from hashrange.api.dynamodb.destinations.requests import CheckedDestination, precision_in
from hashrange.api.steps.accesses import on_tables
from hashrange.api.steps.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.kinesis import DESTINATION_UPDATES_A_DAY_MAX
from hashrange.messages.tables import destinations as messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    UpdateKinesisStreamingConfiguration,
    UpdateKinesisStreamingDestination,
    UpdateKinesisStreamingDestinationAnswer,
)
from hashrange.model.table import Table
from hashrange.model.table_features import Precision
from hashrange.tables.kinesis.destinations import (
    destination_of,
    status_of,
    updated,
    updates_of_day,
)
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import UPDATE_KINESIS_STREAMING_DESTINATION_ROWS
from hashrange.wire.rules import Form

_DEFAULT: Final[Precision] = "MILLISECOND"


def check(request: UpdateKinesisStreamingDestination) -> CheckedDestination:
    """Refuse invalid members, and a request without a precision."""
    table = existing_table(request.table_name)
    check_constraints(request, UPDATE_KINESIS_STREAMING_DESTINATION_ROWS, Form.MODEL)
    asked = request.update_kinesis_streaming_configuration
    precision = None if asked is None else asked.approximate_creation_date_time_precision
    if precision is None:
        raise invalid(messages.nothing_to_update())
    assert request.stream_arn is not None, "required"
    return CheckedDestination(table, request.stream_arn, precision_in(precision))


async def run(checked: CheckedDestination, context: RequestContext) -> Outcome:
    """Change the precision of records from now on.

    Raises ValidationException: the destination is not active, or has that precision;
    LimitExceededException: it was changed too often.
    """
    table = await context.catalog.change(checked.table.name, partial(_changed, checked, context))
    answer = UpdateKinesisStreamingDestinationAnswer(
        table_name=table.name,
        stream_arn=checked.stream_arn,
        destination_status="UPDATING",
        update_kinesis_streaming_configuration=UpdateKinesisStreamingConfiguration(
            approximate_creation_date_time_precision=checked.precision
        ),
    )
    return Outcome(answer)


def _changed(checked: CheckedDestination, context: RequestContext, table: Table) -> Table:
    arn, precision, now_ms = checked.stream_arn, checked.precision, context.now_ms
    assert precision is not None, "checked"
    destination = destination_of(table, arn)
    if destination is None:
        raise invalid(messages.no_destination(table=table.name, stream=arn))
    if status_of(destination, now_ms, context.transient_ms) != "ACTIVE":
        raise invalid(messages.not_updatable(table=table.name, stream=arn))
    if precision == (destination.precision or _DEFAULT):
        raise invalid(messages.same_precision(precision, table.id, arn))
    most = DESTINATION_UPDATES_A_DAY_MAX
    if len(updates_of_day(destination, now_ms)) >= most:
        text = messages.too_many_updates(most=most, table=table.name, stream=arn)
        raise DynamoError(Fault.LIMIT_EXCEEDED, text)
    return updated(table, destination, precision, now_ms)


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["UpdateKinesisStreamingDestination"],
    request=UpdateKinesisStreamingDestination,
    check=check,
    accesses=on_tables("UpdateKinesisStreamingDestination"),
    tables=TableMode.DEFINITION,
    not_found=no_such_table,
    run=run,
)
