"""The condition keys of requests to IAM and STS. Pure."""

from typing import Any, Final

from hashrange.access.identities.entities import Holder
from hashrange.access.policies.service_keys import tag_keys_of
from hashrange.access.policies.variables import Context
from hashrange.api.iam.operation import IdentityContext

_OF_NEW: Final = frozenset({"iam:CreateRole", "iam:CreateUser"})
"""Actions whose resource does not exist yet, or is refused."""


def keys_of(action: str, request: Any, context: IdentityContext) -> Context:
    """The condition keys of a request.

    `iam:PermissionsBoundary` is the boundary that a request sets, and else the one that its user or
    role has.

    Args:
        action: with its service, such as `iam:PutUserPolicy`.
        request: of the operation.
        context: of the request.
    """
    found = tagging(request)
    arn = getattr(request, "policy_arn", None)
    if arn is not None:
        found["iam:policyarn"] = (arn,)
    boundary = getattr(request, "permissions_boundary", None)
    if boundary is None and action not in _OF_NEW:
        boundary = _boundary_of_target(request, context)
    if boundary is not None:
        found["iam:permissionsboundary"] = (boundary,)
    return found


def tagging(request: Any) -> dict[str, tuple[str, ...]]:
    """The condition keys of the tags in a request."""
    tags = {each.key: each.value for each in getattr(request, "tags", None) or ()}
    return tag_keys_of(tags, tuple(getattr(request, "tag_keys", None) or ()))


def _boundary_of_target(request: Any, context: IdentityContext) -> str | None:
    """Of the user or role that is named, who need not exist."""
    roster, account = context.roster, context.account
    role, user = getattr(request, "role_name", None), getattr(request, "user_name", None)
    holder: Holder | None = None
    if role is not None:
        holder = roster.role(account, role)
    elif user is not None:
        holder = roster.user(account, user)
    return None if holder is None else holder.boundary
