"""What the connections of one listener share: the handler, the limits, the time, the counts."""

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
    """Shared by all connections of one listener, which moves it on.

    `now_s` is coarse and monotonic. `suspended` counts handlers that have begun and await
    something, also those whose client has gone. Once `is_draining`, no request begins; once
    `is_over`, connections are cut off.
    """

    def __init__(
        self,
        handler: Handler,
        limits: HttpLimits,
        *,
        request_id: Callable[[], bytes],
        encoder: ResponseEncoder,
        traffic: Traffic,
    ) -> None:
        self.handler = handler
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

    def welcome(self, client: Client) -> Response | None:
        """Take note of a new connection; the refusal if it may not stay."""
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

    def forget(self, client: Client) -> None:
        """Take note of a lost connection."""
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
        """Write a response, in one piece; unless `at_once`, with others of this turn of the loop.

        A client sleeps until it is written to, and to wake it is what a write costs most; while it
        is awake the next ones are cheap.
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
        """Write the responses that wait to be written together."""
        unwritten, self._unwritten = self._unwritten, []
        for transport, encoded in unwritten:
            transport.write(encoded)


def _nothing() -> None:
    pass
