"""Tags of streams and of their consumers."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from hashrange.api.aws_services.kinesis.requests import (
    KinesisContext,
    Nothing,
    attempt,
    named_resource,
    operation,
    stream_name,
)
from hashrange.api.aws_services.kinesis.service import invalid_argument, not_found
from hashrange.limits.kinesis import KINESIS_TAGS_MAX
from hashrange.limits.tables import TAG_KEY_CHARS_MAX, TAG_VALUE_CHARS_MAX
from hashrange.messages import kinesis as messages
from hashrange.model.structures.kinesis import (
    AddTagsToStream,
    ListTagsForResource,
    ListTagsForResourceAnswer,
    ListTagsForStream,
    ListTagsForStreamAnswer,
    RemoveTagsFromStream,
    Tag,
    TagResource,
    UntagResource,
)
from hashrange.tables.kinesis.rows import OpenStream
from hashrange.tables.kinesis.streams import Ends, StoredConsumer, StoredStream, replace
from hashrange.wire.model_constraints import kinesis as constraints
from hashrange.wire.service import by_name

Tags = dict[str, str]


def merged_tags(
    own: Mapping[str, str], new: Mapping[str, str], name: str, context: KinesisContext
) -> Tags:
    """Tags with others. Raises InvalidArgumentException: they are invalid, or too many."""
    for key, value in new.items():
        if (
            not 0 < len(key) <= TAG_KEY_CHARS_MAX
            or len(value) > TAG_VALUE_CHARS_MAX
            or key.lower().startswith("aws:")
        ):
            raise invalid_argument(messages.tag_invalid(TAG_KEY_CHARS_MAX, TAG_VALUE_CHARS_MAX))
    tags = {**own, **new}
    if len(tags) > KINESIS_TAGS_MAX:
        raise invalid_argument(messages.too_many_tags(name, context.account, KINESIS_TAGS_MAX))
    return tags


def consumer_of(stream: StoredStream, arn_end: str, context: KinesisContext) -> StoredConsumer:
    """The consumer of the end of an ARN. Raises ResourceNotFoundException."""
    for each in stream.consumers:
        if arn_end in {each.name, f"{each.name}:{each.created_ms // 1000}"}:
            return each
    consumer = arn_end.rpartition(":")[0] or arn_end
    raise not_found(messages.no_consumer(consumer, stream.name, context.account))


def with_consumer(stream: StoredStream, consumer: StoredConsumer) -> StoredStream:
    """The stream with a consumer in place of the one of its name."""
    consumers = tuple(consumer if each.name == consumer.name else each for each in stream.consumers)
    return replace(stream, consumers=consumers)


async def _change(
    name: str, consumer: str | None, change: Callable[[Tags], Tags], context: KinesisContext
) -> Nothing:
    """Change the tags of a stream, or of one of its consumers."""

    def changed(stream: StoredStream, _: Ends) -> StoredStream:
        if consumer is None:
            return replace(stream, tags=change(stream.tags))
        found = consumer_of(stream, consumer, context)
        return with_consumer(stream, replace(found, tags=change(found.tags)))

    async def act(opened: OpenStream) -> Nothing:
        await context.rows.change(opened, changed)
        return Nothing()

    return await attempt(context, name, act)


def _adding(new: Mapping[str, str], name: str, context: KinesisContext) -> Callable[[Tags], Tags]:
    return lambda tags: merged_tags(tags, new, name, context)


def _removing(keys: list[str] | None) -> Callable[[Tags], Tags]:
    gone = frozenset(keys or ())
    return lambda tags: {key: value for key, value in tags.items() if key not in gone}


async def add(request: AddTagsToStream, context: KinesisContext) -> Nothing:
    """Add tags to a stream, or change their values."""
    name = stream_name(request, context)
    return await _change(name, None, _adding(request.tags or {}, name, context), context)


async def remove(request: RemoveTagsFromStream, context: KinesisContext) -> Nothing:
    """Remove tags of a stream."""
    name = stream_name(request, context)
    return await _change(name, None, _removing(request.tag_keys), context)


async def of_stream(request: ListTagsForStream, context: KinesisContext) -> ListTagsForStreamAnswer:
    """A page of the tags of a stream, in the order of their keys."""
    stream = (await context.open(stream_name(request, context))).stream
    start = request.exclusive_start_tag_key
    left = [each for each in _listed(stream.tags) if start is None or str(each.key) > start]
    page = left[: request.limit or KINESIS_TAGS_MAX]
    return ListTagsForStreamAnswer(page, len(page) < len(left))


async def tag(request: TagResource, context: KinesisContext) -> Nothing:
    """Add tags to a stream or consumer, or change their values."""
    resource = named_resource(str(request.resource_arn), context)
    adding = _adding(request.tags or {}, resource.stream, context)
    return await _change(resource.stream, resource.consumer, adding, context)


async def untag(request: UntagResource, context: KinesisContext) -> Nothing:
    """Remove tags of a stream or consumer."""
    resource = named_resource(str(request.resource_arn), context)
    return await _change(resource.stream, resource.consumer, _removing(request.tag_keys), context)


async def of_resource(
    request: ListTagsForResource, context: KinesisContext
) -> ListTagsForResourceAnswer:
    """The tags of a stream or consumer."""
    resource = named_resource(str(request.resource_arn), context)
    found: Any = (await context.open(resource.stream)).stream
    if resource.consumer is not None:
        found = consumer_of(found, resource.consumer, context)
    return ListTagsForResourceAnswer(_listed(found.tags))


def _listed(tags: Mapping[str, str]) -> list[Tag]:
    return [Tag(key, value) for key, value in sorted(tags.items())]


OPERATIONS: Final = by_name(
    operation(AddTagsToStream, add, constraints.ADD_TAGS_TO_STREAM_ROWS),
    operation(ListTagsForResource, of_resource, constraints.LIST_TAGS_FOR_RESOURCE_ROWS),
    operation(ListTagsForStream, of_stream, constraints.LIST_TAGS_FOR_STREAM_ROWS),
    operation(RemoveTagsFromStream, remove, constraints.REMOVE_TAGS_FROM_STREAM_ROWS),
    operation(TagResource, tag, constraints.TAG_RESOURCE_ROWS),
    operation(UntagResource, untag, constraints.UNTAG_RESOURCE_ROWS),
)
