"""The protocol of one replica with one on another server: handshakes, copies, and its log."""

import contextlib
import logging
from functools import partial
from typing import Final

import msgspec

from hashrange.errors import DynamoError
from hashrange.model.replication import Replica
from hashrange.model.table import Table
from hashrange.regions.peers.calls import Calls
from hashrange.regions.peers.messages import HandshakeReply
from hashrange.regions.peers.receiving import Encryption, adopt
from hashrange.regions.peers.sending import PAGE_ROWS, RemoteTarget, copy_page
from hashrange.regions.replication.denials import denied_ms_of, is_denied
from hashrange.regions.replication.following import Found, Until, follow
from hashrange.regions.replication.groups import (
    change_group,
    name_in,
    names_of,
    replicas_of,
    with_state,
)
from hashrange.regions.replication.positions import Link, Positions
from hashrange.regions.replication.views import (
    View,
    leaving,
    merged,
    recopied,
    view_of,
    with_copied,
    without_gone,
)
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.snapshots.snapshots import CLOCKS_MS_MAX
from hashrange.tables.writing.store import Store

HANDSHAKE_MS: Final = 10_000
"""Between two handshakes while nothing changes: the other table may have been deleted."""
HANDSHAKE_SOON_MS: Final = 250
"""While the replica is created or removed."""
_US: Final = 1000

_log: Final = logging.getLogger(__name__)


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """The context of this server for all conversations with a region.

    Attributes:
        region: that of the other server.
        calls: to it.
        store: the items, and the clock.
        catalog: the whole catalog.
        positions: how far the other replicas are.
        delay_ms: a change is sent when it is at least so old.
        encryption: what tables of this server can have.
        page_rows: of a page of a copy.
    """

    region: str
    calls: Calls
    store: Store
    catalog: Catalog
    positions: Positions
    delay_ms: int
    encryption: Encryption
    page_rows: int = PAGE_ROWS


class Step(msgspec.Struct):
    """The result of one turn.

    Attributes:
        found: what there was to do.
        changes: that were sent.
        latency_ms: the age of the oldest of the log's.
    """

    found: Found
    changes: int = 0
    latency_ms: int = 0


class Conversation:
    """Replicates one table to its replica on another server.

    Its state is a cache: without it, the handshake is repeated.

    Args:
        side: this server.
    """

    def __init__(self, side: Side) -> None:
        self._side = side
        self._sent: tuple[View, int] | None = None
        self._received: View | None = None
        self._known: tuple[Table, View | None] | None = None
        """An entry, and a received view that adds nothing to it."""
        self._handshake_ms = 0
        self._completed_ms = 0

    def repeat_handshake(self) -> None:
        """Begin with a handshake again: the other server has not taken changes."""
        self._sent = None

    async def turn(self, opened: OpenTable, replica: Replica) -> Step:
        """Do the next step. Raises PeerError, and NotTakenError."""
        side, table = self._side, opened.table
        now_ms = side.store.clock.now_ms()
        if self._has_news(table, now_ms):
            received = HandshakeReply(standing="MEMBER", view=self._received)
            await self._adopt(table, received, now_ms)
            return Step(Found.MORE)
        target = RemoteTarget(side.calls, opened, replica, self._receive)
        if self._is_handshake_due(table, replica, now_ms):
            step = await self._handshake(table, replica, target)
            if step is not None:
                return step
        if table.strong is not None:  # its items come through the log of its group
            return Step(Found.NOTHING)
        if replica.state == "CREATION_FAILED" or is_denied(table, side.region):
            return Step(Found.NOTHING)
        copied = None if replica.copy == "NONE" else await self._copy(opened, replica, target)
        progress = await follow(
            side.store, side.positions, opened, target,
            replica=replica, until=Until.delayed(now_ms, side.delay_ms),
        )  # fmt: skip
        if progress.is_complete and copied is None:
            await self._complete(opened, replica, target, now_ms)
        found = progress.found if copied is None else Found.MORE
        return Step(found, progress.writes + (copied or 0), progress.latency_ms)

    def _receive(self, view: View) -> None:
        if view != self._received:
            self._received = view

    def _has_news(self, table: Table, now_ms: int) -> bool:
        """Whether the received view has something that the table here does not have yet."""
        known, received = self._known, self._received
        if known is not None and known[0] is table and known[1] is received:
            return False
        if received is not None and merged(table, received, now_ms) != table:
            return True
        self._known = table, received
        return False

    def _is_handshake_due(self, table: Table, replica: Replica, now_ms: int) -> bool:
        view = view_of(table)
        if self._sent != (view, denied_ms_of(table)):
            return True
        differs = self._received is not None and self._received.settings != view.settings
        soon = differs or replica.state in {"CREATING", "DELETING"}
        return not 0 <= now_ms - self._handshake_ms < (HANDSHAKE_SOON_MS if soon else HANDSHAKE_MS)

    async def _handshake(self, table: Table, replica: Replica, target: RemoteTarget) -> Step | None:
        """Do a handshake; None if the other server has the replica and nothing has changed."""
        side, now_ms = self._side, self._side.store.clock.now_ms()
        is_new = replica.state == "CREATING"
        answer = await target.handshake(now_ms, creates=is_new and replica.copy == "ALL")
        self._sent, self._handshake_ms = (view_of(table), denied_ms_of(table)), now_ms
        names = names_of(side.catalog, table)
        if _is_abandoned(table, side.region, answer):
            await change_group(side.catalog, names[:1], leaving)
            return Step(Found.MORE)
        if answer.standing == "MEMBER":
            self._received = answer.view
            adopted = await self._adopt(table, answer, now_ms)
            if answer.wants_copy and replica.copy != "ALL":
                own = name_in(side.catalog, table, table.region)
                again = partial(recopied, region=side.region, now_ms=now_ms, is_all=True)
                adopted = await side.catalog.change(own, again)
            return None if adopted == table else Step(Found.MORE)
        if answer.standing == "CONFLICT" and is_new:
            _log.error("%s has another table %s: no replica is created", side.region, table.name)
            change = partial(with_state, region=side.region, state="CREATION_FAILED")
            await change_group(side.catalog, names, change)
            return Step(Found.MORE)
        if replica.state == "CREATION_FAILED" or (is_new and _is_awaited(table, replica)):
            return Step(Found.NOTHING)
        if table.strong is not None and table.strong.state in {"CREATING", "ACTIVE"}:
            if table.strong.state == "ACTIVE":
                _log.error("%s does not have its replica of %s", side.region, table.arn)
            return Step(Found.NOTHING)
        await forget_replica(side.catalog, table, side.region)
        return Step(Found.MORE)

    async def _adopt(self, table: Table, received: HandshakeReply, now_ms: int) -> Table:
        side = self._side
        return await adopt(
            side.catalog, table, received, side.region, now_ms=now_ms, encryption=side.encryption
        )

    async def _copy(self, opened: OpenTable, replica: Replica, target: RemoteTarget) -> int:
        """Send a page of a copy; at its end the replica is complete but for the log."""
        side, link = self._side, Link(opened.number, target.number)
        is_all, first = replica.copy == "ALL", replica.first_shard
        complete_ms = await side.positions.complete_of(link, replica.incarnation)
        start = await side.positions.copied_to(link, first)
        from_us = max(complete_ms - CLOCKS_MS_MAX, 0) * _US
        page = await copy_page(
            side.store.engine,
            opened,
            start,
            is_all=is_all,
            from_us=from_us,
            page_rows=side.page_rows,
        )
        is_over = not page.start
        if page.changes or is_over:
            await target.send(page.changes, copied=is_over and is_all)
        await side.positions.set_copied_to(link, first, page.start)
        if is_over:
            name = name_in(side.catalog, opened.table, opened.table.region)
            change = partial(with_copied, region=side.region, incarnation=replica.incarnation)
            await side.catalog.change(name, change)
        return len(page.changes)

    async def _complete(
        self, opened: OpenTable, replica: Replica, target: RemoteTarget, now_ms: int
    ) -> None:
        """Send that all changes until now, but for the delay, were sent; it is stored first."""
        if 0 <= now_ms - self._completed_ms < HANDSHAKE_MS:
            return
        self._completed_ms = now_ms
        complete_ms = now_ms - self._side.delay_ms
        link = Link(opened.number, target.number)
        await self._side.positions.set_complete_of(link, replica.incarnation, complete_ms)
        await target.send((), complete_ms=complete_ms)


def _is_abandoned(table: Table, region: str, answer: HandshakeReply) -> bool:
    """Whether a member was created for a group that its founder in a region does not have.

    The call that has created it was late; it has no items.
    """
    strong = table.strong
    if strong is None or strong.state != "CREATING" or strong.founder != region:
        return False
    known = None if answer.view is None else answer.view.strong
    return answer.standing != "MEMBER" or known is None or known.id != strong.id


def _is_awaited(table: Table, replica: Replica) -> bool:
    """Whether a new replica that is not there will still be created, by this one or another.

    If nothing is left to copy to it, it was there.
    """
    others = len(replicas_of(table)) > 1
    return replica.copy == "ALL" or (replica.copy == "OWN" and others)


async def forget_replica(catalog: Catalog, table: Table, region: str) -> None:
    """Remove a replica on another server, which is gone, from the group."""
    with contextlib.suppress(DynamoError):
        change = partial(without_gone, region=region)
        await change_group(catalog, names_of(catalog, table), change)
