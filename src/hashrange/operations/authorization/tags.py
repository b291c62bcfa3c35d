"""The permissions of operations that set or remove tags. Pure."""

from collections.abc import Iterable, Mapping

from hashrange.operations.authorization.permissions import Asked, Permission
from hashrange.operations.pipeline.accesses import Access, Resource
from hashrange.operations.tables.create_table import CheckedCreateTable, accesses
from hashrange.operations.tables.tags import TagChange
from hashrange.policies.variables import Context


def of_create_table(
    checked: CheckedCreateTable, _plan: object, _asked: Asked
) -> Iterable[Permission]:
    """CreateTable, and TagResource if the table gets tags."""
    context = _tagging(checked.tags)
    return [Permission(access, context) for access in accesses(checked)]


def of_tag_resource(checked: TagChange, _plan: object, _asked: Asked) -> Iterable[Permission]:
    """TagResource."""
    return (_on_arn("TagResource", checked.arn, _tagging(checked.set)),)


def of_untag_resource(checked: TagChange, _plan: object, _asked: Asked) -> Iterable[Permission]:
    """UntagResource."""
    keys = tuple(dict.fromkeys(checked.removed))
    return (_on_arn("UntagResource", checked.arn, {"aws:tagkeys": keys}),)


def _tagging(tags: Mapping[str, str]) -> Context:
    """The keys of a request with tags; without any it has none of them."""
    if not tags:
        return {}
    context = {f"aws:requesttag/{key.lower()}": (value,) for key, value in tags.items()}
    return context | {"aws:tagkeys": tuple(tags)}


def _on_arn(action: str, arn: str, context: Context) -> Permission:
    return Permission(Access(action, Resource("table", arn)), context)
