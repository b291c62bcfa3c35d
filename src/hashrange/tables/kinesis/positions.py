"""How far the change logs of tables have been put into their destinations: a row for each shard.

The row is replaced in the same write of the engine as the records are put into the stream. So a
change is there once, whenever the server is stopped, and although others may do the same work.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Final

from hashrange.storage.engine import Changes, Engine, Fences
from hashrange.tables.catalog.dropped_tables import ExtraRows
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.keys.kinesis_keys import (
    address_of,
    destination_positions_range,
    position_key,
)
from hashrange.tables.kinesis.records import Replaced, check_unchanged

ENDED: Final = 2**64 - 1
"""The position in a closed shard of which all records have been put; in memory only."""
POSITION_BYTES: Final = 8
_KNOWN_MAX: Final = 100_000


class DestinationPositions:
    """The next records of shards to put into destinations; by the numbers of table and shard.

    What was read is kept. If it is not true any more, it is not written either.

    Args:
        engine: stores them.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[tuple[int, int], int] = {}

    async def read(self, table: int, shard: int) -> int:
        """The next record; 0 before the first."""
        known = self._known.get((table, shard))
        if known is None:
            (row,) = await self._engine.read([position_key(table, shard)])
            known = 0 if row is None else int.from_bytes(row)
            self.note(table, shard, known)
        return known

    def note(self, table: int, shard: int, record: int) -> None:
        """Keep a position that was stored, or `ENDED`."""
        if len(self._known) >= _KNOWN_MAX:
            self._known.clear()
        self._known[table, shard] = record

    def forget(self) -> None:
        """Drop what is kept: others have put records meanwhile."""
        self._known.clear()

    async def moved(self, table: int, shard: int, record: int) -> Mapping[bytes, Replaced]:
        """The row of a position that moves to a record, to be written with those before it."""
        position = await self.read(table, shard)
        before = position.to_bytes(POSITION_BYTES) if position else None
        return {position_key(table, shard): Replaced(before, record.to_bytes(POSITION_BYTES))}

    async def store(
        self, table: int, shard: int, record: int, fences: Callable[[], Fences]
    ) -> None:
        """Move a position without records. Raises StaleFenceError: others have done so."""
        rows = await self.moved(table, shard, record)
        puts = {key: row.after for key, row in rows.items()}

        def decide(stored: list[bytes | None]) -> Changes[None]:
            check_unchanged(rows, stored)
            return Changes(answer=None, puts=puts)

        await self._engine.write([*rows], decide, fences=fences())
        self.note(table, shard, record)


async def without_positions(engine: Engine, table: int, end_shard: int) -> ExtraRows:
    """Deletes the positions in shards of a table before a number, with its catalog entry."""
    found = [key async for key, _ in pairs(engine, destination_positions_range(table))]
    gone = [key for key in found if address_of(key)[1] < end_shard]
    return ExtraRows((), lambda _values, _table: dict.fromkeys(gone))


async def stored_positions(engine: Engine) -> list[bytes]:
    """The keys of all positions."""
    return [key async for key, _ in pairs(engine, destination_positions_range())]


async def delete_gone(
    engine: Engine,
    stored: Collection[bytes],
    live: Collection[tuple[int, int]],
    fences: Callable[[], Fences],
) -> None:
    """Delete those of `stored` whose tables and shards are not `live` any more."""
    gone = [key for key in stored if address_of(key) not in live]
    if gone:
        changes = Changes(answer=None, deletes=gone)
        await engine.write(gone, lambda _: changes, fences=fences())
