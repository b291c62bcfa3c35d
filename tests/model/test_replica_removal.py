"""A replica is removed while clients write to it."""

from hashrange.background.replicator import Replicator
from hashrange.storage.engine import NO_FENCES
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.keys.system_keys import catalog_key
from hashrange.tables.writing.store import Store
from tests.engines.passing import PassingEngine
from tests.model.test_replica_groups import (
    FIRST,
    NAME,
    SECOND,
    THIRD,
    added,
    changed,
    everywhere,
    run_with_group,
)


class WrittenEngine(PassingEngine):
    """Lets a client write before the next write of a key."""

    def __init__(self, inner, key, client):
        super().__init__(inner)
        self.key, self.client = key, client

    async def write(self, keys, decide, *, fences=NO_FENCES):
        if self.key in keys and self.client is not None:
            client, self.client = self.client, None
            await client()
        return await super().write(keys, decide, fences=fences)


def test_what_was_written_until_a_replica_is_dropped_reaches_the_others():
    async def test(group):
        await added(group, SECOND, THIRD)
        await group.change_at(FIRST, "DELETE", SECOND)
        key = catalog_key(f"{group.within(SECOND).prefix}{NAME}")
        engine = WrittenEngine(group.engine, key, lambda: changed(group, SECOND))
        store, catalog = Store(engine, group), Catalog(engine)
        replicator = Replicator(store, catalog, fences=lambda: NO_FENCES, delay_ms=0)
        await replicator.drain()
        assert engine.client is None
        assert await everywhere(group) == [{"x": "1"}] * 2

    run_with_group(test)
