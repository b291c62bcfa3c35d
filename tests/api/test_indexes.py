"""Secondary indexes end to end: made with the table or later, written with the item, read."""

import uuid
from functools import partial

import pytest

from tests.api.indexes import attributes, index_of, projected, schema
from tests.api.legacy import compared, equal
from tests.api.querying import NO_EQUALITY
from tests.api.refusals import VALIDATION, refusal

ATTRIBUTES = attributes(pk="S", sk="S", g="S", n="N")
KEYS = schema("pk", sort=("sk",))
BY_G = index_of("by-g", "g", sort=("n",))
BY_N = index_of("by-n", "pk", sort=("n",), **projected("KEYS_ONLY"))


@pytest.fixture(scope="module")
def table(dynamodb):
    name = f"t-{uuid.uuid4()}"
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=ATTRIBUTES,
        KeySchema=KEYS,
        GlobalSecondaryIndexes=[BY_G],
        LocalSecondaryIndexes=[BY_N],
    )
    yield name
    dynamodb.delete_table(TableName=name)


def item(pk, sk, **more):
    return {"pk": {"S": pk}, "sk": {"S": sk}, **more}


def queried(dynamodb, table, index, **more):
    """All items of a partition of an index, page by page."""
    found = []
    request = {"TableName": table, "IndexName": index, **more}
    while True:
        answer = dynamodb.query(**request)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def by_g(dynamodb, table, g, **more):
    return queried(
        dynamodb,
        table,
        "by-g",
        KeyConditionExpression="g = :g",
        ExpressionAttributeValues={":g": {"S": g}},
        **more,
    )


# Equal index keys are where a page token of the index key alone would loop or lose items.
@pytest.mark.parametrize("forward", [True, False])
def test_pages_of_equal_index_keys_lose_and_repeat_nothing(dynamodb, table, pk, forward):
    for number in range(7):
        more = {"g": {"S": pk}, "n": {"N": "5"}}
        dynamodb.put_item(TableName=table, Item=item(pk, f"{number}", **more))
    found = by_g(dynamodb, table, pk, Limit=2, ScanIndexForward=forward)
    assert sorted(each["sk"]["S"] for each in found) == [f"{number}" for number in range(7)]


def test_items_without_an_index_key_are_not_in_the_index(dynamodb, table, pk):
    dynamodb.put_item(TableName=table, Item=item(pk, "a", g={"S": pk}))
    dynamodb.put_item(TableName=table, Item=item(pk, "b", g={"S": pk}, n={"N": "1"}))
    assert [each["sk"]["S"] for each in by_g(dynamodb, table, pk)] == ["b"]


def test_an_update_moves_removes_and_adds_an_entry(dynamodb, table, pk):
    key = item(pk, "a")
    dynamodb.put_item(TableName=table, Item={**key, "g": {"S": pk}, "n": {"N": "1"}})
    dynamodb.update_item(
        TableName=table,
        Key=key,
        UpdateExpression="SET g = :g",
        ExpressionAttributeValues={":g": {"S": pk + "!"}},
    )
    assert by_g(dynamodb, table, pk) == []
    assert len(by_g(dynamodb, table, pk + "!")) == 1
    dynamodb.update_item(TableName=table, Key=key, UpdateExpression="REMOVE n")
    assert by_g(dynamodb, table, pk + "!") == []


def test_segments_of_an_index_hold_every_entry_once(dynamodb, table, pk):
    for number in range(10):
        more = {"g": {"S": f"{pk}{number}"}, "n": {"N": "1"}}
        dynamodb.put_item(TableName=table, Item=item(pk, f"{number}", **more))
    found = []
    for segment in range(3):
        answer = dynamodb.scan(TableName=table, IndexName="by-g", Segment=segment, TotalSegments=3)
        found += [each["sk"]["S"] for each in answer["Items"] if each["pk"] == {"S": pk}]
    assert sorted(found) == [f"{number}" for number in range(10)]


def test_an_index_made_later_has_every_item_and_goes_again(dynamodb, pk):
    name = f"t-{uuid.uuid4()}"
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=ATTRIBUTES[:2],
        KeySchema=KEYS,
    )
    for number in range(250):
        more = {"g": {"S": "g"}, "n": {"N": f"{number}"} if number % 5 else {"S": "odd"}}
        dynamodb.put_item(TableName=name, Item=item(pk, f"{number:03}", **more))
    answer = dynamodb.update_table(
        TableName=name,
        AttributeDefinitions=ATTRIBUTES[2:],
        GlobalSecondaryIndexUpdates=[{"Create": BY_G}],
    )["TableDescription"]
    assert answer["TableStatus"] == "UPDATING"
    assert answer["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"
    while True:  # bound: the index is built, or the test runs out of time
        (index,) = dynamodb.describe_table(TableName=name)["Table"]["GlobalSecondaryIndexes"]
        if index["IndexStatus"] == "ACTIVE":
            break
    assert index["ItemCount"] == 200
    assert len(by_g(dynamodb, name, "g")) == 200
    dynamodb.update_table(
        TableName=name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-g"}}]
    )
    # bound: the index is removed, or the test runs out of time
    while "GlobalSecondaryIndexes" in dynamodb.describe_table(TableName=name)["Table"]:
        continue
    left = dynamodb.describe_table(TableName=name)["Table"]["AttributeDefinitions"]
    assert left == ATTRIBUTES[:2]
    dynamodb.delete_table(TableName=name)


@pytest.fixture(scope="module")
def multi(dynamodb, new_table):
    """A query of an index with two attributes of either role, which has nine entries."""
    names = ["pk", "a", "b", "c", "d"]
    name = new_table(
        AttributeDefinitions=attributes(**dict.fromkeys(names, "S")),
        GlobalSecondaryIndexes=[
            index_of("multi", "a", "b", sort=("c", "d"), **projected("KEYS_ONLY"))
        ],
    )
    for c in "123":
        for d in "xyz":
            item = {"a": "A", "b": "B", "c": c, "d": d, "pk": c + d}
            dynamodb.put_item(
                TableName=name, Item={key: {"S": value} for key, value in item.items()}
            )
    return partial(dynamodb.query, TableName=name, IndexName="multi")


def condition(expression, **used):
    """A KeyConditionExpression; the values are strings."""
    values = {f":{name}": {"S": value} for name, value in used.items()}
    return {"KeyConditionExpression": expression, "ExpressionAttributeValues": values}


def test_multi_attribute_keys_are_queried_in_order(multi):
    used = {"a": "A", "b": "B", "c": "2", "d": "y"}
    answer = multi(**condition("a = :a AND b = :b AND c = :c AND d >= :d", **used))
    assert [each["pk"]["S"] for each in answer["Items"]] == ["2y", "2z"]
    # Catalogue 120.
    del used["c"]
    _, text = refusal(multi, **condition("a = :a AND b = :b AND d = :d", **used))
    assert text == (
        "RANGE key attributes c must have equality conditions specified in the query because "
        "a condition is present on key attribute d"
    )


# Every partition attribute needs its equality. Source: a public suite that passes on the service;
# how several names are listed is not known.
@pytest.mark.parametrize(
    ("expression", "lacking"),
    [
        ("a = :x", "b"),
        ("b = :x", "a"),
        ("c = :x AND d = :x", "a, b"),
        ("a = :x AND b > :x", "b"),
        ("a = :x AND begins_with(b, :x)", "b"),
        ("a = :x AND b BETWEEN :x AND :x", "b"),
    ],
)
def test_multi_attribute_partitions_are_whole(multi, expression, lacking):
    told = refusal(multi, **condition(expression, x="x"))
    assert told == (VALIDATION, NO_EQUALITY.format(lacking))


# KeyConditions may be as many as the key has attributes.
def test_multi_attribute_keys_and_key_conditions(multi):
    entries = equal(a={"S": "A"}, b={"S": "B"}, c={"S": "2"})
    answer = multi(KeyConditions=entries)
    assert [each["pk"]["S"] for each in answer["Items"]] == ["2x", "2y", "2z"]
    entries["d"] = compared("GE", {"S": "y"})
    answer = multi(KeyConditions=entries)
    assert [each["pk"]["S"] for each in answer["Items"]] == ["2y", "2z"]
    entries["pk"] = compared("EQ", {"S": "2y"})
    told = refusal(multi, KeyConditions=entries)
    assert told == (VALIDATION, "Conditions can be of length 1 or 2 only")
