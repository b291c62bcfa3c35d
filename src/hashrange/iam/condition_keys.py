"""The condition keys of requests to IAM and STS. Pure."""

from typing import Final

from hashrange.iam.members import Parameters
from hashrange.iam.operation import Situation
from hashrange.identities.entities import Holder
from hashrange.policies.service_keys import request_keys, tag_keys_of
from hashrange.policies.variables import Context

_BOUNDARY: Final = "PermissionsBoundary"
_OF_NEW: Final = frozenset({"iam:CreateRole", "iam:CreateUser"})
"""What they name does not exist yet, or is refused."""


def context_of(action: str, parameters: Parameters, situation: Situation) -> Context:
    """The condition keys of a request, those of its connection too.

    `iam:PermissionsBoundary` is the boundary that a request sets, and else the one that its user or
    role has.

    Args:
        action: with its service, such as `iam:PutUserPolicy`.
        parameters: of the request.
        situation: of the request.
    """
    found = tagging(parameters)
    if "PolicyArn" in parameters:
        found["iam:policyarn"] = (parameters["PolicyArn"],)
    boundary = parameters.get(_BOUNDARY)
    if boundary is None and action not in _OF_NEW:
        boundary = _boundary_of_target(parameters, situation)
    if boundary is not None:
        found["iam:permissionsboundary"] = (boundary,)
    return {**situation.connection, **request_keys(action, found)}


def tagging(parameters: Parameters) -> dict[str, tuple[str, ...]]:
    """The condition keys of the tags in a request."""
    tags = {each["Key"]: each["Value"] for each in parameters.get("Tags", ())}
    return tag_keys_of(tags, tuple(parameters.get("TagKeys", ())))


def _boundary_of_target(parameters: Parameters, situation: Situation) -> str | None:
    """Of the user or role that is named, who need not exist."""
    roster, account = situation.roster, situation.account
    holder: Holder | None = None
    if "RoleName" in parameters:
        holder = roster.role(account, parameters["RoleName"])
    elif "UserName" in parameters:
        holder = roster.user(account, parameters["UserName"])
    return None if holder is None else holder.boundary
