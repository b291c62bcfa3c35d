"""Operations on users."""

import msgspec

from hashrange.iam import descriptions
from hashrange.iam.errors import Code, QueryError
from hashrange.iam.lookups import (
    boundary_of,
    listed_resource,
    new_resource,
    user_of,
    user_resource,
)
from hashrange.iam.members import Parameters
from hashrange.iam.operation import PAGING, Operation, Result, Situation
from hashrange.iam.pages import page
from hashrange.iam.tags import new_tags
from hashrange.identities.entities import User
from hashrange.identities.names import USER_ID, new_id
from hashrange.identities.store import Edit
from hashrange.limits.identities import USERS_MAX
from hashrange.messages import identities as messages


def _create(parameters: Parameters, situation: Situation) -> Edit[Result]:
    roster, name = situation.roster, parameters["UserName"]
    if roster.user(situation.account, name) is not None:
        raise QueryError(Code.ENTITY_EXISTS, messages.user_exists(name))
    if sum(1 for _ in roster.users(situation.account)) >= USERS_MAX:
        text = messages.quota_exceeded("UsersPerAccount", USERS_MAX)
        raise QueryError(Code.LIMIT_EXCEEDED, text)
    user = User(
        account=situation.account,
        name=name,
        id=new_id(USER_ID, situation.identities.random_bytes),
        created_ms=situation.now_ms,
        path=parameters.get("Path", "/"),
        tags=new_tags({}, parameters),
        boundary=boundary_of(parameters, situation),
    )
    return Edit({"User": descriptions.user(user)}, [user])


def _get(parameters: Parameters, situation: Situation) -> Edit[Result]:
    return Edit({"User": descriptions.user(user_of(parameters, situation))})


def _list(parameters: Parameters, situation: Situation) -> Edit[Result]:
    prefix = parameters.get("PathPrefix", "/")
    found = (
        (each.name.lower(), each)
        for each in situation.roster.users(situation.account)
        if each.path.startswith(prefix)
    )
    return Edit(page(parameters, "Users", found, lambda each: descriptions.user(each, whole=False)))


def _update(parameters: Parameters, situation: Situation) -> Edit[Result]:
    user = user_of(parameters, situation)
    name = parameters.get("NewUserName", user.name)
    other = situation.roster.user(situation.account, name)
    if other is not None and other is not user:
        raise QueryError(Code.ENTITY_EXISTS, messages.user_exists(name))
    changed = msgspec.structs.replace(user, name=name, path=parameters.get("NewPath", user.path))
    return Edit(None, [changed], [user])


def _delete(parameters: Parameters, situation: Situation) -> Edit[Result]:
    user = user_of(parameters, situation)
    for has, text in (
        (user.keys, messages.has_access_keys()),
        (user.attached, messages.has_attached_policies()),
        (user.inline, messages.has_inline_policies()),
    ):
        if has:
            raise QueryError(Code.DELETE_CONFLICT, text)
    return Edit(None, deletes=[user])


OPERATIONS = {
    "CreateUser": Operation(
        resource=new_resource("user", "UserName"),
        run=_create,
        required=["UserName"],
        optional=["Path", "PermissionsBoundary", "Tags"],
    ),
    "GetUser": Operation(resource=user_resource, run=_get, optional=["UserName"]),
    "ListUsers": Operation(
        resource=listed_resource("user"), run=_list, optional=["PathPrefix", *PAGING]
    ),
    "UpdateUser": Operation(
        resource=user_resource,
        run=_update,
        required=["UserName"],
        optional=["NewUserName", "NewPath"],
    ),
    "DeleteUser": Operation(resource=user_resource, run=_delete, required=["UserName"]),
}
