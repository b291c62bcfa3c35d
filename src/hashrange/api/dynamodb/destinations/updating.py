"""UpdateKinesisStreamingDestination: the precision of the times in the records of a stream."""

from functools import partial
from typing import Final

import msgspec

from hashrange.api.dynamodb.definitions.table_names import no_such_table
from hashrange.api.dynamodb.destinations.requests import CheckedDestination, checked
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
from hashrange.wire.model_constraints.dynamodb import UPDATE_KINESIS_STREAMING_DESTINATION_ROWS

_DEFAULT: Final[Precision] = "MILLISECOND"


class UpdatePlan(msgspec.Struct, frozen=True):
    """The members of a request, and the definition of a table that is being deleted."""

    sent: CheckedDestination
    deleting: Table | None


def check(request: UpdateKinesisStreamingDestination) -> CheckedDestination:
    """Refuse invalid members, and a request without a precision."""
    destination = checked(request, UPDATE_KINESIS_STREAMING_DESTINATION_ROWS)
    if destination.precision is None:
        raise invalid(messages.nothing_to_update())
    return destination


def fit(destination: CheckedDestination, table: Table) -> UpdatePlan:
    """The plan, with the table if it is being deleted."""
    return UpdatePlan(destination, None if table.deleted_ms is None else table)


async def run(plan: UpdatePlan, context: RequestContext) -> Outcome:
    """Change the precision of records from now on.

    A table that is being deleted keeps its definition, and the answer is the same. Source: measured
    by users, October 2026.

    Raises ValidationException: the destination is not active, or has that precision;
    LimitExceededException: it was changed too often.
    """
    sent, table = plan.sent, plan.deleting
    if table is None:
        change = partial(_changed, sent, context)
        table = await context.catalog.change(sent.table.name, change)
    else:
        _changed(sent, context, table)
    answer = UpdateKinesisStreamingDestinationAnswer(
        table_name=table.name,
        stream_arn=sent.stream_arn,
        destination_status="UPDATING",
        update_kinesis_streaming_configuration=UpdateKinesisStreamingConfiguration(
            approximate_creation_date_time_precision=sent.precision
        ),
    )
    return Outcome(answer)


def _changed(sent: CheckedDestination, context: RequestContext, table: Table) -> Table:
    arn, precision, now_ms = sent.stream_arn, sent.precision, context.now_ms
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
    while_deleting=True,
    not_found=no_such_table,
    fit=fit,
    run=run,
)
