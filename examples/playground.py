"""Functions that the examples share: the server, a table, threads, transactions, a request meter.

The server is the first argument of the command line, else AWS_ENDPOINT_URL_DYNAMODB or
AWS_ENDPOINT_URL, else http://127.0.0.1:8000. Credentials that are not set are made up.
"""

import os
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import boto3

ATTEMPTS_MAX = 100


def endpoint():
    """URL of the server that an example run by hand talks to."""
    named = sys.argv[1:2] + [
        os.environ[name]
        for name in ("AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL")
        if name in os.environ
    ]
    return [*named, "http://127.0.0.1:8000"][0]


def connect(url):
    """A connection to a server: boto3's resource, which takes and gives plain Python values."""
    made_up = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
    return boto3.resource(
        "dynamodb",
        endpoint_url=url,
        region_name=os.environ.get("AWS_REGION", "us-east-1"),
        **({} if "AWS_ACCESS_KEY_ID" in os.environ else made_up),
    )


@contextmanager
def temporary_table(name, key, indexes=None, url=None, *, vector_indexes=()):
    """Creates a table under a name that nobody else has, and deletes it at the end.

    Args:
        name: what the table's own name is to begin with, after "example-".
        key: the names of the partition key and, if there is one, of the sort key. As everywhere
            here, key attributes are strings.
        indexes: global secondary indexes; for each name the names of its keys.
        url: the server, if not `endpoint()`.
        vector_indexes: as CreateTable takes them.
    """
    indexes = indexes or {}
    attributes = {*key, *(attribute for keys in indexes.values() for attribute in keys)}
    for index in vector_indexes:
        attributes |= {each["AttributeName"] for each in index.get("SearchSchema", ())}
    more = {"VectorIndexes": [*vector_indexes]} if vector_indexes else {}
    if indexes:
        more["GlobalSecondaryIndexes"] = [
            {
                "IndexName": index,
                "KeySchema": _key_schema(keys),
                "Projection": {"ProjectionType": "ALL"},
            }
            for index, keys in indexes.items()
        ]
    table = connect(url or endpoint()).create_table(
        TableName=f"example-{name}-{uuid.uuid4().hex[:8]}",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": attribute, "AttributeType": "S"} for attribute in sorted(attributes)
        ],
        KeySchema=_key_schema(key),
        **more,
    )
    table.wait_until_exists(WaiterConfig={"Delay": 1, "MaxAttempts": 60})
    try:
        yield table
    finally:
        table.delete()


def _key_schema(names):
    return [
        {"AttributeName": name, "KeyType": role}
        for name, role in zip(names, ("HASH", "RANGE"), strict=False)
    ]


def in_parallel(table, workers, work):
    """Runs `work(table, number)` in so many threads at once; gives their answers in order.

    Each has a Table of its own: boto3's resources must not be shared between threads.
    """
    url = table.meta.client.meta.endpoint_url
    tables = [connect(url).Table(table.name) for _ in range(workers)]
    with ThreadPoolExecutor(workers) as threads:
        return list(threads.map(work, tables, range(workers)))


def transact(table, *actions):
    """Carries out all of the actions or none, in one TransactWriteItems.

    Gives nothing if they were carried out, else for each the code of why it was refused, "None"
    for those that were not. While another transaction is at work on one of the items it is tried
    again; a program with many users would wait a little before, and longer each time.
    """
    for action in actions:
        for request in action.values():
            request["TableName"] = table.name
    client = table.meta.client
    for _ in range(ATTEMPTS_MAX):
        try:
            client.transact_write_items(TransactItems=list(actions))
        except client.exceptions.TransactionCanceledException as canceled:
            reasons = [reason["Code"] for reason in canceled.response["CancellationReasons"]]
            if "TransactionConflict" not in reasons:
                return reasons
        else:
            return []
    raise TimeoutError("too many others are at work on the same items")


class Meter:
    """Counts the requests that a table's client sends, and their capacity units."""

    def __init__(self, table):
        self.requests, self.units = 0, 0
        events = table.meta.client.meta.events
        events.register("before-parameter-build.dynamodb", self._ask_for_capacity)
        events.register("before-send.dynamodb", self._count)
        events.register("after-call.dynamodb", self._add)

    def _ask_for_capacity(self, params, model, **_):
        if "ReturnConsumedCapacity" in model.input_shape.members:
            params["ReturnConsumedCapacity"] = "TOTAL"

    def _count(self, **_):
        self.requests += 1

    def _add(self, parsed, **_):
        consumed = parsed.get("ConsumedCapacity", [])
        for part in consumed if isinstance(consumed, list) else [consumed]:
            self.units += part["CapacityUnits"]

    def measure(self, question, *arguments):
        """The answer, the requests it took and the units it cost."""
        requests, units = self.requests, self.units
        answer = question(*arguments)
        return answer, self.requests - requests, self.units - units
