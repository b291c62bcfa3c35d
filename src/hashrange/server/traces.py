"""Traces: a span of OpenTelemetry for each request that is answered, sent to a collector by OTLP.

The SDK reads its variables, `OTEL_…`: samplers, headers, sizes of batches, attributes of the
resource. Spans wait in its queue, and a thread sends them; those that find it full are lost. Only a
server with `--traces-to` imports this module.
"""

from collections.abc import Callable, Mapping
from threading import Timer
from typing import Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue

from hashrange.clock import Clock
from hashrange.observe.process_figures import program_version
from hashrange.server.access_log import Line, line_of, utc
from hashrange.wire.exchange import Handler, Request, Response

CLOSE_SECONDS: Final = 2.0
_PATH: Final = "/v1/traces"
"""Of spans, behind the URL of a collector."""
_NAME: Final = "hashrange"
_UNNAMED: Final = "unknown_service"
_NS_PER_MS: Final = 1_000_000
_FAILURES: Final = 500
"""Statuses from here on are errors of the server."""
_PARENT: Final = (b"traceparent", b"tracestate")
_DYNAMODB: Final = b"DynamoDB"

_propagator: Final = TraceContextTextMapPropagator()


class Traces:
    """Makes spans.

    Args:
        collector: its URL, without `/v1/traces`.
        clock: dates spans, and measures requests.
        identified: gives a response the id that its client sees.
    """

    def __init__(
        self, collector: str, clock: Clock, identified: Callable[[Response], Response]
    ) -> None:
        resource = Resource.create()
        if str(resource.attributes.get(SERVICE_NAME, _UNNAMED)).startswith(_UNNAMED):
            resource = resource.merge(Resource({SERVICE_NAME: _NAME}))
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._exporter = OTLPSpanExporter(endpoint=collector.rstrip("/") + _PATH)
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))
        self._tracer = self._provider.get_tracer(_NAME, program_version())
        self._clock = clock
        self._identified = identified

    def around(self, handler: Handler) -> Handler:
        """A handler that answers as another one does, and makes spans of the requests."""
        monotonic_ns = self._clock.monotonic_ns

        async def traced(request: Request) -> Response:
            began_ns, size = monotonic_ns(), len(request.body)
            response = self._identified(await handler(request))
            self._add(request, response, monotonic_ns() - began_ns, size)
            return response

        return traced

    def _add(self, request: Request, response: Response, took_ns: int, size: int) -> None:
        now_ms = self._clock.now_ms()
        line = line_of(request, response, at=utc(now_ms), duration_ns=took_ns, bytes_received=size)
        span = self._tracer.start_span(
            name_of(line),
            _propagator.extract(parent_of(request)),
            SpanKind.SERVER,
            attributes_of(line, request),
            start_time=now_ms * _NS_PER_MS - took_ns,
        )
        if line.status >= _FAILURES:
            span.set_status(Status(StatusCode.ERROR))
        span.end(now_ms * _NS_PER_MS)

    def close(self) -> None:
        """Send what waits, for `CLOSE_SECONDS` at most. It blocks."""
        # The exporter tries again for longer, until it is shut down itself.
        timer = Timer(CLOSE_SECONDS, self._exporter.shutdown)
        timer.start()
        self._provider.shutdown()
        timer.cancel()


def parent_of(request: Request) -> Mapping[str, str]:
    """The headers that name the span of the client."""
    headers = request.headers
    return {name.decode(): headers[name].decode("latin-1") for name in _PARENT if name in headers}


def name_of(line: Line) -> str:
    """An operation, with its table if that is one; the method of a page."""
    if not line.operation:
        return line.method
    return f"{line.operation} {line.tables}" if _is_one(line.tables) else line.operation


def attributes_of(line: Line, request: Request) -> Mapping[str, AttributeValue]:
    """The attributes of OpenTelemetry's conventions: of HTTP, and of DynamoDB for its requests.

    A refusal is no error of the server: it has a code, and no `error.type`.
    """
    found: dict[str, AttributeValue] = {
        "http.request.method": line.method,
        "http.request.body.size": line.bytes_received,
        "http.response.status_code": line.status,
        "http.response.body.size": line.bytes_sent,
        "url.path": line.path,
        "url.scheme": "https" if request.peer.is_secure else "http",
        "aws.request_id": line.request_id,
    }
    texts = {"client.address": line.address, "user_agent.original": line.user_agent}
    if request.headers.get(b"x-amz-target", b"").startswith(_DYNAMODB):
        found["db.system.name"] = "aws.dynamodb"
        texts |= {"db.operation.name": line.operation, "db.response.status_code": line.error}
        if line.tables:
            found["aws.dynamodb.table_names"] = line.tables.split(",")
            texts["db.collection.name"] = line.tables if _is_one(line.tables) else ""
    if line.status >= _FAILURES:
        texts["error.type"] = line.error or str(line.status)
    return found | {name: text for name, text in texts.items() if text}


def _is_one(tables: str) -> bool:
    return bool(tables) and "," not in tables
