"""POST /: one DynamoDB request, from bytes to bytes.

target → caller → decode → the pipeline → encode. A body that is no JSON is told before the target
and the caller, a member of a wrong type after them; only refused requests pay for finding out.
"""

import logging
from typing import Any, Final

import msgspec

from hashrange.auth.sigv4 import caller as caller_of
from hashrange.clock import Clock
from hashrange.errors import DynamoError, Fault
from hashrange.messages.http import internal_server_error
from hashrange.observe.metrics import Metrics
from hashrange.operations.operation import Caller
from hashrange.operations.pipeline import Pipeline
from hashrange.operations.registry import OPERATIONS
from hashrange.server.exchange import Request, Response
from hashrange.server.responses import UNKNOWN_OPERATION
from hashrange.storage.engine import StorageError, StorageUnavailableError
from hashrange.wire.answers import JSON_1_0, content_type, encode, encode_error
from hashrange.wire.codec import Decoder, is_json
from hashrange.wire.reading import unreadable
from hashrange.wire.targets import target_of

_UNKNOWN: Final = "unknown"
_SUCCESS: Final = ""
_FAILURE: Final = Fault.INTERNAL.name

_log: Final = logging.getLogger(__name__)


class _Route(msgspec.Struct, frozen=True):
    """A target that is built."""

    name: str
    decoder: Decoder[Any]


_ROUTES: Final = {
    target_of(name): _Route(name, Decoder(operation.request))
    for name, operation in OPERATIONS.items()
}


class Endpoint:
    """Answers POST requests through one pipeline."""

    def __init__(self, pipeline: Pipeline, clock: Clock, metrics: Metrics) -> None:
        self._pipeline = pipeline
        self._clock = clock
        self._metrics = metrics

    async def respond(self, request: Request) -> Response:
        """The answer; a refusal is an answer too, and only a defect of ours is a 500."""
        sent_type = request.headers.get(b"content-type")
        answer_type = content_type(sent_type, has_body=bool(request.body))
        if answer_type is None:
            return UNKNOWN_OPERATION
        began_ns = self._clock.monotonic_ns()
        route = _ROUTES.get(request.headers.get(b"x-amz-target", b""))
        name = _UNKNOWN if route is None else route.name
        code = _FAILURE
        try:
            response = Response(200, await self._answer(route, request), answer_type)
            code = _SUCCESS
        except DynamoError as error:
            response = _refusal(error, answer_type)
            code = error.fault.name
        except StorageUnavailableError:
            # A line for each request would hide the one that told why.
            response = _INTERNAL
        except StorageError:
            _log.exception("storage failed in %s", name)
            response = _INTERNAL
        finally:
            # What is not caught here is answered where coroutines are driven.
            self._metrics.request(name, code, self._clock.monotonic_ns() - began_ns)
        return response

    async def _answer(self, route: _Route | None, request: Request) -> bytes:
        if route is None:
            raise unreadable() if not is_json(request.body) else _unknown_operation()
        try:
            identity = caller_of(request.headers, request.query)
        except DynamoError as error:
            if not is_json(request.body):
                raise unreadable() from error
            raise
        decoded = route.decoder.decode(request.body)
        host = request.headers.get(b"host", b"").decode("latin-1")
        caller = Caller(identity.account, identity.region, host)
        answer = await self._pipeline.perform(route.name, decoded, caller)
        return b"" if answer is None else encode(answer)


def _unknown_operation() -> DynamoError:
    return DynamoError(Fault.UNKNOWN_OPERATION)


def _refusal(error: DynamoError, answer_type: bytes = JSON_1_0) -> Response:
    return Response(error.fault.status, encode_error(error), answer_type)


_INTERNAL: Final = _refusal(DynamoError(Fault.INTERNAL, internal_server_error()))
