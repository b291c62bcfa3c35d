"""Replicates global tables to the server of one other region."""

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from functools import partial
from typing import Final

from hashrange.background.replication_task import ReplicationLatencies, ReplicationTask
from hashrange.errors import DynamoError
from hashrange.model.replication import Replica
from hashrange.observe.figures import Figure, Figures, labelled
from hashrange.regions.peers.calls import PeerAwayError, PeerError
from hashrange.regions.peers.conversation import Conversation, Side, forget_replica
from hashrange.regions.peers.sending import NotTakenError
from hashrange.regions.replication.following import Found, first_unsent
from hashrange.regions.replication.groups import name_in, replica_in
from hashrange.regions.replication.views import recopied, remote_number
from hashrange.tables.catalog.catalog import pages_of_tables
from hashrange.tables.opened.open_table import OpenTable

AWAY_SECONDS_MAX: Final = 5.0
"""Interval in which a server that is away is tried; the first ones are shorter."""

_log: Final = logging.getLogger(__name__)


class PeerReplicator(ReplicationTask):
    """A background task that replicates to one region of another server.

    Args:
        side: this server, and the other region.
        log_ms: for how long changes are kept for a server that is away.

    Attributes:
        region: the region that gets the changes.
        sent_total: changes that were sent.
        latencies: the ages of those that were sent last, by table.
    """

    PAUSE_SECONDS = 0.005
    LOOK_SECONDS_MAX = 0.1

    def __init__(self, side: Side, log_ms: int) -> None:
        super().__init__(
            side.catalog,
            self._has_replica,
            now_ms=side.store.clock.now_ms,
            positions=side.positions,
        )
        self._side = side
        self.region = side.region
        self._log_ms = log_ms
        self._conversations: dict[int, Conversation] = {}
        self._away_since_ms: int | None = None
        self._failing: dict[int, int] = {}
        """By the number of a table that is not replicated, since when."""
        self._lags_ms: dict[str, int] = {}
        """By table, the age of the oldest change that was sent at the last turn, or that waits."""
        self.sent_total = 0
        self.latencies = ReplicationLatencies()

    @property
    def lag_ms(self) -> int:
        """The age of the oldest change of all tables; 0 if all was sent before the last turn."""
        return max(self._lags_ms.values(), default=0)

    @property
    def away_ms(self) -> int:
        """For how long the server has not been reached; 0 if it is."""
        return 0 if self._away_since_ms is None else self._now_ms() - self._away_since_ms

    @property
    def _seconds_max(self) -> float:
        return self.LOOK_SECONDS_MAX if self._away_since_ms is None else AWAY_SECONDS_MAX

    async def work(self) -> Found:
        """As of `ReplicationTask`; copies, too."""
        await self._sweep_due(self._now_ms())
        found, is_away = Found.NOTHING, False
        for name in self._watched.names:
            member = await self._member(name)
            if member is None:
                continue
            opened, replica = member
            try:
                if not is_away:
                    found = max(await self._turn(opened, replica), found)
                    await asyncio.sleep(0)
                    continue
            except NotTakenError as error:
                self._note_late(error.received.wait_ms, opened)
            except PeerAwayError as error:
                is_away = True
                self._note_away(error)
            except PeerError as error:
                self._note_refused(error, opened)
            await self._keep(opened, replica)
            await asyncio.sleep(0)
        return found

    async def _sweep(self) -> None:
        async for tables in pages_of_tables(self._side.store.engine):
            for name, opened in tables.items():
                if replica_in(opened.table, self.region) is not None:
                    self._watched.add(name)

    async def _member(self, name: str) -> tuple[OpenTable, Replica] | None:
        """A replica of this server, with its other one there."""
        opened = await self._watched.open(name)
        replica = None if opened is None else replica_in(opened.table, self.region)
        if opened is None or replica is None:
            self.latencies.keep(name, set())
            self._lags_ms.pop(name, None)
            return None
        return None if opened.table.restore is not None else (opened, replica)

    def _has_replica(self, opened: OpenTable) -> bool:
        replica = replica_in(opened.table, self.region)
        return replica is not None and replica.is_remote

    async def _turn(self, opened: OpenTable, replica: Replica) -> Found:
        """Say what is next to the other replica. Raises PeerError, and NotTakenError."""
        number = opened.number
        if number not in self._conversations:
            self._conversations[number] = Conversation(self._side)
        try:
            said = await self._conversations[number].turn(opened, replica)
        except DynamoError:
            return Found.MORE  # the table was dropped
        self._failing.pop(number, None)
        self.sent_total += said.changes
        name = name_in(self._catalog, opened.table, opened.table.region)
        self._lags_ms[name] = said.latency_ms
        if said.changes:
            self.latencies.note(name, self.region, said.latency_ms)
        if self._away_since_ms is not None:
            _log.info("the replicas in %s are reached again", self.region)
            self._away_since_ms = None
        return said.found

    def _note_late(self, wait_ms: int, opened: OpenTable) -> None:
        self._conversations[opened.number].repeat_handshake()
        if wait_ms and self._fails_first(opened):
            text = "%s: the clock of %s is behind by more than a minute; changes wait %d ms"
            _log.warning(text, opened.table.arn, self.region, wait_ms)

    def _note_refused(self, error: PeerError, opened: OpenTable) -> None:
        if self._fails_first(opened):
            _log.error("%s is not replicated: %s", opened.table.arn, error)

    def _note_away(self, error: PeerError) -> None:
        if self._away_since_ms is None:
            self._away_since_ms = self._now_ms()
            _log.warning("the replicas in %s are not reached: %s", self.region, error)

    def _fails_first(self, opened: OpenTable) -> bool:
        """Whether a table was replicated before; from now on it is not."""
        is_first = opened.number not in self._failing
        self._failing.setdefault(opened.number, self._now_ms())
        return is_first

    async def _keep(self, opened: OpenTable, replica: Replica) -> None:
        """Keep the log for a server that is away, but not for longer than it is to be kept."""
        now_ms, table = self._now_ms(), opened.table
        if table.strong is not None and table.strong.state != "ENDED":
            return  # who is away gets what it lacks from the log of the group
        if replica.state == "DELETING":
            since_ms = self._failing.get(opened.number, self._away_since_ms)
            if since_ms is not None and now_ms - since_ms > self._log_ms:
                await forget_replica(self._catalog, table, self.region)
            return
        oldest_ms = await first_unsent(
            self._side.positions, self._side.store.engine, opened,
            number=remote_number(table, self.region), replica=replica,
        )  # fmt: skip
        name = name_in(self._catalog, table, table.region)
        lag_ms = self._lags_ms[name] = 0 if oldest_ms is None else max(now_ms - oldest_ms, 0)
        if lag_ms > self._log_ms:
            _log.warning("%s is away for too long: %s will be copied", self.region, table.arn)
            change = partial(recopied, region=self.region, now_ms=now_ms)
            with contextlib.suppress(DynamoError):
                await self._catalog.change(name, change)


def peer_figures(replicators: Sequence[PeerReplicator]) -> Figures:
    """Figures of all of them for metrics."""
    figures: dict[str, Figure] = {}
    for each in replicators:
        figures |= each.latencies.figures()
        figures[labelled("peer_changes_total", each.region)] = each.sent_total
        figures[labelled("peer_lag_seconds", each.region)] = each.lag_ms / 1000
        figures[labelled("peer_away_seconds", each.region)] = each.away_ms / 1000
    return figures
