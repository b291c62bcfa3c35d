"""The interface between the HTTP server and its handlers: requests, targets, responses."""

from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.model.operations import OPERATION_FACTS, OperationFacts
from hashrange.wire.answers import JSON_1_0

Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]

SERVICE_PATHS: Final = b"/service/"
"""Begins the paths of Smithy's RPC protocols."""


class Peer(msgspec.Struct, frozen=True):
    """The other end of a connection.

    Attributes:
        address: its IP address, that of IPv4 also if it came over IPv6; empty if there is none.
        is_secure: the connection is encrypted.
    """

    address: str
    is_secure: bool


NO_PEER: Final = Peer("", False)  # noqa: FBT003 - a value, not an option


class Request(msgspec.Struct):
    """One HTTP request, received completely.

    Attributes:
        method: as sent, for example `POST`.
        path: not decoded, without the query; also for a request target in absolute form.
        query: what follows the `?`, not decoded.
        headers: names in lower case; values of a repeated name are joined by commas, but of
            Accept-Encoding only the first counts, as on DynamoDB.
        body: without chunks. It is the body that was signed until `decompress` was called.
        peer: who sent it.
        decompress: undoes the Content-Encoding of the body, in place; the answer is None, or the
            refusal. None if the body has no Content-Encoding any more.
        is_examined: its head was looked at before its body was received.
    """

    method: bytes
    path: bytes
    query: bytes
    headers: dict[bytes, bytes]
    body: bytes
    peer: Peer = NO_PEER
    decompress: "Decompress | None" = None
    is_examined: bool = False

    def forget_body(self) -> None:
        """Release the body, which is not to be read any more."""
        self.body, self.decompress = b"", None

    def __repr__(self) -> str:
        """Without headers and body, since tracebacks and logs contain it."""
        return f"Request({self.method!r}, {self.path!r})"


class Response(msgspec.Struct, frozen=True):
    """One answer, without the headers that every answer has.

    The HTTP server adds Date, Content-Length, checksum and compression.

    Attributes:
        request_id: set if the request was logged; otherwise the HTTP server draws an id.
        fault: the code of a refusal of an API beside DynamoDB's.
    """

    status: int
    body: bytes
    content_type: bytes = JSON_1_0
    headers: Headers = ()
    request_id: bytes = b""
    fault: str = ""


Decompress: TypeAlias = Callable[[Request], Response | None]

Handler: TypeAlias = Callable[[Request], Coroutine[Any, Any, Response]]
"""Answers one request.

The coroutine does not run in a Task (`connection.advance`): it may await futures of the loop, but
`asyncio.timeout`, `TaskGroup` and everything else that needs the current task fail in it. It runs
to its end even if the client closes the connection.
"""


_TARGETS: Final = {
    name: f"{facts.service.value}.{name}".encode() for name, facts in OPERATION_FACTS.items()
}
_OPERATIONS: Final = {target: OPERATION_FACTS[name] for name, target in _TARGETS.items()}


def target_of(operation: str) -> bytes:
    """The value of the header for an operation."""
    return _TARGETS[operation]


def operation_of(target: bytes | None) -> OperationFacts | None:
    """The operation of a value of the header, also one that this server does not have.

    Args:
        target: the header's value, without white space around it; None if there is no header.

    Returns:
        None for a prefix or a name that the API does not have (UnknownOperationException). Names
        are case-sensitive.
    """
    return None if target is None else _OPERATIONS.get(target)
