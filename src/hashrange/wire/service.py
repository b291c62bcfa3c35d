"""The APIs of AWS on the port as rows: a service, the protocols that it speaks, its operations."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any, Final, Generic, Protocol, TypeVar

import msgspec

from hashrange.errors import ApiError, DynamoError, Fault
from hashrange.messages.server import internal_server_error
from hashrange.wire.constraints import check, rows
from hashrange.wire.exchange import Headers, Request
from hashrange.wire.rules import Form, Rows

R = TypeVar("R")
X = TypeVar("X")

FORM: Final = b"application/x-www-form-urlencoded"
"""The content type of the query protocol."""
ROOT: Final = b"/"
"""The path of protocols that name the operation elsewhere."""
NO_CONSTRAINTS: Final = rows()
_NAME_CHARS_MAX: Final = 100
"""Of the name of an unknown operation in the text of its refusal."""


class ServiceOperation(msgspec.Struct, Generic[R, X], frozen=True, kw_only=True):
    """An operation of any service.

    Attributes:
        request: the Struct of the request, with the members of the API's model.
        run: executes a request in a context of the service. Raises ApiError and DynamoError.
        constraints: those of the API's model.
    """

    request: type[R]
    run: Callable[[Any, X], Awaitable[object]]
    constraints: Rows = NO_CONSTRAINTS


AnyServiceOperation = ServiceOperation[Any, Any]


def by_name(*several: AnyServiceOperation) -> dict[str, AnyServiceOperation]:
    """Operations by their names, which are those of their requests."""
    return {each.request.__name__: each for each in several}


def operations_of(package: str, *modules: str) -> Callable[[], Mapping[str, AnyServiceOperation]]:
    """Gives the operations of modules, by their `OPERATIONS`; imports them when it is called."""

    @cache
    def operations() -> Mapping[str, AnyServiceOperation]:
        found: dict[str, AnyServiceOperation] = {}
        for each in modules:
            found |= import_module(f"{package}.{each}").OPERATIONS
        return found

    return operations


async def execute(operation: AnyServiceOperation, request: object, context: object) -> object:
    """Check the constraints of a request, and execute it. Raises ApiError and DynamoError."""
    check(request, operation.constraints, Form.MODEL)
    return await operation.run(request, context)


def before_name(path: bytes) -> bytes:
    """A path without the name of the operation at its end; that of `/` is `/`."""
    return path[: path.rfind(b"/") + 1]


class ServiceProtocol(Protocol):
    """Requests and answers of a service as bytes. Pure."""

    @property
    def content_type(self) -> bytes:
        """Of requests, by which a service that speaks several protocols distinguishes them."""

    @property
    def answer_type(self) -> bytes:
        """The content type of answers."""

    @property
    def answer_headers(self) -> Headers:
        """Headers of answers that are peculiar to the protocol."""

    @property
    def path(self) -> bytes:
        """The path of requests, or what precedes the name of the operation in it."""

    @property
    def target(self) -> bytes | None:
        """The prefix of the operation in X-Amz-Target; None without that header."""

    @property
    def sends_request_id(self) -> bool:
        """Whether bodies of answers have the id of the request."""

    def call(self, request: Request) -> tuple[str, Any]:
        """The name of the operation, and what `read` reads. Raises ApiError."""

    def read(self, name: str, operation: AnyServiceOperation, payload: Any) -> Any:
        """The request of an operation. Raises ApiError and DynamoError."""

    def answer(self, name: str, answer: Any, request_id: str) -> bytes:
        """The body of an answer to an operation."""

    def refusal(self, error: ApiError, request_id: str) -> bytes:
        """The body of a refusal."""


def short_named(error: DynamoError) -> ApiError:
    """A fault without the namespace of its name."""
    return ApiError(error.fault.code, error.message or "", status=error.fault.status)


def fully_named(error: DynamoError) -> ApiError:
    """A fault as DynamoDB reports it."""
    fault = error.fault
    text = {} if error.message is None else {fault.message_member: error.message}
    return ApiError(fault.wire_name, None, {**text, **(error.members or {})}, status=fault.status)


def access_denied(text: str) -> Exception:
    """The refusal of a service by policies, without the namespace of its name."""
    return ApiError("AccessDeniedException", text)


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """A service. Its errors have the form of DynamoDB's unless the row has another.

    Attributes:
        name: in scopes of signatures and before actions of policies; with the domain of AWS its
            principal, and the source of its events.
        actions: before actions of policies, if that is not the name.
        version: of its API.
        protocols: that it speaks; path, target and content type distinguish them.
        further: gives further protocols, which are imported with the first request.
        path: of a further protocol that names the operation in the path; None for no such.
        has_forms: whether forms are a further protocol.
        operations: gives the operations by name, which are imported with the first request.
        unknown: the error for an operation that does not exist, by its name.
        denied: the error for a request that policies do not allow, of a text.
        of_fault: the error for a fault of DynamoDB.
        data_operations: those on data, which are no management events of the audit log.
        internal: the error for a failure of the server.
    """

    name: str
    actions: str = ""
    version: str
    protocols: Sequence[ServiceProtocol]
    further: Callable[[], Sequence[ServiceProtocol]] = tuple
    path: bytes | None = None
    has_forms: bool = False
    operations: Callable[[], Mapping[str, AnyServiceOperation]]
    unknown: Callable[[str], Exception] = lambda _: DynamoError(Fault.UNKNOWN_OPERATION)
    denied: Callable[[str], Exception] = partial(DynamoError, Fault.ACCESS_DENIED)
    of_fault: Callable[[DynamoError], ApiError] = fully_named
    data_operations: frozenset[str] = frozenset()
    internal: ApiError = fully_named(DynamoError(Fault.INTERNAL, internal_server_error()))

    @property
    def domain(self) -> str:
        """Its principal in policies, and the source of its events."""
        return domain_of(self.name)

    def action(self, operation: str) -> str:
        """The action of an operation in policies."""
        return f"{self.actions or self.name}:{operation}"


def domain_of(service: str) -> str:
    """The domain of a service of AWS."""
    return f"{service}.amazonaws.com"


def internal_failure(name: str, text: str) -> ApiError:
    """The error for a failure of the server."""
    return ApiError(name, text, status=500)


def unknown_operation(text_of: Callable[[str], str]) -> Callable[[str], ApiError]:
    """The error of most services for an operation that does not exist, of a text of its name."""

    def error(name: str) -> ApiError:
        return ApiError("UnknownOperationException", text_of(name[:_NAME_CHARS_MAX]))

    return error
