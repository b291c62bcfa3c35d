"""Item collections of tables with local indexes: their metrics, and how large they may be."""

import uuid

import pytest

from tests.api.conftest import client_of
from tests.api.indexes import schema
from tests.api.refusals import VALIDATION, refusal

ATTRIBUTES = [
    {"AttributeName": name, "AttributeType": kind}
    for name, kind in {"pk": "N", "sk": "S", "at": "S"}.items()
]
KEYS = schema("pk", sort=("sk",))
LOCAL = {
    "IndexName": "by-at",
    "KeySchema": [KEYS[0], {"AttributeName": "at", "KeyType": "RANGE"}],
    "Projection": {"ProjectionType": "ALL"},
}
TOO_LARGE = ("ItemCollectionSizeLimitExceededException", "Collection size exceeded.")
SMALL = {"ItemCollectionKey": {"pk": {"N": "1"}}, "SizeEstimateRangeGB": [0.0, 1.0]}


def new_table(client):
    name = f"t-{uuid.uuid4()}"
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=ATTRIBUTES,
        KeySchema=KEYS,
        LocalSecondaryIndexes=[LOCAL],
    )
    return name


@pytest.fixture(scope="module")
def table(dynamodb):
    name = new_table(dynamodb)
    yield name
    dynamodb.delete_table(TableName=name)


@pytest.fixture(scope="module")
def small(start_server):
    """A client of a server whose collections may have 1 MB, and a table of its."""
    client = client_of(start_server(item_collection_mb_max=1))
    return client, new_table(client)


def key_of(sk, pk=1):
    return {"pk": {"N": str(pk)}, "sk": {"S": sk}}


def kilobytes(number):
    return {"S": "x" * (1024 * number)}


# The key is told as it is stored, whatever way its number was written.
def test_writes_of_one_item_tell_how_large_its_collection_is(dynamodb, table):
    asked = {"TableName": table, "ReturnItemCollectionMetrics": "SIZE"}
    key = {**key_of("a"), "pk": {"N": "1.0"}}
    put = dynamodb.put_item(Item={**key, "at": {"S": "x"}}, **asked)
    assert put["ItemCollectionMetrics"] == SMALL
    update = {"UpdateExpression": "REMOVE absent"}
    assert dynamodb.update_item(Key=key, **update, **asked)["ItemCollectionMetrics"] == SMALL
    assert dynamodb.delete_item(Key=key, **asked)["ItemCollectionMetrics"] == SMALL
    gone = dynamodb.delete_item(Key=key, **asked)
    assert gone["ItemCollectionMetrics"] == SMALL


@pytest.mark.parametrize("wanted", [{}, {"ReturnItemCollectionMetrics": "NONE"}], ids=str)
def test_metrics_come_only_if_asked_for(dynamodb, table, wanted):
    key = key_of("b")
    assert "ItemCollectionMetrics" not in dynamodb.put_item(TableName=table, Item=key, **wanted)
    requests = {table: [{"DeleteRequest": {"Key": key}}]}
    batch = dynamodb.batch_write_item(RequestItems=requests, **wanted)
    assert "ItemCollectionMetrics" not in batch


# As in the example of the command line's reference: two writes of one collection are one entry.
def test_a_batch_tells_of_each_collection_once(dynamodb, table, simple, pk):
    requests = {
        table: [
            {"PutRequest": {"Item": key_of("x", 1)}},
            {"PutRequest": {"Item": key_of("x", 2)}},
            {"DeleteRequest": {"Key": key_of("y", "1.00")}},
        ],
        simple: [{"PutRequest": {"Item": {"pk": {"S": pk}}}}],
    }
    answer = dynamodb.batch_write_item(RequestItems=requests, ReturnItemCollectionMetrics="SIZE")
    second = {**SMALL, "ItemCollectionKey": {"pk": {"N": "2"}}}
    assert answer["ItemCollectionMetrics"] == {table: [SMALL, second]}


def test_a_collection_cannot_grow_beyond_its_limit(small):
    client, table = small
    # Items with an index key count twice, for the index projects them whole.
    for sk in ("a", "z"):
        item = {**key_of(sk), "at": {"S": "1"}, "body": kilobytes(195)}
        client.put_item(TableName=table, Item=item)
    client.put_item(TableName=table, Item={**key_of("b"), "body": kilobytes(200)})
    larger = {**key_of("c"), "body": kilobytes(50)}
    assert refusal(client.put_item, TableName=table, Item=larger) == TOO_LARGE
    update = {
        "Key": key_of("b"),
        "UpdateExpression": "SET body = :b",
        "ExpressionAttributeValues": {":b": kilobytes(250)},
    }
    assert refusal(client.update_item, TableName=table, **update) == TOO_LARGE
    batch = {table: [{"PutRequest": {"Item": larger}}]}
    assert refusal(client.batch_write_item, RequestItems=batch) == TOO_LARGE
    # Nothing of it was written, and other collections have room.
    assert "Item" not in client.get_item(TableName=table, Key=key_of("c"))
    client.put_item(TableName=table, Item={**larger, "pk": {"N": "2"}})
    # Who makes room may write again.
    client.update_item(
        TableName=table,
        Key=key_of("a"),
        UpdateExpression="REMOVE #at",
        ExpressionAttributeNames={"#at": "at"},
    )
    client.put_item(TableName=table, Item=larger)
    client.delete_item(TableName=table, Key=key_of("a"))
    client.batch_write_item(RequestItems=batch)


# A failed condition is told before the room that the write would need.
def test_a_condition_is_looked_at_before_the_size(small):
    client, table = small
    for sk in ("a", "z"):
        item = {**key_of(sk, 3), "body": kilobytes(390)}
        client.put_item(TableName=table, Item=item)
    larger = {**key_of("b", 3), "body": kilobytes(390)}
    assert refusal(client.put_item, TableName=table, Item=larger) == TOO_LARGE
    code, _ = refusal(
        client.put_item, TableName=table, Item=larger, ConditionExpression="attribute_exists(pk)"
    )
    assert code == "ConditionalCheckFailedException"


# An item and its entries in local indexes have 400 KB together. Source: Developer Guide, "Quotas";
# users' reports.
def test_an_item_counts_with_its_local_entries(dynamodb, table):
    key = key_of("large", 9)
    # As large as can be: the index projects everything.
    most = {**key, "at": {"S": "1"}, "body": {"S": "x" * (200 * 1024 - 18)}}
    dynamodb.put_item(TableName=table, Item=most)
    more = {**most, "body": {"S": "x" * (200 * 1024 - 17)}}
    told = (VALIDATION, "Item size has exceeded the maximum allowed size")
    assert refusal(dynamodb.put_item, TableName=table, Item=more) == told
    batch = {table: [{"PutRequest": {"Item": more}}]}
    assert refusal(dynamodb.batch_write_item, RequestItems=batch) == told
    update = {
        "TableName": table,
        "Key": key,
        "UpdateExpression": "SET body = :b",
        "ExpressionAttributeValues": {":b": more["body"]},
    }
    told = (VALIDATION, "Item size to update has exceeded the maximum allowed size")
    assert refusal(dynamodb.update_item, **update) == told
    for action, text in (
        ({"Put": {"TableName": table, "Item": more}}, "Item size has exceeded"),
        ({"Update": update}, "Item size to update has exceeded"),
    ):
        with pytest.raises(dynamodb.exceptions.TransactionCanceledException) as cancelled:
            dynamodb.transact_write_items(TransactItems=[action])
        (reason,) = cancelled.value.response["CancellationReasons"]
        assert reason["Code"] == "ValidationError"
        assert reason["Message"] == f"{text} the maximum allowed size"
    # Without an entry there is room.
    del more["at"]
    dynamodb.put_item(TableName=table, Item=more)
