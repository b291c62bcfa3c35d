"""One connection: what is read is answered in order, one request at a time.

A request is begun when the one before it is answered, and answered in the same call if its handler
does not suspend. Beside the request at work a connection holds one read's worth of bytes; then it
stops reading, as it does while its client does not take the answers.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, cast

from hashrange.limits import (
    COMPRESSED_ANSWER_BYTES_MIN,
    HTTP_LINGER_SECONDS_MAX,
    HTTP_REFUSALS_MAX,
)
from hashrange.server import adapt, responses
from hashrange.server.drive import advance
from hashrange.server.encoder import CONTINUE
from hashrange.server.exchange import Request, Response
from hashrange.server.listener_state import ListenerState
from hashrange.server.reader import RequestReader


class Connection(asyncio.Protocol):
    """One client.

    `_coroutine` is suspended, and will answer `_request`. `_is_blocked`: the client does not take
    what was written. `_is_held`: we do not read. `_is_half_closed`: the client sends no more.
    `_is_lingering`: we send no more, what arrives is thrown away. `_since_s`: when it became so.
    """

    _transport: asyncio.Transport
    _coroutine: Coroutine[Any, Any, Response] | None = None
    _request: Request

    def __init__(self, state: ListenerState) -> None:
        self._state = state
        self._reader = RequestReader(state.limits)
        self._buffered_bytes = 0
        self._is_blocked = self._is_held = False
        self._is_half_closed = self._is_lingering = self._is_lost = False
        self._since_s = state.now_s

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        self._transport = cast("asyncio.Transport", transport)
        refusal = self._state.welcome(self)
        if len(self._state.connections) > self._state.limits.connections_max + HTTP_REFUSALS_MAX:
            self._transport.abort()
        elif refusal is not None:
            self._end(refusal)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - no reason is of use
        """See `asyncio.Protocol`. A handler at work goes on: what it writes must not be undone."""
        self._is_lost = True
        self._reader.abandon()
        self._state.forget(self)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        self._state.traffic.bytes_received += len(data)
        self._reader.feed(data)
        if self._coroutine is None:
            self._serve()
        else:
            self._hold()

    def eof_received(self) -> bool:
        """See `asyncio.Protocol`. A client that has only ended its sending still gets answers."""
        self._state.flush()
        self._reader.close()
        is_at_work = self._coroutine is not None or bool(self._reader.requests)
        # TLS knows no half-closed connections.
        self._is_half_closed = is_at_work and self._transport.can_write_eof()
        return self._is_half_closed

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`."""
        self._is_blocked = True
        self._buffered_bytes = 0
        self._since_s = self._state.now_s

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        self._is_blocked = False
        if self._coroutine is None and not self._is_lost:
            self._serve()

    def drain(self) -> None:
        """See `Client`."""
        self._reader.finish()
        if self._is_lingering:
            self._transport.close()
        elif self._coroutine is None:
            self._serve()

    def check(self) -> None:
        """See `Client`."""
        state, limits, transport = self._state, self._state.limits, self._transport
        age_s = state.now_s - self._since_s
        if state.is_over:
            transport.abort()
        elif self._is_blocked or self._is_lingering or transport.is_closing():
            buffered_bytes = transport.get_write_buffer_size()
            if buffered_bytes != self._buffered_bytes:
                self._buffered_bytes = buffered_bytes
                self._since_s = state.now_s
            elif age_s > (
                limits.request_seconds_max if buffered_bytes else HTTP_LINGER_SECONDS_MAX
            ):
                transport.abort()
        elif self._coroutine is None:  # a handler's time is not the client's
            if not self._reader.receiving:
                if age_s > limits.idle_seconds_max:
                    transport.close()
            elif age_s > limits.request_seconds_max:
                self._reader.refuse(responses.request_too_slow(limits))
                self._settle()

    def _serve(self) -> None:
        reader, state = self._reader, self._state
        requests = reader.requests
        while requests and not self._is_blocked:
            request = requests.popleft()
            response = None
            if b"content-encoding" in request.headers:
                response = adapt.decode_body(request, state.limits)
            if response is None:
                coroutine = state.handler(request)
                response = advance(coroutine, self._wake)
                if response is None:
                    self._coroutine = coroutine
                    self._request = request
                    state.suspended += 1
                    if reader.unread:
                        self._hold()
                    return
            self._answer(request, response, at_once=bool(requests))
        self._settle()

    def _wake(self, _awaited: object) -> None:
        coroutine = self._coroutine
        assert coroutine is not None, "woken without having suspended"
        response = advance(coroutine, self._wake)
        if response is None:
            return
        request = self._request
        # The connection may stay for long, and the request may be large.
        del self._request
        self._coroutine = None
        self._state.suspended -= 1
        if self._is_lost:
            self._state.on_ended()
        else:
            self._answer(request, response, at_once=False)
            del request
            self._serve()

    def _answer(self, request: Request, response: Response, *, at_once: bool) -> None:
        reader, bodiless = self._reader, False
        if (
            request.method != b"POST"
            or b"origin" in request.headers
            or len(response.body) > COMPRESSED_ANSWER_BYTES_MIN
        ):
            response = adapt.adapted(request, response)
            bodiless = request.method == b"HEAD"
        keep_alive = reader.is_open or bool(reader.requests) or reader.refusal is not None
        self._state.send(
            response, self._transport, keep_alive=keep_alive, bodiless=bodiless, at_once=at_once
        )

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
                self._since_s = self._state.now_s
            if reader.continue_owed:
                reader.continue_owed = False
                self._state.flush()
                self._transport.write(CONTINUE)
        elif not self._is_lingering and not self._transport.is_closing():
            self._state.traffic.requests_refused += reader.refusal is not None
            self._end(reader.refusal)

    def _hold(self) -> None:
        if not self._is_held:
            self._is_held = True
            self._transport.pause_reading()

    def _end(self, last: Response | None) -> None:
        """Give the last answer, if there is one to give, and close when the client has read all.

        To close while the client may still be sending would reset the connection, and what it has
        not read yet would be lost.
        """
        state, transport = self._state, self._transport
        self._reader.close()
        self._since_s = state.now_s
        if last is not None:
            state.send(last, transport, keep_alive=False)
        state.flush()
        if self._is_held:
            self._is_held = False
            transport.resume_reading()
        is_leaving = self._is_half_closed or (state.is_draining and last is None)
        if is_leaving or not transport.can_write_eof():
            transport.close()
        else:
            self._is_lingering = True
            transport.write_eof()
