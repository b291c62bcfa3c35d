"""Two servers that both do the work in the background, as for a moment after one was followed.

Each has its own view of the catalog, and their steps mix at random: what is stored is as if one had
done it.
"""

import asyncio
from random import Random

import pytest

from hashrange.background.dropper import Dropper
from hashrange.background.expirer import Expirer
from hashrange.background.index_jobs import index_jobs
from hashrange.background.log_maintenance import LogMaintenance
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.keys import system_keys
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.tokens import forget_page
from tests.api.indexes import attributes, index_of
from tests.api.transactions import put
from tests.effort import effort
from tests.model.test_transactions_serializable import PausingEngine
from tests.unit.api.dynamodb.still_server import TABLE
from tests.unit.background.still_turns import unhurried
from tests.unit.tables.definitions import HOUR_MS, NOON_MS
from tests.unit.tables.streams.still_streams import RULES, StillStreams

ITEMS = 60
GONE = "a-table-that-goes"
PASSES = 3


class Pausing(PausingEngine):
    """As that one, between two pages too."""

    async def scan(self, *arguments, **options):
        await self.pause()
        found = await self.inner.scan(*arguments, **options)
        await self.pause()
        return found


class Twin:
    """One of the two."""

    def __init__(self, engine, clock):
        self._engine, self._clock = engine, clock
        catalog, store = Catalog(engine), Store(engine, clock)
        self._indexer = index_jobs(engine, catalog, unhurried())
        self._expirer = Expirer(store, catalog, 0, pacer=unhurried())
        self._dropper = Dropper(engine, catalog, clock, 0, pacer=unhurried())
        self._upkeep = LogMaintenance(store, catalog, RULES, pacer=unhurried())

    def works(self):
        return [
            self._indexer.work(),
            self._expire(),
            self._dropper.clear(),
            self._upkeep.sweep(),
            forget_page(self._engine, self._clock.now_ms()),
        ]

    async def _expire(self):
        await self._expirer.sweep()
        await self._expirer.expire()


@pytest.fixture
def server():
    made = StillStreams()
    yield made
    made.end()


def with_work(server):
    """A table with all that can be to do, and one to be cleared; the ARN of the stream."""
    arn = server.begin()
    specification = {"Enabled": True, "AttributeName": "until"}
    server.call("UpdateTimeToLive", TimeToLiveSpecification=specification)
    server.index()
    for number in range(ITEMS):
        until = NOON_MS // 1000 + (60 if number % 2 else 100 * 3600)
        item = {"pk": {"S": f"{number}"}, "until": {"N": str(until)}, "g": {"S": f"{number % 3}"}}
        server.call("PutItem", Item=item)
    for number in range(5):
        actions = [put("a-table", {"pk": {"S": f"0{number}"}, "g": {"S": "x"}})]
        server.call("TransactWriteItems", TransactItems=actions, ClientRequestToken=f"{number}")
    server.call("CreateTable", **{**TABLE, "TableName": GONE, "BillingMode": "PAY_PER_REQUEST"})
    for number in range(ITEMS):
        server.call("PutItem", TableName=GONE, Item={"pk": {"S": f"{number}"}})
    server.call("DeleteTable", TableName=GONE)
    server.later(RULES.shard_ms + HOUR_MS)
    server.update(
        AttributeDefinitions=attributes(pk="S", g="S"),
        GlobalSecondaryIndexUpdates=[{"Create": index_of("by-g", "g")}],
    )
    return arn


def passes(server, random):
    engine = Pausing(server.engine, random)
    twins = [Twin(engine, server) for _ in range(2)]

    async def once():
        works = [work for twin in twins for work in twin.works()]
        random.shuffle(works)
        await asyncio.gather(*works)

    for _ in range(PASSES):
        server.run(once())


@pytest.mark.parametrize("seed", range(effort(6, 12)))
def test_it_is_as_if_one_had_done_it(server, seed):
    arn, random = with_work(server), Random(seed)
    passes(server, random)
    server.check()
    assert server.describe()["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"
    kept = {f"{number}" for number in range(0, ITEMS, 2)} | {f"0{number}" for number in range(5)}
    assert {item["pk"]["S"] for item in server.call("Scan")["Items"]} == kept
    assert len(server.call("Scan", IndexName="by-g")["Items"]) == len(kept)
    names = [record["eventName"] for record in server.changes(arn)]
    assert names.count("REMOVE") == ITEMS // 2
    assert len(server.shards(arn)) == 2  # rolled once
    assert server.run(server.catalog.dropped.tables()) == []
    start, end = system_keys.tokens_range()
    assert server.run(server.engine.scan(start, end, limit=10, bytes_max=10**6)) == []
    # A day later all that was logged before goes, and what is logged then stays.
    server.put("new")
    server.later(RULES.retention_ms - HOUR_MS)
    passes(server, random)
    server.check()
    assert "new" in server.names(arn)
    assert len(server.names(arn)) <= 1 + ITEMS // 2
