"""TagResource, UntagResource, ListTagsForResource: tags of scalable targets, by their ARNs."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from hashrange.api.aws_services.scaling.requests import ScalingContext, target_of
from hashrange.api.aws_services.scaling.service import ScalingError, invalid
from hashrange.limits.tables import (
    TAG_KEY_CHARS_MAX,
    TAG_VALUE_CHARS_MAX,
    TAGS_MAX,
)
from hashrange.messages import scaling as messages
from hashrange.model.structures.scaling import (
    ListTagsForResource,
    ListTagsForResourceAnswer,
    TagResource,
    UntagResource,
)
from hashrange.tables.jobs.scaling_rows import StoredTarget
from hashrange.wire.model_constraints.scaling import (
    LIST_TAGS_FOR_RESOURCE_ROWS,
    TAG_RESOURCE_ROWS,
    UNTAG_RESOURCE_ROWS,
)
from hashrange.wire.service import ServiceOperation, by_name


def check_tags(tags: dict[str, str]) -> None:
    """Refuse keys and values that are too long, and keys of AWS's own."""
    for key, value in tags.items():
        if not 0 < len(key) <= TAG_KEY_CHARS_MAX or len(value) > TAG_VALUE_CHARS_MAX:
            raise invalid(messages.tag_too_long(TAG_KEY_CHARS_MAX, TAG_VALUE_CHARS_MAX))
        if key.lower().startswith("aws:"):
            raise invalid(messages.tag_reserved(key))


async def tag(request: TagResource, context: ScalingContext) -> dict[str, Any]:
    """Add tags, or change their values."""
    added = request.tags or {}
    check_tags(added)
    await _change(request.resource_arn, context, lambda tags: {**tags, **added})
    return {}


async def untag(request: UntagResource, context: ScalingContext) -> dict[str, Any]:
    """Remove tags."""
    removed = frozenset(request.tag_keys or ())
    await _change(
        request.resource_arn,
        context,
        lambda tags: {key: value for key, value in tags.items() if key not in removed},
    )
    return {}


async def tags_of(
    request: ListTagsForResource, context: ScalingContext
) -> ListTagsForResourceAnswer:
    """The tags of a target."""
    return ListTagsForResourceAnswer((await _found(request.resource_arn, context)).tags)


async def _found(arn: str | None, context: ScalingContext) -> StoredTarget:
    assert arn is not None, "required"
    target = await target_of(arn, context)
    if target is None:
        raise _missing(arn)
    return target


def _missing(arn: str) -> ScalingError:
    members = {"ResourceName": arn}
    return ScalingError("ResourceNotFoundException", messages.no_resource(arn), members)


async def _change(
    arn: str | None, context: ScalingContext, change: Callable[[dict[str, str]], dict[str, str]]
) -> None:
    found = await _found(arn, context)

    def changed(before: StoredTarget | None) -> StoredTarget:
        if before is None or before.id != found.id:
            raise _missing(found.arn)
        tags = change(before.tags)
        if len(tags) > TAGS_MAX:
            members = {"ResourceName": found.arn}
            raise ScalingError("TooManyTagsException", messages.too_many_tags(TAGS_MAX), members)
        return msgspec.structs.replace(before, tags=tags)

    await context.rows.change(found.address, changed)


OPERATIONS: Final = by_name(
    ServiceOperation(
        request=ListTagsForResource, run=tags_of, constraints=LIST_TAGS_FOR_RESOURCE_ROWS
    ),
    ServiceOperation(request=TagResource, run=tag, constraints=TAG_RESOURCE_ROWS),
    ServiceOperation(request=UntagResource, run=untag, constraints=UNTAG_RESOURCE_ROWS),
)
