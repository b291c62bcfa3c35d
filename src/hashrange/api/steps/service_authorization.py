"""Requirements on the policies of a caller, of all services beside DynamoDB."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from hashrange.access.policies.connections import connection_keys
from hashrange.access.policies.decisions import Decisions, GovernedResource, denial
from hashrange.access.policies.resources import tag_keys
from hashrange.access.policies.service_keys import request_keys
from hashrange.access.policies.variables import Context
from hashrange.api.steps.operation import Caller
from hashrange.errors import ApiError
from hashrange.messages import access

_NO_KEYS: Final[Context] = MappingProxyType({})
_ACCOUNT_PART: Final = 4
"""In an ARN."""


class Requirement(msgspec.Struct, frozen=True):
    """An action and a resource that the policies of a caller must allow.

    Attributes:
        action: with its service.
        resource: what the action is done to.
        keys: the condition keys of the request, of which an action has its own.
    """

    action: str
    resource: GovernedResource
    keys: Context = _NO_KEYS


class Authorizer:
    """Decides on requirements.

    Args:
        now_ms: the time, for conditions.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._decisions = Decisions()

    def refusal(
        self, requirement: Requirement, caller: Caller, *, names_all: bool = False
    ) -> str | None:
        """The text of the refusal; None if the caller's policies allow the requirement.

        Callers whose signatures are not verified may do everything.
        """
        subject = caller.subject
        if subject is None:
            return None
        context = keys_of_connection(caller, self._now_ms())
        action, resource = requirement.action, requirement.resource
        keys = {**context, **request_keys(action, requirement.keys)}
        decision = self._decisions.decide(subject, action, resource, keys)
        if decision.allowed:
            return None
        return denial(decision, subject, action, resource, names_all=names_all)


def keys_of_connection(caller: Caller, now_ms: int) -> Context:
    """The global condition keys of a request, but for those of its principal."""
    connection = caller.connection
    assert connection is not None, "callers with a subject have a connection"
    return connection_keys(
        region=caller.region,
        source_ip=connection.source_ip,
        is_secure=connection.is_secure,
        user_agent=connection.user_agent,
        now_ms=now_ms,
    )


def passing(
    role: str,
    tags: Mapping[str, str],
    caller: Caller,
    service: str,
    *,
    associated: str | None = None,
) -> Requirement:
    """The requirement of a request that passes a role to a service.

    Args:
        role: its ARN.
        tags: of the role.
        caller: of a verified signature.
        service: the principal of the service.
        associated: the ARN of the resource that gets the role, if it is known.

    Raises:
        ApiError: the role is of another account.
    """
    if role.split(":")[_ACCOUNT_PART : _ACCOUNT_PART + 1] != [caller.account]:
        raise ApiError("AccessDeniedException", access.role_of_another_account())
    keys = {"iam:passedtoservice": (service,)}
    if associated is not None:
        keys["iam:associatedresourcearn"] = (associated,)
    resource = GovernedResource(role, caller.account, keys=tag_keys(tags, "aws", "iam"))
    return Requirement("iam:PassRole", resource, keys)
