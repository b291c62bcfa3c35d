"""One connection of a DAX client, and the state that those of one endpoint share.

Calls are answered in order, one at a time. A call begins when the call before it is answered. While
a call is being handled, and while the client does not read its answers, reading is paused.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeAlias, cast

from hashrange.dax.protocol.session import Hello, Received, framed
from hashrange.limits.dax import DAX_REQUEST_BYTES_MAX
from hashrange.limits.server import LONG_BODY_BYTES_MIN
from hashrange.observe.figures import Traffic
from hashrange.server.connection import advance
from hashrange.server.dax.callers import Authorizer
from hashrange.server.dax.service import Client
from hashrange.server.endpoint_state import Client as AnyClient
from hashrange.server.endpoint_state import EndpointState
from hashrange.server.flow import Flow
from hashrange.server.http_limits import HttpLimits
from hashrange.server.peers import peer_of
from hashrange.wire.cbor.reader import MalformedError

Respond: TypeAlias = Callable[[Client, Received], Coroutine[Any, Any, bytes]]
"""The bytes of the answer to a call; empty for a call that has none. Does not raise."""
AtHand: TypeAlias = Callable[[Client, Received], bytes | None]
"""The bytes of an answer that is known; None if `Respond` is to make one. Does not raise."""


def never(_client: Client, _received: Received) -> None:
    """No answer is at hand."""


class DaxState(EndpointState):
    """Shared by all connections of one DAX endpoint.

    Attributes:
        respond: answers calls.
        at_hand: answers those whose answer is known.
        authorizer: whether connections must be signed.
        request_bytes_max: of connections that need not be authorised.
    """

    def __init__(
        self,
        respond: Respond,
        authorizer: Authorizer,
        limits: HttpLimits,
        traffic: Traffic,
        *,
        at_hand: AtHand = never,
    ) -> None:
        super().__init__(limits, traffic)
        self.respond = respond
        self.at_hand = at_hand
        self.authorizer = authorizer
        self.request_bytes_max = DAX_REQUEST_BYTES_MAX

    def add(self, connection: AnyClient, address: str) -> bool:
        """Register a new connection; whether there is a place for it."""
        self.count(connection, address)
        is_full = len(self.connections) > self.limits.connections_max
        if self.is_draining or is_full or self.addresses.is_over(address):
            self.traffic.connections_refused += 1
            return False
        return True


_log: Final = logging.getLogger(__name__)
_AT_ONCE_MAX: Final = 64
"""Calls of one connection that are answered before others have their turn."""


class DaxConnection(Flow):
    """One client of DAX."""

    _state: DaxState

    def __init__(self, state: DaxState) -> None:
        super().__init__(state)
        self._client = Client()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the connection; close it if there is no place for it."""
        self._transport = cast("asyncio.Transport", transport)
        self._client.peer = peer_of(transport)
        self._client.address = _own_address(transport)
        if not self._state.add(self, self._client.peer.address):
            self._transport.abort()
        elif not self._state.authorizer.is_required:
            self._client.session.trust(self._state.request_bytes_max)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - no reason is of use
        """Forget the connection. A suspended call runs on: its write must not be undone."""
        self._is_lost = True
        if self._is_charged and self._coroutine is None:
            self._forget_body()
        self._state.remove(self, self._client.peer.address)

    def data_received(self, data: bytes) -> None:
        """Answer the calls that are complete; pause reading while one is handled."""
        self._state.traffic.bytes_received += len(data)
        session = self._client.session
        if self._coroutine is not None or self._is_blocked:
            session.feed(data)
            self._hold()
            return
        known = None if self._is_held else session.known(data)
        if known is not None and not self._transport.is_closing():
            answer = self._state.at_hand(self._client, known)
            if answer is not None:
                self._answer(answer)
                return
        session.feed(data)
        self._serve()

    def drain(self) -> None:
        """Close with the answer to the call that is at work, or else to the next one."""
        self._client.ends = True

    def leave(self) -> None:
        """Close if no call is received or at work."""
        if self._coroutine is None and not self._client.session.is_at_call:
            self._transport.close()

    def refuse_body(self) -> None:
        """Close: there is no room for the call that is being received."""
        self._state.traffic.requests_refused += 1
        self.abort()

    def check(self) -> None:
        """Close the connection if it is idle, or its client too slow, for too long."""
        state, transport = self._state, self._transport
        age_s = state.now_s - self._since_s
        if state.is_over:
            transport.abort()
        elif self._is_blocked or transport.is_closing():
            self._abort_if_stuck(state.limits.request_seconds_max)
        elif self._coroutine is None:  # the time in which a call is handled does not count
            is_receiving = self._client.session.is_receiving
            limits = state.limits
            if age_s > (limits.request_seconds_max if is_receiving else limits.idle_seconds_max):
                transport.close()

    def _serve(self) -> None:
        for _ in range(_AT_ONCE_MAX):
            if self._is_blocked or self._transport.is_closing():
                break
            try:
                frame = self._client.session.next()
            except MalformedError as error:
                self._state.traffic.requests_refused += 1
                _log.debug("a connection of DAX is closed: %s", error)
                self._transport.close()
                return
            if frame is None:
                self._await_more()
                return
            if isinstance(frame, Hello):
                self._client.agent, self._client.is_framed = frame.agent, frame.is_framed
            elif not self._begin(frame):
                return
        else:
            self._hold()
            asyncio.get_running_loop().call_soon(self._go_on)

    def _begin(self, received: Received) -> bool:
        """Handle a call; whether it is answered already."""
        coroutine: Any = self._state.respond(self._client, received)
        answer: Any = advance(coroutine, self._wake)
        if answer is None:
            self._coroutine = coroutine
            self._state.suspended += 1
            if self._is_charged:
                self._state.bodies.pin(self)
            if self._client.session.unread_bytes:
                self._hold()
            return False
        self._answer(answer)
        return True

    def _wake(self, _awaited: object) -> None:
        coroutine = self._coroutine
        assert coroutine is not None, "woken without having suspended"
        answer: Any = advance(coroutine, self._wake)
        if answer is None:
            return
        self._coroutine = None
        self._state.suspended -= 1
        if self._is_lost:
            if self._is_charged:
                self._forget_body()
            self._state.on_ended()
            return
        self._answer(answer)
        self._serve()

    def _go_on(self) -> None:
        if self._coroutine is None and not self._is_lost:
            self._serve()

    def _answer(self, answer: bytes) -> None:
        self._since_s = self._state.now_s
        if self._is_charged:
            self._forget_body()
        if answer:
            answer = framed(answer) if self._client.is_framed else answer
            self._state.traffic.bytes_sent += len(answer)
            self._transport.write(answer)
            if self._client.ends:
                self._transport.close()

    def _await_more(self) -> None:
        # What has arrived is a part of a call at most.
        unread_bytes = self._client.session.unread_bytes
        if not unread_bytes:
            self._since_s = self._state.now_s
        elif unread_bytes > LONG_BODY_BYTES_MIN and not self._count_body(unread_bytes):
            return
        self._release()

    def _hold(self) -> None:
        if not self._transport.is_closing():
            super()._hold()


def _own_address(transport: asyncio.BaseTransport) -> tuple[bytes, str, int]:
    """Our end of a connection, packed and as text: an address of IPv4 also if it is mapped."""
    name = transport.get_extra_info("sockname")
    if not isinstance(name, tuple):
        return b"", "", 0
    host = str(name[0]).partition("%")[0].removeprefix("::ffff:")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.inet_pton(family, host), host, int(name[1])
