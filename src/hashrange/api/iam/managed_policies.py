"""Operations on managed policies and their versions."""

from itertools import chain
from typing import Any

import msgspec

from hashrange.access.identities.entities import (
    AWS,
    POLICY_ID,
    Holder,
    ManagedPolicy,
    PolicyVersion,
    Role,
    new_id,
)
from hashrange.access.identities.roster import Roster
from hashrange.access.identities.store import Edit
from hashrange.api.iam import descriptions
from hashrange.api.iam.descriptions import date, encoded_policy
from hashrange.api.iam.documents import managed
from hashrange.api.iam.errors import Code, QueryError
from hashrange.api.iam.lookups import new_resource, own_policy_of, page, policy_of, policy_resource
from hashrange.api.iam.operation import (
    IdentityContext,
    Result,
    anything,
)
from hashrange.api.iam.rows import operation
from hashrange.api.iam.tags import new_policy_tags
from hashrange.limits.access import MANAGED_POLICIES_MAX, POLICY_VERSIONS_MAX
from hashrange.messages import identities as messages
from hashrange.wire.service import AnyServiceOperation, by_name


def _create(request: Any, context: IdentityContext) -> Edit[Result]:
    roster, name = context.roster, request.policy_name
    text = managed(request.policy_document)
    if roster.named_policy(context.account, name) is not None:
        raise QueryError(Code.ENTITY_EXISTS, messages.policy_exists(name))
    if sum(1 for _ in roster.policies(context.account)) >= MANAGED_POLICIES_MAX:
        quota = messages.quota_exceeded("PoliciesPerAccount", MANAGED_POLICIES_MAX)
        raise QueryError(Code.LIMIT_EXCEEDED, quota)
    policy = ManagedPolicy(
        account=context.account,
        name=name,
        id=new_id(POLICY_ID, context.identities.random_bytes),
        created_ms=context.now_ms,
        updated_ms=context.now_ms,
        versions=(PolicyVersion("v1", text, context.now_ms),),
        path=request.path or "/",
        description=request.description,
        tags=new_policy_tags({}, request),
    )
    return Edit({"Policy": descriptions.new_policy(roster, policy)}, [policy])


def _get(request: Any, context: IdentityContext) -> Edit[Result]:
    policy = policy_of(request, context)
    return Edit({"Policy": descriptions.policy(context.roster, policy)})


def _list(request: Any, context: IdentityContext) -> Edit[Result]:
    roster, scope = context.roster, (request.scope or "All")
    accounts = {"All": [AWS, context.account], "AWS": [AWS], "Local": [context.account]}
    used = _used(roster, request.policy_usage_filter)
    found = (
        (f"{each.name.lower()} {each.arn}", each)
        for each in chain.from_iterable(map(roster.policies, accounts[scope]))
        if each.path.startswith(request.path_prefix or "/")
        and (each.arn in used or not request.only_attached)
    )

    def shown(policy: ManagedPolicy) -> Any:
        return descriptions.listed_policy(roster, policy)

    return Edit(page(request, "Policies", found, shown))


def _used(roster: Roster, usage: str | None) -> set[str | None]:
    """ARNs of the policies that entities have, to a filter by their use."""
    used: set[str | None] = set()
    for each in roster.holders():
        if usage != "PermissionsBoundary":
            used.update(each.attached)
        if usage != "PermissionsPolicy":
            used.add(each.boundary)
    return used


def _delete(request: Any, context: IdentityContext) -> Edit[Result]:
    policy = own_policy_of(request, context)
    if any(policy.arn in (*each.attached, each.boundary) for each in context.roster.holders()):
        raise QueryError(Code.DELETE_CONFLICT, messages.policy_is_attached())
    if len(policy.versions) > 1:
        raise QueryError(Code.DELETE_CONFLICT, messages.policy_has_versions())
    return Edit(None, deletes=[policy])


def _create_version(request: Any, context: IdentityContext) -> Edit[Result]:
    policy, text = own_policy_of(request, context), managed(request.policy_document)
    if len(policy.versions) >= POLICY_VERSIONS_MAX:
        quota = messages.too_many_versions(POLICY_VERSIONS_MAX)
        raise QueryError(Code.LIMIT_EXCEEDED, quota)
    number = policy.last_version + 1
    version = PolicyVersion(f"v{number}", text, context.now_ms)
    changed = msgspec.structs.replace(
        policy,
        versions=(*policy.versions, version),
        last_version=number,
        updated_ms=context.now_ms,
        default=version.id if request.set_as_default else policy.default,
    )
    return Edit({"PolicyVersion": _version_shown(changed, version)}, [changed])


def _version_shown(policy: ManagedPolicy, version: PolicyVersion) -> dict[str, Any]:
    return {
        "VersionId": version.id,
        "IsDefaultVersion": version.id == policy.default,
        "CreateDate": date(version.created_ms),
    }


def _version_of(
    request: Any, context: IdentityContext, find: Any = own_policy_of
) -> tuple[ManagedPolicy, PolicyVersion]:
    """The policy and the version that are named. Raises QueryError: one text for both."""
    wanted = request.version_id

    def missing(arn: str) -> str:
        return messages.policy_version_not_found(arn, wanted)

    policy: ManagedPolicy = find(request, context, missing)
    for version in policy.versions:
        if version.id == wanted:
            return policy, version
    raise QueryError(Code.NO_SUCH_ENTITY, missing(policy.arn))


def _get_version(request: Any, context: IdentityContext) -> Edit[Result]:
    policy, version = _version_of(request, context, policy_of)
    shown = {"Document": encoded_policy(version.text), **_version_shown(policy, version)}
    return Edit({"PolicyVersion": shown})


def _list_versions(request: Any, context: IdentityContext) -> Edit[Result]:
    policy = policy_of(request, context)
    # The newest first; one digit more than there are places.
    found = ((f"{9 - place}", each) for place, each in enumerate(policy.versions))

    def shown(version: PolicyVersion) -> Any:
        return _version_shown(policy, version)

    return Edit(page(request, "Versions", found, shown))


def _set_default(request: Any, context: IdentityContext) -> Edit[Result]:
    policy, version = _version_of(request, context)
    changed = msgspec.structs.replace(policy, default=version.id, updated_ms=context.now_ms)
    return Edit(None, [changed])


def _delete_version(request: Any, context: IdentityContext) -> Edit[Result]:
    policy, version = _version_of(request, context)
    if version.id == policy.default:
        raise QueryError(Code.DELETE_CONFLICT, messages.default_version())
    versions = tuple(each for each in policy.versions if each is not version)
    return Edit(None, [msgspec.structs.replace(policy, versions=versions)])


def _list_entities(request: Any, context: IdentityContext) -> Edit[Result]:
    policy = policy_of(request, context, messages.policy_not_attachable)
    kinds = request.entity_filter
    usage = request.policy_usage_filter
    found: list[tuple[str, Holder]] = []
    for each in context.roster.holders():
        as_policy = policy.arn in each.attached and usage != "PermissionsBoundary"
        as_boundary = each.boundary == policy.arn and usage != "PermissionsPolicy"
        kind = "Role" if isinstance(each, Role) else "User"
        if (as_policy or as_boundary) and kinds in {None, kind}:
            found.append((f"{kind} {each.name.lower()}", each))
    paged = page(request, "Holders", found, lambda each: each)
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


def _row(name: str, run: Any) -> AnyServiceOperation:
    return operation(f"iam:{name}", run=run, resource=policy_resource)


OPERATIONS = by_name(
    operation("iam:CreatePolicy", resource=new_resource("policy", "policy_name"), run=_create),
    _row("GetPolicy", _get),
    operation("iam:ListPolicies", resource=anything, run=_list),
    _row("DeletePolicy", _delete),
    _row("CreatePolicyVersion", _create_version),
    _row("GetPolicyVersion", _get_version),
    _row("ListPolicyVersions", _list_versions),
    _row("SetDefaultPolicyVersion", _set_default),
    _row("DeletePolicyVersion", _delete_version),
    _row("ListEntitiesForPolicy", _list_entities),
)
