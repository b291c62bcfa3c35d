"""One connection: what is read is answered in order, one request at a time.

A request is begun when the one before it is answered, and answered in the same call if its handler
does not suspend. Beside the request at work a connection holds one read's worth of bytes; then it
stops reading, as it does while its client does not take the answers.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

from hashrange.limits import (
    COMPRESSED_ANSWER_BYTES_MIN,
    HTTP_LINGER_SECONDS_MAX,
    HTTP_REFUSALS_MAX,
)
from hashrange.observe.traffic import Traffic
from hashrange.server import adapt, responses
from hashrange.server.drive import advance
from hashrange.server.encoder import CONTINUE, ResponseEncoder
from hashrange.server.exchange import Handler, Request, Response
from hashrange.server.http_limits import HttpLimits
from hashrange.server.reader import RequestReader


class Edge:
    """What the connections of one listener share.

    `now_s` is coarse and monotonic; the listener moves it on. `suspended` counts handlers that have
    begun and await something, also those whose client has gone. Once `is_draining`, no request
    begins; once `is_over`, connections are cut off.
    """

    __slots__ = (
        "connections",
        "encoder",
        "handler",
        "is_draining",
        "is_over",
        "limits",
        "now_s",
        "on_ended",
        "request_id",
        "suspended",
        "traffic",
    )

    def __init__(
        self,
        handler: Handler,
        limits: HttpLimits,
        *,
        request_id: Callable[[], bytes],
        encoder: ResponseEncoder,
        traffic: Traffic,
        now_s: int,
    ) -> None:
        self.handler = handler
        self.limits = limits
        self.request_id = request_id
        self.encoder = encoder
        self.traffic = traffic
        self.now_s = now_s
        self.connections: set[Connection] = set()
        self.suspended = 0
        self.is_draining = False
        self.is_over = False
        self.on_ended: Callable[[], object] = _nothing
        """Called when a connection or a suspended handler has ended."""


def _nothing() -> None:
    pass


class Connection(asyncio.Protocol):
    """One client."""

    __slots__ = (
        "_buffered_bytes",
        "_coroutine",
        "_edge",
        "_is_blocked",
        "_is_held",
        "_is_lingering",
        "_is_lost",
        "_reader",
        "_request",
        "_since_s",
        "_transport",
    )

    def __init__(self, edge: Edge) -> None:
        self._edge = edge
        self._reader = RequestReader(edge.limits)
        # The handler that is suspended, and its request.
        self._coroutine: Coroutine[Any, Any, Response] | None = None
        self._request: Request
        # The client does not take what was written.
        self._is_blocked = False
        self._buffered_bytes = 0
        # We do not read.
        self._is_held = False
        # The last answer was a refusal: what still arrives is thrown away.
        self._is_lingering = False
        self._is_lost = False
        # When the present state began: idle, receiving, blocked, lingering.
        self._since_s = edge.now_s

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        edge = self._edge
        self._transport = cast("asyncio.Transport", transport)
        edge.connections.add(self)
        edge.traffic.connections_opened += 1
        beyond = len(edge.connections) - edge.limits.connections_max
        if beyond <= 0 and not edge.is_draining:
            return
        edge.traffic.connections_refused += 1
        if beyond > HTTP_REFUSALS_MAX:
            self._transport.abort()
        elif edge.is_draining:
            self._linger(responses.SHUTTING_DOWN)
        else:
            self._linger(responses.too_many_connections(edge.limits))

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the reason is no use
        """See `asyncio.Protocol`. A handler at work goes on: what it writes must not be undone."""
        edge = self._edge
        self._is_lost = True
        self._reader.close()
        self._reader.requests.clear()
        edge.connections.discard(self)
        edge.traffic.connections_closed += 1
        edge.on_ended()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        self._edge.traffic.bytes_received += len(data)
        self._reader.feed(data)
        if self._coroutine is None:
            self._serve()
        else:
            self._hold()

    def eof_received(self) -> bool:
        """See `asyncio.Protocol`. A client that has only ended its sending still gets answers."""
        self._reader.close()
        is_at_work = self._coroutine is not None or bool(self._reader.requests)
        # TLS knows no half-closed connections.
        return is_at_work and self._transport.can_write_eof()

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`."""
        self._is_blocked = True
        self._buffered_bytes = 0
        self._since_s = self._edge.now_s

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        self._is_blocked = False
        if self._coroutine is None and not self._is_lost:
            self._serve()

    def drain(self) -> None:
        """Begin no further request; close as soon as those that have begun are answered."""
        self._reader.finish()
        if self._coroutine is None and not self._is_lingering:
            self._serve()

    def check(self) -> None:
        """Close the connection if it has overstayed."""
        edge = self._edge
        limits = edge.limits
        transport = self._transport
        age_s = edge.now_s - self._since_s
        if edge.is_over or (self._is_lingering and age_s > HTTP_LINGER_SECONDS_MAX):
            transport.abort()
        elif self._is_blocked or transport.is_closing():
            buffered_bytes = transport.get_write_buffer_size()
            if buffered_bytes != self._buffered_bytes:
                self._buffered_bytes = buffered_bytes
                self._since_s = edge.now_s
            elif age_s > limits.request_seconds_max:
                transport.abort()
        elif self._coroutine is None:  # a handler's time is not the client's
            if not self._reader.receiving:
                if age_s > limits.idle_seconds_max:
                    transport.close()
            elif age_s > limits.request_seconds_max:
                self._reader.refuse(responses.request_too_slow(limits))
                self._settle()

    def _serve(self) -> None:
        reader = self._reader
        requests = reader.requests
        edge = self._edge
        while requests and not self._is_blocked:
            request = requests.popleft()
            response = None
            if b"content-encoding" in request.headers:
                response = adapt.decode_body(request, edge.limits)
            if response is None:
                coroutine = edge.handler(request)
                response = advance(coroutine, self._wake)
                if response is None:
                    self._coroutine = coroutine
                    self._request = request
                    edge.suspended += 1
                    if reader.unread:
                        self._hold()
                    return
            self._answer(request, response)
        self._settle()

    def _wake(self, _awaited: object) -> None:
        coroutine = self._coroutine
        assert coroutine is not None, "woken without having suspended"
        response = advance(coroutine, self._wake)
        if response is None:
            return
        self._coroutine = None
        self._edge.suspended -= 1
        if self._is_lost:
            self._edge.on_ended()
        else:
            self._answer(self._request, response)
            self._serve()

    def _answer(self, request: Request, response: Response) -> None:
        edge = self._edge
        reader = self._reader
        bodiless = False
        if (
            request.method != b"POST"
            or b"origin" in request.headers
            or len(response.body) > COMPRESSED_ANSWER_BYTES_MIN
        ):
            response = adapt.adapted(request, response)
            bodiless = request.method == b"HEAD"
        encoded = edge.encoder.encode(
            response,
            edge.request_id(),
            keep_alive=reader.is_open or bool(reader.requests) or reader.refusal is not None,
            bodiless=bodiless,
        )
        edge.traffic.bytes_sent += len(encoded)
        self._transport.write(encoded)

    def _settle(self) -> None:
        # Nothing is at work, and nothing whole is waiting unless the client is slow.
        reader = self._reader
        if self._is_blocked:
            if reader.requests or reader.unread:
                self._hold()
        elif reader.unread:
            # Other connections come first.
            self._hold()
            asyncio.get_running_loop().call_soon(self.data_received, b"")
        elif reader.is_open:
            if self._is_held:
                self._is_held = False
                self._transport.resume_reading()
            if reader.is_new or not reader.receiving:
                reader.is_new = False
                self._since_s = self._edge.now_s
            if reader.continue_owed:
                reader.continue_owed = False
                self._transport.write(CONTINUE)
        elif self._is_lingering:
            pass
        elif reader.refusal is not None:
            self._edge.traffic.requests_refused += 1
            self._linger(reader.refusal)
        else:
            self._since_s = self._edge.now_s
            self._transport.close()

    def _hold(self) -> None:
        if not self._is_held:
            self._is_held = True
            self._transport.pause_reading()

    def _linger(self, response: Response) -> None:
        # To close now, with bytes unread, would reset the connection, and the client would never
        # see why.
        edge = self._edge
        transport = self._transport
        self._reader.close()
        self._is_lingering = True
        self._since_s = edge.now_s
        encoded = edge.encoder.encode(response, edge.request_id(), keep_alive=False)
        edge.traffic.bytes_sent += len(encoded)
        transport.write(encoded)
        if self._is_held:
            self._is_held = False
            transport.resume_reading()
        if transport.can_write_eof():
            transport.write_eof()
        else:
            transport.close()
