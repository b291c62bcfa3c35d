"""Scan: all items of a table. Each test has a table of its own, or looks for its own items."""

import pytest

from tests.api.items import answer, values
from tests.api.walks import fill, walk, walked


@pytest.fixture(scope="module")
def items():
    """Thirty items of ten partitions, by their keys."""
    return {
        (f"p{number % 10}", str(number)): {
            "pk": {"S": f"p{number % 10}"},
            "sk": {"S": str(number)},
            "n": {"N": str(number)},
            "m": {"M": {"odd": {"BOOL": number % 2 == 1}}},
        }
        for number in range(30)
    }


@pytest.fixture(scope="module")
def table(dynamodb, new_table, items):
    """A table with those items and no others; nobody writes to it."""
    name = new_table(sk="S")
    fill(dynamodb, name, items.values())
    return name


def by_key(items):
    """Items in an order that can be compared; a scan's own is not specified."""
    return sorted(items, key=lambda item: (item["pk"]["S"], item["sk"]["S"]))


# Every item, once. Source: F.3.
def test_all_items_are_answered(dynamodb, table, items):
    told = answer(dynamodb.scan, TableName=table)
    assert by_key(told.pop("Items")) == by_key(items.values())
    assert told == {"Count": 30, "ScannedCount": 30}


# Neither an error nor an answer without Items: SDKs loop over it. Source: F.1.
def test_empty_table(dynamodb, new_table):
    told = answer(dynamodb.scan, TableName=new_table())
    assert told == {"Items": [], "Count": 0, "ScannedCount": 0}


# A deleted item is gone from scans.
def test_deleted_item_is_not_answered(dynamodb, new_table):
    name = new_table()
    fill(dynamodb, name, [{"pk": {"S": "a"}}, {"pk": {"S": "b"}}])
    dynamodb.delete_item(TableName=name, Key={"pk": {"S": "a"}})
    assert dynamodb.scan(TableName=name)["Items"] == [{"pk": {"S": "b"}}]


# Tables lie beside each other in one engine: a scan ends where its table ends.
def test_other_tables_are_not_answered(dynamodb, new_table):
    names = [new_table(pk=kind) for kind in ("S", "N", "B")]
    keys = [{"pk": value} for value in ({"S": "\U0010ffff"}, {"N": "9"}, {"B": b"\xff" * 2048})]
    for name, key in zip(names, keys, strict=True):
        dynamodb.put_item(TableName=name, Item=key)
    assert [dynamodb.scan(TableName=name)["Items"] for name in names] == [[key] for key in keys]


# Not specified, but the same each time, or no walk could be trusted. Source: D.5.
def test_order_is_stable(dynamodb, table):
    whole = dynamodb.scan(TableName=table)["Items"]
    assert dynamodb.scan(TableName=table)["Items"] == whole
    for limit in (1, 7, 30, 31):
        assert walked(dynamodb.scan, TableName=table, Limit=limit) == whole


# Items of one partition stand together, in the order of the sort key: that is how the service
# stores them, and what people rely on without saying so.
def test_partitions_are_in_one_piece(dynamodb, table, items):
    keys = [(item["pk"]["S"], item["sk"]["S"]) for item in dynamodb.scan(TableName=table)["Items"]]
    partitions = list(dict.fromkeys(partition for partition, _ in keys))
    assert keys == [key for partition in partitions for key in sorted(items) if key[0] == partition]


# Count is after the filter, ScannedCount before. Source: F.1.
@pytest.mark.parametrize(
    ("expression", "operands", "holds"),
    [
        ("n >= :v", {"N": "20"}, lambda n: n >= 20),
        ("m.odd = :v", {"BOOL": True}, lambda n: n % 2),
        ("NOT (n >= :v OR m.odd = m.even)", {"N": "7"}, lambda n: n < 7),
        ("size(pk) > :v", {"N": "1"}, lambda n: True),
        ("attribute_type(n, :v)", {"S": "S"}, lambda n: False),
    ],
)
def test_filter_leaves_out_items(dynamodb, table, items, expression, operands, holds):
    told = answer(
        dynamodb.scan,
        TableName=table,
        FilterExpression=expression,
        ExpressionAttributeValues=values(v=operands),
    )
    left = [item for item in items.values() if holds(int(item["n"]["N"]))]
    assert by_key(told.pop("Items")) == by_key(left)
    assert told == {"Count": len(left), "ScannedCount": 30}


# A scan's filter may look at the key, which a query's may not. Source: E.2.
def test_filter_on_the_key(dynamodb, table):
    told = dynamodb.scan(
        TableName=table,
        FilterExpression="pk = :pk AND begins_with(sk, :sk)",
        ExpressionAttributeValues=values(pk={"S": "p1"}, sk={"S": "2"}),
    )
    assert [item["sk"]["S"] for item in told["Items"]] == ["21"]


# Only what is asked for: the key is not added. Source: E.4.
def test_projection_cuts_items(dynamodb, table):
    told = dynamodb.scan(
        TableName=table,
        FilterExpression="#n = :n",
        ProjectionExpression="m.odd, nowhere",
        ExpressionAttributeNames={"#n": "n"},
        ExpressionAttributeValues=values(n={"N": "3"}),
    )
    assert told["Items"] == [{"m": {"M": {"odd": {"BOOL": True}}}}]


# An item of which nothing is asked for is still an item. Source: A.3, E.4.
def test_projection_that_matches_nothing_answers_empty_items(dynamodb, table):
    told = answer(dynamodb.scan, TableName=table, ProjectionExpression="nowhere")
    assert told == {"Items": [{}] * 30, "Count": 30, "ScannedCount": 30}


# Source: F.1: COUNT answers no Items, and goes page by page as listing does.
def test_select_count(dynamodb, table):
    assert answer(dynamodb.scan, TableName=table, Select="COUNT") == {
        "Count": 30,
        "ScannedCount": 30,
    }
    pages = walk(
        dynamodb.scan,
        TableName=table,
        Select="COUNT",
        Limit=7,
        FilterExpression="n < :n",
        ExpressionAttributeValues=values(n={"N": "11"}),
    )
    assert [page["ScannedCount"] for page in pages] == [7, 7, 7, 7, 2]
    assert sum(page["Count"] for page in pages) == 11
    assert all("Items" not in page for page in pages)


# The default of a table, in words; and the one Select that goes with a projection. Source: F.1.
@pytest.mark.parametrize(
    ("more", "answered"),
    [
        ({"Select": "ALL_ATTRIBUTES"}, {"pk", "sk", "n", "m"}),
        ({"Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": "sk, n"}, {"sk", "n"}),
    ],
)
def test_select_says_what_is_answered(dynamodb, table, more, answered):
    told = dynamodb.scan(TableName=table, **more)["Items"]
    assert [set(item) for item in told] == [answered] * 30


# Every read is consistent here; both spellings are accepted. Source: F.3, differences.md.
@pytest.mark.parametrize("consistent", [True, False, None])
def test_consistent_read(dynamodb, table, consistent):
    assert dynamodb.scan(TableName=table, ConsistentRead=consistent)["Count"] == 30


# Keys of each type, with and without a sort key: what is put is scanned, as it was.
@pytest.mark.parametrize("sort", [None, "S", "N", "B"])
@pytest.mark.parametrize("partition", ["S", "N", "B"])
def test_keys_of_each_type(dynamodb, new_table, partition, sort):
    contents = {
        "S": ["a", "\x00", "é", "\U0001f600"],
        "N": ["0", "-1", "1.5", "1" + "0" * 125],
        "B": [b"\x00", b"\xff", b"\x00\x01", b"a"],
    }
    name = new_table(pk=partition, sk=sort)
    made = [
        {"pk": {partition: first}} | ({"sk": {sort: second}} if sort else {})
        for first in contents[partition]
        for second in (contents[sort] if sort else [None])
    ]
    fill(dynamodb, name, made)
    told = walked(dynamodb.scan, TableName=name, Limit=3)
    assert len(told) == len(made)
    assert all(item in made for item in told)
