"""The pages that share the port of the API.

Source: `GET /`, `/ping` and the 404 are captured from the service; container platforms request
`/health`, `/livez`, `/readyz` and `/metrics`; Scylla's clients request `/localnodes`; `/top.json`
is our own.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from hashrange.server.copied_page import CopiedPage
from hashrange.server.cors import preflight
from hashrange.server.exchange import Handler, Request, Response
from hashrange.server.responses import TEXT, UNKNOWN_OPERATION
from hashrange.wire.answers import JSON, encode

_HEALTHY: Final = Response(200, b"healthy: dynamodb.us-east-1.amazonaws.com ", TEXT)
_OK: Final = Response(200, b"ok\n", TEXT)
_METRICS_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"

_FIXED: Final = {b"/": _HEALTHY, b"/ping": _HEALTHY, b"/health": _OK, b"/livez": _OK}
_OWN_PAGES: Final = frozenset(
    (b"/ping", b"/health", b"/livez", b"/readyz", b"/metrics", b"/top.json", b"/localnodes")
)
"""Pages that also answer HEAD and OPTIONS, for probes; `/` answers as the service does."""
_METHODS: Final = Response(200, b"", TEXT, ((b"Allow", b"GET, HEAD, OPTIONS"),))


def pages(
    *,
    fault: Callable[[], Awaitable[str | None]],
    metrics: Callable[[], Awaitable[bytes]],
    top: Callable[[], Awaitable[bytes]],
    monotonic_ns: Callable[[], int],
) -> Handler:
    """The handler of all requests but `POST /`.

    Args:
        fault: why the server is not ready; None if it is.
        metrics: all metrics in Prometheus' text format.
        top: a snapshot of the server's counts, in JSON.
        monotonic_ns: the clock, for the age of copies of both.
    """
    copied = {
        b"/metrics": CopiedPage(metrics, _METRICS_TYPE, monotonic_ns),
        b"/top.json": CopiedPage(top, JSON, monotonic_ns),
    }

    async def page(request: Request) -> Response:
        if request.method == b"OPTIONS":
            return _options(request)
        return await read(request) if _reads(request) else UNKNOWN_OPERATION

    async def read(request: Request) -> Response:
        match request.path:
            case b"/readyz":
                return _ready(await fault())
            case b"/localnodes":
                return Response(200, encode([_host(request)]), JSON)
            case path if path in copied:
                return await copied[path].answer(request)
            case path:
                return _FIXED.get(path, UNKNOWN_OPERATION)

    return page


def _reads(request: Request) -> bool:
    """Whether the method is GET or HEAD; the connection leaves the body out for HEAD."""
    is_head = request.method == b"HEAD" and request.path in _OWN_PAGES
    return is_head or request.method == b"GET"


def _options(request: Request) -> Response:
    if b"origin" in request.headers:
        return preflight(request)
    return _METHODS if request.path in _OWN_PAGES else UNKNOWN_OPERATION


def _ready(fault: str | None) -> Response:
    return _OK if fault is None else Response(503, f"not ready: {fault}\n".encode(), TEXT)


def _host(request: Request) -> str:
    # The server is the only node of its cluster, and the client has just reached it by this name.
    host = request.headers.get(b"host", b"localhost").decode("latin-1")
    name, _, port = host.rpartition(":")
    return name if name and port.isdecimal() else host
