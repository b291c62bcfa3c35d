"""What applications test their retries and their reads with: errors, latencies and lag."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

import hashrange
from tests.api.conftest import client_of
from tests.api.indexes import attributes, index_of
from tests.api.tables import keyed
from tests.pace import seconds
from tests.served import served

ITEM = {"pk": {"S": "a"}, "g": {"S": "g"}}
KEY = {"pk": {"S": "a"}}
LAG_SECONDS = 1800
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/{}"


def create(client, name, **more):
    client.create_table(TableName=name, **{**keyed(pk="S"), **more})


# An SDK repeats these errors by itself, so that the application sees none.
@pytest.mark.parametrize(
    "error",
    [
        "ThrottlingException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "InternalServerError",
        "ServiceUnavailable",
    ],
)
def test_the_sdk_repeats_what_fails(start_server, error):
    endpoint = start_server(fault=f"PutItem:orders:0.3:{error}", realism_seed=4)
    quick = Config(retries={"mode": "standard", "max_attempts": 10})
    client, bare = client_of(endpoint, config=quick), client_of(endpoint)
    create(client, "orders")
    create(client, "others")
    for _ in range(5):
        bare.put_item(TableName="others", Item=ITEM)
    failed = []
    for _ in range(30):
        try:
            bare.put_item(TableName="orders", Item=ITEM)
        except ClientError as refused:
            failed.append(refused.response["Error"]["Code"])
    assert set(failed) == {error}
    assert len(failed) < 30
    retries = [
        client.put_item(TableName="orders", Item=ITEM)["ResponseMetadata"]["RetryAttempts"]
        for _ in range(4)
    ]
    assert len(retries) == 4


def test_the_reason_of_a_throttled_request(start_server):
    client = client_of(start_server(fault="GetItem:*:1:ThrottlingException"))
    create(client, "orders")
    with pytest.raises(client.exceptions.ThrottlingException) as refused:
        client.get_item(TableName="orders", Key=KEY)
    answer = refused.value.response
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert "Throughput exceeds the current capacity of your table" in answer["Error"]["Message"]
    reason = "TableReadKeyRangeThroughputExceeded"
    assert answer["throttlingReasons"] == [{"reason": reason, "resource": ARN.format("orders")}]


# Other requests are answered while an answer is held: none waits in a row.
def test_answers_come_late(start_server):
    client = client_of(start_server(latency="GetItem:p50=300ms"))
    create(client, "orders")
    client.put_item(TableName="orders", Item=ITEM)
    began = time.monotonic()
    assert client.get_item(TableName="orders", Key=KEY)["Item"] == ITEM
    assert time.monotonic() - began >= 0.3
    with ThreadPoolExecutor(10) as pool:
        began = time.monotonic()
        asked = [pool.submit(client.get_item, TableName="orders", Key=KEY) for _ in range(10)]
        assert all(each.result()["Item"] == ITEM for each in asked)
        assert time.monotonic() - began < 10 * 0.3 + seconds(1)


@pytest.fixture(scope="module")
def lagging():
    with served(testing=True, replica_lag=f"{LAG_SECONDS}s", realism_seed=1) as server:
        yield server


# What was written within the lag may not be there yet, in the table or in its index; what is older
# is. Strong reads and transactions show the present.
def test_eventually_consistent_reads_lag(lagging):
    client = client_of(lagging.endpoint)
    index = {"GlobalSecondaryIndexes": [index_of("by_g", "g")]}
    create(client, "lagged", AttributeDefinitions=attributes(pk="S", g="S"), **index)
    client.put_item(TableName="lagged", Item=ITEM)

    def shown():
        table = {"TableName": "lagged"}
        by_g = {
            **table,
            "IndexName": "by_g",
            "KeyConditionExpression": "g = :g",
            "ExpressionAttributeValues": {":g": {"S": "g"}},
        }
        batch = {"RequestItems": {"lagged": {"Keys": [KEY]}}}
        select = "SELECT * FROM lagged WHERE pk = 'a'"
        return [
            "Item" in client.get_item(**table, Key=KEY),
            bool(client.scan(**table)["Items"]),
            bool(client.query(**by_g)["Items"]),
            bool(client.batch_get_item(**batch)["Responses"]["lagged"]),
            bool(client.execute_statement(Statement=select)["Items"]),
            bool(client.execute_statement(Statement="SELECT * FROM lagged")["Items"]),
        ]

    def present():
        table = {"TableName": "lagged"}
        get = {"TransactItems": [{"Get": {**table, "Key": KEY}}]}
        select = "SELECT * FROM lagged WHERE pk = 'a'"
        strong = client.batch_get_item(
            RequestItems={"lagged": {"Keys": [KEY], "ConsistentRead": True}}
        )
        return [
            client.get_item(**table, Key=KEY, ConsistentRead=True)["Item"],
            client.scan(**table, ConsistentRead=True)["Items"][0],
            client.transact_get_items(**get)["Responses"][0]["Item"],
            client.execute_statement(Statement=select, ConsistentRead=True)["Items"][0],
            strong["Responses"]["lagged"][0],
        ]

    assert shown() == [False] * 6
    assert present() == [ITEM] * 5
    lagging.clock.advance(seconds=LAG_SECONDS / 2)
    seen = [shown() for _ in range(20)]
    assert all(len(set(column)) == 2 for column in zip(*seen, strict=True))
    lagging.clock.advance(seconds=LAG_SECONDS / 2)
    assert shown() == [True] * 6
    client.delete_item(TableName="lagged", Key=KEY)
    assert shown() == [True] * 6
    lagging.clock.advance(seconds=LAG_SECONDS)
    assert shown() == [False] * 6


def test_impossible_rules_stop_the_start():
    with pytest.raises(RuntimeError, match="'Put' is not an operation of this server"):
        hashrange.start(fault="Put:*:1:ThrottlingException")
