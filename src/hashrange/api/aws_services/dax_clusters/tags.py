"""TagResource, UntagResource, ListTags: tags of clusters, by name or ARN."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from hashrange.api.aws_services.dax_clusters.context import (
    DaxContext,
    cluster_name,
    existing,
    given,
)
from hashrange.api.aws_services.dax_clusters.service import DaxError, invalid
from hashrange.api.aws_services.dax_clusters.store import StoredCluster
from hashrange.limits.tables import TAG_KEY_CHARS_MAX, TAG_VALUE_CHARS_MAX, TAGS_MAX
from hashrange.messages import dax as messages
from hashrange.model.structures.dax import ListTags, Tag, TagResource, TagsAnswer, UntagResource
from hashrange.wire.service import ServiceOperation, by_name


def merged(own: Mapping[str, str], new: Sequence[Tag]) -> dict[str, str]:
    """Tags with others. Raises DaxError: they are invalid, or too many."""
    tags = dict(own)
    for each in new:
        key, value = each.key, each.value or ""
        if not key or len(key) > TAG_KEY_CHARS_MAX or len(value) > TAG_VALUE_CHARS_MAX:
            raise invalid(messages.tag_invalid(TAG_KEY_CHARS_MAX, TAG_VALUE_CHARS_MAX))
        tags[key] = value
    if len(tags) > TAGS_MAX:
        raise DaxError("TagQuotaPerResourceExceeded", messages.quota("tags", TAGS_MAX))
    return tags


async def tag(request: TagResource, context: DaxContext) -> TagsAnswer:
    """Add tags, or change their values."""
    new = given(request.tags, "Tags")
    return await _changed(request.resource_name, context, lambda tags: merged(tags, new))


async def untag(request: UntagResource, context: DaxContext) -> TagsAnswer:
    """Remove tags."""
    removed = frozenset(given(request.tag_keys, "TagKeys"))

    def change(tags: Mapping[str, str]) -> dict[str, str]:
        for key in removed:
            if key not in tags:
                raise DaxError("TagNotFoundFault", messages.tag_missing(key[:TAG_KEY_CHARS_MAX]))
        return {key: value for key, value in tags.items() if key not in removed}

    return await _changed(request.resource_name, context, change)


async def tags_of(request: ListTags, context: DaxContext) -> TagsAnswer:
    """The tags of a cluster. There is no second page, so no token is one of it."""
    if request.next_token is not None:
        raise invalid(messages.token_invalid())
    name = _name_of(request.resource_name, context)
    return _answer(existing(await context.rows.clusters.get(context.scope, name)))


async def _changed(
    resource: str | None,
    context: DaxContext,
    change: Callable[[Mapping[str, str]], dict[str, str]],
) -> TagsAnswer:
    def changed(before: StoredCluster | None) -> StoredCluster:
        cluster = existing(before)
        return msgspec.structs.replace(cluster, tags=change(cluster.tags))

    name = _name_of(resource, context)
    cluster = await context.rows.clusters.change(context.scope, name, changed)
    return _answer(existing(cluster))


def _name_of(resource: str | None, context: DaxContext) -> str:
    """The name in an ARN of the caller's account, or a name. Raises InvalidARNFault."""
    sent = given(resource, "ResourceName")
    if not sent.startswith("arn:"):
        return cluster_name(sent)
    prefix, _, name = sent.partition(":cache/")
    parts = prefix.split(":")
    if parts[:3] != ["arn", "aws", "dax"] or not name or len(parts) != 5:  # noqa: PLR2004
        raise DaxError("InvalidARNFault", messages.arn_invalid(sent[:200]))
    if context.scope and parts[3:] != [context.region, context.account]:
        raise DaxError("ClusterNotFoundFault", messages.cluster_missing())
    return cluster_name(name)


def _answer(cluster: StoredCluster) -> TagsAnswer:
    return TagsAnswer([Tag(key=key, value=value) for key, value in cluster.tags.items()])


OPERATIONS: Final = by_name(
    ServiceOperation(request=ListTags, run=tags_of),
    ServiceOperation(request=TagResource, run=tag),
    ServiceOperation(request=UntagResource, run=untag),
)
