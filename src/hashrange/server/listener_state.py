"""State that the connections of one listener of HTTP share, beside what each endpoint has."""

from collections.abc import Callable

from hashrange.limits.server import HTTP_LINGER_SECONDS_MAX, HTTP_REFUSALS_MAX
from hashrange.observe.figures import Traffic
from hashrange.server import responses
from hashrange.server.endpoint_state import Client, EndpointState
from hashrange.server.hosts import ANY_ORIGIN, Origins, cross_origin
from hashrange.server.http_limits import HttpLimits
from hashrange.server.response_writer import ResponseWriter
from hashrange.wire.exchange import SERVICE_PATHS, Handler, Request, Response


class ListenerState(EndpointState):
    """Shared by all connections of one listener of HTTP.

    Attributes:
        handler: answers requests to `POST /`.
        pages: answers all others.
        cross_origin: answers requests with an Origin.
        is_refused_early: whether a request to `POST /` is refused whatever its body is.
        writer: writes the answers of all.
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
        super().__init__(limits, traffic)
        self.handler = handler
        self.pages = handler if pages is None else pages
        self.cross_origin = cross_origin(handler, self.pages, origins)
        self.is_refused_early: Callable[[Request], bool] = never
        self.writer = writer

    @property
    def linger_s(self) -> int:
        """How long a client may take to close its side when all is written; less while draining.

        A TLS connection is closed by both sides, and an idle client does not take part.
        """
        return 1 if self.is_draining else HTTP_LINGER_SECONDS_MAX

    def add(self, client: Client, address: str) -> Response | None:
        """Register a new connection; 503 if there are too many, or while the listener drains."""
        self.count(client, address)
        if self.is_draining:
            refusal = responses.SHUTTING_DOWN
        elif len(self.connections) > self.limits.connections_max:
            refusal = responses.too_many_connections(self.limits)
        elif self.addresses.is_over(address):
            refusal = responses.too_many_of_address(self.limits)
        else:
            return None
        self.traffic.connections_refused += 1
        return refusal

    def examine(self, head: Request) -> bool:
        """Whether a request is refused whatever its body is; to be asked once."""
        head.is_examined = True
        is_api = head.path == b"/" or head.path.startswith(SERVICE_PATHS)
        return is_api and head.method == b"POST" and self.is_refused_early(head)

    def is_flooded(self, address: str) -> bool:
        """Whether there are so many connections that new ones are not even refused."""
        connections_max = self.limits.connections_max + HTTP_REFUSALS_MAX
        return len(self.connections) > connections_max or self.addresses.is_flooding(address)


def never(_request: Request) -> bool:
    """Every body may be right."""
    return False
