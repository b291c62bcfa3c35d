"""Finds the entities that requests name, and the resources that they are for policies."""

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from hashrange.iam.errors import Code, QueryError, invalid
from hashrange.iam.members import Parameters
from hashrange.iam.operation import Situation, governed
from hashrange.identities.entities import AWS, Holder, ManagedPolicy, Role, User
from hashrange.messages import identities as messages
from hashrange.policies.decisions import GovernedResource

_is_policy_arn: Final = re.compile(
    r"arn:aws(?:-[a-z]+)*:iam::(?:[0-9]{12}|aws):policy/[!-~]+"
).fullmatch

ResourceOf: TypeAlias = Callable[[Parameters, Situation], GovernedResource]
"""Gives the resource of a request, which policies must allow."""


def user_of(parameters: Parameters, situation: Situation) -> User:
    """The user that is named, or the caller. Raises QueryError."""
    name = parameters.get("UserName") or situation.principal_name
    found = situation.roster.user(situation.account, name)
    if found is None:
        raise QueryError(Code.NO_SUCH_ENTITY, messages.user_not_found(name))
    return found


def role_of(parameters: Parameters, situation: Situation) -> Role:
    """The role that is named. Raises QueryError."""
    name = parameters["RoleName"]
    found = situation.roster.role(situation.account, name)
    if found is None:
        raise QueryError(Code.NO_SUCH_ENTITY, messages.role_not_found(name))
    return found


def holder_of(parameters: Parameters, situation: Situation) -> Holder:
    """The user or role that is named. Raises QueryError."""
    find = role_of if "RoleName" in parameters else user_of
    return find(parameters, situation)


def kind_of(holder: Holder) -> str:
    """As in texts and ARNs."""
    return "role" if isinstance(holder, Role) else "user"


def policy_of(
    parameters: Parameters,
    situation: Situation,
    missing: Callable[[str], str] = messages.policy_not_found,
) -> ManagedPolicy:
    """The managed policy that is named, of the account or built in.

    Args:
        parameters: of the request.
        situation: has the policies.
        missing: the text of the error if there is none, of its ARN.

    Raises:
        QueryError: there is none, or the ARN is none of a policy.
    """
    arn = parameters["PolicyArn"]
    if _is_policy_arn(arn) is None:
        raise invalid(messages.arn_invalid(arn))
    found = situation.roster.policy(arn)
    if found is None or found.account not in {situation.account, AWS}:
        raise QueryError(Code.NO_SUCH_ENTITY, missing(arn))
    return found


def own_policy_of(
    parameters: Parameters,
    situation: Situation,
    missing: Callable[[str], str] = messages.policy_not_found,
) -> ManagedPolicy:
    """The managed policy of the account that is named, to be changed, as `policy_of` finds it."""
    found = policy_of(parameters, situation, missing)
    if found.account == AWS:
        raise QueryError(Code.ACCESS_DENIED, messages.built_in(found.arn))
    return found


def boundary_of(parameters: Parameters, situation: Situation) -> str | None:
    """The permissions boundary that a request names. Raises QueryError if there is no such."""
    arn = parameters.get("PermissionsBoundary")
    if arn is None:
        return None
    if _is_policy_arn(arn) is None:
        raise QueryError(Code.INVALID_INPUT, messages.arn_invalid(arn))
    return policy_of({"PolicyArn": arn}, situation, messages.boundary_not_attachable).arn


def user_resource(parameters: Parameters, situation: Situation) -> GovernedResource:
    """A user, who need not exist."""
    name = parameters.get("UserName") or situation.principal_name
    found = situation.roster.user(situation.account, name)
    if found is None:
        return governed(situation.arn("user", name), situation.account)
    return governed(found.arn, situation.account, found.tags)


def role_resource(parameters: Parameters, situation: Situation) -> GovernedResource:
    """A role, which need not exist."""
    name = parameters["RoleName"]
    found = situation.roster.role(situation.account, name)
    if found is None:
        return governed(situation.arn("role", name), situation.account)
    return governed(found.arn, situation.account, found.tags)


def policy_resource(parameters: Parameters, situation: Situation) -> GovernedResource:
    """A managed policy, which need not exist."""
    arn = parameters["PolicyArn"]
    found = situation.roster.policy(arn)
    return governed(arn, situation.account, {} if found is None else found.tags)


def new_resource(kind: str, member: str) -> ResourceOf:
    """Gives the resource of an entity that is created, whose name is in a member."""

    def resource(parameters: Parameters, situation: Situation) -> GovernedResource:
        path = parameters.get("Path", "/")[1:]
        return governed(situation.arn(kind, path + parameters[member]), situation.account)

    return resource


def listed_resource(kind: str) -> ResourceOf:
    """Gives the resource of a list of entities: what the path that they are listed by begins."""

    def resource(parameters: Parameters, situation: Situation) -> GovernedResource:
        prefix = parameters.get("PathPrefix", "/")[1:]
        return governed(situation.arn(kind, prefix), situation.account)

    return resource
