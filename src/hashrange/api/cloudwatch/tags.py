"""TagResource, UntagResource, ListTagsForResource: tags of alarms, by their ARNs."""

from collections.abc import Collection, Mapping
from typing import Final

import msgspec

from hashrange.api.cloudwatch.alarm_checks import check_count, tags_of
from hashrange.api.cloudwatch.requests import CloudWatchContext, alarm_named
from hashrange.api.cloudwatch.service import invalid_value, refusal
from hashrange.errors import ApiError
from hashrange.messages import cloudwatch as messages
from hashrange.model.structures.cloudwatch import (
    ListTagsForResource,
    ListTagsForResourceAnswer,
    Tag,
    TagResource,
    TagResourceAnswer,
    UntagResource,
    UntagResourceAnswer,
)
from hashrange.tables.alarms.rows import Change, StoredAlarm
from hashrange.wire.model_constraints.cloudwatch import (
    LIST_TAGS_FOR_RESOURCE_ROWS,
    TAG_RESOURCE_ROWS,
    UNTAG_RESOURCE_ROWS,
)
from hashrange.wire.service import ServiceOperation, by_name


async def tag(request: TagResource, context: CloudWatchContext) -> TagResourceAnswer:
    """Add tags, or change their values."""
    await _change(str(request.resource_arn), context, tags_of(request.tags), ())
    return TagResourceAnswer()


async def untag(request: UntagResource, context: CloudWatchContext) -> UntagResourceAnswer:
    """Remove tags; keys without a tag are ignored."""
    await _change(str(request.resource_arn), context, {}, request.tag_keys or ())
    return UntagResourceAnswer()


async def listed(
    request: ListTagsForResource, context: CloudWatchContext
) -> ListTagsForResourceAnswer:
    """The tags of an alarm."""
    arn = str(request.resource_arn)
    name = _name(arn, context)
    alarm = (await context.alarms.get(context.scope, [name])).get(name)
    if alarm is None:
        raise _missing(arn)
    return ListTagsForResourceAnswer([Tag(key=k, value=v) for k, v in alarm.tags.items()])


async def _change(
    arn: str, context: CloudWatchContext, added: Mapping[str, str], removed: Collection[str]
) -> None:
    def decide(before: StoredAlarm | None) -> Change:
        if before is None:
            raise _missing(arn)
        kept = {key: value for key, value in before.tags.items() if key not in removed}
        tags = {**kept, **added}
        check_count(tags)
        return Change(alarm=msgspec.structs.replace(before, tags=tags))

    await context.alarms.change(context.scope, _name(arn, context), decide)


def _name(arn: str, context: CloudWatchContext) -> str:
    name = alarm_named(arn, account=context.account, region=context.region)
    if name is None:
        raise invalid_value(messages.no_tags(arn=arn))
    return name


def _missing(arn: str) -> ApiError:
    return refusal("ResourceNotFoundException", messages.no_tagged(arn=arn), status=404)


OPERATIONS: Final = by_name(
    ServiceOperation(
        request=ListTagsForResource, run=listed, constraints=LIST_TAGS_FOR_RESOURCE_ROWS
    ),
    ServiceOperation(request=TagResource, run=tag, constraints=TAG_RESOURCE_ROWS),
    ServiceOperation(request=UntagResource, run=untag, constraints=UNTAG_RESOURCE_ROWS),
)
