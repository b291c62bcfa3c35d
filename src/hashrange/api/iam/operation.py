"""An operation of IAM or STS: what it asks of policies, and what it decides on the identities."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.access.identities.entities import PARTITION, Holder
from hashrange.access.identities.opening import Identities
from hashrange.access.identities.roster import Roster
from hashrange.access.policies.decisions import GovernedResource, Subject
from hashrange.access.policies.resources import tag_keys
from hashrange.access.policies.service_keys import tag_keys_of
from hashrange.access.policies.variables import Context
from hashrange.api.iam.errors import Code, QueryError, invalid
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Authorizer, Requirement
from hashrange.messages import identities as messages

Result: TypeAlias = Mapping[str, Any] | None
"""The members of an answer; None for an operation that returns nothing."""

ANYTHING: Final = "*"
"""The resource of actions that have none."""


class IdentityContext(msgspec.Struct, frozen=True, kw_only=True):
    """The context of a request.

    Attributes:
        roster: all identities, at one revision.
        identities: makes keys and ids, seals secrets.
        caller: who asks; one without a subject is the operator, who may do everything.
        authorizer: decides for other callers.
        now_ms: when the request came.
    """

    roster: Roster
    identities: Identities
    caller: Caller
    authorizer: Authorizer
    now_ms: int

    @property
    def account(self) -> str:
        """Of the caller."""
        return self.caller.account

    @property
    def subject(self) -> Subject | None:
        """The caller; None for the operator."""
        return self.caller.subject

    @property
    def access_key(self) -> str:
        """That the request was signed with."""
        connection = self.caller.connection
        return "" if connection is None else connection.access_key

    @property
    def principal_name(self) -> str:
        """The user who calls. Raises QueryError if it is no user."""
        name = None if self.subject is None else self.subject.principal.user_name
        if name is None:
            raise invalid(messages.needs_user_name())
        return name

    def arn(self, kind: str, name: str) -> str:
        """The ARN of an entity of the account, which need not exist, without a path."""
        return f"{PARTITION}{self.account}:{kind}/{name}"

    def check_allowed(self, requirement: Requirement) -> None:
        """Raise AccessDenied unless the policies of the caller allow a requirement."""
        text = self.authorizer.refusal(requirement, self.caller, names_all=True)
        if text is not None:
            raise QueryError(Code.ACCESS_DENIED, text)


ResourceOf: TypeAlias = Callable[[Any, IdentityContext], GovernedResource]
"""Gives the resource of a request, which policies must allow."""


def governed(arn: str, account: str, tags: Mapping[str, str] | None = None) -> GovernedResource:
    """A resource of IAM, which has no policy of its own."""
    return GovernedResource(arn, account, keys=tag_keys(tags or {}, "aws", "iam"))


def anything(_request: Any, context: IdentityContext) -> GovernedResource:
    """The resource of an action that has none."""
    return governed(ANYTHING, context.account)


_OF_NEW: Final = frozenset({"iam:CreateRole", "iam:CreateUser"})
"""Actions whose resource does not exist yet, or is refused."""


def keys_of(action: str, request: Any, context: IdentityContext) -> Context:
    """The condition keys of a request.

    `iam:PermissionsBoundary` is the boundary that a request sets, and else the one that its user or
    role has.

    Args:
        action: with its service, such as `iam:PutUserPolicy`.
        request: of the operation.
        context: of the request.
    """
    found = tagging(request)
    arn = getattr(request, "policy_arn", None)
    if arn is not None:
        found["iam:policyarn"] = (arn,)
    boundary = getattr(request, "permissions_boundary", None)
    if boundary is None and action not in _OF_NEW:
        boundary = _boundary_of_target(request, context)
    if boundary is not None:
        found["iam:permissionsboundary"] = (boundary,)
    return found


def tagging(request: Any) -> dict[str, tuple[str, ...]]:
    """The condition keys of the tags in a request."""
    tags = {each.key: each.value for each in getattr(request, "tags", None) or ()}
    return tag_keys_of(tags, tuple(getattr(request, "tag_keys", None) or ()))


def _boundary_of_target(request: Any, context: IdentityContext) -> str | None:
    """Of the user or role that is named, who need not exist."""
    roster, account = context.roster, context.account
    role, user = getattr(request, "role_name", None), getattr(request, "user_name", None)
    holder: Holder | None = None
    if role is not None:
        holder = roster.role(account, role)
    elif user is not None:
        holder = roster.user(account, user)
    return None if holder is None else holder.boundary
