"""boto3's resource API: tables as objects, values of Python's types, updates, exceptions."""

from decimal import Decimal, Inexact

import pytest
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary

from tests.api.tables import keyed
from tests.clients.music import keys


# The resource reads DescribeTable once and keeps its members as attributes.
def test_table_attributes(music, service):
    music.reload()
    assert music.table_status == "ACTIVE"
    assert music.key_schema == keys("artist", "title")
    assert music.billing_mode_summary["BillingMode"] == "PAY_PER_REQUEST"
    assert music.table_arn.endswith(":table/boto3-music")
    assert music.creation_date_time.tzinfo is not None
    indexes = [*music.global_secondary_indexes, *music.local_secondary_indexes]
    assert [index["IndexName"] for index in indexes] == ["by-genre", "by-year"]
    assert music.name in [table.name for table in service.tables.all()]


# Each of Python's types becomes one of DynamoDB's, and comes back as the type that boto3 documents.
def test_types_there_and_back(music, put):
    item = {
        "text": "déjà vu 😀",
        "empty": "",
        "number": Decimal("-12.50"),
        "large": Decimal(12345678901234567890123456789012345678),
        "small": Decimal("1E-130"),
        "yes": True,
        "nothing": None,
        "bytes": b"\x00\xff",
        "texts": {"b", "a"},
        "numbers": {1, Decimal("2.5")},
        "blobs": {b"x", b"y"},
        "list": [1, "two", [b"3", None]],
        "map": {"nested": {"deep": {Decimal(1)}}},
        "no items": [],
        "no members": {},
    }
    key = put(**item)
    found = music.get_item(Key=key, ConsistentRead=True)["Item"]
    assert found == key | item
    assert isinstance(found["number"], Decimal)
    assert isinstance(found["bytes"], Binary)
    assert bytes(found["bytes"]) == b"\x00\xff"
    assert isinstance(found["yes"], bool)


# boto3 refuses what DynamoDB could not hold exactly before anything is sent.
def test_numbers_that_would_be_rounded_are_refused(put):
    with pytest.raises(Inexact):
        put(number=Decimal("1." + "1" * 40))
    with pytest.raises(TypeError, match="Float types are not supported"):
        put(number=1.5)


# Without overwrite_by_pkeys the service refuses the whole batch.
def test_batch_writer_with_duplicates(music, request):
    key = {"artist": request.node.name, "title": "twice"}
    with music.batch_writer(overwrite_by_pkeys=["artist", "title"]) as batch:
        batch.put_item(Item=key | {"take": 1})
        batch.put_item(Item=key | {"take": 2})
    assert music.get_item(Key=key)["Item"]["take"] == 2

    def twice():
        with music.batch_writer() as batch:
            batch.put_item(Item=key | {"take": 3})
            batch.put_item(Item=key | {"take": 4})

    with pytest.raises(music.meta.client.exceptions.ClientError) as refused:
        twice()
    assert refused.value.response["Error"] == {
        "Code": "ValidationException",
        "Message": "Provided list of item keys contains duplicates",
    }
    assert music.get_item(Key=key)["Item"]["take"] == 2


def test_batch_writer_deletes(music, request):
    keys = [{"artist": request.node.name, "title": f"{number:02}"} for number in range(30)]
    with music.batch_writer() as batch:
        for key in keys:
            batch.put_item(Item=key)
    with music.batch_writer() as batch:
        for key in keys[:-1]:
            batch.delete_item(Key=key)
    left = music.query(KeyConditionExpression=Key("artist").eq(request.node.name))
    assert left["Items"] == keys[-1:]


def test_update(music, put):
    key = put(count=1, list=[1], tags={"a"}, gone="soon", map={"x": 1})
    answer = music.update_item(
        Key=key,
        UpdateExpression=(
            "SET #c = #c + :one, #l = list_append(#l, :more), #m.y = if_not_exists(#m.y, :one) "
            "ADD tags :tags REMOVE gone"
        ),
        ExpressionAttributeNames={"#c": "count", "#l": "list", "#m": "map"},
        ExpressionAttributeValues={":one": 1, ":more": [2, "3"], ":tags": {"b"}},
        ReturnValues="ALL_NEW",
    )
    changed = {"count": 2, "list": [1, 2, "3"], "tags": {"a", "b"}, "map": {"x": 1, "y": 1}}
    assert answer["Attributes"] == key | changed
    assert music.get_item(Key=key)["Item"] == key | changed
    removed = music.update_item(
        Key=key,
        UpdateExpression="DELETE tags :a SET #c = :none",
        ExpressionAttributeNames={"#c": "count"},
        ExpressionAttributeValues={":a": {"a"}, ":none": None},
        ReturnValues="UPDATED_OLD",
    )
    assert removed["Attributes"] == {"tags": {"a", "b"}, "count": 2}


def test_delete(music, put):
    key = put(kept=b"\x01")
    gone = music.delete_item(Key=key, ReturnValues="ALL_OLD")
    assert gone["Attributes"] == key | {"kept": b"\x01"}
    assert "Item" not in music.get_item(Key=key)
    assert "Attributes" not in music.delete_item(Key=key, ReturnValues="ALL_OLD")


# The class of an exception is made from the name of the error, and the item stands in its answer:
# at the edge of boto3, in the form of the wire.
def test_condition_failed(music, put):
    key = put(owner="me", version=3)
    with pytest.raises(music.meta.client.exceptions.ConditionalCheckFailedException) as refused:
        music.update_item(
            Key=key,
            UpdateExpression="SET version = :next",
            ConditionExpression=Attr("version").eq(2),
            ExpressionAttributeValues={":next": 3},
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    response = refused.value.response
    assert response["Error"] == {
        "Code": "ConditionalCheckFailedException",
        "Message": "The conditional request failed",
    }
    assert response["Item"] == {
        "artist": {"S": key["artist"]},
        "title": {"S": "t"},
        "owner": {"S": "me"},
        "version": {"N": "3"},
    }
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert response["ResponseMetadata"]["RetryAttempts"] == 0


def test_other_exceptions(music, service):
    exceptions = music.meta.client.exceptions
    with pytest.raises(exceptions.ResourceNotFoundException) as missing:
        service.Table("boto3-none").get_item(Key={"artist": "a"})
    assert missing.value.response["Error"]["Message"] == "Requested resource not found"
    with pytest.raises(exceptions.ResourceNotFoundException) as undescribed:
        service.Table("boto3-none").load()
    assert undescribed.value.response["Error"]["Message"] == (
        "Requested resource not found: Table: boto3-none not found"
    )
    with pytest.raises(exceptions.ResourceInUseException) as present:
        service.create_table(TableName=music.name, **keyed(pk="S"))
    assert present.value.response["Error"]["Message"] == "Table already exists: boto3-music"
    with pytest.raises(exceptions.ClientError) as invalid:
        music.get_item(Key={"artist": "a"})
    assert invalid.value.response["Error"] == {
        "Code": "ValidationException",
        "Message": "The provided key element does not match the schema",
    }


def test_update_and_delete_of_a_table(service):
    table = service.create_table(
        TableName="boto3-short",
        ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "B"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    )
    table.wait_until_exists()
    changed = table.update(ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 1})
    assert changed.table_status == "UPDATING"
    table.wait_until_exists()
    changed.reload()
    assert changed.provisioned_throughput["ReadCapacityUnits"] == 5
    table.put_item(Item={"pk": b"\x00"})
    assert table.scan()["Items"] == [{"pk": Binary(b"\x00")}]
    assert table.delete()["TableDescription"]["TableStatus"] == "DELETING"
    table.wait_until_not_exists()
    with pytest.raises(table.meta.client.exceptions.ResourceNotFoundException):
        table.reload()
