"""One connection: requests are answered in order, one at a time.

A request begins when the request before it is answered, and is answered in the same call if its
handler does not suspend. While a request is being handled, the connection buffers the bytes of one
read and then pauses reading; it pauses too while the client does not read its answers.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, cast

from hashrange.limits.server import COMPRESSED_ANSWER_BYTES_MIN
from hashrange.optional_packages import MissingPackageError, imported
from hashrange.server import compression, responses
from hashrange.server.flow import Flow
from hashrange.server.listener_state import ListenerState
from hashrange.server.peers import peer_of
from hashrange.server.reader import RequestReader
from hashrange.server.response_writer import CONTINUE
from hashrange.wire.exchange import Request, Response

_log: Final = logging.getLogger(__name__)


def advance(
    coroutine: Coroutine[Any, Any, Response], wake: Callable[[Any], object]
) -> Response | None:
    """Run a handler's coroutine until it ends or suspends.

    Returns:
        Its response, the constant 500 if it raised, or None if it awaits: then `wake` is called
        once, from the loop, when the coroutine can go on.
    """
    try:
        awaited = coroutine.send(None)
        if awaited is None:  # asyncio.sleep(0)
            asyncio.get_running_loop().call_soon(wake, None)
        else:
            # How a Task takes a future over from its coroutine.
            assert awaited._asyncio_future_blocking, "not a future of asyncio"  # noqa: SLF001
            awaited._asyncio_future_blocking = False  # noqa: SLF001
            awaited.add_done_callback(wake)
    except StopIteration as ended:
        response: Response = ended.value
        return response
    except (Exception, asyncio.CancelledError):  # noqa: BLE001 - every failure gets an answer
        _log.exception("a request failed")
        return responses.INTERNAL_ERROR
    return None


class Connection(Flow):
    """One client of HTTP.

    `_coroutine`: the suspended handler of `_request`. `_is_half_closed`: the client sends no more.
    `_is_lingering`: the last answer is written; what arrives is discarded until the client closes.
    """

    _state: ListenerState
    _coroutine: Coroutine[Any, Any, Response] | None = None
    _request: Request

    def __init__(self, state: ListenerState) -> None:
        super().__init__(state)
        self._reader = RequestReader(state.limits)
        self._is_half_closed = self._is_lingering = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the connection; answer 503 and close if there is no place for it."""
        self._transport = cast("asyncio.Transport", transport)
        peer = self._reader.peer = peer_of(transport)
        refusal = self._state.add(self, peer.address)
        if self._state.is_flooded(peer.address):
            self._transport.abort()
        elif refusal is not None:
            self._end(refusal)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - no reason is of use
        """Release what was read. A suspended handler runs on: its write must not be undone."""
        self._is_lost = True
        if self._is_charged and self._coroutine is None:
            self._forget_body()
        self._reader.abandon()
        self._state.remove(self, self._reader.peer.address)

    def data_received(self, data: bytes) -> None:
        """Parse what arrived and answer whole requests; pause reading while one is handled."""
        self._state.traffic.bytes_received += len(data)
        self._reader.feed(data)
        if self._coroutine is None:
            self._serve()
        else:
            self._hold()

    def eof_received(self) -> bool:
        """Answer the requests that are whole; True keeps the connection open for writing."""
        self._state.writer.flush()
        self._reader.close()
        is_at_work = self._coroutine is not None or bool(self._reader.requests)
        self._is_half_closed = is_at_work and self._transport.can_write_eof()  # not with TLS
        return self._is_half_closed

    def drain(self) -> None:
        """Close with the last answer to what has arrived, or else with the answer to the next."""
        self._reader.finish(with_next=self._coroutine is None)
        if self._is_lingering:
            self._transport.close()

    def leave(self) -> None:
        """Close if no request is received or at work."""
        reader = self._reader
        if self._coroutine is None and reader.is_open and not (reader.requests or reader.receiving):
            self._end(None, at_once=True)

    def refuse_body(self) -> None:
        """Refuse the request whose body was counted: it is received, or waits to be begun."""
        self._reader.refuse(responses.NO_ROOM)
        # Whatever waits is that request, or came after it.
        self._reader.requests.clear()
        self._await_more()

    def check(self) -> None:
        """Close the connection if it is idle, or its client too slow, for too long."""
        state, limits, transport = self._state, self._state.limits, self._transport
        age_s = state.now_s - self._since_s
        if state.is_over:
            transport.abort()
        elif self._is_blocked or self._is_lingering or transport.is_closing():
            self._abort_if_stuck(state.linger_s)
        elif self._coroutine is None:  # the time in which a handler runs does not count
            if not self._reader.receiving:
                if age_s > limits.idle_seconds_max:
                    transport.close()
            elif age_s > limits.request_seconds_max:
                self._reader.refuse(responses.request_too_slow(limits))
                self._await_more()

    def _serve(self) -> None:
        reader, state, requests = self._reader, self._state, self._reader.requests
        while requests and not self._is_blocked:
            request = requests.popleft()
            if b"content-encoding" in request.headers:
                request.decompress = partial(compression.decompress, state, self.reserve)
            if len(request.body) > state.long_bytes_min and not self._weigh_body(request.body):
                return
            if b"origin" in request.headers:
                coroutine = state.cross_origin(request)
            elif request.path == b"/" and request.method == b"POST":
                coroutine = state.handler(request)
            else:
                coroutine = state.pages(request)
            response = advance(coroutine, self._wake)
            if response is None:
                self._coroutine, self._request = coroutine, request
                state.suspended += 1
                if self._is_charged:
                    state.bodies.pin(self)
                if reader.unread:
                    self._hold()
                return
            self._answer(request, response, at_once=bool(requests))
        self._await_more()

    def _receive_body(self, head: Request) -> None:
        """Go on with a body, unless its request is refused whatever it is, or there is no room."""
        reader, state = self._reader, self._state
        if not head.is_examined and state.examine(head):
            reader.give_up_body()
            self._serve()
            return
        if reader.body_bytes > state.long_bytes_min and not self._count_body(reader.body_bytes):
            return
        if reader.continue_owed:
            reader.continue_owed = False
            state.writer.flush()
            self._transport.write(CONTINUE)

    def _wake(self, awaited: object) -> None:
        coroutine = self._coroutine
        assert coroutine is not None, "woken without having suspended"
        response = advance(coroutine, self._wake)
        if response is None:
            return
        request = self._request
        del self._request  # it may be large, and the connection stay open for long
        self._coroutine = None
        self._state.suspended -= 1
        if self._is_lost:
            if self._is_charged:
                self._forget_body()
            self._state.on_ended()
        else:
            # Of several that are answered now, the answers are written together.
            self._answer(request, response, at_once=getattr(awaited, "answered", 0) == 1)
            del request
            if self._reader.requests:
                self._serve()
            else:
                self._await_more()

    def _answer(self, request: Request, response: Response, *, at_once: bool) -> None:
        reader, bodiless = self._reader, False
        if request.method != b"POST" or len(response.body) > COMPRESSED_ANSWER_BYTES_MIN:
            response = compression.adapted(request, response)
            bodiless = request.method == b"HEAD"
        keep_alive = reader.is_open or bool(reader.requests) or reader.refusal is not None
        self._state.writer.send(
            response, self._transport, keep_alive=keep_alive, bodiless=bodiless, at_once=at_once
        )
        if self._is_charged:
            self._forget_body()

    def _await_more(self) -> None:
        # No request is being handled, and whole requests wait only if the client does not read.
        reader = self._reader
        if self._is_blocked:
            if reader.requests or reader.unread or reader.receiving:
                self._hold()
        elif reader.unread:
            self._hold()  # other connections have their turn first
            asyncio.get_running_loop().call_soon(self.data_received, b"")
        elif reader.is_open:
            if reader.is_new or not reader.receiving:
                reader.is_new = False
                self._since_s = self._state.now_s
            if self._is_held:
                self._release()
            if reader.head is not None:
                self._receive_body(reader.head)
        elif reader.http2 and _handed_over(self, self._state, self._transport, reader.http2):
            reader.http2 = b""
        elif not self._is_lingering and not self._transport.is_closing():
            self._state.traffic.requests_refused += reader.refusal is not None
            self._end(reader.refusal)

    def _end(self, last: Response | None, *, at_once: bool = False) -> None:
        # Closed while the client still sends, it would lose the answers that it has not read yet.
        state, transport = self._state, self._transport
        self._reader.close()
        if self._is_charged:
            self._forget_body()
        self._since_s = state.now_s
        if last is not None:
            state.writer.send(last, transport, keep_alive=False)
        state.writer.flush()
        self._release()
        if at_once or self._is_half_closed or not transport.can_write_eof():
            transport.close()
        else:
            self._is_lingering = True
            transport.write_eof()


def _handed_over(
    connection: Connection, state: ListenerState, transport: asyncio.Transport, data: bytes
) -> bool:
    """Let a client go on with HTTP/2; False if its package is not installed."""
    try:
        imported("h2", "h2", "a client asks for HTTP/2, which needs h2")
    except MissingPackageError as error:
        _log.info("%s", error)
        return False
    from hashrange.server.http2 import Http2Connection  # noqa: PLC0415 - an extra

    Http2Connection(state, transport, lambda: Connection(state)).begin(data)
    connection.connection_lost(None)
    return True
