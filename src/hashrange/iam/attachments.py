"""Managed policies attached to users and roles, and permissions boundaries."""

from typing import Any

import msgspec

from hashrange.iam.errors import Code, QueryError
from hashrange.iam.lookups import (
    boundary_of,
    holder_of,
    kind_of,
    policy_of,
    role_resource,
    user_resource,
)
from hashrange.iam.members import Parameters
from hashrange.iam.operation import (
    PAGING,
    Operation,
    Result,
    Situation,
)
from hashrange.iam.pages import page
from hashrange.identities.entities import ManagedPolicy
from hashrange.identities.store import Edit
from hashrange.limits.identities import ATTACHED_POLICIES_MAX
from hashrange.messages import identities as messages


def _attach(parameters: Parameters, situation: Situation) -> Edit[Result]:
    holder = holder_of(parameters, situation)
    policy = policy_of(parameters, situation, messages.policy_not_attachable)
    if policy.arn in holder.attached:
        return Edit(None)
    if len(holder.attached) >= ATTACHED_POLICIES_MAX:
        quota = "PoliciesPerRole" if "RoleName" in parameters else "PoliciesPerUser"
        text = messages.quota_exceeded(quota, ATTACHED_POLICIES_MAX)
        raise QueryError(Code.LIMIT_EXCEEDED, text)
    attached = (*holder.attached, policy.arn)
    return Edit(None, [msgspec.structs.replace(holder, attached=attached)])


def _detach(parameters: Parameters, situation: Situation) -> Edit[Result]:
    holder, arn = holder_of(parameters, situation), parameters["PolicyArn"]
    if arn not in holder.attached:
        raise QueryError(Code.NO_SUCH_ENTITY, messages.policy_not_found(arn))
    attached = tuple(each for each in holder.attached if each != arn)
    return Edit(None, [msgspec.structs.replace(holder, attached=attached)])


def _list(parameters: Parameters, situation: Situation) -> Edit[Result]:
    holder, prefix = holder_of(parameters, situation), parameters.get("PathPrefix", "/")
    policies = [situation.roster.policy(arn) for arn in holder.attached]
    found = (
        (f"{each.name.lower()} {each.arn}", each)
        for each in policies
        if each is not None and each.path.startswith(prefix)
    )

    def shown(policy: ManagedPolicy) -> Any:
        return {"PolicyName": policy.name, "PolicyArn": policy.arn}

    return Edit(page(parameters, "AttachedPolicies", found, shown))


def _put_boundary(parameters: Parameters, situation: Situation) -> Edit[Result]:
    holder = holder_of(parameters, situation)
    boundary = boundary_of(parameters, situation)
    return Edit(None, [msgspec.structs.replace(holder, boundary=boundary)])


def _delete_boundary(parameters: Parameters, situation: Situation) -> Edit[Result]:
    holder = holder_of(parameters, situation)
    if holder.boundary is None:
        text = messages.boundary_not_found(kind_of(holder), holder.name)
        raise QueryError(Code.NO_SUCH_ENTITY, text)
    return Edit(None, [msgspec.structs.replace(holder, boundary=None)])


def _rows(kind: str, resource: Any) -> dict[str, Operation]:
    member = f"{kind}Name"

    return {
        f"Attach{kind}Policy": Operation(
            resource=resource, run=_attach, required=[member, "PolicyArn"]
        ),
        f"Detach{kind}Policy": Operation(
            resource=resource, run=_detach, required=[member, "PolicyArn"]
        ),
        f"ListAttached{kind}Policies": Operation(
            resource=resource, run=_list, required=[member], optional=["PathPrefix", *PAGING]
        ),
        f"Put{kind}PermissionsBoundary": Operation(
            resource=resource,
            run=_put_boundary,
            required=[member, "PermissionsBoundary"],
        ),
        f"Delete{kind}PermissionsBoundary": Operation(
            resource=resource, run=_delete_boundary, required=[member]
        ),
    }


OPERATIONS = {**_rows("User", user_resource), **_rows("Role", role_resource)}
