"""POST /: one DynamoDB request, from bytes to bytes.

target → caller → decode → the pipeline → encode. A body that is no JSON is told before the target
and the caller, a member of a wrong type after them; only refused requests pay for finding out.
"""

from typing import Any, Final

import msgspec

from hashrange.auth.sigv4 import caller as caller_of
from hashrange.clock import Clock
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.http import (
    internal_server_error,
    operation_not_supported,
    stored_key_too_long,
)
from hashrange.observe.metrics import Metrics
from hashrange.operations.operation import Caller
from hashrange.operations.pipeline import Pipeline
from hashrange.operations.registry import OPERATIONS
from hashrange.server.exchange import Request, Response
from hashrange.server.journal import Asked, Journal
from hashrange.server.responses import OVERLOADED, UNKNOWN_OPERATION
from hashrange.server.sampler import Sampler
from hashrange.storage.engine import (
    KeyTooLongError,
    StorageBusyError,
    StorageError,
    StorageUnavailableError,
)
from hashrange.wire.answers import JSON_1_0, content_type, encode, encode_error
from hashrange.wire.codec import Decoder, is_json
from hashrange.wire.reading import unreadable
from hashrange.wire.targets import operation_of, target_of

_UNKNOWN: Final = "unknown"
_SUCCESS: Final = ""
_CODES: Final = {fault: fault.wire_name.rpartition("#")[2] for fault in Fault}
"""As AWS calls them in its own metrics."""
_FAILURE: Final = _CODES[Fault.INTERNAL]
_BUSY: Final = _CODES[Fault.UNAVAILABLE]


class _Route(msgspec.Struct, frozen=True):
    """A target that is built."""

    name: str
    decoder: Decoder[Any]


_ROUTES: Final = {
    target_of(name): _Route(name, Decoder(operation.request))
    for name, operation in OPERATIONS.items()
}


class Endpoint:
    """Answers POST requests through one pipeline.

    Args:
        pipeline: does what is asked.
        clock: for how long it took.
        metrics: counts it.
        journal: logs it.
        sampler: looks at its keys, if that is wanted.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        clock: Clock,
        metrics: Metrics,
        *,
        journal: Journal,
        sampler: Sampler | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._clock = clock
        self._metrics = metrics
        self._journal = journal
        self._sampler = sampler

    async def respond(self, request: Request) -> Response:
        """The answer; a refusal is an answer too, and only a defect of ours is a 500."""
        sent_type = request.headers.get(b"content-type")
        answer_type = content_type(sent_type, has_body=bool(request.body))
        if answer_type is None:
            return UNKNOWN_OPERATION
        began_ns = self._clock.monotonic_ns()
        route = _ROUTES.get(request.headers.get(b"x-amz-target", b""))
        name = _UNKNOWN if route is None else route.name
        code = _SUCCESS
        try:
            asked, caller = self._understood(route, request)
            answer = await self._pipeline.perform(name, asked, caller)
            response = Response(200, b"" if answer is None else encode(answer), answer_type)
        except DynamoError as error:
            response = _refusal(error, answer_type)
            code = _CODES[error.fault]
        except Exception as error:  # noqa: BLE001 - whatever it is, it gets an answer
            response, code = self._failed(error, name)
        duration_ns = self._clock.monotonic_ns() - began_ns
        self._metrics.request(name, code, duration_ns)
        if duration_ns >= self._journal.tells_from_ns:
            return self._journal.took(Asked(name, request, duration_ns), response, code)
        return response

    def _failed(self, error: Exception, name: str) -> tuple[Response, str]:
        match error:
            case StorageBusyError():
                return OVERLOADED, _BUSY
            case KeyTooLongError(key_bytes_max=most):
                return _refusal(invalid(stored_key_too_long(most))), _CODES[Fault.VALIDATION]
            case StorageUnavailableError():
                # A line for each request would hide the one that told why.
                return _INTERNAL, _FAILURE
            case StorageError():
                text = "storage failed"
            case _:
                text = "a request failed"
        return self._journal.failed(name, text, _INTERNAL), _FAILURE

    def _understood(self, route: _Route | None, request: Request) -> tuple[object, Caller]:
        if route is None:
            raise unreadable() if not is_json(request.body) else _unknown_operation(request)
        try:
            identity = caller_of(request.headers, request.query)
        except DynamoError as error:
            if not is_json(request.body):
                raise unreadable() from error
            raise
        decoded = route.decoder.decode(request.body)
        host = request.headers.get(b"host", b"").decode("latin-1")
        caller = Caller(identity.scope.account, identity.scope.region, host)
        if self._sampler is not None and self._sampler.is_watched:
            self._sampler.see(decoded, caller)
        return decoded, caller


def _unknown_operation(request: Request) -> DynamoError:
    unbuilt = operation_of(request.headers.get(b"x-amz-target"))
    text = None if unbuilt is None else operation_not_supported(unbuilt.operation)
    return DynamoError(Fault.UNKNOWN_OPERATION, text)


def _refusal(error: DynamoError, answer_type: bytes = JSON_1_0) -> Response:
    return Response(error.fault.status, encode_error(error), answer_type)


_INTERNAL: Final = _refusal(DynamoError(Fault.INTERNAL, internal_server_error()))
