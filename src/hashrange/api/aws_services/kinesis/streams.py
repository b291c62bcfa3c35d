"""Streams are created, deleted, described and listed."""

from typing import Final

import msgspec

from hashrange.api.aws_services.kinesis.descriptions import (
    NO_METRICS,
    UNENCRYPTED,
    described_shards,
)
from hashrange.api.aws_services.kinesis.requests import (
    KinesisContext,
    Nothing,
    attempt,
    operation,
    seconds,
    stream_name,
)
from hashrange.api.aws_services.kinesis.service import (
    in_use,
    invalid_argument,
    limit_exceeded,
    not_found,
)
from hashrange.api.aws_services.kinesis.tags import merged_tags
from hashrange.limits.kinesis import (
    ON_DEMAND_SHARDS,
    ON_DEMAND_STREAMS_MAX,
    RECORD_KIB_MAX,
    SHARDS_MAX,
    STREAMS_PAGE,
)
from hashrange.messages import kinesis as messages
from hashrange.model.structures.kinesis import (
    CreateStream,
    DeleteStream,
    DescribeLimits,
    DescribeLimitsAnswer,
    DescribeStream,
    DescribeStreamAnswer,
    DescribeStreamSummary,
    DescribeStreamSummaryAnswer,
    ListStreams,
    ListStreamsAnswer,
    StreamDescription,
    StreamDescriptionSummary,
    StreamModeDetails,
    StreamSummary,
)
from hashrange.tables.kinesis.rows import OpenStream
from hashrange.tables.kinesis.streams import StoredStream, with_shards
from hashrange.wire.constraints import rows
from hashrange.wire.model_constraints import kinesis as constraints
from hashrange.wire.service import by_name

_MS: Final = 1000
_PROVISIONED: Final = "PROVISIONED"


class Counts(msgspec.Struct, frozen=True):
    """Open shards of provisioned streams, and on-demand streams, of a caller."""

    shards: int
    on_demand: int


async def counts_of(context: KinesisContext) -> Counts:
    """The streams of a caller, counted towards the limits."""
    shards = on_demand = 0
    async for opened in context.rows.all(context.scope):
        if opened.stream.mode == _PROVISIONED:
            shards += len(opened.stream.open_shards)
        else:
            on_demand += 1
    return Counts(shards, on_demand)


async def check_more_shards(context: KinesisContext, more: int) -> None:
    """Raises LimitExceededException: the caller would have too many open shards."""
    count = (await counts_of(context)).shards
    if count + more > SHARDS_MAX:
        text = messages.too_many_shards(
            context.account, context.region, count, most=SHARDS_MAX, more=more
        )
        raise limit_exceeded(text)


def check_created_at(stream: StoredStream, time: float | None, context: KinesisContext) -> None:
    """Raises ResourceNotFoundException: a request means an earlier stream of the name."""
    if time is not None and int(time) != stream.created_ms // _MS:
        raise not_found(messages.no_stream(stream.name, context.account))


async def create(request: CreateStream, context: KinesisContext) -> Nothing:
    """Create a stream, which is active at once unless changes of status are delayed."""
    details, name = request.stream_mode_details, str(request.stream_name)
    count = request.shard_count
    is_on_demand = details is not None and details.stream_mode == "ON_DEMAND"
    if is_on_demand and count is not None:
        raise invalid_argument(messages.shard_count_not_allowed())
    if not is_on_demand and count is None:
        raise invalid_argument(messages.shard_count_missing())
    tags = merged_tags({}, request.tags or {}, name, context)
    if await context.rows.get(context.scope, name) is not None:
        raise in_use(messages.stream_exists(name, context.account))
    if is_on_demand:
        if (await counts_of(context)).on_demand >= ON_DEMAND_STREAMS_MAX:
            text = messages.too_many_on_demand(ON_DEMAND_STREAMS_MAX, context.account)
            raise limit_exceeded(text)
    else:
        await check_more_shards(context, count or 0)

    def make(number: int) -> StoredStream:
        stream = StoredStream(
            number=number,
            name=name,
            account=context.account,
            region=context.region,
            created_ms=context.now_ms,
            mode="ON_DEMAND" if is_on_demand else "PROVISIONED",
            tags=tags,
        )
        return with_shards(stream, count or ON_DEMAND_SHARDS, context.now_ms)

    if await context.rows.create(context.scope, name, make) is None:
        raise in_use(messages.stream_exists(name, context.account))
    return Nothing()


async def delete(request: DeleteStream, context: KinesisContext) -> Nothing:
    """Delete a stream with its records, and with its consumers if that is asked for."""
    name = stream_name(request, context)

    async def act(opened: OpenStream) -> Nothing:
        if opened.stream.consumers and not request.enforce_consumer_deletion:
            raise in_use(messages.has_consumers(name, context.account))
        await context.rows.delete(opened)
        return Nothing()

    return await attempt(context, name, act)


async def describe(request: DescribeStream, context: KinesisContext) -> DescribeStreamAnswer:
    """A stream with a page of its shards; one that is being created has none."""
    stream = (await context.open(stream_name(request, context))).stream
    status = context.status_of(stream)
    shards = () if status == "CREATING" else stream.shards
    start = request.exclusive_start_shard_id
    left = [each for each in shards if start is None or each.id > start]
    page = left[: request.limit or STREAMS_PAGE]
    return DescribeStreamAnswer(
        StreamDescription(
            stream_name=stream.name,
            stream_arn=stream.arn,
            stream_status=status,
            stream_mode_details=StreamModeDetails(stream_mode=stream.mode),
            shards=described_shards(stream, page),
            has_more_shards=len(page) < len(left),
            retention_period_hours=stream.retention_hours,
            stream_creation_timestamp=seconds(stream.created_ms),
            enhanced_monitoring=[*NO_METRICS],
            encryption_type=UNENCRYPTED,
        )
    )


async def summarise(
    request: DescribeStreamSummary, context: KinesisContext
) -> DescribeStreamSummaryAnswer:
    """A stream without its shards."""
    stream = (await context.open(stream_name(request, context))).stream
    status = context.status_of(stream)
    return DescribeStreamSummaryAnswer(
        StreamDescriptionSummary(
            stream_name=stream.name,
            stream_arn=stream.arn,
            stream_status=status,
            stream_mode_details=StreamModeDetails(stream_mode=stream.mode),
            retention_period_hours=stream.retention_hours,
            stream_creation_timestamp=seconds(stream.created_ms),
            enhanced_monitoring=[*NO_METRICS],
            encryption_type=UNENCRYPTED,
            open_shard_count=0 if status == "CREATING" else len(stream.open_shards),
            consumer_count=len(stream.consumers),
            max_record_size_in_ki_b=RECORD_KIB_MAX,
        )
    )


async def list_streams(request: ListStreams, context: KinesisContext) -> ListStreamsAnswer:
    """A page of the streams of the caller, in the order of their names.

    The token of the next page is the name of the last stream.
    """
    after = request.next_token or request.exclusive_start_stream_name or ""
    most = request.limit or STREAMS_PAGE
    found: list[StoredStream] = []
    async for opened in context.rows.all(context.scope, after=after):
        found.append(opened.stream)
        if len(found) > most:
            break
    page, has_more = found[:most], len(found) > most
    return ListStreamsAnswer(
        stream_names=[each.name for each in page],
        has_more_streams=has_more,
        next_token=page[-1].name if has_more else None,
        stream_summaries=[
            StreamSummary(
                stream_name=each.name,
                stream_arn=each.arn,
                stream_status=context.status_of(each),
                stream_mode_details=StreamModeDetails(stream_mode=each.mode),
                stream_creation_timestamp=seconds(each.created_ms),
            )
            for each in page
        ],
    )


async def describe_limits(_: DescribeLimits, context: KinesisContext) -> DescribeLimitsAnswer:
    """The limits of the caller, and what counts towards them."""
    counts = await counts_of(context)
    return DescribeLimitsAnswer(SHARDS_MAX, counts.shards, counts.on_demand, ON_DEMAND_STREAMS_MAX)


OPERATIONS: Final = by_name(
    operation(CreateStream, create, constraints.CREATE_STREAM_ROWS),
    operation(DeleteStream, delete, constraints.DELETE_STREAM_ROWS),
    operation(DescribeLimits, describe_limits, rows()),
    operation(DescribeStream, describe, constraints.DESCRIBE_STREAM_ROWS),
    operation(DescribeStreamSummary, summarise, constraints.DESCRIBE_STREAM_SUMMARY_ROWS),
    operation(ListStreams, list_streams, constraints.LIST_STREAMS_ROWS),
)
