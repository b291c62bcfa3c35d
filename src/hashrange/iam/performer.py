"""Authorises and executes operations of IAM and STS."""

from collections.abc import Callable, Mapping
from typing import Final

from hashrange.iam.condition_keys import context_of
from hashrange.iam.errors import Code, QueryError
from hashrange.iam.forms import Tree
from hashrange.iam.members import Parameters, checked
from hashrange.iam.operation import Operation, Result, Situation
from hashrange.iam.registry import IAM, QueryService
from hashrange.identities.opening import Identities
from hashrange.identities.roster import Roster
from hashrange.identities.store import Edit
from hashrange.messages import identities as messages
from hashrange.messages.requests import signatures
from hashrange.operations.pipeline.operation import Caller
from hashrange.policies.connections import connection_keys
from hashrange.policies.decisions import Decisions, Subject, denial
from hashrange.policies.variables import Context

_OWN_CREDENTIALS: Final = frozenset({"User", "AssumedRole", "Account"})


class IdentityPerformer:
    """Executes operations on the identities of a server.

    Args:
        identities: are read and changed.
        now_ms: the time.
    """

    def __init__(self, identities: Identities, now_ms: Callable[[], int]) -> None:
        self._identities = identities
        self._now_ms = now_ms

    async def perform(
        self, service: QueryService, name: str, tree: Mapping[str, Tree], caller: Caller
    ) -> Result:
        """Execute an operation; a caller without a subject is the operator, who may do everything.

        Raises:
            QueryError: it is refused.
            StorageError: it failed.
        """
        operation = service.operations.get(name)
        if operation is None:
            raise QueryError(Code.INVALID_ACTION, messages.operation_unknown(name, service.version))
        parameters = checked(name, tree, required=operation.required, optional=operation.optional)
        if service is IAM and caller.subject is not None:
            _refuse_sessions_of_users(caller.subject)
        now_ms = self._now_ms()
        connection = _connection_of(caller, now_ms)
        action = f"{service.name}:{name}"

        def decide(roster: Roster) -> Edit[Result]:
            situation = Situation(
                roster=roster,
                identities=self._identities,
                account=caller.account,
                subject=caller.subject,
                access_key="" if caller.connection is None else caller.connection.access_key,
                connection=connection,
                now_ms=now_ms,
            )
            _check_allowed(operation, action, parameters, situation)
            return operation.run(parameters, situation)

        return await self._identities.store.change(decide)


def _check_allowed(
    operation: Operation, action: str, parameters: Parameters, situation: Situation
) -> None:
    """Raise AccessDenied unless the caller may perform the operation."""
    if situation.subject is None or operation.resource is None:
        return
    resource = operation.resource(parameters, situation)
    context = context_of(action, parameters, situation)
    decision = Decisions().decide(situation.subject, action, resource, context)
    if not decision.allowed:
        text = denial(decision, situation.subject, action, resource)
        raise QueryError(Code.ACCESS_DENIED, text)


def _refuse_sessions_of_users(subject: Subject) -> None:
    """Sessions of users cannot call IAM without a second factor, which there is none of here."""
    principal = subject.principal
    is_session = principal.token_issued is not None and principal.type == "User"
    if is_session or principal.type not in _OWN_CREDENTIALS:
        raise QueryError(Code.INVALID_TOKEN, signatures.token_invalid())


def _connection_of(caller: Caller, now_ms: int) -> Context:
    connection = caller.connection
    if connection is None:
        return {}
    return connection_keys(
        region=caller.region,
        source_ip=connection.source_ip,
        is_secure=connection.is_secure,
        user_agent=connection.user_agent,
        now_ms=now_ms,
    )
