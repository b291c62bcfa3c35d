"""The pages that share the port of the API: a table of routes, and its rows of every server.

Source: `GET /`, `/ping` and the 404 are captured from the service; container platforms request
`/health`, `/livez`, `/readyz` and `/metrics`; Scylla's clients request `/localnodes`; `/top.json`
is our own.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from hmac import compare_digest
from typing import Final

from hashrange.limits.server import COMPRESSED_ANSWER_BYTES_MIN, PAGE_SECONDS_MIN
from hashrange.server.compression import accepted, compressed
from hashrange.server.endpoint import Endpoint
from hashrange.server.hosts import preflight
from hashrange.server.responses import TEXT, UNKNOWN_CONTENT_ENCODING, UNKNOWN_OPERATION
from hashrange.server.routes import GET, POST, READING, Audience, Route, Routes
from hashrange.wire.answers import JSON, encode
from hashrange.wire.exchange import SERVICE_PATHS, Handler, Request, Response

_NS_MIN: Final = PAGE_SECONDS_MIN * 1_000_000_000


class CopiedPage:
    """Answers the requests for one page, which is the same for everybody.

    Args:
        make: makes the page.
        content_type: of the page.
        monotonic_ns: the clock.
    """

    def __init__(
        self,
        make: Callable[[], Awaitable[bytes]],
        content_type: bytes,
        monotonic_ns: Callable[[], int],
    ) -> None:
        self._make = make
        self._content_type = content_type
        self._monotonic_ns = monotonic_ns
        self._old_from_ns = 0
        self._copies: dict[bytes | None, Response] = {}
        self._making: asyncio.Future[None] | None = None

    async def answer(self, request: Request) -> Response:
        """The page, in an encoding that the client accepts. Raises what `make` raises."""
        while not self._copies or self._monotonic_ns() >= self._old_from_ns:
            if self._making is None:
                await self._renew()
            else:
                await self._making
        encoding = accepted(request.headers.get(b"accept-encoding", b"identity"))
        return self._copies.get(encoding) or self._encoded(encoding)

    async def _renew(self) -> None:
        making = self._making = asyncio.get_running_loop().create_future()
        try:
            body = await self._make()
            self._copies = {None: Response(200, body, self._content_type)}
            self._old_from_ns = self._monotonic_ns() + _NS_MIN
        finally:
            self._making = None
            making.set_result(None)

    def _encoded(self, encoding: bytes | None) -> Response:
        plain = self._copies[None]
        if encoding is None or len(plain.body) <= COMPRESSED_ANSWER_BYTES_MIN:
            return plain
        headers = ((b"Content-Encoding", encoding),)
        body = compressed(plain.body, encoding)
        found = self._copies[encoding] = Response(200, body, self._content_type, headers)
        return found


_HEALTHY: Final = Response(200, b"healthy: dynamodb.us-east-1.amazonaws.com ", TEXT)
_OK: Final = Response(200, b"ok\n", TEXT)
_METRICS_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"

_METHODS: Final = Response(200, b"", TEXT, ((b"Allow", b"GET, HEAD, OPTIONS"),))


def pages(rows: Iterable[Route[Handler]]) -> Handler:
    """The handler of all requests but `POST /`, from its table.

    A path that has HEAD answers OPTIONS too, both for probes.
    """
    table = tuple(rows)
    browsers = Routes(row for row in table if row.audience is Audience.BROWSERS)
    routes = Routes(row for row in table if row.audience is not Audience.BROWSERS)

    def found(request: Request) -> Route[Handler] | None:
        accepts_html = b"text/html" in request.headers.get(b"accept", b"")
        route = browsers.find(request.method, request.path) if accepts_html else None
        return route or routes.find(request.method, request.path)

    async def page(request: Request) -> Response:
        route = found(request)
        if request.decompress and request.body and (route is None or not route.decodes):
            return UNKNOWN_CONTENT_ENCODING
        if route is not None:
            return await route.answer(request)
        if request.method != b"OPTIONS":
            return UNKNOWN_OPERATION
        if b"origin" in request.headers:
            return preflight(request)
        is_probed = routes.find(b"HEAD", request.path) is not None
        return _METHODS if is_probed else UNKNOWN_OPERATION

    return page


def operator_pages(
    *,
    fault: Callable[[], Awaitable[str | None]],
    notes: Callable[[], Sequence[str]] = tuple,
    metrics: Callable[[], Awaitable[bytes]],
    top: Callable[[], Awaitable[bytes]],
    monotonic_ns: Callable[[], int],
    token: str | None = None,
) -> Sequence[Route[Handler]]:
    """The pages of every server; `/` answers as the service does.

    Args:
        fault: why the server is not ready; None if it is.
        notes: lines about damage and missing replication, although it is ready.
        metrics: all metrics in Prometheus' text format.
        top: a snapshot of the server's counts, in JSON.
        monotonic_ns: the clock, for the age of copies of both.
        token: that readers of both must send; None if everybody may read them.
    """
    counted = CopiedPage(metrics, _METRICS_TYPE, monotonic_ns).answer
    shown = CopiedPage(top, JSON, monotonic_ns).answer

    async def healthy(_request: Request) -> Response:
        return _HEALTHY

    async def alive(_request: Request) -> Response:
        return _OK

    async def ready(_request: Request) -> Response:
        return _ready(await fault(), notes())

    async def nodes(request: Request) -> Response:
        return Response(200, encode([_host(request)]), JSON)

    return (
        Route(GET, b"/", healthy),
        Route(READING, b"/ping", healthy),
        Route(READING, b"/health", alive),
        Route(READING, b"/livez", alive),
        Route(READING, b"/readyz", ready),
        Route(READING, b"/metrics", _with_token(token, counted)),
        Route(READING, b"/top.json", _with_token(token, shown)),
        Route(READING, b"/localnodes", nodes),
    )


_NO_TOKEN: Final = Response(
    401,
    b"the token of HASHRANGE_METRICS_TOKEN is missing\n",
    TEXT,
    ((b"WWW-Authenticate", b"Bearer"),),
)


def _with_token(token: str | None, handler: Handler) -> Handler:
    """A handler that answers only requests with a token."""
    if token is None:
        return handler
    expected = f"Bearer {token}".encode()

    async def guarded(request: Request) -> Response:
        sent = request.headers.get(b"authorization", b"")
        return await handler(request) if compare_digest(sent, expected) else _NO_TOKEN

    return guarded


def _ready(fault: str | None, notes: Sequence[str]) -> Response:
    if fault is not None:
        return Response(503, f"not ready: {fault}\n".encode(), TEXT)
    return Response(200, "\n".join(["ok, but:", *notes, ""]).encode(), TEXT) if notes else _OK


def _host(request: Request) -> str:
    # The server is the only node of its cluster, and the client has just reached it by this name.
    host = request.headers.get(b"host", b"localhost").decode("latin-1")
    name, _, port = host.rpartition(":")
    return name if name and port.isdecimal() else host


def service_page(endpoint: Endpoint) -> Route[Handler]:
    """The row of the APIs that name the operation in the path."""
    return Route(POST, SERVICE_PATHS + b"*", endpoint.respond_at_path, decodes=True)
