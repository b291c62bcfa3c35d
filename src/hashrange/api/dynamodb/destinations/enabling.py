"""EnableKinesisStreamingDestination: a Kinesis data stream gets the changes of a table.

The service does not look at the stream before it answers: a stream that cannot be used shows in the
status of the destination. Source: measured by users, October 2026; of the permissions, the
Developer Guide, "Using IAM policies for Amazon Kinesis Data Streams and Amazon DynamoDB".
"""

from collections.abc import Iterable
from functools import partial
from typing import Final

from hashrange.api.dynamodb.definitions.table_names import existing_table, no_such_table
from hashrange.api.dynamodb.destinations.requests import CheckedDestination, precision_in
from hashrange.api.kinesis.requests import resource_in
from hashrange.api.steps.accesses import ANY, Access, on_data_stream, on_table
from hashrange.api.steps.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.errors import invalid
from hashrange.messages.tables import destinations as messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    EnableKinesisStreamingConfiguration,
    StreamingDestination,
    StreamingDestinationAnswer,
)
from hashrange.model.table import Table
from hashrange.tables.kinesis.destinations import enabled, failed, status_of
from hashrange.tables.kinesis.rows import StreamRows
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import ENABLE_KINESIS_STREAMING_DESTINATION_ROWS
from hashrange.wire.rules import Form

_ENDED: Final = frozenset({"DISABLED", "ENABLE_FAILED"})


def check(request: StreamingDestination) -> CheckedDestination:
    """Refuse invalid members."""
    table = existing_table(request.table_name)
    check_constraints(request, ENABLE_KINESIS_STREAMING_DESTINATION_ROWS, Form.MODEL)
    asked = request.enable_kinesis_streaming_configuration
    precision = None if asked is None else asked.approximate_creation_date_time_precision
    assert request.stream_arn is not None, "required"
    return CheckedDestination(table, request.stream_arn, precision_in(precision))


def accesses(checked: CheckedDestination) -> Iterable[Access]:
    """The action on the table, and those that the caller needs on the stream."""
    actions = ("kinesis:PutRecords", "kinesis:DescribeStream")
    return [
        on_table("EnableKinesisStreamingDestination", checked.table.sent),
        Access("kinesis:ListStreams", ANY),
        *on_data_stream(actions, checked.stream_arn),
    ]


def fit(checked: CheckedDestination, table: Table) -> CheckedDestination:
    """Refuse a table that is being deleted."""
    if table.deleted_ms is not None:
        raise invalid(messages.already_enabled())
    return checked


async def run(checked: CheckedDestination, context: RequestContext) -> Outcome:
    """Enable the destination, or note that it cannot be; the answer is the same.

    Raises ValidationException: another destination, or the same, gets changes.
    """
    change = partial(_changed, checked, await _stream_status(checked.stream_arn, context), context)
    table = await context.catalog.change(checked.table.name, change)
    answer = StreamingDestinationAnswer(
        table_name=table.name,
        stream_arn=checked.stream_arn,
        destination_status="ENABLING",
        enable_kinesis_streaming_configuration=EnableKinesisStreamingConfiguration(
            approximate_creation_date_time_precision=checked.precision
        ),
    )
    return Outcome(answer)


def _changed(
    checked: CheckedDestination, stream_status: str | None, context: RequestContext, table: Table
) -> Table:
    now_ms, arn = context.now_ms, checked.stream_arn
    if any(
        status_of(each, now_ms, context.transient_ms) not in _ENDED for each in table.destinations
    ):
        raise invalid(messages.already_enabled())
    failure = _failure(table, arn, stream_status)
    if failure is not None:
        return failed(table, arn, failure, now_ms)
    shards = context.choices.stream_shards
    return enabled(table, arn, checked.precision, shards=shards, now_ms=now_ms)


def _failure(table: Table, arn: str, stream_status: str | None) -> str | None:
    """Why a stream cannot be the destination of a table; None if it can.

    Args:
        table: the table.
        arn: as it was sent.
        stream_status: of the stream of that name; None if there is none.
    """
    named = resource_in(arn)
    if named is None or named.consumer is not None:
        return messages.no_permission()
    if named.region != table.region:
        return messages.other_region()
    if named.account != table.account:
        return messages.stream_inactive()
    if stream_status in {None, "CREATING"}:
        return messages.no_permission()
    return None


async def _stream_status(arn: str, context: RequestContext) -> str | None:
    named = resource_in(arn)
    if named is None:
        return None
    scope = context.catalog.prefix.removesuffix(":")
    opened = await StreamRows(context.store.engine).get(scope, named.stream)
    return None if opened is None else opened.stream.status(context.now_ms, context.transient_ms)


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["EnableKinesisStreamingDestination"],
    request=StreamingDestination,
    check=check,
    accesses=accesses,
    tables=TableMode.DEFINITION,
    while_deleting=True,
    not_found=no_such_table,
    fit=fit,
    run=run,
)
