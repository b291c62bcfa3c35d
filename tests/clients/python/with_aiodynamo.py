"""What aiodynamo sees of the server whose URL is the argument: a JSON object, step by step.

It signs and speaks by itself, without botocore.
"""

import asyncio
import json
import sys

from aiodynamo.client import Client
from aiodynamo.credentials import Credentials
from aiodynamo.errors import AIODynamoError, TransactionCanceled
from aiodynamo.expressions import F, HashKey, RangeKey
from aiodynamo.http.aiohttp import AIOHTTP
from aiodynamo.models import (
    BatchGetRequest,
    BatchWriteRequest,
    GlobalSecondaryIndex,
    KeySchema,
    KeySpec,
    KeyType,
    PayPerRequest,
    Projection,
    ProjectionType,
    ReturnValues,
    StaticDelayRetry,
)
from aiodynamo.operations import ConditionCheck, Delete, Get, Put, Update
from aiohttp import ClientSession
from yarl import URL

TABLE = "aiodynamo"
SOON = StaticDelayRetry(delay=0.1, time_limit_secs=30)


async def error_of(call):
    try:
        await call
    except AIODynamoError as error:
        return error
    return None


async def table(client):
    index = GlobalSecondaryIndex(
        name="by-parity",
        schema=KeySchema(KeySpec("parity", KeyType.string), KeySpec("sk", KeyType.number)),
        projection=Projection(ProjectionType.include, ["square"]),
        throughput=None,
    )
    described = await client.create_table(
        TABLE,
        PayPerRequest(),
        KeySchema(KeySpec("pk", KeyType.string), KeySpec("sk", KeyType.number)),
        gsis=[index],
        wait_for_active=SOON,
    )
    return {
        "status": described.status.value,
        "items": described.item_count,
        "keys": [key.name for key in described.key_schema],
        "created": described.created is not None,
        "payPerRequest": isinstance(described.throughput, PayPerRequest),
        "exists": await client.table_exists(TABLE),
        "other": await client.table_exists("no-such-table"),
    }


async def gathered(client):
    """200 puts at once, then as many reads."""
    items = [
        {"pk": "gathered", "sk": sk, "square": sk * sk, "parity": ["even", "odd"][sk % 2]}
        for sk in range(200)
    ]
    await asyncio.gather(*[client.put_item(TABLE, item) for item in items])
    found = await asyncio.gather(
        *[client.get_item(TABLE, {"pk": "gathered", "sk": sk}) for sk in range(200)]
    )
    return {"same": found == items, "found": len(found)}


async def kinds(client):
    item = {
        "pk": "kinds",
        "sk": 1,
        "text": "déjà vu 😀",
        "empty": "",
        "bytes": b"\x00\xff",
        "yes": True,
        "nothing": None,
        "list": [1, "two", {"three": [3.5]}],
        "texts": {"a", "b"},
        "numbers": {1, 2},
        "blobs": {b"x"},
    }
    await client.put_item(TABLE, item)
    return await client.get_item(TABLE, {"pk": "kinds", "sk": 1}) == item


async def expiry(client):
    await client.enable_time_to_live(TABLE, "expires", wait_for_enabled=SOON)
    described = await client.describe_time_to_live(TABLE)
    return [described.attribute, described.status.value]


async def query(client):
    condition = HashKey("pk", "gathered") & RangeKey("sk").between(10, 19)
    fields = F("sk") & F("square")
    first = await client.query_single_page(TABLE, condition, limit=6, scan_forward=False)
    found = client.query(TABLE, condition, filter_expression=F("parity").equals("odd"), limit=10)
    even = client.query(
        TABLE,
        HashKey("parity", "even") & RangeKey("sk").lt(6),
        index="by-parity",
        projection=fields,
    )
    return {
        "page": [item["sk"] for item in first.items],
        "stopped": first.last_evaluated_key,
        "odd": [item["sk"] async for item in found],
        "count": await client.count(TABLE, HashKey("pk", "gathered")),
        "index": [item async for item in even],
    }


async def update(client):
    key = {"pk": "updated", "sk": 1}
    await asyncio.gather(*[client.update_item(TABLE, key, F("count").add(1)) for _ in range(100)])
    return await client.update_item(
        TABLE,
        key,
        F("list").set(["a"]) & F("map").set({"x": 1}) & F("count").change(-1),
        condition=F("count").equals(100) & F("list").does_not_exist(),
        return_values=ReturnValues.all_new,
    )


async def transactions(client):
    keys = [{"pk": "transaction", "sk": sk} for sk in range(4)]
    for key in keys[1:]:
        await client.put_item(TABLE, key | {"n": 1})
    actions = [
        Put(TABLE, keys[0] | {"n": 0}, F("pk").does_not_exist()),
        Update(TABLE, keys[1], F("n").add(1), F("n").equals(1)),
        Delete(TABLE, keys[2]),
        ConditionCheck(TABLE, keys[3], F("n").gt(0)),
    ]
    await client.transact_write_items(actions)
    failed = await error_of(client.transact_write_items(actions))
    assert isinstance(failed, TransactionCanceled)
    found = await client.transact_get_items([Get(TABLE, keys[0]), Get(TABLE, keys[1], F("n"))])
    return {
        "found": found,
        "reasons": [
            reason and [reason.code, reason.message] for reason in failed.cancellation_reasons
        ],
    }


async def batches(client):
    keys = [{"pk": "batch", "sk": sk} for sk in range(25)]
    written = await client.batch_write({TABLE: BatchWriteRequest(items_to_put=keys)})
    deleted = await client.batch_write({TABLE: BatchWriteRequest(keys_to_delete=keys[:5])})
    read = await client.batch_get({TABLE: BatchGetRequest(keys)})
    return {
        "unprocessed": [written, deleted],
        "unread": read.unprocessed_keys,
        "found": sorted(item["sk"] for item in read.items[TABLE]) == list(range(5, 25)),
    }


async def scan(client):
    few = client.scan(TABLE, filter_expression=F("square").gte(39_000) & F("pk").begins_with("ga"))
    return {"count": await client.scan_count(TABLE), "few": sorted([i["sk"] async for i in few])}


async def refusals(client):
    first = {"pk": "gathered", "sk": 0}
    errors = [
        await error_of(call)
        for call in (
            client.put_item(TABLE, first, condition=F("pk").does_not_exist()),
            client.get_item(TABLE, {"pk": "none", "sk": 0}),
            client.get_item("no-such-table", first),
            client.get_item(TABLE, {"pk": "no sort key"}),
            client.create_table(TABLE, PayPerRequest(), KeySchema(KeySpec("pk", KeyType.string))),
        )
    ]
    return [[type(error).__name__, str(error)] for error in errors]


async def gone(client):
    await client.delete_table(TABLE, wait_for_disabled=SOON)
    return await client.table_exists(TABLE)


STEPS = [table, gathered, kinds, expiry, query, update, transactions, batches, scan, refusals, gone]


async def main():
    async with ClientSession() as session:
        client = Client(
            AIOHTTP(session), Credentials.auto(), "us-east-1", endpoint=URL(sys.argv[1])
        )
        return {step.__name__: await step(client) for step in STEPS}


json.dump(asyncio.run(main()), sys.stdout)
