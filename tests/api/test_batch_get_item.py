"""BatchGetItem. Source of all, where nothing else is said: A.3."""

import pytest

from tests.api.items import NO_TABLE, answer, padding, values
from tests.api.refusals import refusal
from tests.api.walks import fill


@pytest.fixture
def keys(dynamodb, simple, pk):
    """The keys of four items of the table `simple` with the attributes `n` and `m`."""
    made = [{"pk": {"S": f"{pk}-{number}"}} for number in range(4)]
    more = {"n": {"N": "1"}, "m": {"M": {"a": {"S": "x"}, "b": {"S": "y"}}}}
    fill(dynamodb, simple, [{**key, **more} for key in made])
    return made


def by_key(items):
    """Items in an order that can be compared; the answer's own is not specified."""
    return sorted(items, key=lambda item: item["pk"]["S"])


# Items come by table, without those that there are not; every table of the request is there.
def test_items_that_there_are(dynamodb, simple, composite, pk, keys):
    told = answer(
        dynamodb.batch_get_item,
        RequestItems={
            simple: {
                "Keys": [*keys[2:], {"pk": {"S": pk}}, *keys[:2]],
                "ProjectionExpression": "pk",
            },
            composite: {"Keys": [{"pk": {"S": pk}, "sk": {"S": "nowhere"}}]},
        },
    )
    assert by_key(told["Responses"].pop(simple)) == keys
    assert told == {"Responses": {composite: []}, "UnprocessedKeys": {}}


# Items as they were put, as a whole.
def test_items_are_answered_as_a_whole(dynamodb, composite, pk):
    items = [
        {"pk": {"S": pk}, "sk": {"S": key}, "l": {"L": [{"SS": ["a", "b"]}]}, "e": {"S": ""}}
        for key in "ab"
    ]
    fill(dynamodb, composite, items)
    wanted = [{"sk": item["sk"], "pk": item["pk"]} for item in items]
    told = dynamodb.batch_get_item(RequestItems={composite: {"Keys": wanted}})
    assert sorted(told["Responses"][composite], key=lambda item: item["sk"]["S"]) == items


# Each table has a projection and placeholders of its own; keys are not added. Source: E.4.
def test_projection_of_each_table(dynamodb, simple, composite, pk, keys):
    item = {"pk": {"S": pk}, "sk": {"S": "a"}, "n": {"N": "2"}}
    dynamodb.put_item(TableName=composite, Item=item)
    told = dynamodb.batch_get_item(
        RequestItems={
            simple: {
                "Keys": keys[:1],
                "ProjectionExpression": "#n, m.a",
                "ExpressionAttributeNames": {"#n": "n"},
            },
            composite: {
                "Keys": [{"pk": item["pk"], "sk": item["sk"]}],
                "ProjectionExpression": "#n",
                "ExpressionAttributeNames": {"#n": "sk"},
            },
        }
    )
    assert told["Responses"] == {
        simple: [{"n": {"N": "1"}, "m": {"M": {"a": {"S": "x"}}}}],
        composite: [{"sk": {"S": "a"}}],
    }


# The item exists, so it is in the list, if only as an empty one. Source: A.3, E.4.
def test_projection_that_matches_nothing_answers_an_empty_item(dynamodb, simple, pk, keys):
    request = {"Keys": [*keys[:1], {"pk": {"S": pk}}], "ProjectionExpression": "nowhere"}
    told = dynamodb.batch_get_item(RequestItems={simple: request})
    assert told["Responses"] == {simple: [{}]}


# Every read is consistent here; both spellings are accepted. Source: differences.md.
@pytest.mark.parametrize("consistent", [True, False, None])
def test_consistent_read(dynamodb, simple, keys, consistent):
    request = {"Keys": keys, "ConsistentRead": consistent}
    assert len(dynamodb.batch_get_item(RequestItems={simple: request})["Responses"][simple]) == 4


# The most keys that a request takes, in one table and in two.
def test_a_hundred_keys(dynamodb, simple, composite, pk):
    made = [{"pk": {"S": f"{pk}{number:02}"}} for number in range(100)]
    fill(dynamodb, simple, made)
    told = dynamodb.batch_get_item(RequestItems={simple: {"Keys": made}})
    assert by_key(told["Responses"][simple]) == made
    fill(dynamodb, composite, [{**key, "sk": {"S": "a"}} for key in made[:50]])
    told = dynamodb.batch_get_item(
        RequestItems={
            simple: {"Keys": made[50:]},
            composite: {"Keys": [{**key, "sk": {"S": "a"}} for key in made[:50]]},
        }
    )
    assert [len(told["Responses"][table]) for table in (simple, composite)] == [50, 50]


# Keys are compared as they are written, so one item may be asked for twice. Catalogue 26.
def test_one_number_written_in_two_ways(dynamodb, new_table):
    table = new_table(pk="N")
    dynamodb.put_item(TableName=table, Item={"pk": {"N": "1"}})
    wanted = [{"pk": {"N": number}} for number in ("1", "1.0")]
    told = dynamodb.batch_get_item(RequestItems={table: {"Keys": wanted}})
    assert told["Responses"] == {table: [{"pk": {"N": "1"}}] * 2}


# The same key in two tables is of two items.
def test_one_key_in_two_tables(dynamodb, simple, new_table, keys):
    other = new_table()
    dynamodb.put_item(TableName=other, Item=keys[0])
    requests = {table: {"Keys": keys[:1]} for table in (simple, other)}
    told = dynamodb.batch_get_item(RequestItems=requests)
    assert {table: len(items) for table, items in told["Responses"].items()} == {
        simple: 1,
        other: 1,
    }


# A table may be named by its ARN, and the answer names it so too. Source: 0.6.
def test_tables_by_their_arns(dynamodb, simple, pk, keys):
    arn = dynamodb.describe_table(TableName=simple)["Table"]["TableArn"]
    request = {"Keys": [*keys, {"pk": {"S": pk}}], "ProjectionExpression": "pk"}
    told = answer(
        dynamodb.batch_get_item, RequestItems={arn: request}, ReturnConsumedCapacity="TOTAL"
    )
    assert by_key(told["Responses"].pop(arn)) == keys
    assert told == {
        "Responses": {},
        "UnprocessedKeys": {},
        "ConsumedCapacity": [{"TableName": arn, "CapacityUnits": 2.5}],
    }


# Catalogue 154: one table that there is not, and nothing is answered.
def test_table_does_not_exist(dynamodb, simple, keys):
    requests = {simple: {"Keys": keys}, "never-made": {"Keys": keys[:1]}}
    assert refusal(dynamodb.batch_get_item, RequestItems=requests) == NO_TABLE


# 41 items of 400 KB are more than 16 MB. What is left comes back as it was asked for, so that it
# can be sent again as it is; it has cost nothing.
def test_more_than_sixteen_megabytes(dynamodb, new_table, keys, simple):
    table = new_table()
    large = [{"pk": {"S": f"{number:02}"}, "a": padding(400 * 1024 - 5)} for number in range(43)]
    fill(dynamodb, table, large)
    options = {
        "ConsistentRead": True,
        "ProjectionExpression": "#p",
        "ExpressionAttributeNames": {"#p": "pk"},
    }
    wanted = [{"pk": item["pk"]} for item in large]
    first = answer(
        dynamodb.batch_get_item,
        RequestItems={table: {"Keys": wanted, **options}, simple: {"Keys": keys}},
        ReturnConsumedCapacity="TOTAL",
    )
    left = first["UnprocessedKeys"][table]["Keys"]
    assert first["UnprocessedKeys"] == {table: {"Keys": left, **options}}
    assert len(left) == 3
    assert len(first["Responses"][simple]) == 4, "small items still find room"
    assert first["ConsumedCapacity"] == [
        {"TableName": table, "CapacityUnits": 4000.0},
        {"TableName": simple, "CapacityUnits": 2.0},
    ]
    second = answer(dynamodb.batch_get_item, RequestItems=first["UnprocessedKeys"])
    assert second["UnprocessedKeys"] == {}
    assert by_key([*first["Responses"][table], *second["Responses"][table]]) == wanted


# Exactly 16 MB are not too much.
def test_exactly_sixteen_megabytes(dynamodb, new_table):
    table = new_table()
    made = [{"pk": {"S": f"{number:02}"}, "a": padding(256 * 1024 - 5)} for number in range(65)]
    fill(dynamodb, table, made)
    wanted = {"Keys": [{"pk": item["pk"]} for item in made], "ProjectionExpression": "pk"}
    told = dynamodb.batch_get_item(RequestItems={table: wanted})
    assert len(told["Responses"][table]) == 64
    assert told["UnprocessedKeys"][table]["Keys"] == [{"pk": {"S": "64"}}]


# Reads of one moment: a batch of writes is seen as a whole or not at all, as far as one can see.
def test_batch_sees_the_latest_writes(dynamodb, simple, keys):
    for key in keys:
        dynamodb.update_item(
            TableName=simple,
            Key=key,
            UpdateExpression="SET n = n + :one REMOVE m",
            ExpressionAttributeValues=values(one={"N": "1"}),
        )
    dynamodb.delete_item(TableName=simple, Key=keys[3])
    told = dynamodb.batch_get_item(RequestItems={simple: {"Keys": keys}})
    assert by_key(told["Responses"][simple]) == [{**key, "n": {"N": "2"}} for key in keys[:3]]
