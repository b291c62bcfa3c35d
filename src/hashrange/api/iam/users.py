"""Operations on users."""

from typing import Any

import msgspec

from hashrange.access.identities.entities import USER_ID, User, new_id
from hashrange.access.identities.store import Edit
from hashrange.api.iam import descriptions
from hashrange.api.iam.errors import Code, QueryError
from hashrange.api.iam.lookups import (
    boundary_of,
    listed_resource,
    new_resource,
    page,
    user_of,
    user_resource,
)
from hashrange.api.iam.operation import IdentityContext, Result
from hashrange.api.iam.rows import operation
from hashrange.api.iam.tags import new_tags
from hashrange.limits.access import USERS_MAX
from hashrange.messages import identities as messages
from hashrange.wire.service import by_name


def _create(request: Any, context: IdentityContext) -> Edit[Result]:
    roster, name = context.roster, request.user_name
    if roster.user(context.account, name) is not None:
        raise QueryError(Code.ENTITY_EXISTS, messages.user_exists(name))
    if sum(1 for _ in roster.users(context.account)) >= USERS_MAX:
        text = messages.quota_exceeded("UsersPerAccount", USERS_MAX)
        raise QueryError(Code.LIMIT_EXCEEDED, text)
    user = User(
        account=context.account,
        name=name,
        id=new_id(USER_ID, context.identities.random_bytes),
        created_ms=context.now_ms,
        path=request.path or "/",
        tags=new_tags({}, request),
        boundary=boundary_of(request, context),
    )
    return Edit({"User": descriptions.user(user)}, [user])


def _get(request: Any, context: IdentityContext) -> Edit[Result]:
    return Edit({"User": descriptions.user(user_of(request, context))})


def _list(request: Any, context: IdentityContext) -> Edit[Result]:
    prefix = request.path_prefix or "/"
    found = (
        (each.name.lower(), each)
        for each in context.roster.users(context.account)
        if each.path.startswith(prefix)
    )
    return Edit(page(request, "Users", found, lambda each: descriptions.user(each, whole=False)))


def _update(request: Any, context: IdentityContext) -> Edit[Result]:
    user = user_of(request, context)
    name = request.new_user_name or user.name
    other = context.roster.user(context.account, name)
    if other is not None and other is not user:
        raise QueryError(Code.ENTITY_EXISTS, messages.user_exists(name))
    changed = msgspec.structs.replace(user, name=name, path=(request.new_path or user.path))
    return Edit(None, [changed], [user])


def _delete(request: Any, context: IdentityContext) -> Edit[Result]:
    user = user_of(request, context)
    for has, text in (
        (user.keys, messages.has_access_keys()),
        (user.attached, messages.has_attached_policies()),
        (user.inline, messages.has_inline_policies()),
    ):
        if has:
            raise QueryError(Code.DELETE_CONFLICT, text)
    return Edit(None, deletes=[user])


OPERATIONS = by_name(
    operation("iam:CreateUser", resource=new_resource("user", "user_name"), run=_create),
    operation("iam:GetUser", resource=user_resource, run=_get),
    operation("iam:ListUsers", resource=listed_resource("user"), run=_list),
    operation("iam:UpdateUser", resource=user_resource, run=_update),
    operation("iam:DeleteUser", resource=user_resource, run=_delete),
)
