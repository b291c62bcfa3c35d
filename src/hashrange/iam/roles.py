"""Operations on roles."""

from functools import partial

import msgspec

from hashrange.iam import descriptions
from hashrange.iam.documents import trusted_ids
from hashrange.iam.errors import Code, QueryError
from hashrange.iam.lookups import (
    boundary_of,
    listed_resource,
    new_resource,
    role_of,
    role_resource,
)
from hashrange.iam.members import Parameters
from hashrange.iam.operation import PAGING, Operation, Result, Situation
from hashrange.iam.pages import page
from hashrange.iam.tags import new_tags
from hashrange.identities.entities import Role
from hashrange.identities.names import ROLE_ID, new_id
from hashrange.identities.store import Edit
from hashrange.limits.identities import ROLES_MAX, SESSION_SECONDS
from hashrange.messages import identities as messages


def _create(parameters: Parameters, situation: Situation) -> Edit[Result]:
    roster, name = situation.roster, parameters["RoleName"]
    trust = parameters["AssumeRolePolicyDocument"]
    ids = trusted_ids(roster, trust)
    if roster.role(situation.account, name) is not None:
        raise QueryError(Code.ENTITY_EXISTS, messages.role_exists(name))
    if sum(1 for _ in roster.roles(situation.account)) >= ROLES_MAX:
        text = messages.quota_exceeded("RolesPerAccount", ROLES_MAX)
        raise QueryError(Code.LIMIT_EXCEEDED, text)
    role = Role(
        account=situation.account,
        name=name,
        id=new_id(ROLE_ID, situation.identities.random_bytes),
        created_ms=situation.now_ms,
        trust=trust,
        trusted_ids=ids,
        path=parameters.get("Path", "/"),
        description=parameters.get("Description"),
        session_seconds_max=parameters.get("MaxSessionDuration", SESSION_SECONDS),
        tags=new_tags({}, parameters),
        boundary=boundary_of(parameters, situation),
    )
    return Edit({"Role": descriptions.new_role(roster, role)}, [role])


def _get(parameters: Parameters, situation: Situation) -> Edit[Result]:
    return Edit({"Role": descriptions.role(situation.roster, role_of(parameters, situation))})


def _list(parameters: Parameters, situation: Situation) -> Edit[Result]:
    prefix = parameters.get("PathPrefix", "/")
    found = (
        (each.name.lower(), each)
        for each in situation.roster.roles(situation.account)
        if each.path.startswith(prefix)
    )
    return Edit(
        page(parameters, "Roles", found, partial(descriptions.listed_role, situation.roster))
    )


def _update(parameters: Parameters, situation: Situation) -> Edit[Result]:
    role = role_of(parameters, situation)
    changed = msgspec.structs.replace(
        role,
        description=parameters.get("Description", role.description),
        session_seconds_max=parameters.get("MaxSessionDuration", role.session_seconds_max),
    )
    return Edit({}, [changed])


def _update_description(parameters: Parameters, situation: Situation) -> Edit[Result]:
    role = role_of(parameters, situation)
    changed = msgspec.structs.replace(role, description=parameters["Description"])
    return Edit({"Role": descriptions.described_role(situation.roster, changed)}, [changed])


def _update_trust(parameters: Parameters, situation: Situation) -> Edit[Result]:
    role, text = role_of(parameters, situation), parameters["PolicyDocument"]
    ids = trusted_ids(situation.roster, text)
    return Edit(None, [msgspec.structs.replace(role, trust=text, trusted_ids=ids)])


def _delete(parameters: Parameters, situation: Situation) -> Edit[Result]:
    role = role_of(parameters, situation)
    if role.attached:
        raise QueryError(Code.DELETE_CONFLICT, messages.has_attached_policies())
    if role.inline:
        raise QueryError(Code.DELETE_CONFLICT, messages.has_inline_policies())
    return Edit(None, deletes=[role])


OPERATIONS = {
    "CreateRole": Operation(
        resource=new_resource("role", "RoleName"),
        run=_create,
        required=["RoleName", "AssumeRolePolicyDocument"],
        optional=["Path", "Description", "MaxSessionDuration", "PermissionsBoundary", "Tags"],
    ),
    "GetRole": Operation(resource=role_resource, run=_get, required=["RoleName"]),
    "ListRoles": Operation(
        resource=listed_resource("role"), run=_list, optional=["PathPrefix", *PAGING]
    ),
    "UpdateRole": Operation(
        resource=role_resource,
        run=_update,
        required=["RoleName"],
        optional=["Description", "MaxSessionDuration"],
    ),
    "UpdateRoleDescription": Operation(
        resource=role_resource, run=_update_description, required=["RoleName", "Description"]
    ),
    "UpdateAssumeRolePolicy": Operation(
        resource=role_resource, run=_update_trust, required=["RoleName", "PolicyDocument"]
    ),
    "DeleteRole": Operation(resource=role_resource, run=_delete, required=["RoleName"]),
}
