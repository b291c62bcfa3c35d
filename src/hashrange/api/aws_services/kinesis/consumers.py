"""Registered consumers of streams. There is no SubscribeToShard that they could call."""

from typing import Final

from hashrange.api.aws_services.kinesis.requests import (
    KinesisContext,
    Nothing,
    attempt,
    named_resource,
    operation,
    position_of_token,
    seconds,
    token_of,
)
from hashrange.api.aws_services.kinesis.service import in_use, invalid_argument, limit_exceeded
from hashrange.api.aws_services.kinesis.streams import check_created_at
from hashrange.api.aws_services.kinesis.tags import consumer_of, merged_tags
from hashrange.limits.kinesis import CONSUMERS_MAX, CONSUMERS_PAGE
from hashrange.messages import kinesis as messages
from hashrange.model.structures.kinesis import (
    Consumer,
    ConsumerDescription,
    DeregisterStreamConsumer,
    DescribeStreamConsumer,
    DescribeStreamConsumerAnswer,
    ListStreamConsumers,
    ListStreamConsumersAnswer,
    RegisterStreamConsumer,
    RegisterStreamConsumerAnswer,
)
from hashrange.tables.kinesis.rows import OpenStream
from hashrange.tables.kinesis.streams import Ends, StoredConsumer, StoredStream, replace
from hashrange.wire.model_constraints import kinesis as constraints
from hashrange.wire.service import by_name

_ACTIVE: Final = "ACTIVE"


async def register(
    request: RegisterStreamConsumer, context: KinesisContext
) -> RegisterStreamConsumerAnswer:
    """Register a consumer, which is active at once."""
    name, consumer_name = (
        named_resource(str(request.stream_arn), context).stream,
        str(request.consumer_name),
    )
    tags = merged_tags({}, request.tags or {}, name, context)
    consumer = StoredConsumer(name=consumer_name, created_ms=context.now_ms, tags=tags)

    def changed(stream: StoredStream, _: Ends) -> StoredStream:
        if any(each.name == consumer_name for each in stream.consumers):
            raise in_use(messages.consumer_exists(consumer_name, name, context.account))
        if len(stream.consumers) >= CONSUMERS_MAX:
            raise limit_exceeded(messages.too_many_consumers(name, context.account, CONSUMERS_MAX))
        return replace(stream, consumers=(*stream.consumers, consumer))

    async def act(opened: OpenStream) -> RegisterStreamConsumerAnswer:
        stream = await context.rows.change(opened, changed)
        return RegisterStreamConsumerAnswer(_listed(stream, consumer))

    return await attempt(context, name, act)


async def deregister(request: DeregisterStreamConsumer, context: KinesisContext) -> Nothing:
    """Remove a consumer."""
    name, consumer = _named(request, context)

    def changed(stream: StoredStream, _: Ends) -> StoredStream:
        gone = consumer_of(stream, consumer, context)
        left = tuple(each for each in stream.consumers if each.name != gone.name)
        return replace(stream, consumers=left)

    async def act(opened: OpenStream) -> Nothing:
        await context.rows.change(opened, changed)
        return Nothing()

    return await attempt(context, name, act)


async def describe(
    request: DescribeStreamConsumer, context: KinesisContext
) -> DescribeStreamConsumerAnswer:
    """A consumer, by its ARN, or by stream and name."""
    name, consumer = _named(request, context)
    stream = (await context.open(name)).stream
    found = consumer_of(stream, consumer, context)
    return DescribeStreamConsumerAnswer(
        ConsumerDescription(
            consumer_name=found.name,
            consumer_arn=stream.consumer_arn(found),
            consumer_status=_ACTIVE,
            consumer_creation_timestamp=seconds(found.created_ms),
            stream_arn=stream.arn,
        )
    )


async def list_consumers(
    request: ListStreamConsumers, context: KinesisContext
) -> ListStreamConsumersAnswer:
    """A page of the consumers of a stream."""
    name, first = named_resource(str(request.stream_arn), context).stream, 0
    stream = (await context.open(name)).stream
    check_created_at(stream, request.stream_creation_timestamp, context)
    subject = str(stream.number)
    if request.next_token is not None:
        sent, first = position_of_token(request.next_token, context)
        if sent != subject:
            raise invalid_argument(messages.token_invalid())
    end = first + (request.max_results or CONSUMERS_PAGE)
    return ListStreamConsumersAnswer(
        [_listed(stream, each) for each in stream.consumers[first:end]],
        token_of(subject, end, context) if end < len(stream.consumers) else None,
    )


def _named(
    request: DeregisterStreamConsumer | DescribeStreamConsumer, context: KinesisContext
) -> tuple[str, str]:
    """The names of stream and consumer. Raises InvalidArgumentException."""
    if request.consumer_arn is not None:
        resource = named_resource(request.consumer_arn, context)
        if resource.consumer is not None:
            return resource.stream, resource.consumer
    elif request.stream_arn is not None and request.consumer_name is not None:
        return named_resource(request.stream_arn, context).stream, request.consumer_name
    raise invalid_argument(messages.consumer_missing())


def _listed(stream: StoredStream, consumer: StoredConsumer) -> Consumer:
    return Consumer(
        consumer_name=consumer.name,
        consumer_arn=stream.consumer_arn(consumer),
        consumer_status=_ACTIVE,
        consumer_creation_timestamp=seconds(consumer.created_ms),
    )


OPERATIONS: Final = by_name(
    operation(DeregisterStreamConsumer, deregister, constraints.DEREGISTER_STREAM_CONSUMER_ROWS),
    operation(DescribeStreamConsumer, describe, constraints.DESCRIBE_STREAM_CONSUMER_ROWS),
    operation(ListStreamConsumers, list_consumers, constraints.LIST_STREAM_CONSUMERS_ROWS),
    operation(RegisterStreamConsumer, register, constraints.REGISTER_STREAM_CONSUMER_ROWS),
)
