"""TagResource, UntagResource, ListTagsForResource: tags of alarms and dashboards, by their ARNs."""

from collections.abc import Collection, Mapping
from typing import Final, TypeVar

import msgspec

from hashrange.api.aws_services.cloudwatch.requests import (
    CloudWatchContext,
    alarm_named,
    check_count,
    dashboard_named,
    tags_of,
)
from hashrange.api.aws_services.cloudwatch.service import invalid_value, refusal
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
from hashrange.tables.series.dashboards import Dashboard
from hashrange.wire.model_constraints.cloudwatch import (
    LIST_TAGS_FOR_RESOURCE_ROWS,
    TAG_RESOURCE_ROWS,
    UNTAG_RESOURCE_ROWS,
)
from hashrange.wire.service import ServiceOperation, by_name

T = TypeVar("T", StoredAlarm, Dashboard)


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
    """The tags of an alarm or a dashboard."""
    arn = str(request.resource_arn)
    dashboard = dashboard_named(arn, context.account)
    found: StoredAlarm | Dashboard | None
    if dashboard is None:
        name = _alarm_name(arn, context)
        found = (await context.alarms.get(context.scope, [name])).get(name)
    else:
        found = await context.dashboards.get(context.dashboard_scope, dashboard)
    if found is None:
        raise _missing(arn)
    return ListTagsForResourceAnswer([Tag(key=k, value=v) for k, v in found.tags.items()])


async def _change(
    arn: str, context: CloudWatchContext, added: Mapping[str, str], removed: Collection[str]
) -> None:
    def tagged(before: T | None) -> T:
        if before is None:
            raise _missing(arn)
        kept = {key: value for key, value in before.tags.items() if key not in removed}
        tags = {**kept, **added}
        check_count(tags)
        return msgspec.structs.replace(before, tags=tags)

    dashboard = dashboard_named(arn, context.account)
    if dashboard is None:
        name = _alarm_name(arn, context)
        await context.alarms.change(
            context.scope, name, lambda before: Change(alarm=tagged(before))
        )
    else:
        await context.dashboards.change(context.dashboard_scope, dashboard, tagged)


def _alarm_name(arn: str, context: CloudWatchContext) -> str:
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
