"""The positions of triggers: a row of the system space for each trigger and shard.

Only the leader of several servers runs triggers. Its writes are fenced by its lease, so that a
former leader that has not noticed the change cannot set a position back.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from hashrange.model.table import Table
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, StaleFenceError
from hashrange.tables.catalog.catalog import Catalog, pages_of_names
from hashrange.tables.catalog.leases import NotLeadingError
from hashrange.tables.keys import system_keys
from hashrange.tables.keys.key_ranges import pairs

_BYTES: Final = 8

ShardKey: TypeAlias = tuple[int, int]
"""A shard: the number of its table, and its own number."""


def no_fences() -> Fences:
    """The fences of a single server, which needs no lease."""
    return NO_FENCES


class Positions:
    """The positions of one trigger in the shards of the tables of one name.

    Args:
        engine: stores the positions.
        trigger: the name of the trigger.
        table: the name of the table.
        fences: the fences of the leader's lease. `write` and `forget` raise NotLeadingError if
            another server has become the leader.
    """

    def __init__(
        self, engine: Engine, trigger: str, table: str, fences: Callable[[], Fences] = no_fences
    ) -> None:
        self._engine = engine
        self._fences = fences
        self._trigger = trigger
        self._begun = system_keys.trigger_begun_key(trigger, table)

    async def has_begun(self) -> bool:
        """Whether the trigger has ever begun to read the table."""
        (row,) = await self._engine.read([self._begun])
        return row is not None

    async def begin(self, positions: Mapping[ShardKey, int], now_ms: int) -> None:
        """Store the first positions; shards that are not in `positions` are read from their start.

        Does nothing if the trigger has begun already, since its positions may be further on.
        """
        rows = {self._key(shard_key): _stored(record) for shard_key, record in positions.items()}
        puts = {self._begun: _stored(now_ms), **rows}

        def decide(stored: list[bytes | None]) -> Changes[None]:
            return Changes(answer=None, puts=puts if stored[0] is None else {})

        await self._engine.write([*puts], decide)

    async def read(self, shard_key: ShardKey) -> int:
        """The number of the first record that is not delivered; 0 if no position is stored."""
        (row,) = await self._engine.read([self._key(shard_key)])
        return 0 if row is None else int.from_bytes(row, "big")

    async def write(self, shard_key: ShardKey, record: int) -> None:
        """Store that all records before this number are delivered or given up."""
        await self._change(shard_key, {self._key(shard_key): _stored(record)})

    async def forget(self, shard_key: ShardKey) -> None:
        """Delete the position in a shard that was removed."""
        await self._change(shard_key, {})

    async def _change(self, shard_key: ShardKey, puts: Mapping[bytes, bytes]) -> None:
        key = self._key(shard_key)
        changes = Changes(answer=None, puts=puts, deletes=() if puts else (key,))
        try:
            await self._engine.write([key], lambda _: changes, fences=self._fences())
        except StaleFenceError as error:
            raise NotLeadingError from error

    def _key(self, shard_key: ShardKey) -> bytes:
        return system_keys.trigger_key(*shard_key, self._trigger)


async def forget_gone(engine: Engine, catalog: Catalog) -> int:
    """Delete the positions of all triggers in removed shards; how many there were."""
    stored_keys = [
        key async for key, _ in pairs(engine, system_keys.triggers_range(positions=True))
    ]
    if not stored_keys:
        return 0
    live_keys: set[ShardKey] = set()
    async for names in pages_of_names(catalog):
        for name in names:
            opened = await catalog.open(name)
            live_keys.update(() if opened is None else _shard_keys(opened.table))
    for table in await catalog.dropped.tables():
        live_keys.update(_shard_keys(table))
    gone = [key for key in stored_keys if system_keys.trigger_place(key) not in live_keys]
    if gone:
        await engine.write(gone, lambda _: Changes(answer=None, deletes=gone))
    return len(gone)


def _shard_keys(table: Table) -> list[ShardKey]:
    return [(table.number, shard.number) for shard in table.log.shards]


def _stored(number: int) -> bytes:
    return number.to_bytes(_BYTES, "big")
