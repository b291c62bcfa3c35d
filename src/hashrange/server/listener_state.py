"""State that the connections of one listener share: handlers, limits, time and counts."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from hashrange.observe.traffic import Traffic
from hashrange.server import responses
from hashrange.server.encoder import ResponseEncoder
from hashrange.server.exchange import Handler, Response
from hashrange.server.http_limits import HttpLimits


class Client(Protocol):
    """A connection, as the listener sees it."""

    def check(self) -> None:
        """Close it if it has overstayed."""

    def drain(self) -> None:
        """Begin no further request; close as soon as those that have begun are answered."""


class ListenerState:
    """Shared by all connections of one listener, which keeps the time and the phase.

    Attributes:
        handler: answers requests to `POST /`.
        pages: answers all others.
        limits: bounds of requests and connections.
        traffic: counts of the sockets.
        connections: those that are open.
        suspended: handlers that await something, also those whose client has gone.
        now_s: monotonic seconds, moved on once a second.
        is_draining: no further request begins.
        is_over: connections are aborted.
    """

    def __init__(
        self,
        handler: Handler,
        limits: HttpLimits,
        *,
        request_id: Callable[[], bytes],
        encoder: ResponseEncoder,
        traffic: Traffic,
        pages: Handler | None = None,
    ) -> None:
        self.handler = handler
        self.pages = handler if pages is None else pages
        self.limits = limits
        self.traffic = traffic
        self.connections: set[Client] = set()
        self.suspended = 0
        self.now_s = 0
        self.is_draining = False
        self.is_over = False
        self.on_ended: Callable[[], object] = _nothing
        """Called when a connection or a suspended handler has ended."""
        self._unwritten: list[tuple[asyncio.WriteTransport, bytes]] = []
        self._request_id = request_id
        self._encoder = encoder

    def add(self, client: Client) -> Response | None:
        """Register a new connection; 503 if there are too many, or while the listener drains."""
        self.connections.add(client)
        self.traffic.connections_opened += 1
        if self.is_draining:
            refusal = responses.SHUTTING_DOWN
        elif len(self.connections) > self.limits.connections_max:
            refusal = responses.too_many_connections(self.limits)
        else:
            return None
        self.traffic.connections_refused += 1
        return refusal

    def remove(self, client: Client) -> None:
        """Remove a connection that has ended."""
        self.connections.discard(client)
        self.traffic.connections_closed += 1
        self.on_ended()

    def send(
        self,
        response: Response,
        transport: asyncio.WriteTransport,
        *,
        keep_alive: bool,
        bodiless: bool = False,
        at_once: bool = True,
    ) -> None:
        """Write a response, in one piece.

        Most of the cost of a write is waking the client's process, and further writes are cheap
        while it is awake. So responses are collected and written at the end of the loop's turn.

        Args:
            response: status, headers and body.
            transport: of the connection.
            keep_alive: whether another answer may follow.
            bodiless: whether it answers HEAD.
            at_once: write now rather than at the end of the loop's turn.
        """
        encoded = self._encoder.encode(
            response,
            response.request_id or self._request_id(),
            keep_alive=keep_alive,
            bodiless=bodiless,
        )
        self.traffic.bytes_sent += len(encoded)
        if at_once or not keep_alive:
            if self._unwritten:
                self.flush()
            transport.write(encoded)
            return
        if not self._unwritten:
            asyncio.get_running_loop().call_soon(self.flush)
        self._unwritten.append((transport, encoded))

    def flush(self) -> None:
        """Write the responses that were collected in this turn of the loop."""
        unwritten, self._unwritten = self._unwritten, []
        for transport, encoded in unwritten:
            transport.write(encoded)


def _nothing() -> None:
    pass
