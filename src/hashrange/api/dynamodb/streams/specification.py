"""StreamSpecification, streams in descriptions of tables, and constraints of the API of streams."""

from typing import Final, cast

import msgspec

from hashrange.api.admission.entries import initial_partitions
from hashrange.api.steps.operation import RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import STREAM_ARN_CHARS_MAX, STREAMS_MAX
from hashrange.messages.tables import streams as messages
from hashrange.messages.tables.operations import arn_not_found
from hashrange.messages.tables.replicas import stream_needed
from hashrange.model.structures.dynamodb import StreamSpecification
from hashrange.model.table import Table
from hashrange.model.table_features import StreamViewType, label_of
from hashrange.regions.replication.groups import replicas_of
from hashrange.tables.log.shards import with_stream, without_stream
from hashrange.tables.streams.finding import stream_name
from hashrange.wire.arns import stream_arn
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import length, required, rows
from hashrange.wire.rules import Form, Rows


def check_stream_of_new_table(specification: StreamSpecification | None) -> None:
    """Refuse a stream without a view type and a view type without a stream."""
    if specification is None:
        return
    has_view_type = specification.stream_view_type is not None
    if specification.stream_enabled and not has_view_type:
        raise invalid(messages.view_type_of_new_table_missing())
    if has_view_type and not specification.stream_enabled:
        raise invalid(messages.view_type_of_new_table_without_stream())


def check_stream_update(specification: StreamSpecification | None) -> None:
    """The checks of `check_stream_of_new_table`, with the texts of UpdateTable."""
    if specification is None:
        return
    has_view_type = specification.stream_view_type is not None
    if specification.stream_enabled and not has_view_type:
        raise invalid(messages.view_type_missing())
    if has_view_type and not specification.stream_enabled:
        raise invalid(messages.view_type_without_stream())


def with_new_stream(
    table: Table, specification: StreamSpecification | None, context: RequestContext
) -> Table:
    """A new table with the stream of the specification, if it enables one."""
    if specification is None or not specification.stream_enabled:
        return table
    view_type = cast("StreamViewType", specification.stream_view_type)
    shards = context.choices.stream_shards
    if context.choices.throttles:
        shards = max(shards, initial_partitions(table))
    return with_stream(table, view_type, shards, context.now_ms)


def with_stream_update(
    table: Table, specification: StreamSpecification | None, context: RequestContext
) -> Table:
    """The table with its stream enabled or disabled, as the specification says.

    Raises:
        ValidationException: the stream is enabled or disabled already.
        LimitExceededException: the records of too many streams of the table are retained.
    """
    if specification is None:
        return table
    if not specification.stream_enabled and replicas_of(table) and table.strong is None:
        raise invalid(stream_needed())
    if specification.stream_enabled:
        if table.stream is not None:
            raise invalid(messages.already_enabled(table.name))
        if len(table.streams) >= STREAMS_MAX:
            raise DynamoError(Fault.LIMIT_EXCEEDED, messages.too_many(table.name, STREAMS_MAX))
        changed = with_new_stream(table, specification, context)
    else:
        if table.stream is None:
            raise invalid(messages.no_stream_to_disable(table.name))
        changed = without_stream(table, context.now_ms)
    return msgspec.structs.replace(changed, changed_ms=context.now_ms)


def described_stream(table: Table) -> StreamSpecification | None:
    """The specification of an enabled stream; of a disabled stream only label and ARN are shown.

    Source: measured by users, October 2026.
    """
    stream = table.stream
    if stream is None:
        return None
    return StreamSpecification(stream_enabled=True, stream_view_type=stream.view_type)


def latest_stream_label(table: Table) -> str | None:
    """The label of the stream that was enabled last."""
    return None if table.latest_stream_ms is None else label_of(table.latest_stream_ms)


def latest_stream_arn(table: Table) -> str | None:
    """The ARN of the stream that was enabled last."""
    label = latest_stream_label(table)
    return None if label is None else stream_arn(table.arn, label)


_STREAM_ARN: Final = rows(required("stream_arn"), length("stream_arn", None, STREAM_ARN_CHARS_MAX))


def check_stream_request(request: object, stream_arn: str | None, constraints: Rows) -> str:
    """Check a request against the model's constraints; returns its StreamArn.

    Raises ValidationException, with a text of its own for an ARN that is not of a stream.
    """
    check_constraints(request, _STREAM_ARN, Form.MODEL)
    assert stream_arn is not None
    stream_name(stream_arn)
    check_constraints(request, constraints, Form.MODEL)
    return stream_arn


def limit_of(limit: int | None, most: int) -> int:
    """The size of a page. Raises ValidationException beyond `most`, which the model lacks."""
    if limit is None:
        return most
    if limit > most:
        raise invalid(messages.limit_too_high(most))
    return limit


def no_such_stream(arn: str) -> DynamoError:
    """The ResourceNotFoundException of the operations on streams, which names the stream."""
    return DynamoError(Fault.RESOURCE_NOT_FOUND, messages.stream_not_found(arn))


def no_such_arn(arn: str) -> DynamoError:
    """The ResourceNotFoundException that names a resource by its ARN."""
    return DynamoError(Fault.RESOURCE_NOT_FOUND, arn_not_found(arn))
