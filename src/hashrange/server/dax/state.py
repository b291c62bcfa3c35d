"""State that the connections of one DAX endpoint share, beside what each endpoint has."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from hashrange.dax.protocol.session import Received
from hashrange.limits.dax import DAX_REQUEST_BYTES_MAX
from hashrange.observe.figures import Traffic
from hashrange.server.dax.callers import Authorizer
from hashrange.server.dax.service import Client
from hashrange.server.endpoint_state import Client as AnyClient
from hashrange.server.endpoint_state import EndpointState
from hashrange.server.http_limits import HttpLimits

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
