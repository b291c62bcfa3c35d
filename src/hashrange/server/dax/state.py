"""State that the connections of one DAX endpoint share: the service, limits, time and counts."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from hashrange.dax.session import Received
from hashrange.limits.dax import DAX_REQUEST_BYTES_MAX
from hashrange.observe.traffic import Traffic
from hashrange.server import listener_state
from hashrange.server.dax.callers import Authorizer
from hashrange.server.dax.service import Client
from hashrange.server.http_limits import HttpLimits
from hashrange.server.peers import AddressCounts

Respond: TypeAlias = Callable[[Client, Received], Coroutine[Any, Any, bytes]]
"""The bytes of the answer to a call; empty for a call that has none. Does not raise."""
AtHand: TypeAlias = Callable[[Client, Received], bytes | None]
"""The bytes of an answer that is known; None if `Respond` is to make one. Does not raise."""


def never(_client: Client, _received: Received) -> None:
    """No answer is at hand."""


class DaxState:
    """Shared by all connections of one endpoint, which keeps the time and the phase.

    Attributes:
        respond: answers calls.
        at_hand: answers those whose answer is known.
        authorizer: whether connections must be signed.
        limits: bounds of connections.
        traffic: counts of the sockets.
        connections: those that are open.
        suspended: calls that await something, also those whose client has gone.
        now_s: monotonic seconds, moved on once a second.
        is_over: connections are aborted.
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
        self.respond = respond
        self.at_hand = at_hand
        self.authorizer = authorizer
        self.limits = limits
        self.traffic = traffic
        self.connections: set[listener_state.Client] = set()
        self.suspended = 0
        self.now_s = 0
        self.is_draining = self.is_over = False
        self.request_bytes_max = DAX_REQUEST_BYTES_MAX
        self.on_ended: Callable[[], object] = lambda: None
        self._addresses = AddressCounts(limits.connections_per_address_max)

    def add(self, connection: listener_state.Client, address: str) -> bool:
        """Register a new connection; whether there is a place for it."""
        self.connections.add(connection)
        self._addresses.add(address)
        self.traffic.connections_opened += 1
        is_full = len(self.connections) > self.limits.connections_max
        if self.is_draining or is_full or self._addresses.is_over(address):
            self.traffic.connections_refused += 1
            return False
        return True

    def remove(self, connection: listener_state.Client, address: str) -> None:
        """Remove a connection that has ended."""
        self.connections.discard(connection)
        self._addresses.remove(address)
        self.traffic.connections_closed += 1
        self.on_ended()
