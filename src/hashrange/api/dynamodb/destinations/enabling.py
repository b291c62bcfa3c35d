"""EnableKinesisStreamingDestination: a Kinesis data stream gets the changes of a table.

The service does not look at the stream before it answers: a stream that cannot be used shows in the
status of the destination. A stream of another server is asked for by the task that delivers to it.
Source: measured by users, October 2026; of the permissions, Developer Guide, "Using IAM policies
for Amazon Kinesis Data Streams and Amazon DynamoDB".
"""

from collections.abc import Iterable
from functools import partial
from typing import Final

from hashrange.api.aws_services.kinesis.requests import resource_in
from hashrange.api.dynamodb.definitions.table_names import no_such_table
from hashrange.api.dynamodb.destinations.requests import CheckedDestination, checked
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
from hashrange.settings.stream_endpoints import endpoint_of
from hashrange.tables.kinesis.destinations import enabled, failed, status_of
from hashrange.tables.kinesis.rows import StreamRows
from hashrange.wire.model_constraints.dynamodb import ENABLE_KINESIS_STREAMING_DESTINATION_ROWS

_ENDED: Final = frozenset({"DISABLED", "ENABLE_FAILED"})


def check(request: StreamingDestination) -> CheckedDestination:
    """Refuse invalid members."""
    return checked(request, ENABLE_KINESIS_STREAMING_DESTINATION_ROWS)


def accesses(destination: CheckedDestination) -> Iterable[Access]:
    """The action on the table, and those that the caller needs on the stream."""
    actions = ("kinesis:PutRecords", "kinesis:DescribeStream")
    return [
        on_table("EnableKinesisStreamingDestination", destination.table.sent),
        Access("kinesis:ListStreams", ANY),
        *on_data_stream(actions, destination.stream_arn),
    ]


def fit(destination: CheckedDestination, table: Table) -> CheckedDestination:
    """Refuse a table that is being deleted."""
    if table.deleted_ms is not None:
        raise invalid(messages.already_enabled())
    return destination


async def run(destination: CheckedDestination, context: RequestContext) -> Outcome:
    """Enable the destination, or note that it cannot be; the answer is the same.

    Raises ValidationException: another destination, or the same, gets changes.
    """
    status = await _stream_status(destination.stream_arn, context)
    change = partial(_changed, destination, status, context)
    table = await context.catalog.change(destination.table.name, change)
    answer = StreamingDestinationAnswer(
        table_name=table.name,
        stream_arn=destination.stream_arn,
        destination_status="ENABLING",
        enable_kinesis_streaming_configuration=EnableKinesisStreamingConfiguration(
            approximate_creation_date_time_precision=destination.precision
        ),
    )
    return Outcome(answer)


def _changed(
    sent: CheckedDestination, stream_status: str | None, context: RequestContext, table: Table
) -> Table:
    now_ms, arn = context.now_ms, sent.stream_arn
    if any(
        status_of(each, now_ms, context.transient_ms) not in _ENDED for each in table.destinations
    ):
        raise invalid(messages.already_enabled())
    choices = context.choices
    is_remote = _is_stream(arn) and endpoint_of(choices.stream_endpoints, arn) is not None
    failure = None if is_remote else _failure(table, arn, stream_status)
    if failure is not None:
        return failed(table, arn, failure, now_ms)
    return enabled(
        table,
        arn,
        sent.precision,
        is_remote=is_remote,
        shards=choices.stream_shards,
        now_ms=now_ms,
    )


def _failure(table: Table, arn: str, stream_status: str | None) -> str | None:
    """Why a stream cannot be the destination of a table; None if it can.

    Args:
        table: the table.
        arn: as it was sent.
        stream_status: of the stream of that name; None if there is none.
    """
    named = resource_in(arn)
    if named is None or not _is_stream(arn):
        return messages.no_permission()
    if named.region != table.region:
        return messages.other_region()
    if named.account != table.account:
        return messages.stream_inactive()
    if stream_status in {None, "CREATING"}:
        return messages.no_permission()
    return None


def _is_stream(arn: str) -> bool:
    named = resource_in(arn)
    return named is not None and named.consumer is None


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
