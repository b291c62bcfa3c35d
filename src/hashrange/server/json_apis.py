"""APIs of JSON 1.1 beside DynamoDB's on its port: from a request to its answer, and who may ask.

The caller is allowed by its policies before the operation runs: the service's prefix and the name
of the operation, on the resource that the request names, with its condition keys.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol

import msgspec

from hashrange.clock import Clock
from hashrange.errors import ApiError, DynamoError
from hashrange.messages import access
from hashrange.operations.pipeline.operation import Caller
from hashrange.policies.connections import connection_keys
from hashrange.policies.decisions import Decisions, GovernedResource, denial
from hashrange.policies.resources import tag_keys
from hashrange.policies.service_keys import request_keys
from hashrange.policies.variables import Context
from hashrange.server.exchange import Request, Response
from hashrange.wire.answers import encode
from hashrange.wire.codec import Decoder

JSON_1_1: Final = b"application/x-amz-json-1.1"

_NAME_CHARS_MAX: Final = 100
"""Of the name of an unknown operation in the text of its refusal."""

_NO_KEYS: Final[Context] = MappingProxyType({})
_ACCOUNT_PLACE: Final = 4
"""In an ARN."""

_log: Final = logging.getLogger(__name__)


class Verb(Protocol):
    """An operation: the decoder of its request, and what it does."""

    @property
    def decoder(self) -> Decoder[Any]:
        """Reads the body."""

    @property
    def run(self) -> Callable[[Any, Any], Awaitable[object]]:
        """Executes a request in a context of the API. Raises ApiError and DynamoError."""


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """What is different from API to API.

    Attributes:
        prefix: of the actions in policies; with the domain of AWS it is the service's principal.
        verbs: gives the operations, which are imported with the first request.
        text_member: the member of errors that has the text.
        internal: the name and the text of the error of a failure.
        unknown: the text for an operation that does not exist.
    """

    prefix: str
    verbs: Callable[[], Mapping[str, Any]]
    text_member: str
    internal: tuple[str, str]
    unknown: Callable[[str], str]


class Requirement(msgspec.Struct, frozen=True):
    """What the policies of a caller must allow.

    Attributes:
        action: with its service.
        resource: what the action is done to.
        keys: the condition keys of the request, of which an action has its own.
    """

    action: str
    resource: GovernedResource
    keys: Context = _NO_KEYS


class JsonApi(ABC):
    """Answers the requests of an API.

    Args:
        service: the API.
        clock: the time.
    """

    def __init__(self, service: Service, clock: Clock) -> None:
        self._service = service
        self._clock = clock
        self._decisions = Decisions()

    @abstractmethod
    def context(self, caller: Caller) -> Any:
        """The context of a request."""

    @abstractmethod
    async def requirements(
        self, action: str, typed: Any, caller: Caller, context: Any
    ) -> Iterable[Requirement]:
        """What a request asks of the caller's policies.

        Args:
            action: of the operation, with the service.
            typed: the request.
            caller: who made it.
            context: of the request.
        """

    async def respond(self, request: Request, caller: Caller) -> Response:
        """Answer a request; refusals are answers too."""
        try:
            return response(200, await self._answer(request, caller))
        except ApiError as error:
            return self._failure(400, error.name, error.text, error.members)
        except DynamoError as error:
            return self.refuse(error)
        except Exception:  # noqa: BLE001 - every failure gets an answer
            _log.exception("a request to %s failed", self._service.prefix)
            return self._failure(500, *self._service.internal)

    def refuse(self, error: DynamoError) -> Response:
        """The answer to a request that was refused."""
        return self._failure(error.fault.status, error.fault.code, error.message or "")

    async def _answer(self, request: Request, caller: Caller) -> object:
        name, service = operation_of(request), self._service
        verb: Verb | None = service.verbs().get(name)
        if verb is None:
            text = service.unknown(name[:_NAME_CHARS_MAX])
            raise ApiError("UnknownOperationException", text)
        typed = verb.decoder.decode(request.body or b"{}")
        context = self.context(caller)
        if caller.subject is not None:
            for each in await self.requirements(f"{service.prefix}:{name}", typed, caller, context):
                self._authorise(each, caller)
        return await verb.run(typed, context)

    def _authorise(self, requirement: Requirement, caller: Caller) -> None:
        """Raise AccessDeniedException unless the policies of the caller allow it."""
        keys = request_keys(requirement.action, requirement.keys)
        now_ms = self._clock.now_ms()
        text = denied(
            self._decisions,
            caller,
            requirement.action,
            requirement.resource,
            keys=keys,
            now_ms=now_ms,
        )
        if text is not None:
            raise ApiError("AccessDeniedException", text)

    def check_passed(
        self, role: str, tags: Mapping[str, str], caller: Caller, *, associated: str | None = None
    ) -> None:
        """Raise AccessDeniedException unless the caller may pass a role to the service.

        Args:
            role: its ARN.
            tags: of the role.
            caller: of a verified signature.
            associated: the ARN of the resource that gets the role, if it is known.
        """
        if role.split(":")[_ACCOUNT_PLACE : _ACCOUNT_PLACE + 1] != [caller.account]:
            raise ApiError("AccessDeniedException", access.role_of_another_account())
        keys = {"iam:passedtoservice": (f"{self._service.prefix}.amazonaws.com",)}
        if associated is not None:
            keys["iam:associatedresourcearn"] = (associated,)
        resource = GovernedResource(role, caller.account, keys=tag_keys(tags, "aws", "iam"))
        self._authorise(Requirement("iam:PassRole", resource, keys), caller)

    def _failure(
        self, status: int, name: str, text: str, members: Mapping[str, str] | None = None
    ) -> Response:
        body = {"__type": name, self._service.text_member: text, **(members or {})}
        return response(status, body)


def response(status: int, answer: object) -> Response:
    """An answer in JSON."""
    return Response(status, encode(answer), JSON_1_1)


def operation_of(request: Request) -> str:
    """The name of the operation: X-Amz-Target after its last dot."""
    return request.headers[b"x-amz-target"].rpartition(b".")[2].decode("latin-1")


def denied(
    decisions: Decisions,
    caller: Caller,
    action: str,
    resource: GovernedResource,
    *,
    now_ms: int,
    keys: Context = _NO_KEYS,
) -> str | None:
    """The text of the refusal of an action; None if the caller's policies allow it.

    Callers whose signatures are not verified may do everything.
    """
    subject, connection = caller.subject, caller.connection
    if subject is None:
        return None
    assert connection is not None, "callers with a subject have a connection"
    context = connection_keys(
        region=caller.region,
        source_ip=connection.source_ip,
        is_secure=connection.is_secure,
        user_agent=connection.user_agent,
        now_ms=now_ms,
    )
    decision = decisions.decide(subject, action, resource, {**context, **keys})
    if decision.allowed:
        return None
    return denial(decision, subject, action, resource, tells_all=False)
