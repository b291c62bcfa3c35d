"""DescribeStream: a stream with a page of its shards, or of the children of one shard."""

from collections.abc import Sequence
from typing import Final

import msgspec

from hashrange.api.dynamodb.streams.specification import (
    check_stream_request,
    limit_of,
    no_such_stream,
)
from hashrange.api.steps.accesses import on_arn
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import SHARDS_PAGE_MAX
from hashrange.messages.tables import streams as messages
from hashrange.model.log import Shard
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.streams import (
    DescribeStream,
    DescribeStreamAnswer,
    KeySchemaElement,
    SequenceNumberRange,
    ShardDescription,
    StreamDescription,
)
from hashrange.model.table_features import label_of
from hashrange.storage.engine import Engine
from hashrange.tables.streams.finding import TableStream, find_stream
from hashrange.tables.streams.names import (
    number_of_shard,
    sequence_number,
    shard_id_of,
)
from hashrange.tables.streams.records import next_record
from hashrange.wire.model_constraints.streams import DESCRIBE_STREAM_ROWS


class CheckedDescribeStream(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no stream."""

    stream_arn: str
    limit: int
    start: str | None
    parent: str | None


def check(request: DescribeStream) -> CheckedDescribeStream:
    """Refuse invalid members, and an ARN that is not of a stream."""
    arn = check_stream_request(request, request.stream_arn, DESCRIBE_STREAM_ROWS)
    only, parent = request.shard_filter, None
    if only is not None:
        if only.type is None or only.shard_id is None:
            raise invalid(messages.shard_filter_incomplete())
        parent = only.shard_id
    limit = limit_of(request.limit, SHARDS_PAGE_MAX)
    return CheckedDescribeStream(arn, limit, request.exclusive_start_shard_id, parent)


async def run(checked: CheckedDescribeStream, context: RequestContext) -> Outcome:
    """Describe the stream with a page of its shards. Raises ResourceNotFoundException."""
    catalog, engine = context.catalog, context.store.engine
    found = await find_stream(catalog, checked.stream_arn)
    stream, table = found.stream, found.table
    shards = _after(_listed_shards(found, checked.parent), checked.start)
    page = shards[: checked.limit]
    description = StreamDescription(
        stream_arn=found.arn,
        stream_label=label_of(stream.created_ms),
        stream_status=_status(found, context),
        stream_view_type=stream.view_type,
        creation_request_date_time=stream.created_ms / 1000,
        table_name=table.name,
        key_schema=[
            KeySchemaElement(attribute_name=attribute.name, key_type=key_type)
            for attribute, key_type in zip(table.key_attributes, ("HASH", "RANGE"), strict=False)
        ],
        shards=[await _described(engine, found, shard) for shard in page],
        last_evaluated_shard_id=shard_id_of(page[-1]) if len(page) < len(shards) else None,
    )
    return Outcome(DescribeStreamAnswer(description))


def _listed_shards(found: TableStream, parent: str | None) -> list[Shard]:
    """The shards in the order of their ids; with a filter, the children of its shard."""
    shards = sorted(found.shards, key=shard_id_of)
    if parent is None:
        return shards
    # The parent may have been trimmed before its children.
    children = [shard for shard in shards if found.parent_id_of(shard) == parent]
    if not children and found.shard_of_id(parent) is None:
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, messages.shard_not_found())
    return children


def _after(shards: Sequence[Shard], start: str | None) -> Sequence[Shard]:
    """The shards after a shard, which may have been trimmed; none after an invalid id."""
    if start is None:
        return shards
    if number_of_shard(start) is None:
        return ()
    return [shard for shard in shards if shard_id_of(shard) > start]


async def _described(engine: Engine, found: TableStream, shard: Shard) -> ShardDescription:
    last = None
    if shard.closed_ms is not None:
        following = await next_record(engine, found.table, shard)
        last = sequence_number(shard.number, following - 1)
    range_ = SequenceNumberRange(sequence_number(shard.number, 0), last)
    return ShardDescription(shard_id_of(shard), range_, found.parent_id_of(shard))


def _status(found: TableStream, context: RequestContext) -> str:
    stream = found.stream
    if stream.disabled_ms is not None:
        return (
            "DISABLING"
            if context.now_ms < stream.disabled_ms + context.transient_ms
            else "DISABLED"
        )
    return "ENABLING" if context.now_ms < stream.created_ms + context.transient_ms else "ENABLED"


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["DescribeStream"],
    request=DescribeStream,
    check=check,
    accesses=lambda checked: on_arn("DescribeStream", "stream", checked.stream_arn),
    not_found=no_such_stream,
    run=run,
)
