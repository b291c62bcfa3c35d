"""Operations on roles."""

from functools import partial
from typing import Any

import msgspec

from hashrange.access.identities.entities import ROLE_ID, Role, new_id
from hashrange.access.identities.store import Edit
from hashrange.api.iam import descriptions
from hashrange.api.iam.documents import trusted_ids
from hashrange.api.iam.errors import Code, QueryError
from hashrange.api.iam.lookups import (
    boundary_of,
    listed_resource,
    new_resource,
    page,
    role_of,
    role_resource,
)
from hashrange.api.iam.operation import IdentityContext, Result
from hashrange.api.iam.rows import operation
from hashrange.api.iam.tags import new_tags
from hashrange.limits.access import ROLES_MAX, SESSION_SECONDS
from hashrange.messages import identities as messages
from hashrange.wire.service import by_name


def _create(request: Any, context: IdentityContext) -> Edit[Result]:
    roster, name = context.roster, request.role_name
    trust = request.assume_role_policy_document
    ids = trusted_ids(roster, trust)
    if roster.role(context.account, name) is not None:
        raise QueryError(Code.ENTITY_EXISTS, messages.role_exists(name))
    if sum(1 for _ in roster.roles(context.account)) >= ROLES_MAX:
        text = messages.quota_exceeded("RolesPerAccount", ROLES_MAX)
        raise QueryError(Code.LIMIT_EXCEEDED, text)
    role = Role(
        account=context.account,
        name=name,
        id=new_id(ROLE_ID, context.identities.random_bytes),
        created_ms=context.now_ms,
        trust=trust,
        trusted_ids=ids,
        path=request.path or "/",
        description=request.description,
        session_seconds_max=(request.max_session_duration or SESSION_SECONDS),
        tags=new_tags({}, request),
        boundary=boundary_of(request, context),
    )
    return Edit({"Role": descriptions.new_role(roster, role)}, [role])


def _get(request: Any, context: IdentityContext) -> Edit[Result]:
    return Edit({"Role": descriptions.role(context.roster, role_of(request, context))})


def _list(request: Any, context: IdentityContext) -> Edit[Result]:
    prefix = request.path_prefix or "/"
    found = (
        (each.name.lower(), each)
        for each in context.roster.roles(context.account)
        if each.path.startswith(prefix)
    )
    return Edit(page(request, "Roles", found, partial(descriptions.listed_role, context.roster)))


def _update(request: Any, context: IdentityContext) -> Edit[Result]:
    role = role_of(request, context)
    changed = msgspec.structs.replace(
        role,
        description=role.description if request.description is None else request.description,
        session_seconds_max=(request.max_session_duration or role.session_seconds_max),
    )
    return Edit({}, [changed])


def _update_description(request: Any, context: IdentityContext) -> Edit[Result]:
    role = role_of(request, context)
    changed = msgspec.structs.replace(role, description=request.description)
    return Edit({"Role": descriptions.described_role(context.roster, changed)}, [changed])


def _update_trust(request: Any, context: IdentityContext) -> Edit[Result]:
    role, text = role_of(request, context), request.policy_document
    ids = trusted_ids(context.roster, text)
    return Edit(None, [msgspec.structs.replace(role, trust=text, trusted_ids=ids)])


def _delete(request: Any, context: IdentityContext) -> Edit[Result]:
    role = role_of(request, context)
    if role.attached:
        raise QueryError(Code.DELETE_CONFLICT, messages.has_attached_policies())
    if role.inline:
        raise QueryError(Code.DELETE_CONFLICT, messages.has_inline_policies())
    return Edit(None, deletes=[role])


OPERATIONS = by_name(
    operation("iam:CreateRole", resource=new_resource("role", "role_name"), run=_create),
    operation("iam:GetRole", resource=role_resource, run=_get),
    operation("iam:ListRoles", resource=listed_resource("role"), run=_list),
    operation("iam:UpdateRole", resource=role_resource, run=_update),
    operation("iam:UpdateRoleDescription", resource=role_resource, run=_update_description),
    operation("iam:UpdateAssumeRolePolicy", resource=role_resource, run=_update_trust),
    operation("iam:DeleteRole", resource=role_resource, run=_delete),
)
