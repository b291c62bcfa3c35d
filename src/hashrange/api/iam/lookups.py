"""Finds the entities that requests name, their resources for policies, and pages of lists."""

import re
from base64 import b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from hashrange.access.identities.entities import AWS, Holder, ManagedPolicy, Role, User
from hashrange.access.policies.decisions import GovernedResource
from hashrange.api.iam.errors import Code, QueryError, invalid
from hashrange.api.iam.operation import IdentityContext, ResourceOf, governed
from hashrange.messages import identities as messages

_is_policy_arn: Final = re.compile(
    r"arn:aws(?:-[a-z]+)*:iam::(?:[0-9]{12}|aws):policy/[!-~]+"
).fullmatch


def user_of(request: Any, context: IdentityContext) -> User:
    """The user that is named, or the caller. Raises QueryError."""
    name = request.user_name or context.principal_name
    found = context.roster.user(context.account, name)
    if found is None:
        raise QueryError(Code.NO_SUCH_ENTITY, messages.user_not_found(name))
    return found


def role_of(request: Any, context: IdentityContext) -> Role:
    """The role that is named. Raises QueryError."""
    name = request.role_name
    found = context.roster.role(context.account, name)
    if found is None:
        raise QueryError(Code.NO_SUCH_ENTITY, messages.role_not_found(name))
    return found


def holder_of(request: Any, context: IdentityContext) -> Holder:
    """The user or role that is named. Raises QueryError."""
    find = role_of if hasattr(request, "role_name") else user_of
    return find(request, context)


def kind_of(holder: Holder) -> str:
    """As in texts and ARNs."""
    return "role" if isinstance(holder, Role) else "user"


def policy_of(
    request: Any,
    context: IdentityContext,
    missing: Callable[[str], str] = messages.policy_not_found,
) -> ManagedPolicy:
    """The managed policy that is named, of the account or built in.

    Args:
        request: of the request.
        context: has the policies.
        missing: the text of the error if there is none, of its ARN.

    Raises:
        QueryError: there is none, or the ARN is none of a policy.
    """
    return _policy_named(request.policy_arn, context, missing)


def _policy_named(
    arn: str, context: IdentityContext, missing: Callable[[str], str]
) -> ManagedPolicy:
    if _is_policy_arn(arn) is None:
        raise invalid(messages.arn_invalid(arn))
    found = context.roster.policy(arn)
    if found is None or found.account not in {context.account, AWS}:
        raise QueryError(Code.NO_SUCH_ENTITY, missing(arn))
    return found


def own_policy_of(
    request: Any,
    context: IdentityContext,
    missing: Callable[[str], str] = messages.policy_not_found,
) -> ManagedPolicy:
    """The managed policy of the account that is named, to be changed, as `policy_of` finds it."""
    found = policy_of(request, context, missing)
    if found.account == AWS:
        raise QueryError(Code.ACCESS_DENIED, messages.built_in(found.arn))
    return found


def boundary_of(request: Any, context: IdentityContext) -> str | None:
    """The permissions boundary that a request names. Raises QueryError if there is no such."""
    arn = request.permissions_boundary
    if arn is None:
        return None
    if _is_policy_arn(arn) is None:
        raise QueryError(Code.INVALID_INPUT, messages.arn_invalid(arn))
    return _policy_named(arn, context, messages.boundary_not_attachable).arn


def user_resource(request: Any, context: IdentityContext) -> GovernedResource:
    """A user, who need not exist."""
    name = request.user_name or context.principal_name
    found = context.roster.user(context.account, name)
    if found is None:
        return governed(context.arn("user", name), context.account)
    return governed(found.arn, context.account, found.tags)


def role_resource(request: Any, context: IdentityContext) -> GovernedResource:
    """A role, which need not exist."""
    name = request.role_name
    found = context.roster.role(context.account, name)
    if found is None:
        return governed(context.arn("role", name), context.account)
    return governed(found.arn, context.account, found.tags)


def policy_resource(request: Any, context: IdentityContext) -> GovernedResource:
    """A managed policy, which need not exist."""
    arn = request.policy_arn
    found = context.roster.policy(arn)
    return governed(arn, context.account, {} if found is None else found.tags)


def new_resource(kind: str, name: str) -> ResourceOf:
    """Gives the resource of an entity that is created, whose name is in an attribute."""

    def resource(request: Any, context: IdentityContext) -> GovernedResource:
        path = (request.path or "/")[1:]
        return governed(context.arn(kind, path + getattr(request, name)), context.account)

    return resource


def listed_resource(kind: str) -> ResourceOf:
    """Gives the resource of a list of entities: what the path that they are listed by begins."""

    def resource(request: Any, context: IdentityContext) -> GovernedResource:
        prefix = (request.path_prefix or "/")[1:]
        return governed(context.arn(kind, prefix), context.account)

    return resource


T = TypeVar("T")

_ITEMS: Final = 100
"""Of a page, unless the request says otherwise."""


def page(
    request: Any,
    name: str,
    found: Iterable[tuple[str, T]],
    shown: Callable[[T], Any],
) -> dict[str, Any]:
    """A page of a list, in the order of its keys.

    Args:
        request: of the request.
        name: of the member that has the list.
        found: all elements with their keys, which differ.
        shown: what the answer has of an element.
    """
    listed = sorted(found, key=lambda each: each[0])
    marker = request.marker
    if marker is not None:
        after = _key_of(marker)
        listed = [each for each in listed if each[0] > after]
    items_max = request.max_items or _ITEMS
    is_truncated = len(listed) > items_max
    listed = listed[:items_max]
    return {
        name: [shown(each) for _, each in listed],
        "IsTruncated": is_truncated,
        "Marker": _marker_of(listed[-1][0]) if is_truncated else None,
    }


def _marker_of(key: str) -> str:
    return urlsafe_b64encode(key.encode()).decode()


def _key_of(marker: str) -> str:
    try:
        return b64decode(marker, altchars=b"-_", validate=True).decode()
    except (Base64Error, UnicodeError, ValueError) as error:
        raise invalid(messages.marker_invalid()) from error
