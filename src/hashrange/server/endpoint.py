"""POST /: one DynamoDB request, from bytes to bytes.

target → caller → decode → the pipeline → encode. A body that is no JSON is told before the target
and the caller, a member of a wrong type after them; only refused requests pay for finding out.
"""

from typing import Final

from hashrange.clock import Clock
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.http import internal_server_error, stored_key_too_long
from hashrange.observe.metrics import Metrics
from hashrange.operations.operation import Caller
from hashrange.operations.pipeline import Pipeline
from hashrange.server.exchange import Request, Response
from hashrange.server.heads import Heads, telling
from hashrange.server.journal import Asked, Journal
from hashrange.server.responses import OVERLOADED, UNKNOWN_OPERATION
from hashrange.server.sampler import Sampler
from hashrange.storage.engine import (
    KeyTooLongError,
    StorageBusyError,
    StorageError,
    StorageUnavailableError,
)
from hashrange.wire.answers import JSON_1_0, encode, encode_error
from hashrange.wire.codec import REFUSALS
from hashrange.wire.depth import DEEP_BYTES_MIN

_SUCCESS: Final = ""
_CODES: Final = {fault: fault.wire_name.rpartition("#")[2] for fault in Fault}
"""As AWS calls them in its own metrics."""
_FAILURE: Final = _CODES[Fault.INTERNAL]
_BUSY: Final = _CODES[Fault.UNAVAILABLE]


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
        self._heads = Heads(pipeline, metrics)
        self._known = self._heads.known
        self._monotonic_ns = clock.monotonic_ns
        self._journal = journal
        self._tells_from_ns = journal.tells_from_ns
        self._sampler = sampler or Sampler(_nowhere, clock.monotonic_ns)

    async def respond(self, request: Request) -> Response:
        """The answer; a refusal is an answer too, and only a defect of ours is a 500."""
        began_ns = self._monotonic_ns()
        headers, key = request.headers, None
        try:
            start, _, signature = headers[b"authorization"].rpartition(b"=")
            key = (telling(headers), start, signature.isalnum(), request.query)
            head = self._known[key]
        except KeyError:
            read = self._heads.read(request, key)
            if read is None:
                return UNKNOWN_OPERATION
            head = read
        code = _SUCCESS
        try:
            body = request.body
            try:
                asked = (head.decode if len(body) < DEEP_BYTES_MIN else head.reread)(body)
            except REFUSALS:
                asked = head.reread(body)
            if self._sampler.is_watched:
                self._sampler.see(asked, head.caller)
            answer = await head.perform(asked)
            response = Response(200, b"" if answer is None else encode(answer), head.answer_type)
        except DynamoError as error:
            response = _refusal(error, head.answer_type)
            code = _CODES[error.fault]
            head.counts.fail(code)
        except Exception as error:  # noqa: BLE001 - whatever it is, it gets an answer
            response, code = self._failed(error, head.operation)
            head.counts.fail(code)
        duration_ns = self._monotonic_ns() - began_ns
        head.counts.add(duration_ns)
        if duration_ns >= self._tells_from_ns:
            return self._journal.took(Asked(head.operation, request, duration_ns), response, code)
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


def _nowhere(_name: str, _caller: Caller) -> None:
    return None


def _refusal(error: DynamoError, answer_type: bytes = JSON_1_0) -> Response:
    return Response(error.fault.status, encode_error(error), answer_type)


_INTERNAL: Final = _refusal(DynamoError(Fault.INTERNAL, internal_server_error()))
