"""POST /: one DynamoDB request, from bytes to bytes.

target → caller → decode → the pipeline → encode. A body that is not JSON is refused before an
unknown target or a malformed signature, a member of a wrong type after them. Only requests that
are refused anyway are parsed twice to find out which comes first.
"""

from collections.abc import Container
from typing import Final, Protocol

from hashrange.api.apis import NO_APIS, Api, Apis
from hashrange.api.dynamodb.registry import DYNAMODB
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import Caller
from hashrange.clock import Clock
from hashrange.errors import DynamoError, Fault
from hashrange.messages.server import internal_server_error
from hashrange.observe.figures import Figures
from hashrange.observe.metrics import Metrics
from hashrange.server.heads import HeadReader
from hashrange.server.request_log import LoggedRequest, RequestLog
from hashrange.server.request_queue import NO_QUEUE, RequestQueue
from hashrange.server.responses import TOO_LATE, UNKNOWN_OPERATION
from hashrange.server.verified_heads import NOBODY, significant_headers
from hashrange.storage.engine import StorageError
from hashrange.wire.answers import JSON_1_0, encode, encode_error
from hashrange.wire.codec import DECODE_ERRORS
from hashrange.wire.depth import DEEP_BYTES_MIN
from hashrange.wire.exchange import Request, Response
from hashrange.wire.service import domain_of

_SUCCESS: Final = ""
_CODES: Final = {fault: fault.code for fault in Fault}
"""Faults by the codes that AWS uses in its own metrics: the name behind the `#`."""
_FAILURE: Final = _CODES[Fault.INTERNAL]


class Recorder(Protocol):
    """Makes the audit log."""

    def record(
        self, request: Request, operation: str, caller: Caller, response: Response
    ) -> Response:
        """Record a request that was answered; returns the response, perhaps with its id."""

    def record_call(
        self,
        request: Request,
        source: str,
        caller: Caller,
        response: Response,
        *,
        unless: Container[str] = (),
    ) -> Response:
        """Likewise of a request to another service, by its name, but for some operations."""


class Endpoint:
    """Answers POST requests through one pipeline.

    Args:
        pipeline: executes requests.
        clock: measures their duration.
        metrics: counts requests, faults and durations.
        request_log: logs slow and failed requests.
        heads: parses the heads of requests; one that verifies no signatures if None.
        apis: other APIs on the same port.

    Attributes:
        apis: other APIs on the same port.
        queue: where requests wait if there are too many; none until it is set.
        recorder: makes the audit log; None for no log.
    """

    recorder: Recorder | None = None

    def __init__(
        self,
        pipeline: Pipeline,
        clock: Clock,
        metrics: Metrics,
        *,
        request_log: RequestLog,
        heads: HeadReader | None = None,
        apis: Apis = NO_APIS,
    ) -> None:
        self._heads = HeadReader(pipeline, metrics) if heads is None else heads
        self._verified = self._heads.verified
        self._cached_heads = self._heads.cache.entries
        self._pipeline = pipeline
        self._monotonic_ns = clock.monotonic_ns
        self.queue: RequestQueue = NO_QUEUE
        self._metrics = metrics
        self._request_log = request_log
        self._logs_from_ns = request_log.logs_from_ns
        self.apis = apis

    def figures(self) -> Figures:
        """Refused signatures, and requests that wait or waited too long."""
        return {**self._heads.figures(), **self.queue.figures()}

    def is_refused_early(self, request: Request) -> bool:
        """Whether a request is refused whatever its body is, for the signature of its head."""
        api = self.apis.find(request)
        service = DYNAMODB.name if api is None else api.name
        return self._heads.is_refused_early(request, service)

    async def respond(self, request: Request) -> Response:  # noqa: C901, PLR0912 - the steps
        """Answer a request. Refusals are answers too; 500 is a defect or a storage failure."""
        began_ns = self._monotonic_ns()
        if began_ns >= self.queue.look_ns and await self.queue.is_late(request, began_ns):
            return TOO_LATE
        key = None
        try:
            if self._verified is None:
                start, _, signature = request.headers[b"authorization"].rpartition(b"=")
                key = (
                    significant_headers(request.headers),
                    start,
                    signature.isalnum(),
                    request.query,
                    self._pipeline.epoch,
                )
                head = self._cached_heads[key]
            else:
                head = self._verified.known(request, self._pipeline.epoch)
        except KeyError:
            api = self.apis.find(request)
            if api is not None:
                return await self._serve(api, request)
            read = self._heads.read(request, key)
            if read is None:
                return UNKNOWN_OPERATION
            head = read
        code, typed = _SUCCESS, None
        try:
            if request.decompress is not None and (refusal := request.decompress(request)):
                return refusal
            try:
                typed = (head.decode if len(request.body) < DEEP_BYTES_MIN else head.reread)(
                    request.body
                )
            except DECODE_ERRORS:
                typed = head.reread(request.body)
            answer = await head.perform(typed)
            response = Response(200, b"" if answer is None else encode(answer), head.answer_type)
            counts = head.latencies[typed.table_name]
        except DynamoError as error:
            response = _refusal(error, head.answer_type)
            code, counts = _CODES[error.fault], head.counts
            head.fail(code, typed)
            if head.caller is NOBODY:
                began_ns += await self._heads.slow(request, error)
        except Exception as error:  # noqa: BLE001 - every failure gets an answer
            is_storage = isinstance(error, StorageError)
            text = f"storage failed: {error}" if is_storage else "a request failed"
            response, code = self._request_log.failed(head.operation, text, _INTERNAL), _FAILURE
            (counts := head.counts).fail(code)
        if self.recorder is not None and head.caller is not NOBODY:
            response = self.recorder.record(request, head.operation, head.caller, response)
        duration_ns = self._monotonic_ns() - began_ns
        counts.add(duration_ns)
        if duration_ns < self._logs_from_ns:
            return response
        logged = LoggedRequest(head.operation, request, duration_ns)
        return self._request_log.log(logged, response, code)

    async def respond_at_path(self, request: Request) -> Response:
        """Answer a request of an API that names the operation in the path."""
        api = self.apis.find(request)
        return UNKNOWN_OPERATION if api is None else await self._serve(api, request)

    async def _serve(self, api: Api, request: Request) -> Response:
        """Answer a request of another API, and record it if its caller is known."""
        admitted = await self._heads.admit(api, request)
        if isinstance(admitted, Response):
            self._metrics.served(api.name, admitted.fault)
            return admitted
        response = await api.respond(request, admitted)
        self._metrics.served(api.name, response.fault)
        if self.recorder is None:
            return response
        return self.recorder.record_call(
            request, domain_of(api.name), admitted, response, unless=api.data_operations
        )


def _refusal(error: DynamoError, answer_type: bytes = JSON_1_0) -> Response:
    return Response(error.fault.status, encode_error(error), answer_type)


_INTERNAL: Final = _refusal(DynamoError(Fault.INTERNAL, internal_server_error()))
