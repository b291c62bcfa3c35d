"""How far the changes of one replica are in another, for each shard of its log."""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from hashrange.model.table import Table
from hashrange.storage.engine import Changes, Engine, Fences
from hashrange.tables.catalog_entries import Beside
from hashrange.tables.replication_keys import complete_key, copy_key, position_key

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
        await self._put(position_key(link.source, link.target, shard), _eight(record))

    async def complete_ms(self, link: Link) -> int:
        """Until when all changes of the source are in the target."""
        return await self._number(complete_key(link.source, link.target))

    async def set_complete(self, link: Link, time_ms: int) -> None:
        """Store that all changes of the source until a time are in the target."""
        await self._put(complete_key(link.source, link.target), _eight(time_ms))

    async def complete_of(self, link: Link, incarnation: int) -> int:
        """As `complete_ms`, of a link with an incarnation of a replica on another server."""
        (row,) = await self._engine.read([complete_key(link.source, link.target)])
        if row is None or int.from_bytes(row[_BYTES:], "big") != incarnation:
            return 0
        return int.from_bytes(row[:_BYTES], "big")

    async def set_complete_of(self, link: Link, incarnation: int, time_ms: int) -> None:
        """As `set_complete`, of such a link."""
        key = complete_key(link.source, link.target)
        await self._put(key, _eight(time_ms) + _eight(incarnation))

    async def copied_to(self, link: Link, first_shard: int) -> bytes:
        """Where the next page of a copy begins; empty if none was stored for this first shard."""
        (row,) = await self._engine.read([copy_key(link.source, link.target)])
        if row is None or int.from_bytes(row[:_BYTES], "big") != first_shard:
            return b""
        return row[_BYTES:]

    async def set_copied_to(self, link: Link, first_shard: int, start: bytes) -> None:
        """Store where the next page of a copy begins."""
        await self._put(copy_key(link.source, link.target), _eight(first_shard) + start)

    async def _number(self, key: bytes) -> int:
        (row,) = await self._engine.read([key])
        return 0 if row is None else int.from_bytes(row, "big")

    async def _put(self, key: bytes, value: bytes) -> None:
        puts = {key: value}
        await self._engine.write(
            [key], lambda _: Changes(answer=None, puts=puts), fences=self._fences()
        )


def _eight(number: int) -> bytes:
    return number.to_bytes(_BYTES, "big")
