"""boto3's resource API: tables as objects, values of Python's types, conditions as expressions."""

from decimal import Decimal, Inexact

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary

TITLES = [f"song-{number:03}" for number in range(60)]


@pytest.fixture(scope="module")
def service(endpoint):
    return boto3.resource(
        "dynamodb",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )


@pytest.fixture(scope="module")
def music(service):
    """A table with a global index by genre and year and a local one by year; 60 songs of `ada`."""
    table = service.create_table(
        TableName="boto3-music",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": "artist", "AttributeType": "S"},
            {"AttributeName": "title", "AttributeType": "S"},
            {"AttributeName": "genre", "AttributeType": "S"},
            {"AttributeName": "year", "AttributeType": "N"},
        ],
        KeySchema=_keys("artist", "title"),
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by-genre",
                "KeySchema": _keys("genre", "year"),
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["plays"]},
            }
        ],
        LocalSecondaryIndexes=[
            {
                "IndexName": "by-year",
                "KeySchema": _keys("artist", "year"),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
    )
    assert table.table_status == "CREATING"
    table.wait_until_exists()
    with table.batch_writer() as batch:
        for number, title in enumerate(TITLES):
            batch.put_item(Item=_song(number, title))
    return table


def _keys(partition, sort):
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]


def _song(number, title):
    return {
        "artist": "ada",
        "title": title,
        "genre": "even" if number % 2 == 0 else "odd",
        "year": 2000 + number,
        "plays": number * 100,
        "length": Decimal("3.5"),
    }


@pytest.fixture
def put(music, request):
    """Puts an item under a partition key of this test's own; gives its key."""

    def put(title="t", **attributes):
        key = {"artist": request.node.name, "title": title}
        music.put_item(Item=key | attributes)
        return key

    return put


# The resource reads DescribeTable once and keeps its members as attributes.
def test_table_attributes(music, service):
    music.reload()
    assert music.table_status == "ACTIVE"
    assert music.key_schema == _keys("artist", "title")
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


# 60 puts are three BatchWriteItem; the buffer is sent when it is full and at the end of the block.
def test_batch_writer_wrote_all(music):
    answer = music.query(KeyConditionExpression=Key("artist").eq("ada"))
    assert answer["Items"] == [_song(number, title) for number, title in enumerate(TITLES)]
    assert (answer["Count"], answer["ScannedCount"]) == (60, 60)
    assert "LastEvaluatedKey" not in answer


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


@pytest.mark.parametrize(
    ("condition", "numbers"),
    [
        (Key("title").eq("song-007"), [7]),
        (Key("title").lt("song-002"), [0, 1]),
        (Key("title").lte("song-002"), [0, 1, 2]),
        (Key("title").gt("song-057"), [58, 59]),
        (Key("title").gte("song-057"), [57, 58, 59]),
        (Key("title").between("song-010", "song-012"), [10, 11, 12]),
        (Key("title").begins_with("song-05"), range(50, 60)),
    ],
)
def test_key_conditions(music, condition, numbers):
    answer = music.query(KeyConditionExpression=Key("artist").eq("ada") & condition)
    assert [item["title"] for item in answer["Items"]] == [TITLES[number] for number in numbers]


KINDS = {
    "number": 5,
    "text": "hello",
    "list": [1, 2, 3],
    "tags": {"red", "blue"},
    "map": {"inner": {"deep": "x"}},
    "none": None,
}


# Every method of Attr, as one that holds; its negation does not.
@pytest.mark.parametrize(
    "condition",
    [
        Attr("number").eq(5),
        Attr("number").ne(6),
        Attr("number").lt(6),
        Attr("number").lte(5),
        Attr("number").gt(4),
        Attr("number").gte(5),
        Attr("number").between(5, 6),
        Attr("number").is_in([1, 5]),
        Attr("text").begins_with("he"),
        Attr("text").contains("ell"),
        Attr("tags").contains("red"),
        Attr("list").contains(2),
        Attr("list[2]").eq(3),
        Attr("map.inner.deep").eq("x"),
        Attr("text").exists(),
        Attr("absent").not_exists(),
        Attr("none").attribute_type("NULL"),
        Attr("tags").attribute_type("SS"),
        Attr("text").size().eq(5),
        Attr("tags").size().between(2, 3),
        Attr("number").eq(5) & Attr("text").eq("hello"),
        Attr("number").eq(6) | Attr("text").eq("hello"),
        ~Attr("number").eq(6),
    ],
    ids=lambda condition: str(condition.get_expression()["operator"]),
)
def test_conditions(music, put, condition):
    key = put(**KINDS)
    filtered = {"KeyConditionExpression": Key("artist").eq(key["artist"])}
    assert music.query(**filtered, FilterExpression=condition)["Items"] == [key | KINDS]
    assert music.query(**filtered, FilterExpression=~condition)["Items"] == []
    music.put_item(Item=key | {"seen": True}, ConditionExpression=condition)
    assert music.get_item(Key=key)["Item"] == key | {"seen": True}


def test_query_of_a_global_index(music):
    answer = music.query(
        IndexName="by-genre",
        KeyConditionExpression=Key("genre").eq("odd") & Key("year").gte(2055),
        ScanIndexForward=False,
        ReturnConsumedCapacity="INDEXES",
    )
    assert answer["Items"] == [
        {
            "artist": "ada",
            "title": TITLES[number],
            "genre": "odd",
            "year": 2000 + number,
            "plays": number * 100,
        }
        for number in (59, 57, 55)
    ]
    assert answer["ConsumedCapacity"]["GlobalSecondaryIndexes"] == {
        "by-genre": {"CapacityUnits": 0.5}
    }


# A local index reads what it does not project from the table.
def test_query_of_a_local_index(music):
    answer = music.query(
        IndexName="by-year",
        KeyConditionExpression=Key("artist").eq("ada") & Key("year").between(2003, 2004),
        ProjectionExpression="#y, plays",
        ExpressionAttributeNames={"#y": "year"},
        ConsistentRead=True,
    )
    assert answer["Items"] == [{"year": 2003, "plays": 300}, {"year": 2004, "plays": 400}]


def test_count_without_items(music):
    answer = music.query(KeyConditionExpression=Key("artist").eq("ada"), Select="COUNT")
    assert answer["Count"] == 60
    assert "Items" not in answer


# By hand, as every program without paginators does it.
def test_pages_by_last_evaluated_key(music):
    pages, start = [], {}
    for _ in range(10):
        answer = music.query(KeyConditionExpression=Key("artist").eq("ada"), Limit=25, **start)
        pages.append([item["title"] for item in answer["Items"]])
        if "LastEvaluatedKey" not in answer:
            break
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    assert pages == [TITLES[:25], TITLES[25:50], TITLES[50:]]


# A resource's client speaks Python's types too; a token goes on where a paginator ended.
def test_paginators(music):
    query = music.meta.client.get_paginator("query")
    asked = {"TableName": music.name, "KeyConditionExpression": Key("artist").eq("ada")}
    whole = query.paginate(**asked, PaginationConfig={"PageSize": 25}).build_full_result()
    assert [item["title"] for item in whole["Items"]] == TITLES
    assert (whole["Count"], whole["ScannedCount"]) == (60, 60)
    first = query.paginate(**asked, PaginationConfig={"MaxItems": 30, "PageSize": 25})
    begun = first.build_full_result()
    rest = query.paginate(**asked, PaginationConfig={"StartingToken": begun["NextToken"]})
    both = [*begun["Items"], *rest.build_full_result()["Items"]]
    assert [item["title"] for item in both] == TITLES


def test_scan_in_segments(music):
    scan = music.meta.client.get_paginator("scan")
    titles = []
    for segment in range(3):
        pages = scan.paginate(
            TableName=music.name,
            Segment=segment,
            TotalSegments=3,
            FilterExpression=Attr("artist").eq("ada") & Attr("plays").lt(1000),
            ProjectionExpression="title",
            PaginationConfig={"PageSize": 10},
        )
        titles += [item["title"] for page in pages for item in page["Items"]]
    assert sorted(titles) == TITLES[:10]


# A jmespath search over pages, which the list of tables is most often read with.
def test_search_over_list_tables(music):
    pages = music.meta.client.get_paginator("list_tables").paginate(
        PaginationConfig={"PageSize": 1}
    )
    assert list(pages.search("TableNames[?starts_with(@, 'boto3-music')]")) == [music.name]


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


def test_batch_get(music, service, put):
    keys = [put(title=f"{number:03}", number=number) for number in range(40)]
    asked = {"Keys": keys, "ProjectionExpression": "title, #n"}
    answer = service.batch_get_item(
        RequestItems={music.name: asked | {"ExpressionAttributeNames": {"#n": "number"}}}
    )
    assert answer["UnprocessedKeys"] == {}
    found = sorted(answer["Responses"][music.name], key=lambda item: item["number"])
    assert found == [{"title": f"{number:03}", "number": number} for number in range(40)]


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
        service.create_table(
            TableName=music.name,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        )
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
