"""A stream replayed over an empty table gives the table, whatever happened, and how much of it."""

import asyncio
import random
from functools import partial

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.steps.operation import TableChoices
from hashrange.tables.log.shards import rolled
from tests.api.streams import Consumer, key_of, replayed
from tests.pace import turns
from tests.unit.api.dynamodb.still_server import CALLER
from tests.unit.tables.definitions import HOUR_MS
from tests.unit.tables.streams.still_streams import StillStreams

TABLE = "a-table"
PKS = st.sampled_from("abcd")
VALUES = st.sampled_from(
    [
        {"N": "1"},
        {"N": "1.0"},
        {"N": "2"},
        {"S": "x"},
        {"SS": ["x", "y"]},
        {"SS": ["y", "x"]},
        {"M": {"p": {"N": "1"}, "q": {"L": [{"BOOL": True}]}}},
        {"M": {"q": {"L": [{"BOOL": True}]}, "p": {"N": "1"}}},
    ]
)


def put(pk, value):
    return "PutItem", {"Item": {"pk": {"S": pk}, "a": value}}


def delete(pk):
    return "DeleteItem", {"Key": {"pk": {"S": pk}}}


def update(pk, value):
    return "UpdateItem", {
        "Key": {"pk": {"S": pk}},
        "UpdateExpression": "SET b = :b",
        "ExpressionAttributeValues": {":b": value},
    }


def remove(pk):
    return "UpdateItem", {"Key": {"pk": {"S": pk}}, "UpdateExpression": "REMOVE b"}


def batch(pks, value):
    writes = [{"PutRequest": {"Item": {"pk": {"S": pk}, "c": value}}} for pk in pks[1:]]
    return "BatchWriteItem", {
        "RequestItems": {TABLE: [{"DeleteRequest": {"Key": {"pk": {"S": pks[0]}}}}, *writes]}
    }


def transaction(pks, value):
    actions = [{"Delete": {"TableName": TABLE, "Key": {"pk": {"S": pks[0]}}}}]
    actions += [
        {"Put": {"TableName": TABLE, "Item": {"pk": {"S": pk}, "d": value}}} for pk in pks[1:]
    ]
    return "TransactWriteItems", {"TransactItems": actions}


SEVERAL = st.lists(PKS, min_size=1, max_size=3, unique=True)
STEPS = st.one_of(
    st.builds(put, PKS, VALUES),
    st.builds(delete, PKS),
    st.builds(update, PKS, VALUES),
    st.builds(remove, PKS),
    st.builds(batch, SEVERAL, VALUES),
    st.builds(transaction, SEVERAL, VALUES),
    st.sampled_from(["roll", "look"]),
)


def items_of(server):
    items = server.call("Scan")["Items"]
    return {repr(sorted({"pk": item["pk"]}.items())): item for item in items}


@pytest.mark.parametrize("shards", [1, 3])
@given(steps=st.lists(STEPS, max_size=25))
def test_replayed_stream_is_the_table(shards, steps):
    server = StillStreams(choices=TableChoices(stream_shards=shards))
    consumer = Consumer(server.begin())
    changes = 0
    for step in steps:
        if step == "look":
            consumer.catch_up(server, limit=2)
        elif step == "roll":
            server.later(4 * HOUR_MS)
            server.run(server.upkeep.sweep())
        else:
            before = items_of(server)
            operation, request = step
            server.call(operation, **request)
            after = items_of(server)
            changes += sum(before.get(key) != after.get(key) for key in before.keys() | after)
    # The history is shorter than a day, or some of it is gone.
    if steps.count("roll") < 6:
        records = server.changes(consumer.arn)
        assert replayed(records) == items_of(server)
        assert len(records) == changes, "one record for each change, and none for no change"
        assert consumer.catch_up(server) == items_of(server)
        assert consumer.records == changes, "each once"
    server.check()
    server.end()


WRITERS = 16
WRITES = 60


class _SlowEngine:
    """Lets others go first between a plan and its write, as an engine over a network does."""

    def __init__(self, engine, rng):
        self._rng = rng
        self._write = engine.write
        self.read, self.scan = engine.read, engine.scan

    async def write(self, keys, decide, **options):
        await turns(self._rng.randrange(4))
        return await self._write(keys, decide, **options)


async def _writer(server, number, rng):
    """Writes items of its own, and one that all share."""
    for step in range(WRITES):
        pk = rng.choice([f"{number}-{rng.randrange(3)}", "shared"])
        operation, request = put(pk, {"S": f"{number} {step}"})
        request = {"TableName": TABLE, **request}
        typed = OPERATIONS[operation].request(table_name=TABLE, item=request["Item"])
        await server.pipeline.perform(operation, typed, CALLER)


async def _roller(server, done):
    """Closes shards between any two groups of writes."""
    rolls = 0
    while not done.is_set():
        change = partial(rolled, now_ms=server.now_ms(), shard_ms_max=0)
        await server.catalog.change(TABLE, change)
        rolls += 1
        await turns(9 + rolls % 7)
    return rolls


class _Reader:
    """Reads while others write, a child once its parent is at its end, and never looks back."""

    def __init__(self, server, arn):
        self._server = server
        self._arn = arn
        self._iterators = {}
        self._ended = set()
        self.records = []

    async def _ask(self, operation, **request):
        typed = msgspec.convert(request, OPERATIONS[operation].request)
        answer = await self._server.pipeline.perform(operation, typed, CALLER)
        return msgspec.json.decode(msgspec.json.encode(answer))

    async def read(self):
        """One look at each shard that may be read; how many records there were."""
        answer = await self._ask("DescribeStream", StreamArn=self._arn)
        shards = answer["StreamDescription"]["Shards"]
        known = len(self.records)
        for shard in shards:
            shard_id, parent = shard["ShardId"], shard.get("ParentShardId")
            if shard_id in self._ended or (parent is not None and parent not in self._ended):
                continue
            if shard_id not in self._iterators:
                place = {"ShardId": shard_id, "ShardIteratorType": "TRIM_HORIZON"}
                answer = await self._ask("GetShardIterator", StreamArn=self._arn, **place)
                self._iterators[shard_id] = answer["ShardIterator"]
            answer = await self._ask("GetRecords", ShardIterator=self._iterators[shard_id])
            self.records += answer["Records"]
            if "NextShardIterator" in answer:
                self._iterators[shard_id] = answer["NextShardIterator"]
            else:
                self._ended.add(shard_id)
            await turns()
        return len(self.records) - known

    async def follow(self, done):
        """Until the writers are done, then to the end."""
        while not done.is_set():
            await self.read()
            await turns()
        for _ in range(200):
            await self.read()
        return self.records


# Writes that were planned before a shard was closed go to its child: each is told once, and never
# behind the end of a shard, which its readers do not come back to.
@pytest.mark.parametrize("seed", range(3))
def test_shards_close_under_writers_and_readers(seed):
    server = StillStreams(choices=TableChoices(stream_shards=2))
    arn = server.begin()
    server.store.engine = _SlowEngine(server.engine, random.Random(seed))

    async def all_of_it():
        done = asyncio.Event()
        reading = asyncio.create_task(_Reader(server, arn).follow(done))
        rolling = asyncio.create_task(_roller(server, done))
        rng = random.Random(seed)
        await asyncio.gather(
            *(_writer(server, number, random.Random(rng.random())) for number in range(WRITERS))
        )
        done.set()
        return await rolling, await reading

    rolls, read = server.run(all_of_it())
    assert rolls > 10, "shards were closed while others wrote"
    records = server.changes(arn)
    assert len(records) == WRITERS * WRITES
    assert replayed(records) == items_of(server)
    assert len(read) == len(records), "who reads along sees all"
    assert replayed(read) == items_of(server)
    # Each writer's own order is that of its writes, item by item.
    steps = {}
    for record in records:
        number, step = record["dynamodb"]["NewImage"]["a"]["S"].split()
        steps.setdefault((key_of(record), number), []).append(int(step))
    assert all(each == sorted(each) for each in steps.values())
    server.check()
    server.end()
