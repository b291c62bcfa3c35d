"""Operations on managed policies and their versions."""

from itertools import chain
from typing import Any

import msgspec

from hashrange.iam import descriptions
from hashrange.iam.answers import date, encoded_policy
from hashrange.iam.documents import managed
from hashrange.iam.errors import Code, QueryError
from hashrange.iam.lookups import new_resource, own_policy_of, policy_of, policy_resource
from hashrange.iam.members import Parameters
from hashrange.iam.operation import (
    PAGING,
    Operation,
    Result,
    Situation,
    anything,
)
from hashrange.iam.pages import page
from hashrange.iam.tags import new_policy_tags
from hashrange.identities.entities import AWS, Holder, ManagedPolicy, PolicyVersion, Role
from hashrange.identities.names import POLICY_ID, new_id
from hashrange.identities.roster import Roster
from hashrange.identities.store import Edit
from hashrange.limits.identities import MANAGED_POLICIES_MAX, POLICY_VERSIONS_MAX
from hashrange.messages import identities as messages


def _create(parameters: Parameters, situation: Situation) -> Edit[Result]:
    roster, name = situation.roster, parameters["PolicyName"]
    text = managed(parameters["PolicyDocument"])
    if roster.named_policy(situation.account, name) is not None:
        raise QueryError(Code.ENTITY_EXISTS, messages.policy_exists(name))
    if sum(1 for _ in roster.policies(situation.account)) >= MANAGED_POLICIES_MAX:
        quota = messages.quota_exceeded("PoliciesPerAccount", MANAGED_POLICIES_MAX)
        raise QueryError(Code.LIMIT_EXCEEDED, quota)
    policy = ManagedPolicy(
        account=situation.account,
        name=name,
        id=new_id(POLICY_ID, situation.identities.random_bytes),
        created_ms=situation.now_ms,
        updated_ms=situation.now_ms,
        versions=(PolicyVersion("v1", text, situation.now_ms),),
        path=parameters.get("Path", "/"),
        description=parameters.get("Description"),
        tags=new_policy_tags({}, parameters),
    )
    return Edit({"Policy": descriptions.new_policy(roster, policy)}, [policy])


def _get(parameters: Parameters, situation: Situation) -> Edit[Result]:
    policy = policy_of(parameters, situation)
    return Edit({"Policy": descriptions.policy(situation.roster, policy)})


def _list(parameters: Parameters, situation: Situation) -> Edit[Result]:
    roster, scope = situation.roster, parameters.get("Scope", "All")
    accounts = {"All": [AWS, situation.account], "AWS": [AWS], "Local": [situation.account]}
    used = _used(roster, parameters.get("PolicyUsageFilter"))
    found = (
        (f"{each.name.lower()} {each.arn}", each)
        for each in chain.from_iterable(map(roster.policies, accounts[scope]))
        if each.path.startswith(parameters.get("PathPrefix", "/"))
        and (each.arn in used or not parameters.get("OnlyAttached"))
    )

    def shown(policy: ManagedPolicy) -> Any:
        return descriptions.listed_policy(roster, policy)

    return Edit(page(parameters, "Policies", found, shown))


def _used(roster: Roster, usage: str | None) -> set[str | None]:
    """ARNs of the policies that entities have, to a filter by their use."""
    used: set[str | None] = set()
    for each in roster.holders():
        if usage != "PermissionsBoundary":
            used.update(each.attached)
        if usage != "PermissionsPolicy":
            used.add(each.boundary)
    return used


def _delete(parameters: Parameters, situation: Situation) -> Edit[Result]:
    policy = own_policy_of(parameters, situation)
    if any(policy.arn in (*each.attached, each.boundary) for each in situation.roster.holders()):
        raise QueryError(Code.DELETE_CONFLICT, messages.policy_is_attached())
    if len(policy.versions) > 1:
        raise QueryError(Code.DELETE_CONFLICT, messages.policy_has_versions())
    return Edit(None, deletes=[policy])


def _create_version(parameters: Parameters, situation: Situation) -> Edit[Result]:
    policy, text = own_policy_of(parameters, situation), managed(parameters["PolicyDocument"])
    if len(policy.versions) >= POLICY_VERSIONS_MAX:
        quota = messages.too_many_versions(POLICY_VERSIONS_MAX)
        raise QueryError(Code.LIMIT_EXCEEDED, quota)
    number = policy.last_version + 1
    version = PolicyVersion(f"v{number}", text, situation.now_ms)
    changed = msgspec.structs.replace(
        policy,
        versions=(*policy.versions, version),
        last_version=number,
        updated_ms=situation.now_ms,
        default=version.id if parameters.get("SetAsDefault") else policy.default,
    )
    return Edit({"PolicyVersion": _version_shown(changed, version)}, [changed])


def _version_shown(policy: ManagedPolicy, version: PolicyVersion) -> dict[str, Any]:
    return {
        "VersionId": version.id,
        "IsDefaultVersion": version.id == policy.default,
        "CreateDate": date(version.created_ms),
    }


def _version_of(
    parameters: Parameters, situation: Situation, find: Any = own_policy_of
) -> tuple[ManagedPolicy, PolicyVersion]:
    """The policy and the version that are named. Raises QueryError: one text for both."""
    wanted = parameters["VersionId"]

    def missing(arn: str) -> str:
        return messages.policy_version_not_found(arn, wanted)

    policy: ManagedPolicy = find(parameters, situation, missing)
    for version in policy.versions:
        if version.id == wanted:
            return policy, version
    raise QueryError(Code.NO_SUCH_ENTITY, missing(policy.arn))


def _get_version(parameters: Parameters, situation: Situation) -> Edit[Result]:
    policy, version = _version_of(parameters, situation, policy_of)
    shown = {"Document": encoded_policy(version.text), **_version_shown(policy, version)}
    return Edit({"PolicyVersion": shown})


def _list_versions(parameters: Parameters, situation: Situation) -> Edit[Result]:
    policy = policy_of(parameters, situation)
    # The newest first; one digit more than there are places.
    found = ((f"{9 - place}", each) for place, each in enumerate(policy.versions))

    def shown(version: PolicyVersion) -> Any:
        return _version_shown(policy, version)

    return Edit(page(parameters, "Versions", found, shown))


def _set_default(parameters: Parameters, situation: Situation) -> Edit[Result]:
    policy, version = _version_of(parameters, situation)
    changed = msgspec.structs.replace(policy, default=version.id, updated_ms=situation.now_ms)
    return Edit(None, [changed])


def _delete_version(parameters: Parameters, situation: Situation) -> Edit[Result]:
    policy, version = _version_of(parameters, situation)
    if version.id == policy.default:
        raise QueryError(Code.DELETE_CONFLICT, messages.default_version())
    versions = tuple(each for each in policy.versions if each is not version)
    return Edit(None, [msgspec.structs.replace(policy, versions=versions)])


def _list_entities(parameters: Parameters, situation: Situation) -> Edit[Result]:
    policy = policy_of(parameters, situation, messages.policy_not_attachable)
    kinds = parameters.get("EntityFilter")
    usage = parameters.get("PolicyUsageFilter")
    found: list[tuple[str, Holder]] = []
    for each in situation.roster.holders():
        as_policy = policy.arn in each.attached and usage != "PermissionsBoundary"
        as_boundary = each.boundary == policy.arn and usage != "PermissionsPolicy"
        kind = "Role" if isinstance(each, Role) else "User"
        if (as_policy or as_boundary) and kinds in {None, kind}:
            found.append((f"{kind} {each.name.lower()}", each))
    paged = page(parameters, "Holders", found, lambda each: each)
    holders = paged.pop("Holders")
    users = [each for each in holders if not isinstance(each, Role)]
    roles = [each for each in holders if isinstance(each, Role)]
    return Edit(
        {
            "PolicyGroups": [],
            "PolicyUsers": [{"UserName": each.name, "UserId": each.id} for each in users],
            "PolicyRoles": [{"RoleName": each.name, "RoleId": each.id} for each in roles],
            **paged,
        }
    )


def _row(run: Any, *more: str, optional: tuple[str, ...] = ()) -> Operation:
    required = ["PolicyArn", *more]
    return Operation(resource=policy_resource, run=run, required=required, optional=optional)


OPERATIONS = {
    "CreatePolicy": Operation(
        resource=new_resource("policy", "PolicyName"),
        run=_create,
        required=["PolicyName", "PolicyDocument"],
        optional=["Path", "Description", "Tags"],
    ),
    "GetPolicy": _row(_get),
    "ListPolicies": Operation(
        resource=anything,
        run=_list,
        optional=["Scope", "OnlyAttached", "PathPrefix", "PolicyUsageFilter", *PAGING],
    ),
    "DeletePolicy": _row(_delete),
    "CreatePolicyVersion": _row(_create_version, "PolicyDocument", optional=("SetAsDefault",)),
    "GetPolicyVersion": _row(_get_version, "VersionId"),
    "ListPolicyVersions": _row(_list_versions, optional=PAGING),
    "SetDefaultPolicyVersion": _row(_set_default, "VersionId"),
    "DeletePolicyVersion": _row(_delete_version, "VersionId"),
    "ListEntitiesForPolicy": _row(
        _list_entities, optional=("EntityFilter", "PolicyUsageFilter", *PAGING)
    ),
}
