"""TagResource, UntagResource, ListTagsForResource: tags of scalable targets, by their ARNs."""

from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.api.scaling.requests import ScalingContext
from hashrange.api.scaling.service import ScalingError, invalid
from hashrange.limits.tables import (
    SCALING_ARN_CHARS_MAX,
    SCALING_TAG_KEYS_MAX,
    TAG_KEY_CHARS_MAX,
    TAG_VALUE_CHARS_MAX,
    TAGS_MAX,
)
from hashrange.messages import scaling as messages
from hashrange.tables.jobs.scaling_rows import StoredTarget
from hashrange.wire.constraints import length, list_members, matches, required, rows
from hashrange.wire.rules import Row
from hashrange.wire.service import ServiceOperation, by_name

TARGET_ARN: Final = matches(
    "resource_arn",
    r"arn:.+:application-autoscaling:.+:[0-9]+:scalable-target\/[a-zA-Z0-9-]+",
    linear=r"(?>arn:.+?:application-autoscaling:).+:[0-9]+:scalable-target\/[a-zA-Z0-9-]+",
)
_ARN_ROWS: Final[tuple[Row, ...]] = (
    required("resource_arn"),
    length("resource_arn", 1, SCALING_ARN_CHARS_MAX),
    TARGET_ARN,
)


class TagResource(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    resource_arn: str | None = msgspec.field(default=None, name="ResourceARN")
    tags: dict[str, str] | None = None


class UntagResource(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    resource_arn: str | None = msgspec.field(default=None, name="ResourceARN")
    tag_keys: list[str] | None = None


class ListTagsForResource(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    resource_arn: str | None = msgspec.field(default=None, name="ResourceARN")


class Tagged(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer to ListTagsForResource."""

    tags: dict[str, str]


class NothingTagged(msgspec.Struct, frozen=True):
    """An empty answer."""


_TAG_ROWS: Final = rows(*_ARN_ROWS, required("tags"))
_UNTAG_ROWS: Final = rows(
    *_ARN_ROWS,
    required("tag_keys"),
    length("tag_keys", 0, SCALING_TAG_KEYS_MAX),
    list_members("tag_keys", least=1, most=TAG_KEY_CHARS_MAX),
)
_LIST_ROWS: Final = rows(*_ARN_ROWS)


def check_tags(tags: dict[str, str]) -> None:
    """Refuse keys and values that are too long, and keys of AWS's own."""
    for key, value in tags.items():
        if not 0 < len(key) <= TAG_KEY_CHARS_MAX or len(value) > TAG_VALUE_CHARS_MAX:
            raise invalid(messages.tag_too_long(TAG_KEY_CHARS_MAX, TAG_VALUE_CHARS_MAX))
        if key.lower().startswith("aws:"):
            raise invalid(messages.tag_reserved(key))


async def tag(request: TagResource, context: ScalingContext) -> NothingTagged:
    """Add tags, or change their values."""
    added = request.tags or {}
    check_tags(added)
    await _change(request.resource_arn, context, lambda tags: {**tags, **added})
    return NothingTagged()


async def untag(request: UntagResource, context: ScalingContext) -> NothingTagged:
    """Remove tags."""
    removed = frozenset(request.tag_keys or ())
    await _change(
        request.resource_arn,
        context,
        lambda tags: {key: value for key, value in tags.items() if key not in removed},
    )
    return NothingTagged()


async def tags_of(request: ListTagsForResource, context: ScalingContext) -> Tagged:
    """The tags of a target."""
    return Tagged((await _found(request.resource_arn, context)).tags)


async def target_of(arn: str, context: ScalingContext) -> StoredTarget | None:
    """The target of the caller that has an ARN."""
    async for target in context.rows.targets(context.scope):
        if target.arn == arn:
            return target
    return None


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
    ServiceOperation(request=ListTagsForResource, run=tags_of, constraints=_LIST_ROWS),
    ServiceOperation(request=TagResource, run=tag, constraints=_TAG_ROWS),
    ServiceOperation(request=UntagResource, run=untag, constraints=_UNTAG_ROWS),
)
