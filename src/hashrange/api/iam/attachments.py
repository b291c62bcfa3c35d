"""Managed policies attached to users and roles, and permissions boundaries."""

from typing import Any

import msgspec

from hashrange.access.identities.entities import ManagedPolicy
from hashrange.access.identities.store import Edit
from hashrange.api.iam.errors import Code, QueryError
from hashrange.api.iam.lookups import (
    boundary_of,
    holder_of,
    kind_of,
    page,
    policy_of,
    role_resource,
    user_resource,
)
from hashrange.api.iam.operation import (
    IdentityContext,
    Result,
)
from hashrange.api.iam.rows import operation
from hashrange.limits.access import ATTACHED_POLICIES_MAX
from hashrange.messages import identities as messages
from hashrange.wire.service import AnyServiceOperation, by_name


def _attach(request: Any, context: IdentityContext) -> Edit[Result]:
    holder = holder_of(request, context)
    policy = policy_of(request, context, messages.policy_not_attachable)
    if policy.arn in holder.attached:
        return Edit(None)
    if len(holder.attached) >= ATTACHED_POLICIES_MAX:
        quota = "PoliciesPerRole" if kind_of(holder) == "role" else "PoliciesPerUser"
        text = messages.quota_exceeded(quota, ATTACHED_POLICIES_MAX)
        raise QueryError(Code.LIMIT_EXCEEDED, text)
    attached = (*holder.attached, policy.arn)
    return Edit(None, [msgspec.structs.replace(holder, attached=attached)])


def _detach(request: Any, context: IdentityContext) -> Edit[Result]:
    holder, arn = holder_of(request, context), request.policy_arn
    if arn not in holder.attached:
        raise QueryError(Code.NO_SUCH_ENTITY, messages.policy_not_found(arn))
    attached = tuple(each for each in holder.attached if each != arn)
    return Edit(None, [msgspec.structs.replace(holder, attached=attached)])


def _list(request: Any, context: IdentityContext) -> Edit[Result]:
    holder, prefix = holder_of(request, context), (request.path_prefix or "/")
    policies = [context.roster.policy(arn) for arn in holder.attached]
    found = (
        (f"{each.name.lower()} {each.arn}", each)
        for each in policies
        if each is not None and each.path.startswith(prefix)
    )

    def shown(policy: ManagedPolicy) -> Any:
        return {"PolicyName": policy.name, "PolicyArn": policy.arn}

    return Edit(page(request, "AttachedPolicies", found, shown))


def _put_boundary(request: Any, context: IdentityContext) -> Edit[Result]:
    holder = holder_of(request, context)
    boundary = boundary_of(request, context)
    return Edit(None, [msgspec.structs.replace(holder, boundary=boundary)])


def _delete_boundary(request: Any, context: IdentityContext) -> Edit[Result]:
    holder = holder_of(request, context)
    if holder.boundary is None:
        text = messages.boundary_not_found(kind_of(holder), holder.name)
        raise QueryError(Code.NO_SUCH_ENTITY, text)
    return Edit(None, [msgspec.structs.replace(holder, boundary=None)])


def _rows(kind: str, resource: Any) -> dict[str, AnyServiceOperation]:
    return by_name(
        operation(f"iam:Attach{kind}Policy", resource=resource, run=_attach),
        operation(f"iam:Detach{kind}Policy", resource=resource, run=_detach),
        operation(f"iam:ListAttached{kind}Policies", resource=resource, run=_list),
        operation(f"iam:Put{kind}PermissionsBoundary", resource=resource, run=_put_boundary),
        operation(f"iam:Delete{kind}PermissionsBoundary", resource=resource, run=_delete_boundary),
    )


OPERATIONS = {**_rows("User", user_resource), **_rows("Role", role_resource)}
