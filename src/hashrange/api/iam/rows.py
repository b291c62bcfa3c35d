"""Rows of IAM and STS: an operation decides on all identities at one revision.

Whether it is allowed is decided on the same revision.
"""

import logging
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.access.identities.roster import Roster
from hashrange.access.identities.store import Edit
from hashrange.access.policies.decisions import Subject
from hashrange.api.iam.errors import Code, QueryError
from hashrange.api.iam.operation import IdentityContext, ResourceOf, Result, keys_of
from hashrange.api.steps.service_authorization import Requirement
from hashrange.messages import access
from hashrange.messages import identities as messages
from hashrange.model.structures import iam, sts
from hashrange.storage.engine import ContendedError, StorageBusyError, StorageError
from hashrange.wire.model_constraints import iam as iam_constraints
from hashrange.wire.model_constraints import sts as sts_constraints
from hashrange.wire.service import ServiceOperation

Decide: TypeAlias = Callable[[Any, IdentityContext], Edit[Result]]
"""Reads, or decides what is changed; pure, and may run several times. Raises QueryError."""

_IAM: Final = "iam:"
_MODELS: Final = {"iam": (iam, iam_constraints.ROWS), "sts": (sts, sts_constraints.ROWS)}
_OWN_CREDENTIALS: Final = frozenset({"User", "AssumedRole", "Account"})

_log: Final = logging.getLogger(__name__)


class IdentityOperation(ServiceOperation[Any, IdentityContext], frozen=True, kw_only=True):
    """An operation of IAM or STS.

    Attributes:
        resource: what its action is done to; None for an operation that needs no permission.
    """

    resource: ResourceOf | None


def operation(action: str, *, run: Decide, resource: ResourceOf | None) -> IdentityOperation:
    """The row of an operation.

    Args:
        action: with its service, such as `iam:CreateUser`.
        run: decides.
        resource: that of the row.
    """

    def decide(request: Any, context: IdentityContext) -> Edit[Result]:
        if resource is not None and context.subject is not None:
            keys = keys_of(action, request, context)
            context.check_allowed(Requirement(action, resource(request, context), keys))
        return run(request, context)

    async def perform(request: Any, context: IdentityContext) -> Result:
        if context.subject is not None and action.startswith(_IAM):
            _refuse_sessions_of_users(context.subject)
        return await _decided(decide, request, context)

    service, _, name = action.partition(":")
    structures, constraints = _MODELS[service]
    return IdentityOperation(
        request=getattr(structures, name),
        run=perform,
        constraints=constraints[name],
        resource=resource,
    )


async def _decided(decide: Decide, request: Any, context: IdentityContext) -> Result:
    """Decide on the identities as they are, and change them. Raises QueryError."""

    def on(roster: Roster) -> Edit[Result]:
        return decide(request, msgspec.structs.replace(context, roster=roster))

    try:
        return await context.identities.store.change(on)
    except (ContendedError, StorageBusyError) as error:
        raise QueryError(Code.THROTTLING, messages.rate_exceeded()) from error
    except StorageError as error:
        _log.warning("storage failed: %s", error)
        raise QueryError(Code.UNAVAILABLE, messages.storage_failed()) from error


def _refuse_sessions_of_users(subject: Subject) -> None:
    """Sessions of users cannot call IAM without a second factor, which there is none of here."""
    principal = subject.principal
    is_session = principal.token_issued is not None and principal.type == "User"
    if is_session or principal.type not in _OWN_CREDENTIALS:
        raise QueryError(Code.INVALID_TOKEN, access.token_invalid())
