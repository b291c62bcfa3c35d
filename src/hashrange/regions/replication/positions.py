"""How far the changes of one replica are in another, for each shard of its log.

Records that a replica does not have yet are kept: a server that was stopped for days, or whose
clock was moved, replicates them before they go.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from hashrange.model.log import ALL_RECORDS
from hashrange.model.table import Table
from hashrange.regions.replication.groups import name_in, replica_in, replicas_of
from hashrange.regions.replication.views import remote_number
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.dropped_tables import ExtraRows
from hashrange.tables.keys.replication_keys import complete_key, copy_key, position_key

_BYTES: Final = 8
ENDED: Final = 2**64 - 1
"""The position in a closed shard of which all records have been replicated."""
NOTED_MS_MAX: Final = 500
"""For so long a position is only noted while further records come."""
KNOWN_MAX: Final = 100_000


class Link(msgspec.Struct, frozen=True):
    """The numbers of a replica and of one to which its changes are replicated."""

    source: int
    target: int


def inherited(peers: Sequence[Table], source: int) -> ExtraRows:
    """The positions of a new replica in the logs of others: those of the replica that is copied.

    What has been replicated to that one is in the copy. It may have been deleted there since, so it
    must not be replicated again.
    """
    places = [(peer.number, shard.number) for peer in peers for shard in peer.log.shards]
    keys = [position_key(peer, source, shard) for peer, shard in places]

    def puts(values: Sequence[bytes | None], table: Table) -> dict[bytes, bytes]:
        pairs = zip(places, values, strict=True)
        return {
            position_key(peer, table.number, shard): value
            for (peer, shard), value in pairs
            if value is not None
        }

    return ExtraRows(keys, puts)


class Positions:
    """The positions of all links.

    They are noted in memory, and stored now and then: a write for each page of records would cost
    as much as a page of few records. Records behind the last stored position are replicated again
    after a crash, which changes nothing. What was read is kept, since nobody else changes it while
    the fences hold.

    Args:
        engine: stores them.
        fences: of the leader's lease, so that a former leader sets no position back.
    """

    def __init__(self, engine: Engine, fences: Callable[[], Fences]) -> None:
        self._engine = engine
        self._fences = fences
        self._known: dict[bytes, int] = {}
        """By the keys of positions."""
        self._noted: dict[bytes, None] = {}
        """The keys of those that are not stored yet, in their order."""
        self._since_ms = 0
        """When the oldest of them was noted."""

    async def read(self, link: Link, shard: int) -> int:
        """The next record to replicate; 0 before the first."""
        key = position_key(link.source, link.target, shard)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= KNOWN_MAX:
                await self.store()
                self._known.clear()
            known = self._known[key] = await self._number(key)
        return known

    def note(self, link: Link, shard: int, record: int, now_ms: int) -> None:
        """All records before this number have been replicated."""
        if not self._noted:
            self._since_ms = now_ms
        key = position_key(link.source, link.target, shard)
        self._known[key] = record
        self._noted[key] = None

    async def store(self) -> None:
        """Store what was noted."""
        records = {key: self._known[key] for key in self._noted}
        if not records:
            return
        await self._put({key: _eight(record) for key, record in records.items()})
        left = (key for key in self._noted if self._known[key] != records.get(key))
        self._noted = dict.fromkeys(left)

    async def store_due(self, now_ms: int) -> None:
        """Store what was noted, if that is NOTED_MS_MAX ago."""
        if self._noted and not 0 <= now_ms - self._since_ms < NOTED_MS_MAX:
            self._since_ms = now_ms
            await self.store()

    def forget(self) -> None:
        """Drop what is known: another process may have replicated meanwhile."""
        self._known.clear()
        self._noted.clear()

    async def complete_ms(self, link: Link) -> int:
        """Until when all changes of the source are in the target."""
        return await self._number(complete_key(link.source, link.target))

    async def set_complete(self, link: Link, time_ms: int) -> None:
        """Store that all changes of the source until a time are in the target."""
        await self._set_complete(link, _eight(time_ms))

    async def complete_of(self, link: Link, incarnation: int) -> int:
        """As `complete_ms`, of a link with an incarnation of a replica on another server."""
        (row,) = await self._engine.read([complete_key(link.source, link.target)])
        if row is None or int.from_bytes(row[_BYTES:], "big") != incarnation:
            return 0
        return int.from_bytes(row[:_BYTES], "big")

    async def set_complete_of(self, link: Link, incarnation: int, time_ms: int) -> None:
        """As `set_complete`, of such a link."""
        await self._set_complete(link, _eight(time_ms) + _eight(incarnation))

    async def copied_to(self, link: Link, first_shard: int) -> bytes:
        """Where the next page of a copy begins; empty if none was stored for this first shard."""
        (row,) = await self._engine.read([copy_key(link.source, link.target)])
        if row is None or int.from_bytes(row[:_BYTES], "big") != first_shard:
            return b""
        return row[_BYTES:]

    async def set_copied_to(self, link: Link, first_shard: int, start: bytes) -> None:
        """Store where the next page of a copy begins."""
        await self._put({copy_key(link.source, link.target): _eight(first_shard) + start})

    async def _set_complete(self, link: Link, value: bytes) -> None:
        # First, since what is replicated again must not be older than tombstones that are removed.
        await self.store()
        await self._put({complete_key(link.source, link.target): value})

    async def _number(self, key: bytes) -> int:
        (row,) = await self._engine.read([key])
        return 0 if row is None else int.from_bytes(row, "big")

    async def _put(self, puts: Mapping[bytes, bytes]) -> None:
        await self._engine.write(
            [*puts], lambda _: Changes(answer=None, puts=puts), fences=self._fences()
        )


def _eight(number: int) -> bytes:
    return number.to_bytes(_BYTES, "big")


async def needed_by_replicas(engine: Engine, catalog: Catalog, table: Table) -> dict[int, int]:
    """By the number of a shard, the first record that a replica still needs."""
    needed: dict[int, int] = {}
    if table.deleted_ms is not None or table.strong is not None:
        return needed
    positions = Positions(engine, lambda: NO_FENCES)
    for replica in replicas_of(table):
        if replica.is_remote:
            if replica.state == "CREATION_FAILED":
                continue
            link = Link(table.number, remote_number(table, replica.region))
        else:
            peer = await catalog.open(name_in(catalog, table, replica.region))
            if peer is None or replica_in(peer.table, table.region) is None:
                continue
            link = Link(table.number, peer.number)
        for shard in table.log.shards:
            if shard.number < replica.first_shard or shard.cleared_to == ALL_RECORDS:
                continue
            position = await positions.read(link, shard.number)
            if position < ENDED:
                first = max(position, shard.cleared_to)
                needed[shard.number] = min(first, needed.get(shard.number, first))
    return needed
