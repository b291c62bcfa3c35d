"""State that the connections of one endpoint share, such as the bytes that they may hold.

A handler of an engine that needs the current task, as asyncpg does, runs in a Task.
"""

import asyncio
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from hashrange.limits.server import LONG_BODY_BYTES_MIN, WEIGHED_BODY_BYTES_MIN
from hashrange.observe.figures import Traffic
from hashrange.server.http_limits import HttpLimits
from hashrange.server.peers import AddressCounts
from hashrange.wire.depth import decoded_bytes
from hashrange.wire.exchange import Handler, Request, Response

H = TypeVar("H")


class ByteBudget(Generic[H]):
    """Bytes that connections hold; beyond a maximum the oldest holders are given up.

    So a client that is slow, or means harm, makes room for others, and nobody waits.

    Args:
        bytes_max: of all holders.
        give_up: ends what a holder does with its bytes, which are no longer counted.
    """

    def __init__(self, bytes_max: int, give_up: Callable[[H], object]) -> None:
        self._bytes_max = bytes_max
        self._give_up = give_up
        self._held: dict[H, int] = {}
        self._pinned: dict[H, int] = {}
        self._bytes = 0

    def count(self, holder: H, size: int) -> bool:
        """Count so many bytes of a holder in all; False if it was given up itself."""
        held = self._held
        self._bytes += size - held.get(holder, 0)
        held[holder] = size
        self._make_room(0)
        return holder in held

    def _make_room(self, size: int) -> None:
        held = self._held
        while self._bytes + size > self._bytes_max and held:
            oldest = next(iter(held))
            self._bytes -= held.pop(oldest)
            self._give_up(oldest)

    def pin(self, holder: H) -> None:
        """Never give up a holder, until `forget`; its bytes are counted until then."""
        if holder in self._held:
            self._pinned[holder] = self._held.pop(holder)

    def reserve(self, holder: H, size: int) -> bool:
        """Pin a holder with so many bytes in all; False if there is no room for them.

        Then what it had before is counted on.
        """
        before = self._held.pop(holder, 0) + self._pinned.get(holder, 0)
        self._pinned[holder] = before
        self._make_room(size - before)
        has_room = self._bytes + size - before <= self._bytes_max
        if has_room:
            self._pinned[holder] = size
            self._bytes += size - before
        return has_room

    def forget(self, holder: H) -> None:
        """Count the bytes of a holder no longer; of one without bytes no effect."""
        self._bytes -= self._held.pop(holder, 0) + self._pinned.pop(holder, 0)


class Holder(Protocol):
    """A connection, as far as it holds bytes."""

    def refuse_body(self) -> None:
        """Refuse the request whose body is being received."""

    def abort(self) -> None:
        """Close at once, and give up what was not sent."""


class Client(Holder, Protocol):
    """A connection, as its listener sees it."""

    def check(self) -> None:
        """Close the connection if it exceeds a time limit."""

    def drain(self) -> None:
        """Close with the answers to the requests that have begun, or else with the next one."""

    def leave(self) -> None:
        """Close if no request is received or at work."""


class EndpointState:
    """Shared by all connections of one endpoint, whose listener keeps the time and the phase.

    Attributes:
        limits: bounds of requests and connections.
        traffic: counts of the sockets.
        connections: those that are open.
        addresses: the peers of these.
        bodies: the long ones that are received or at work.
        weigh: what a body that is longer than `long_bytes_min` counts.
        unread: the answers that clients do not read.
        suspended: handlers that await something, also those whose client has gone.
        now_s: monotonic seconds, moved on once a second.
        is_draining: no further request begins.
        is_over: connections are aborted.
        on_ended: called when a connection or a suspended handler has ended.
    """

    def __init__(self, limits: HttpLimits, traffic: Traffic) -> None:
        self.limits = limits
        self.traffic = traffic
        self.connections: set[Client] = set()
        self.addresses = AddressCounts(limits.connections_per_address_max)
        self.bodies = ByteBudget[Holder](limits.bodies_bytes_max, lambda each: each.refuse_body())
        self.weigh: Callable[[bytes], int] = decoded_bytes if limits.weighs_bodies else len
        self.long_bytes_min = LONG_BODY_BYTES_MIN
        if limits.weighs_bodies:
            self.long_bytes_min = WEIGHED_BODY_BYTES_MIN
        self.unread = ByteBudget[Holder](limits.answers_bytes_max, self._abandon)
        self.suspended = 0
        self.now_s = 0
        self.is_draining = self.is_over = False
        self.on_ended: Callable[[], object] = _nothing

    def count(self, client: Client, address: str) -> None:
        """Count a new connection, whether there is a place for it or not."""
        self.connections.add(client)
        self.addresses.add(address)
        self.traffic.connections_opened += 1

    def remove(self, client: Client, address: str) -> None:
        """Remove a connection that has ended."""
        self.unread.forget(client)
        self.connections.discard(client)
        self.addresses.remove(address)
        self.traffic.connections_closed += 1
        self.on_ended()

    def _abandon(self, client: Holder) -> None:
        self.traffic.answers_abandoned += 1
        client.abort()


def _nothing() -> None:
    pass


def in_tasks(handler: Handler) -> Handler:
    """A handler that runs each request in a Task.

    For engines whose database drivers need the current task, as asyncpg does.
    """

    async def respond(request: Request) -> Response:
        return await asyncio.get_running_loop().create_task(handler(request))

    return respond
