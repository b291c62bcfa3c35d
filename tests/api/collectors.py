"""A collector of OpenTelemetry: a small HTTP server that keeps the spans it gets."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

KINDS = ("unset", "internal", "server")


def value_of(value: Any) -> Any:
    """A value of an attribute."""
    kind = value.WhichOneof("value")
    found = getattr(value, kind)
    return [value_of(each) for each in found.values] if kind == "array_value" else found


def attributes_of(pairs: Any) -> dict[str, Any]:
    return {each.key: value_of(each.value) for each in pairs}


class Collector:
    """Spans and resources as they came, decoded from protobuf.

    Attributes:
        url: of the collector, without the path of spans.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.paths: list[str] = []
        self.spans: list[Any] = []
        self.resources: list[dict[str, Any]] = []

    def take(self, path: str, body: bytes) -> None:
        self.paths.append(path)
        for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.resources.append(attributes_of(of_resource.resource.attributes))
            for of_scope in of_resource.scope_spans:
                self.spans += of_scope.spans

    def named(self, name: str) -> tuple[Any, dict[str, Any]]:
        """The only span of a name, and its attributes."""
        (span,) = (each for each in self.spans if each.name == name)
        return span, attributes_of(span.attributes)


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector on a free port, within a context."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            found.take(self.path, body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Collector(f"http://127.0.0.1:{server.server_port}")
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
