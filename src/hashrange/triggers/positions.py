"""How far triggers have come: rows of the system space, one for each trigger and shard.

Of several servers one alone has the triggers at work. Its writes here carry its term, so that one
that was deposed without noticing cannot take a position back.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from hashrange.model.table import Table
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, StaleFenceError
from hashrange.tables import keyspace
from hashrange.tables.catalog import Catalog, pages_of_names
from hashrange.tables.leases import NotLeadingError
from hashrange.tables.paging import pairs

_BYTES: Final = 8

Place: TypeAlias = tuple[int, int]
"""A shard: the number of its table, and that of its log."""


def no_fences() -> Fences:
    """Of a server that is alone."""
    return NO_FENCES


class Positions:
    """Those of one trigger, for the table of one name.

    Args:
        fences: what shows that this server has the triggers at work. `write` and `forget` raise
            NotLeadingError if another one has.
    """

    def __init__(
        self, engine: Engine, trigger: str, table: str, fences: Callable[[], Fences] = no_fences
    ) -> None:
        self._engine = engine
        self._fences = fences
        self._trigger = trigger
        self._begun = keyspace.trigger_begun_key(trigger, table)

    async def has_begun(self) -> bool:
        """Whether it has ever read that table."""
        (row,) = await self._engine.read([self._begun])
        return row is not None

    async def begin(self, positions: Mapping[Place, int], now_ms: int) -> None:
        """Read that table from now on: some shards from these records on, others as a whole.

        Nothing happens if another server has begun meanwhile: it may have come further.
        """
        rows = {self._key(place): _stored(record) for place, record in positions.items()}
        puts = {self._begun: _stored(now_ms), **rows}

        def decide(stored: list[bytes | None]) -> Changes[None]:
            return Changes(answer=None, puts=puts if stored[0] is None else {})

        await self._engine.write([*puts], decide)

    async def read(self, place: Place) -> int:
        """The number of the first record that is not delivered; 0 if none ever was."""
        (row,) = await self._engine.read([self._key(place)])
        return 0 if row is None else int.from_bytes(row, "big")

    async def write(self, place: Place, record: int) -> None:
        """All records before this one are delivered, or given up."""
        await self._change(place, {self._key(place): _stored(record)})

    async def forget(self, place: Place) -> None:
        """The shard is gone."""
        await self._change(place, {})

    async def _change(self, place: Place, puts: Mapping[bytes, bytes]) -> None:
        key = self._key(place)
        changes = Changes(answer=None, puts=puts, deletes=() if puts else (key,))
        try:
            await self._engine.write([key], lambda _: changes, fences=self._fences())
        except StaleFenceError as error:
            raise NotLeadingError from error

    def _key(self, place: Place) -> bytes:
        return keyspace.trigger_key(*place, self._trigger)


async def forget_gone(engine: Engine, catalog: Catalog) -> int:
    """Remove positions in shards that are gone, of whatever trigger; how many."""
    rows = [key async for key, _ in pairs(engine, keyspace.triggers_range(positions=True))]
    if not rows:
        return 0
    known: set[Place] = set()
    async for names in pages_of_names(catalog):
        for name in names:
            opened = await catalog.open(name)
            known.update(() if opened is None else _places(opened.table))
    for table in await catalog.dropped():
        known.update(_places(table))
    gone = [key for key in rows if keyspace.trigger_place(key) not in known]
    if gone:
        await engine.write(gone, lambda _: Changes(answer=None, deletes=gone))
    return len(gone)


def _places(table: Table) -> list[Place]:
    return [(table.number, shard.number) for shard in table.log.shards]


def _stored(number: int) -> bytes:
    return number.to_bytes(_BYTES, "big")
