"""State that the connections of one listener share: handlers, limits, time and counts."""

from collections.abc import Callable
from typing import Protocol

from hashrange.limits.http import HTTP_LINGER_SECONDS_MAX, HTTP_REFUSALS_MAX
from hashrange.observe.traffic import Traffic
from hashrange.server import responses
from hashrange.server.cors import ANY_ORIGIN, Origins, cross_origin
from hashrange.server.exchange import Handler, Response
from hashrange.server.http_limits import HttpLimits
from hashrange.server.peers import AddressCounts
from hashrange.server.response_writer import ResponseWriter


class Client(Protocol):
    """A connection, as the listener sees it."""

    def check(self) -> None:
        """Close the connection if it exceeds a time limit."""

    def drain(self) -> None:
        """Begin no further request; close as soon as those that have begun are answered."""


class ListenerState:
    """Shared by all connections of one listener, which keeps the time and the phase.

    Attributes:
        handler: answers requests to `POST /`.
        pages: answers all others.
        cross_origin: answers requests with an Origin.
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
        writer: ResponseWriter,
        traffic: Traffic,
        pages: Handler | None = None,
        origins: Origins = ANY_ORIGIN,
    ) -> None:
        self.handler = handler
        self.pages = handler if pages is None else pages
        self.cross_origin = cross_origin(handler, self.pages, origins)
        self.limits = limits
        self.writer = writer
        self.traffic = traffic
        self.connections: set[Client] = set()
        self._addresses = AddressCounts(limits.connections_per_address_max)
        self.suspended = 0
        self.now_s = 0
        self.is_draining = False
        self.is_over = False
        self.on_ended: Callable[[], object] = _nothing
        """Called when a connection or a suspended handler has ended."""

    @property
    def linger_s(self) -> int:
        """How long a client may take to close its side when all is written; less while draining.

        A TLS connection is closed by both sides, and an idle client does not take part.
        """
        return 1 if self.is_draining else HTTP_LINGER_SECONDS_MAX

    def add(self, client: Client, address: str) -> Response | None:
        """Register a new connection; 503 if there are too many, or while the listener drains."""
        self.connections.add(client)
        self._addresses.add(address)
        self.traffic.connections_opened += 1
        if self.is_draining:
            refusal = responses.SHUTTING_DOWN
        elif len(self.connections) > self.limits.connections_max:
            refusal = responses.too_many_connections(self.limits)
        elif self._addresses.is_over(address):
            refusal = responses.too_many_of_address(self.limits)
        else:
            return None
        self.traffic.connections_refused += 1
        return refusal

    def is_flooded(self, address: str) -> bool:
        """Whether there are so many connections that new ones are not even refused."""
        connections_max = self.limits.connections_max + HTTP_REFUSALS_MAX
        return len(self.connections) > connections_max or self._addresses.is_flooding(address)

    def remove(self, client: Client, address: str) -> None:
        """Remove a connection that has ended."""
        self.connections.discard(client)
        self._addresses.remove(address)
        self.traffic.connections_closed += 1
        self.on_ended()


def _nothing() -> None:
    pass
