"""Strong tables of this server, for requests and for the calls of other servers."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from typing import ClassVar, Final, TypeVar

from hashrange.errors import DynamoError, Fault
from hashrange.limits.consensus import WAIT_SECONDS_MAX
from hashrange.messages.items.throttling import no_majority, not_led_here
from hashrange.regions.consensus.log import LOG_BOUNDS, LogBounds
from hashrange.regions.peers.calls import Calls, packed, unpacked
from hashrange.regions.peers.endpoint import CallHandler
from hashrange.regions.replication.cuts import Cuts
from hashrange.regions.strong.copies import COPY, Wanted
from hashrange.regions.strong.places import GroupContext
from hashrange.regions.strong.proposals import Proposals
from hashrange.regions.strong.running import RunningMembers
from hashrange.regions.strong.transport import CONSENSUS, Transport
from hashrange.storage.engine import Changes, Fences, StorageUnavailableError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store

R = TypeVar("R")

_LOOK_SECONDS: Final = 0.05
"""How often a request looks whether its member has begun."""


class StrongGroups:
    """The members of this server; requests find theirs here: `tables.opened.strong.StrongTables`.

    They run in one process: that which does the background work. Others refuse strong writes and
    reads.

    Args:
        store: the items.
        catalog: the whole catalog.
        calls: to the servers of other regions; None without any.
        own: the regions of this server.
        is_shared: other servers may have the members of this one, on the same database.
        draw: gives random numbers from 0 up to 1.

    Attributes:
        running: the members.
        wake_all: makes what keeps the members look at all tables and witnesses.
    """

    LOG_BOUNDS: ClassVar[LogBounds] = LOG_BOUNDS
    """Of the logs of all members."""

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        *,
        calls: Calls | None,
        own: Collection[str],
        is_shared: bool = False,
        draw: Callable[[], float],
    ) -> None:
        self.wake_all: Callable[[], None] = _nothing
        self._cuts: Cuts | None = None
        self._fences: Callable[[], Fences] | None = None
        self._is_refusing = is_shared
        """Requests do not wait until members run here."""
        self._transport = Transport(calls, own, lambda: self._cuts)
        context = GroupContext(store, catalog, self._transport, self._held, draw, self.LOG_BOUNDS)
        self.running = RunningMembers(context, calls, own)
        self._transport.receiver = self.running.deliver

    def open(self, fences: Callable[[], Fences], cuts: Cuts | None) -> None:
        """Let members run from now on, and requests find them.

        Args:
            fences: of their writes, which fail when another process has the members.
            cuts: regions that do not reach each other; None if all do.
        """
        self._fences, self._cuts = fences, cuts
        self._is_refusing = False

    async def close(self) -> None:
        """End all members; further requests are refused."""
        self._is_refusing = True
        await self.running.keep({})
        await self._transport.close()
        self._fences = None

    async def stop(self, group: str, region: str) -> None:
        """End a member; when this returns, it writes nothing any more."""
        await self.running.stop((group, region))

    async def caught_up(self, group: str, region: str) -> bool:
        """Whether a member has got all that was committed; False if it has no majority."""
        member = self.running.get((group, region))
        try:
            if member is not None:
                await member.proposals.read()
        except DynamoError:
            return False
        return member is not None

    async def write(
        self,
        table: OpenTable,
        key: bytes,
        decide: Callable[[Sequence[bytes | None]], Changes[R]],
    ) -> R:
        """As `StrongTables.write`."""
        return await (await self._proposals_of(table)).write(table, key, decide)

    async def read(self, table: OpenTable) -> None:
        """As `StrongTables.read`."""
        await (await self._proposals_of(table)).read()

    @property
    def verbs(self) -> dict[str, CallHandler]:
        """The handlers of the calls of other servers."""
        return {CONSENSUS: self._received, COPY: self._copied}

    def _held(self) -> Fences:
        assert self._fences is not None, "members run between open and close"
        return self._fences()

    async def _proposals_of(self, table: OpenTable) -> Proposals:
        """The proposals to the member of a table, which is waited for while it begins.

        Raises DynamoError.
        """
        group = table.table.strong
        assert group is not None, "a strong table"
        loop, key = asyncio.get_running_loop(), (group.id, table.table.region)
        until = loop.time() + WAIT_SECONDS_MAX
        while (member := self.running.get(key)) is None:
            if self._is_refusing:
                raise DynamoError(Fault.UNAVAILABLE, not_led_here())
            if loop.time() >= until:
                raise DynamoError(Fault.UNAVAILABLE, no_majority())
            await asyncio.sleep(_LOOK_SECONDS)
        return member.proposals

    async def _received(self, sender: str, receiver: str, body: bytes) -> bytes:
        if self._fences is None:
            raise StorageUnavailableError("this server does not lead the others on its database")
        return await self._transport.received(sender, receiver, body)

    async def _copied(self, _sender: str, receiver: str, body: bytes) -> bytes:
        return packed(await self.running.page(receiver, unpacked(body, Wanted)))


def _nothing() -> None:
    pass
