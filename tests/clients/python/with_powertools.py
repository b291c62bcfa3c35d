"""What Powertools for AWS Lambda see of the server whose URL is in AWS_ENDPOINT_URL_DYNAMODB.

A JSON object, step by step: idempotency, batches of stream records, parameters.
"""

import json
import os
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import SimpleNamespace

import boto3
from aws_lambda_powertools.utilities import parameters
from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    process_partial_response,
)
from aws_lambda_powertools.utilities.idempotency import (
    DynamoDBPersistenceLayer,
    IdempotencyConfig,
    idempotent,
    idempotent_function,
)
from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyAlreadyInProgressError,
    IdempotencyPersistenceLayerError,
    IdempotencyValidationError,
)

CLIENT = boto3.client("dynamodb")
RACERS = 10


def table(name, *keys, **more):
    CLIENT.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in keys],
        KeySchema=[
            {"AttributeName": key, "KeyType": kind}
            for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
        ],
        **more,
    )
    CLIENT.get_waiter("table_exists").wait(TableName=name)
    return boto3.resource("dynamodb").Table(name)


def context(remaining_ms=60_000):
    return SimpleNamespace(function_name="test", get_remaining_time_in_millis=lambda: remaining_ms)


def layer():
    return DynamoDBPersistenceLayer(table_name="powertools-idempotency")


def runs_of(config=None, outcomes=None):
    """A handler and the events that it was run for."""
    runs = []

    @idempotent(persistence_store=layer(), config=config)
    def handler(event, context):
        runs.append(event)
        outcome = outcomes[len(runs) - 1] if outcomes else {"run": len(runs)}
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    return handler, runs


def twice():
    handler, runs = runs_of()
    return [handler({"order": order}, context()) for order in (1, 1, 2)], len(runs)


# The run that is going on ends when the others have been refused.
def race():
    runs, refused = [], Barrier(RACERS)

    @idempotent(persistence_store=layer())
    def handler(event, context):
        runs.append(event)
        refused.wait()
        return "ran"

    def call(_):
        try:
            return handler({"race": 1}, context())
        except IdempotencyAlreadyInProgressError:
            refused.wait()
            return "refused"

    with ThreadPoolExecutor(RACERS) as threads:
        return sorted(threads.map(call, range(RACERS))), len(runs)


# What a failed run has stored is deleted.
def failing():
    handler, runs = runs_of(outcomes=[ValueError("first"), "second"])
    try:
        handler({"fails": 1}, context())
    except ValueError:
        return handler({"fails": 1}, context()), len(runs)


# A run that was killed leaves a record in progress, until its time is over.
def killed():
    handler, runs = runs_of(outcomes=[SystemExit(), "second"])
    try:
        handler({"killed": 1}, context(remaining_ms=-1000))
    except SystemExit:
        return handler({"killed": 1}, context()), len(runs)


def expired():
    handler, _ = runs_of(IdempotencyConfig(expires_after_seconds=-10))
    return [handler({"expires": 1}, context()) for _ in range(2)]


def changed_payload():
    config = IdempotencyConfig(event_key_jmespath="order", payload_validation_jmespath="amount")
    handler, _ = runs_of(config)
    handler({"order": 9, "amount": 1}, context())
    try:
        handler({"order": 9, "amount": 2}, context())
    except IdempotencyValidationError as error:
        return type(error).__name__


def sort_key():
    made = table("powertools-sorted", "PK", "SK")

    @idempotent_function(
        data_keyword_argument="order",
        persistence_store=DynamoDBPersistenceLayer(
            table_name="powertools-sorted", key_attr="PK", sort_key_attr="SK"
        ),
    )
    def pay(order):
        return {"paid": order}

    answers = [pay(order=1), pay(order=1)]
    return answers, [item["PK"] for item in made.scan()["Items"]]


def no_table():
    @idempotent(persistence_store=DynamoDBPersistenceLayer(table_name="powertools-missing"))
    def handler(event, context):
        return None

    try:
        handler({"order": 1}, context())
    except IdempotencyPersistenceLayerError as error:
        return str(error)


# One record fails: its sequence number is where Lambda begins the next batch.
def batch():
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    made = table("powertools-stream", "pk", StreamSpecification=stream)
    for number in range(4):
        made.put_item(Item={"pk": f"k{number}", "n": number, "set": {"a"}, "raw": b"\x00\xff"})
    made.delete_item(Key={"pk": "k0"})
    records = stream_records(made.latest_stream_arn)
    seen = []

    def handle(record):
        image = record.dynamodb.new_image or record.dynamodb.old_image
        if image["n"] == 2:
            raise ValueError
        told = [record.event_name.name, record.dynamodb.keys, int(image["n"])]
        seen.append([*told, sorted(image["set"]), list(bytes(image["raw"]))])

    answer = process_partial_response(
        event={"Records": records},
        record_handler=handle,
        processor=BatchProcessor(event_type=EventType.DynamoDBStreams),
        context=context(),
    )
    failed = [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]
    return seen, failed == [records[2]["dynamodb"]["SequenceNumber"]]


def stream_records(arn):
    client = boto3.client("dynamodbstreams")
    described = client.describe_stream(StreamArn=arn)["StreamDescription"]
    iterator = client.get_shard_iterator(
        StreamArn=arn, ShardId=described["Shards"][0]["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )
    return client.get_records(ShardIterator=iterator["ShardIterator"])["Records"]


# 1.5 MB below one key, which are two pages.
def read_parameters():
    table("powertools-one", "id").put_item(Item={"id": "url", "value": "here"})
    many = table("powertools-many", "id", "sk")
    with many.batch_writer() as writer:
        for number in range(15):
            writer.put_item(Item={"id": "all", "sk": f"p{number}", "value": "x" * 100_000})
    found = parameters.DynamoDBProvider(table_name="powertools-many").get_multiple("all")
    return parameters.DynamoDBProvider(table_name="powertools-one").get("url"), len(found)


STEPS = (
    twice,
    race,
    failing,
    killed,
    expired,
    changed_payload,
    sort_key,
    no_table,
    batch,
    read_parameters,
)


def main():
    os.environ["AWS_LAMBDA_FUNCTION_NAME"] = "test"
    warnings.simplefilter("ignore")
    table("powertools-idempotency", "id")
    sys.stdout.write(json.dumps({step.__name__: step() for step in STEPS}))


if __name__ == "__main__":
    main()
