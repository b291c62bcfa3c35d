"""A load of requests of most operations on items, while a test switches something."""

import contextlib
import threading
from collections import Counter

from botocore.config import Config
from botocore.exceptions import ClientError

from tests.api.conftest import client_of
from tests.api.indexes import attributes, index_of
from tests.pace import until

TABLE, OTHER = "busy", "other"
ARN_BEGINS = "arn:aws:dynamodb:us-east-1:000000000000:table/"
ANSWERS = 8
"""Requests that must be answered between two switches."""
ITEM = {"pk": {"S": "there"}, "n": {"N": "1"}, "g": {"S": "there"}}
KEY = {"pk": {"S": "there"}}
UNITS = {"ReadCapacityUnits": 1000, "WriteCapacityUnits": 1000}
ONCE = Config(retries={"max_attempts": 0}, parameter_validation=False)
MISSING = "attribute_not_exists(pk)"
GET = f"SELECT * FROM {TABLE} WHERE pk = 'there'"
INSERT = f"INSERT INTO {TABLE} VALUE {{'pk': 'there'}}"
PUT = {"TableName": TABLE, "Item": ITEM}
NAMED = {"TableName": TABLE}
CONDITION = {"Key": KEY, "ConditionExpression": MISSING, **NAMED}
VALUES = {"ExpressionAttributeValues": {":there": {"S": "there"}}}
REQUESTS = [
    ("put_item", {**PUT, "ConditionExpression": MISSING}),  # fails, as the item is there
    ("put_item", PUT),
    ("get_item", {**NAMED, "Key": KEY}),
    ("update_item", {**NAMED, "Key": KEY, "UpdateExpression": "REMOVE n"}),
    ("batch_get_item", {"RequestItems": {TABLE: {"Keys": [KEY]}, OTHER: {"Keys": [KEY]}}}),
    ("batch_write_item", {"RequestItems": {TABLE: [{"PutRequest": {"Item": ITEM}}]}}),
    ("transact_write_items", {"TransactItems": [{"ConditionCheck": CONDITION}]}),
    ("transact_write_items", {"TransactItems": [{"Put": PUT}]}),
    ("transact_get_items", {"TransactItems": [{"Get": {**NAMED, "Key": KEY}}]}),
    ("query", {**NAMED, "KeyConditionExpression": "pk = :there", **VALUES}),
    ("query", {**NAMED, "IndexName": "by-g", "KeyConditionExpression": "g = :there", **VALUES}),
    ("scan", NAMED),
    ("execute_statement", {"Statement": GET}),
    ("execute_statement", {"Statement": INSERT}),
    ("batch_execute_statement", {"Statements": [{"Statement": GET}]}),
    ("batch_execute_statement", {"Statements": [{"Statement": INSERT}]}),
    ("execute_transaction", {"TransactStatements": [{"Statement": INSERT}]}),
    ("describe_table", NAMED),
    ("get_resource_policy", {"ResourceArn": ARN_BEGINS + TABLE}),
]


class Load:
    """Threads that send the requests in turn, and what they were answered."""

    def __init__(self, endpoint, **options):
        self.answers = Counter()
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(target=self._send, args=(endpoint, first, options), daemon=True)
            for first in (0, 7, 13)
        ]
        for thread in self._threads:
            thread.start()

    def _send(self, endpoint, first, options):
        client = client_of(endpoint, config=ONCE, **options)
        number = first
        while not self._stopped.is_set():
            name, given = REQUESTS[number % len(REQUESTS)]
            try:
                getattr(client, name)(**given)
                told = (name, 200, "")
            except ClientError as error:
                answer = error.response
                status = answer["ResponseMetadata"]["HTTPStatusCode"]
                told = (name, status, answer["Error"]["Code"])
            self.answers[told] += 1
            number += 1

    def more(self, count=ANSWERS):
        """Wait for so many further answers."""
        least = self.answers.total() + count
        until(lambda: self.answers.total() >= least)

    def end(self):
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    @property
    def failed(self):
        return {told: count for told, count in self.answers.items() if told[1] >= 500}


def made(client, name=TABLE, **more):
    return client.create_table(
        **{
            "TableName": name,
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": attributes(pk="S", g="S"),
            "ProvisionedThroughput": UNITS,
            "GlobalSecondaryIndexes": [{**index_of("by-g", "g"), "ProvisionedThroughput": UNITS}],
            **more,
        }
    )


@contextlib.contextmanager
def loaded(endpoint, **options):
    """A load on tables of its own, all of whose requests must be answered without 5xx."""
    client = client_of(endpoint, **options)
    for name in (TABLE, OTHER):
        made(client, name)
        client.put_item(TableName=name, Item=ITEM)
    load = Load(endpoint, **options)
    try:
        load.more()
        yield client, load
        load.more()
    finally:
        load.end()
        for name in (TABLE, OTHER):
            with contextlib.suppress(ClientError):
                client.delete_table(TableName=name)
    assert load.failed == {}
