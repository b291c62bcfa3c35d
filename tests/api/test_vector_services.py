"""Vector indexes beside other features: streams, expiry, recovery, exports, limits."""

import time

import pytest
from botocore.config import Config

from hashrange.settings.kinds import Throttle
from tests.api.backups import restored
from tests.api.conftest import client_of
from tests.api.exports import exported, in_directory, items_of, recoverable
from tests.api.refusals import VALIDATION, refusal
from tests.api.streams import arn_of, changes_of, streaming
from tests.api.test_point_in_time_recovery import later, name, recovery
from tests.api.vectors import found, listed, made, search_schema, vector_index

ONCE = Config(retries={"total_max_attempts": 1})
QUERY = (1, 0, 0)
EXACT = "0.10000000000000000000000000000000000001"
"""A number of 38 digits, which an index keeps with 32 bits."""


def item(key, *numbers, **more):
    return {"pk": {"S": key}, "emb": listed(*numbers), **more}


def keys(client, table, **more):
    return [key for key, _ in found(client, table, QUERY, **more)]


@pytest.fixture(scope="module")
def bucket(tmp_path_factory):
    return tmp_path_factory.mktemp("bucket")


# A stream has items as they were written, and one record a change, whatever an index keeps of it.
def test_streams_have_vectors_as_they_were_written(dynamodb, endpoint):
    table = made(dynamodb, vector_index(), vector_index("other", DistanceFunction="EUCLIDEAN"))
    dynamodb.update_table(TableName=table, **streaming())
    arn = arn_of(dynamodb, table)
    old, new = item("a", EXACT, 0, 0), item("a", EXACT, 1, 0)
    dynamodb.put_item(TableName=table, Item=old)
    dynamodb.put_item(TableName=table, Item=new)
    dynamodb.delete_item(TableName=table, Key={"pk": {"S": "a"}})
    images = [
        (each["dynamodb"].get("OldImage"), each["dynamodb"].get("NewImage"))
        for each in changes_of(client_of(endpoint, "dynamodbstreams"), arn)
    ]
    assert images == [(None, old), (old, new), (new, None)]
    dynamodb.delete_table(TableName=table)


def test_expired_items_leave_the_index(dynamodb):
    table = made(dynamodb, vector_index(**search_schema(by="tenant")), tenant="S")
    tenant = {
        "SearchConditionExpression": "tenant = :t",
        "ExpressionAttributeValues": {":t": {"S": "a"}},
    }
    now = int(time.time())
    for key, numbers, expires in (("past", (1, 1, 0), -60), ("future", (1, 0, 0), 3600)):
        more = {"tenant": {"S": "a"}, "expires": {"N": str(now + expires)}}
        dynamodb.put_item(TableName=table, Item=item(key, *numbers, **more))
    assert keys(dynamodb, table, **tenant) == ["future", "past"]
    specification = {"Enabled": True, "AttributeName": "expires"}
    dynamodb.update_time_to_live(TableName=table, TimeToLiveSpecification=specification)
    while keys(dynamodb, table, **tenant) != ["future"]:  # bound: it is deleted, or time runs out
        assert "future" in keys(dynamodb, table, **tenant)
    (index,) = dynamodb.describe_table(TableName=table)["Table"]["VectorIndexes"]
    assert index["ItemCount"] == 1
    dynamodb.delete_table(TableName=table)


# The index of the new table has the items of that time, and the writes after the restore.
def test_a_restore_to_a_time_has_the_index_of_that_time(dynamodb):
    table, target = made(dynamodb, vector_index()), name()
    dynamodb.put_item(TableName=table, Item=item("kept", 1, 0, 0))
    recoverable(dynamodb, table)
    first = recovery(dynamodb, table)["LatestRestorableDateTime"]
    dynamodb.put_item(TableName=table, Item=item("gone", 1, 1, 0))
    at = later(dynamodb, table, later(dynamodb, table, first))
    later(dynamodb, table, later(dynamodb, table, at))
    dynamodb.delete_item(TableName=table, Key={"pk": {"S": "gone"}})
    dynamodb.put_item(TableName=table, Item=item("late", 2, 1, 0))
    assert keys(dynamodb, table) == ["kept", "late"]
    dynamodb.restore_table_to_point_in_time(
        SourceTableName=table, TargetTableName=target, RestoreDateTime=at
    )
    (index,) = restored(dynamodb, target)["VectorIndexes"]
    assert (index["IndexStatus"], index["ItemCount"]) == ("ACTIVE", 2)
    assert keys(dynamodb, target) == ["kept", "gone"]
    dynamodb.put_item(TableName=target, Item=item("new", 2, 1, 0))
    assert keys(dynamodb, target) == ["kept", "new", "gone"]
    for each in (table, target):
        dynamodb.delete_table(TableName=each)


def test_exports_have_vectors_as_they_were_written(start_server, bucket):
    client = client_of(start_server(s3=f"exports={bucket}"))
    table = made(client, vector_index())
    items = [item("a", EXACT, 0, 0), item("b", 1, 2, 3), {"pk": {"S": "c"}}]
    for each in items:
        client.put_item(TableName=table, Item=each)
    arn = recoverable(client, table)
    export = exported(client, arn)
    assert items_of(in_directory(bucket), export) == items


# All of a transaction is in the index, or nothing; conditions see the vector as it was written.
def test_transactions_write_all_entries_or_none(dynamodb):
    table = made(dynamodb, vector_index())
    dynamodb.put_item(TableName=table, Item=item("old", 1, 0, 0))

    def writes(*numbers):
        return [
            {"Put": {"TableName": table, "Item": item("new", 1, 1, 0)}},
            {"Delete": {"TableName": table, "Key": {"pk": {"S": "old"}}}},
            {
                "Update": {
                    "TableName": table,
                    "Key": {"pk": {"S": "changed"}},
                    "UpdateExpression": "SET emb = :v",
                    "ConditionExpression": "attribute_not_exists(emb)",
                    "ExpressionAttributeValues": {":v": listed(*numbers)},
                }
            },
        ]

    code, _ = refusal(dynamodb.transact_write_items, TransactItems=writes(1, 0))
    assert code in {"TransactionCanceledException", VALIDATION}
    assert keys(dynamodb, table) == ["old"]
    dynamodb.transact_write_items(TransactItems=writes(1, 2, 0))
    assert keys(dynamodb, table) == ["new", "changed"]
    code, _ = refusal(dynamodb.transact_write_items, TransactItems=writes(1, 0, 0))
    assert code == "TransactionCanceledException"
    assert keys(dynamodb, table) == ["new", "changed"]
    dynamodb.delete_table(TableName=table)


# A search takes no units of its table, and a write takes those of the vector's 4 bytes a dimension.
def test_searches_are_served_while_reads_are_throttled(start_server):
    client = client_of(start_server(throttle=Throttle.ON), config=ONCE)
    table = made(client, vector_index())
    maximum = {"MaxReadRequestUnits": 1, "MaxWriteRequestUnits": 1000}
    client.update_table(TableName=table, OnDemandThroughput=maximum)
    client.put_item(TableName=table, Item=item("a", 1, 0, 0, pad={"S": "x" * 300_000}))
    read = {"TableName": table, "Key": {"pk": {"S": "a"}}, "ConsistentRead": True}
    client.get_item(**read)
    throttled = refusal(client.get_item, **read)
    assert throttled[0] == "ThrottlingException"
    assert [keys(client, table) for _ in range(3)] == [["a"]] * 3
