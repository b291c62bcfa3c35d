"""boto3's resource API, what is read: every condition, both kinds of index, pages, batches."""

import pytest
from boto3.dynamodb.conditions import Attr, Key

from tests.clients.music import TITLES, song


# 60 puts are three BatchWriteItem; the buffer is sent when it is full and at the end of the block.
def test_batch_writer_wrote_all(music):
    answer = music.query(KeyConditionExpression=Key("artist").eq("ada"))
    assert answer["Items"] == [song(number, title) for number, title in enumerate(TITLES)]
    assert (answer["Count"], answer["ScannedCount"]) == (60, 60)
    assert "LastEvaluatedKey" not in answer


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


def test_batch_get(music, service, put):
    keys = [put(title=f"{number:03}", number=number) for number in range(40)]
    asked = {"Keys": keys, "ProjectionExpression": "title, #n"}
    answer = service.batch_get_item(
        RequestItems={music.name: asked | {"ExpressionAttributeNames": {"#n": "number"}}}
    )
    assert answer["UnprocessedKeys"] == {}
    found = sorted(answer["Responses"][music.name], key=lambda item: item["number"])
    assert found == [{"title": f"{number:03}", "number": number} for number in range(40)]
