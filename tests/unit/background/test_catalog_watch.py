"""What another process changes in the catalog reaches the work in the background."""

import asyncio
from functools import partial

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.background.expirer import Expirer
from hashrange.background.index_jobs import index_jobs
from hashrange.background.log_maintenance import LogMaintenance
from hashrange.background.watched_tables import CatalogWatch
from hashrange.storage.engine import StorageError
from hashrange.tables.catalog.catalog import Catalog, count_changes
from tests.api.indexes import index_of
from tests.pace import loop_until, seconds, turns
from tests.unit.background.still_turns import unhurried
from tests.unit.tables.definitions import NOON_MS, definition
from tests.unit.tables.streams.still_streams import RULES, StillStreams

TIME_TO_LIVE = {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}}


@pytest.fixture
def server():
    made = StillStreams()
    yield made
    made.check()
    made.end()


class Flickering(DictEngine):
    """Fails to read as often as it is told to."""

    failures = 0

    async def read(self, keys, **options):
        if self.failures:
            self.failures -= 1
            raise StorageError
        return await super().read(keys, **options)


def test_each_kind_of_change_is_counted():
    async def scenario():
        engine = DictEngine()
        catalog, counts = Catalog(engine), []
        await catalog.create(lambda number: definition(number=number), "a-table")
        counts.append(await count_changes(engine))
        await catalog.change("a-table", lambda table: table)
        counts.append(await count_changes(engine))
        await catalog.drop("a-table", NOON_MS, lambda _: None)
        counts.append(await count_changes(engine))
        return counts

    assert asyncio.run(scenario()) == [1, 2, 3]


# Once at the beginning, for nobody knows what was changed before; then for each change, and a
# storage that fails meanwhile hides none.
def test_changes_are_told():
    async def scenario():
        engine, told = Flickering(), []
        watch = CatalogWatch(engine, partial(told.append, None), look_seconds=0)
        task = asyncio.create_task(watch.run())
        await loop_until(lambda: len(told) == 1)
        engine.failures = 3
        await Catalog(engine).create(lambda number: definition(number=number), "a-table")
        await loop_until(lambda: len(told) == 2)
        await turns(10)
        task.cancel()
        return len(told)

    assert asyncio.run(scenario()) == 2


# The work of a server that leads knows tables as they were: what it has in memory may be outdated.
def test_a_time_to_live_that_another_server_sets_is_kept(server):
    server.create(BillingMode="PAY_PER_REQUEST")
    server.time_ms = NOON_MS
    ours = Catalog(server.engine)
    server.run(ours.open("a-table"))
    server.call("UpdateTimeToLive", **TIME_TO_LIVE)
    server.index()
    server.call("PutItem", Item={"pk": {"S": "1"}, "expires": {"N": str(NOON_MS // 1000 - 9)}})
    expirer = Expirer(server.store, ours, 0, pacer=unhurried())
    server.run(expirer.sweep())
    assert server.run(expirer.expire()) == 1


def test_a_stream_that_another_server_enables_is_looked_after(server):
    ours = Catalog(server.engine)
    server.begin()
    server.call("UpdateTable", StreamSpecification={"StreamEnabled": False})
    server.run(ours.open("a-table"))
    server.update(StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    arn = server.describe()["LatestStreamArn"]
    server.later(RULES.shard_ms + 1)  # a label is later than the one before it
    server.run(LogMaintenance(server.store, ours, RULES, pacer=unhurried()).sweep())
    assert len(server.shards(arn)) == 2


def test_an_index_that_another_server_adds_is_built(server):
    server.create(BillingMode="PAY_PER_REQUEST")
    indexer = index_jobs(server.engine, Catalog(server.engine), unhurried())

    async def scenario():
        task = asyncio.create_task(indexer.run())
        await turns()
        index = index_of("by-n", "n")
        await server.performed(
            "UpdateTable",
            AttributeDefinitions=[
                {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "n")
            ],
            GlobalSecondaryIndexUpdates=[{"Create": index}],
        )
        indexer.wake_all()
        states = set()
        while "ACTIVE" not in states:
            states.add((await server.catalog.open("a-table")).table.indexes[0].state)
            await turns()
        task.cancel()
        await asyncio.wait([task])

    server.run(asyncio.wait_for(scenario(), seconds(20)))
