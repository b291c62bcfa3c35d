"""Flow control of one connection, for each protocol."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import Any

from hashrange.server.endpoint_state import EndpointState


class Flow(ABC, asyncio.Protocol):
    """The bytes of one client.

    `_coroutine`: a handler that is suspended. `_is_held`: reading is paused. `_is_blocked`: the
    client does not read, and the write buffer is full. `_is_charged`: a long body is counted.
    `_since_s`: the time, on the listener's coarse clock, at which the present state began.
    """

    _transport: asyncio.Transport
    _coroutine: Coroutine[Any, Any, Any] | None = None

    def __init__(self, state: EndpointState) -> None:
        self._state = state
        self._buffered_bytes = 0
        self._is_blocked = self._is_held = self._is_lost = False
        self._is_charged = False
        self._since_s = state.now_s

    @abstractmethod
    def _serve(self) -> None:
        """Begin the requests that are whole."""

    @abstractmethod
    def refuse_body(self) -> None:
        """Refuse the request whose body is being received: there is no room for it."""

    def pause_writing(self) -> None:
        """Begin no request until the client has read: asyncio's write buffer is full."""
        self._is_blocked = True
        self._buffered_bytes = 0
        self._since_s = self._state.now_s
        self._state.unread.count(self, self._transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """Go on with requests: the client has read."""
        self._is_blocked = False
        self._state.unread.forget(self)
        if self._coroutine is None and not self._is_lost:
            self._serve()

    def abort(self) -> None:
        """Close at once, and give up what was not sent."""
        self._transport.abort()

    def _abort_if_stuck(self, seconds_max: int) -> None:
        """Abort a connection that has sent nothing for too long.

        `seconds_max` is for what is sent already, where the client is to close its side.
        """
        state, transport = self._state, self._transport
        buffered_bytes = transport.get_write_buffer_size()
        if buffered_bytes != self._buffered_bytes:
            self._buffered_bytes = buffered_bytes
            self._since_s = state.now_s
            return
        if buffered_bytes:
            seconds_max = state.limits.request_seconds_max
        if state.now_s - self._since_s > seconds_max:
            transport.abort()

    def _count_body(self, size: int) -> bool:
        """Count a long body of so many bytes; False if there is no room, and it was refused."""
        self._is_charged = True
        return self._state.bodies.count(self, size)

    def _weigh_body(self, body: bytes) -> bool:
        """As `_count_body`, for a whole body."""
        return self._count_body(self._state.weigh(body))

    def reserve(self, size: int) -> bool:
        """Count a body at work of so many bytes; False if there is no room."""
        self._is_charged = True
        return self._state.bodies.reserve(self, size)

    def _forget_body(self) -> None:
        self._is_charged = False
        self._state.bodies.forget(self)

    def _hold(self) -> None:
        if not self._is_held:
            self._is_held = True
            self._transport.pause_reading()

    def _release(self) -> None:
        if self._is_held:
            self._is_held = False
            self._transport.resume_reading()
