"""POST /: one DynamoDB request, from bytes to bytes.

target → caller → decode → the pipeline → encode. A body that is no JSON is told before the target
and the caller, a member of a wrong type after them; only refused requests pay for finding out.
"""

from typing import Final

from hashrange.clock import Clock
from hashrange.errors import DynamoError, Fault
from hashrange.messages.http import internal_server_error
from hashrange.observe.metrics import Metrics
from hashrange.operations.pipeline.pipeline import Pipeline
from hashrange.server.exchange import Request, Response
from hashrange.server.heads import Heads, telling
from hashrange.server.request_log import LoggedRequest, RequestLog
from hashrange.server.responses import UNKNOWN_OPERATION
from hashrange.storage.engine import StorageError
from hashrange.wire.answers import JSON_1_0, encode, encode_error
from hashrange.wire.codec import REFUSALS
from hashrange.wire.depth import DEEP_BYTES_MIN

_SUCCESS: Final = ""
_CODES: Final = {fault: fault.wire_name.rpartition("#")[2] for fault in Fault}
"""As AWS calls them in its own metrics."""
_FAILURE: Final = _CODES[Fault.INTERNAL]


class Endpoint:
    """Answers POST requests through one pipeline.

    Args:
        pipeline: does what is asked.
        clock: for how long it took.
        metrics: counts it.
        request_log: logs it.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        clock: Clock,
        metrics: Metrics,
        *,
        request_log: RequestLog,
    ) -> None:
        self._heads = Heads(pipeline, metrics)
        self._known = self._heads.known.entries
        self._pipeline = pipeline
        self._monotonic_ns = clock.monotonic_ns
        self._request_log = request_log
        self._tells_from_ns = request_log.tells_from_ns

    async def respond(self, request: Request) -> Response:
        """The answer; a refusal is an answer too, and only a defect of ours is a 500."""
        began_ns = self._monotonic_ns()
        headers, key = request.headers, None
        try:
            start, _, signature = headers[b"authorization"].rpartition(b"=")
            key = (
                telling(headers),
                start,
                signature.isalnum(),
                request.query,
                self._pipeline.epoch,
            )
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
            answer = await head.perform(asked)
            response = Response(200, b"" if answer is None else encode(answer), head.answer_type)
        except DynamoError as error:
            response = _refusal(error, head.answer_type)
            code = _CODES[error.fault]
            head.counts.fail(code)
        except Exception as error:  # noqa: BLE001 - whatever it is, it gets an answer
            is_storage = isinstance(error, StorageError)
            text = f"storage failed: {error}" if is_storage else "a request failed"
            response, code = self._request_log.failed(head.operation, text, _INTERNAL), _FAILURE
            head.counts.fail(code)
        duration_ns = self._monotonic_ns() - began_ns
        head.counts.add(duration_ns)
        if duration_ns >= self._tells_from_ns:
            return self._request_log.took(
                LoggedRequest(head.operation, request, duration_ns), response, code
            )
        return response


def _refusal(error: DynamoError, answer_type: bytes = JSON_1_0) -> Response:
    return Response(error.fault.status, encode_error(error), answer_type)


_INTERNAL: Final = _refusal(DynamoError(Fault.INTERNAL, internal_server_error()))
