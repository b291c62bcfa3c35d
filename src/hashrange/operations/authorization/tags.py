"""The permissions of operations that set or remove tags. Pure."""

from collections.abc import Iterable

from hashrange.operations.authorization.permissions import Asked, Permission
from hashrange.operations.pipeline.accesses import Access, Resource
from hashrange.operations.tables.create_table import CheckedCreateTable, accesses
from hashrange.operations.tables.tags import TagChange
from hashrange.policies.service_keys import tag_keys_of
from hashrange.policies.variables import Context


def of_create_table(
    checked: CheckedCreateTable, _plan: object, _asked: Asked
) -> Iterable[Permission]:
    """CreateTable, and TagResource if the table gets tags."""
    context = tag_keys_of(checked.tags)
    return [Permission(access, context) for access in accesses(checked)]


def of_tag_resource(checked: TagChange, _plan: object, _asked: Asked) -> Iterable[Permission]:
    """TagResource."""
    return (_on_arn("TagResource", checked.arn, tag_keys_of(checked.set)),)


def of_untag_resource(checked: TagChange, _plan: object, _asked: Asked) -> Iterable[Permission]:
    """UntagResource."""
    return (_on_arn("UntagResource", checked.arn, tag_keys_of({}, tuple(checked.removed))),)


def _on_arn(action: str, arn: str, context: Context) -> Permission:
    return Permission(Access(action, Resource("table", arn)), context)
