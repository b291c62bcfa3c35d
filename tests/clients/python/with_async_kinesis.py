"""The changes of a table that async-kinesis reads, in two runs; the argument is the server's URL.

Its checkpoints are in memory: those in DynamoDB need aioboto3, which wants another aiobotocore.
"""

import asyncio
import json
import sys
from collections import defaultdict

import boto3
from kinesis import Consumer, JsonProcessor, MemoryCheckPointer

ENDPOINT = sys.argv[1]
PLACE = {"endpoint_url": ENDPOINT, "region_name": "us-east-1"}
STREAM, TABLE, KEYS = "async-changes", "async-producer", 7

dynamodb, streams = (boto3.client(service, **PLACE) for service in ("dynamodb", "kinesis"))


def made():
    """Create the stream, and the table whose destination it is."""
    streams.create_stream(StreamName=STREAM, ShardCount=2)
    described = streams.describe_stream_summary(StreamName=STREAM)["StreamDescriptionSummary"]
    dynamodb.create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    )
    dynamodb.enable_kinesis_streaming_destination(TableName=TABLE, StreamArn=described["StreamARN"])


def write(first, count):
    for number in range(first, first + count):
        item = {"pk": {"S": str(number % KEYS)}, "n": {"N": str(number)}}
        dynamodb.put_item(TableName=TABLE, Item=item)


async def read(checkpointer, count):
    """So many changes, from the checkpoints on."""
    found = []
    async with Consumer(
        STREAM,
        checkpointer=checkpointer,
        processor=JsonProcessor(),
        iterator_type="TRIM_HORIZON",
        sleep_time_no_records=0.1,
        shard_fetch_rate=5,
        idle_timeout=1.0,
        **PLACE,
    ) as consumer:
        # It stops when nothing has come for a second; the changes may still be on their way.
        for _ in range(60):
            found += [change async for change in consumer]
            if len(found) >= count:
                break
    return found


async def run():
    made()
    checkpointer, runs = MemoryCheckPointer("reader"), []
    for first, count in ((0, 30), (30, 20)):
        write(first, count)
        runs.append(await read(checkpointer, count))
    numbers = defaultdict(list)
    for change in [each for found in runs for each in found]:
        image = change["dynamodb"]["NewImage"]
        numbers[image["pk"]["S"]].append(int(image["n"]["N"]))
    changes = runs[0] + runs[1]
    return {
        "runs": [len(found) for found in runs],
        "tables": sorted({each["tableName"] for each in changes}),
        "sources": sorted({each["eventSource"] for each in changes}),
        "numbers": numbers,
    }


json.dump(asyncio.run(run()), sys.stdout)
