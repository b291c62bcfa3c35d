"""How far the changes of one replica are in another, for each shard of its log."""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from hashrange.model.table import Table
from hashrange.storage.engine import Changes, Engine, Fences
from hashrange.tables.catalog_entries import Beside
from hashrange.tables.replication_keys import complete_key, position_key

_BYTES: Final = 8
ENDED: Final = 2**64 - 1
"""The position in a closed shard of which all records have been replicated."""


class Link(msgspec.Struct, frozen=True):
    """The numbers of a replica and of one to which its changes are replicated."""

    source: int
    target: int


def inherited(peers: Sequence[Table], source: int) -> Beside:
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

    return Beside(keys, puts)


class Positions:
    """The positions of all links.

    Args:
        engine: stores them.
        fences: of the leader's lease, so that a former leader sets no position back.
    """

    def __init__(self, engine: Engine, fences: Callable[[], Fences]) -> None:
        self._engine = engine
        self._fences = fences

    async def read(self, link: Link, shard: int) -> int:
        """The next record to replicate; 0 before the first."""
        return await self._number(position_key(link.source, link.target, shard))

    async def write(self, link: Link, shard: int, record: int) -> None:
        """Store that all records before this number have been replicated."""
        await self._put(position_key(link.source, link.target, shard), record)

    async def complete_ms(self, link: Link) -> int:
        """Until when all changes of the source are in the target."""
        return await self._number(complete_key(link.source, link.target))

    async def set_complete(self, link: Link, time_ms: int) -> None:
        """Store that all changes of the source until a time are in the target."""
        await self._put(complete_key(link.source, link.target), time_ms)

    async def _number(self, key: bytes) -> int:
        (row,) = await self._engine.read([key])
        return 0 if row is None else int.from_bytes(row, "big")

    async def _put(self, key: bytes, number: int) -> None:
        puts = {key: number.to_bytes(_BYTES, "big")}
        await self._engine.write(
            [key], lambda _: Changes(answer=None, puts=puts), fences=self._fences()
        )
