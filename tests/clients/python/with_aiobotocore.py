"""What aiobotocore sees of the server whose URL is the argument: a JSON object, step by step."""

import asyncio
import json
import sys
from collections import Counter

from aiobotocore.config import AioConfig
from aiobotocore.session import get_session
from botocore.exceptions import ClientError

TABLE = "aiobotocore"
CONFIG = AioConfig(max_pool_connections=50, retries={"total_max_attempts": 1})


def key(pk, sk=0):
    return {"pk": {"S": pk}, "sk": {"N": str(sk)}}


def of(pk):
    return {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": pk}}}


async def error_of(call):
    try:
        await call
    except ClientError as error:
        return error
    return None


def told(error):
    return {
        "class": type(error).__name__,
        **error.response["Error"],
        "status": error.response["ResponseMetadata"]["HTTPStatusCode"],
    }


async def table(client):
    made = await client.create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "N"},
        ],
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
    )
    await client.get_waiter("table_exists").wait(TableName=TABLE)
    described = await client.describe_table(TableName=TABLE)
    return [made["TableDescription"]["TableStatus"], described["Table"]["TableStatus"]]


async def gathered(client):
    """200 puts at once, then as many reads: each finds what its own put wrote."""
    items = [key("gathered", sk) | {"square": {"N": str(sk * sk)}} for sk in range(200)]
    await asyncio.gather(*[client.put_item(TableName=TABLE, Item=item) for item in items])
    reads = [
        client.get_item(TableName=TABLE, Key=key("gathered", sk), ConsistentRead=True)
        for sk in range(200)
    ]
    found = [answer["Item"] for answer in await asyncio.gather(*reads)]
    return {"same": found == items, "found": len(found)}


async def pages(client):
    sizes, order = [], []
    paginator = client.get_paginator("query")
    async for page in paginator.paginate(
        TableName=TABLE, **of("gathered"), PaginationConfig={"PageSize": 75}
    ):
        sizes.append(page["Count"])
        order += [int(item["sk"]["N"]) for item in page["Items"]]
    return {"sizes": sizes, "inOrder": order == list(range(200))}


async def counter(client):
    """100 increments at once: none is lost, and each sees a number of its own."""
    answers = await asyncio.gather(
        *[
            client.update_item(
                TableName=TABLE,
                Key=key("counter"),
                UpdateExpression="ADD visits :one",
                ExpressionAttributeValues={":one": {"N": "1"}},
                ReturnValues="UPDATED_NEW",
            )
            for _ in range(100)
        ]
    )
    seen = {int(answer["Attributes"]["visits"]["N"]) for answer in answers}
    return {"distinct": len(seen), "most": max(seen)}


async def race(client):
    """50 want to be the first; one is, and the others are told who it was."""

    def claim(number):
        return client.put_item(
            TableName=TABLE,
            Item=key("race") | {"winner": {"N": str(number)}},
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )

    errors = await asyncio.gather(*[error_of(claim(number)) for number in range(50)])
    winner = errors.index(None)
    beaten = [error for error in errors if error]
    return {
        "errors": dict(Counter(type(error).__name__ for error in beaten)),
        "sameWinner": all(
            error.response["Item"]["winner"] == {"N": str(winner)} for error in beaten
        ),
        "first": told(beaten[0]),
    }


async def batches(client):
    keys = [key("batch", sk) for sk in range(100)]
    chunks = [keys[start : start + 25] for start in range(0, 100, 25)]
    written = await asyncio.gather(
        *[
            client.batch_write_item(
                RequestItems={TABLE: [{"PutRequest": {"Item": item}} for item in chunk]}
            )
            for chunk in chunks
        ]
    )
    read = await client.batch_get_item(RequestItems={TABLE: {"Keys": keys}})
    return {
        "unprocessed": [answer["UnprocessedItems"] for answer in written],
        "unread": read["UnprocessedKeys"],
        "found": sorted(int(item["sk"]["N"]) for item in read["Responses"][TABLE])
        == list(range(100)),
    }


async def transfers(client):
    """30 transfers at once along five accounts: the sum stays, whatever wins and loses."""
    accounts = [key("account", sk) for sk in range(5)]
    for account in accounts:
        await client.put_item(TableName=TABLE, Item=account | {"balance": {"N": "100"}})

    def change(account, amount):
        return {
            "Update": {
                "TableName": TABLE,
                "Key": account,
                "UpdateExpression": "ADD balance :n",
                "ConditionExpression": "balance >= :least",
                "ExpressionAttributeValues": {
                    ":n": {"N": str(amount)},
                    ":least": {"N": str(max(0, -amount))},
                },
            }
        }

    def transfer(number):
        source, target = accounts[number % 5], accounts[(number + 1) % 5]
        return client.transact_write_items(
            TransactItems=[change(source, -number), change(target, number)]
        )

    errors = await asyncio.gather(*[error_of(transfer(number)) for number in range(1, 31)])
    read = await client.transact_get_items(
        TransactItems=[{"Get": {"TableName": TABLE, "Key": account}} for account in accounts]
    )
    balances = [int(answer["Item"]["balance"]["N"]) for answer in read["Responses"]]
    return {
        "sum": sum(balances),
        "errors": sorted({type(error).__name__ for error in errors if error}),
        "some": any(error is None for error in errors),
        "least": min(balances) >= 0,
    }


async def scan(client):
    """Eight segments at once hold every item exactly once."""
    answers = await asyncio.gather(
        *[
            client.scan(TableName=TABLE, Segment=segment, TotalSegments=8, Select="COUNT")
            for segment in range(8)
        ]
    )
    return sum(answer["Count"] for answer in answers)


async def refusals(client):
    return [
        told(await error_of(call))
        for call in (
            client.get_item(TableName="no-such-table", Key=key("a")),
            client.get_item(TableName=TABLE, Key={"pk": {"S": "a"}}),
            client.delete_table(TableName="no-such-table"),
        )
    ]


async def gone(client):
    await client.delete_table(TableName=TABLE)
    await client.get_waiter("table_not_exists").wait(TableName=TABLE)
    return TABLE in (await client.list_tables())["TableNames"]


STEPS = [table, gathered, pages, counter, race, batches, scan, transfers, refusals, gone]


async def main():
    async with get_session().create_client(
        "dynamodb", endpoint_url=sys.argv[1], config=CONFIG
    ) as client:
        return {step.__name__: await step(client) for step in STEPS}


json.dump(asyncio.run(main()), sys.stdout)
