"""GetItem. Its texts are never enveloped but for those of the model's constraints (A.4)."""

import pytest

from tests.api.items import INVALID, NO_TABLE, NOT_VALID, SCHEMA, answer
from tests.api.refusals import VALIDATION, absent, refusal, violated


@pytest.fixture
def item(dynamodb, simple, pk):
    """An item of the table `simple`."""
    attributes = {"pk": {"S": pk}, "a": {"N": "1"}, "b": {"S": ""}, "m": {"M": {"c": {"L": []}}}}
    dynamodb.put_item(TableName=simple, Item=attributes)
    return attributes


# Not an empty Item: whoever tests for the member must not find it. Source: A.3.
@pytest.mark.parametrize("more", [{}, {"ConsistentRead": True}, {"ProjectionExpression": "pk, a"}])
def test_missing_item_answers_nothing(dynamodb, simple, pk, more):
    assert answer(dynamodb.get_item, TableName=simple, Key={"pk": {"S": pk}}, **more) == {}


# Every read is consistent here; both spellings are accepted. Source: A.3, differences.md.
@pytest.mark.parametrize("consistent", [True, False, None])
def test_item_is_answered_as_a_whole(dynamodb, simple, item, consistent):
    request = {"TableName": simple, "Key": {"pk": item["pk"]}, "ConsistentRead": consistent}
    assert answer(dynamodb.get_item, **request) == {"Item": item}


# The item exists, so there is an Item, if an empty one. Source: A.3, verified.
def test_projection_that_matches_nothing_answers_an_empty_item(dynamodb, simple, item):
    request = {"TableName": simple, "Key": {"pk": item["pk"]}}
    assert answer(dynamodb.get_item, **request, ProjectionExpression="z, m.z") == {"Item": {}}


# Catalogue 50: the key has to be the table's, no more, no less, of its types.
@pytest.mark.parametrize(
    "key",
    [
        {},
        {"a": {"S": "x"}},
        {"pk": {"S": "x"}, "a": {"S": "x"}},
        {"pk": {"N": "1"}},
        {"pk": {"B": b"x"}},
        {"pk": {"SS": ["x"]}},
        {"pk": {"NULL": True}},
        {"pk": {"BOOL": True}},
        {"pk": {"L": []}},
        {"pk": {"M": {}}},
    ],
)
def test_key_does_not_match_the_schema(dynamodb, simple, key):
    assert refusal(dynamodb.get_item, TableName=simple, Key=key) == (VALIDATION, SCHEMA)


# Catalogue 50, with a sort key.
@pytest.mark.parametrize(
    "key",
    [
        {"pk": {"S": "x"}},
        {"sk": {"S": "x"}},
        {"pk": {"S": "x"}, "sk": {"N": "1"}},
        {"pk": {"N": "1"}, "sk": {"S": "x"}},
        {"pk": {"S": "x"}, "a": {"S": "x"}},
        {"pk": {"S": "x"}, "sk": {"S": "x"}, "a": {"S": "x"}},
    ],
)
def test_key_of_two_does_not_match_the_schema(dynamodb, composite, key):
    assert refusal(dynamodb.get_item, TableName=composite, Key=key) == (VALIDATION, SCHEMA)


# Catalogue 54: there can be no such item, and reads say so too.
@pytest.mark.parametrize(("partition", "sort", "name"), [("", "x", "pk"), ("x", "", "sk")])
def test_key_is_empty(dynamodb, composite, partition, sort, name):
    key = {"pk": {"S": partition}, "sk": {"S": sort}}
    text = "The AttributeValue for a key attribute cannot contain an empty string value. Key: "
    told = refusal(dynamodb.get_item, TableName=composite, Key=key)
    assert told == (VALIDATION, NOT_VALID + text + name)


# Catalogue 55 and 56: reads too.
@pytest.mark.parametrize(
    ("partition", "sort", "text"),
    [
        (2049, 1, "Size of hashkey has exceeded the maximum size limit of2048 bytes"),
        (1, 1025, "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"),
    ],
)
def test_key_is_too_long(dynamodb, composite, partition, sort, text):
    key = {"pk": {"S": "x" * partition}, "sk": {"S": "x" * sort}}
    told = refusal(dynamodb.get_item, TableName=composite, Key=key)
    assert told == (VALIDATION, INVALID + text)


# Catalogue 8.
def test_key_is_required(dynamodb, simple):
    assert refusal(dynamodb.get_item, TableName=simple) == violated(absent("key"))


# Catalogue 71, not enveloped.
def test_names_without_a_projection(dynamodb, simple, pk):
    request = {"Key": {"pk": {"S": pk}}, "ExpressionAttributeNames": {"#a": "a"}}
    told = refusal(dynamodb.get_item, TableName=simple, **request)
    text = "ExpressionAttributeNames can only be specified when using expressions"
    assert told == (VALIDATION, text)


# Catalogue 154.
def test_table_does_not_exist(dynamodb):
    assert refusal(dynamodb.get_item, TableName="never-made", Key={"a": {"S": "x"}}) == NO_TABLE


# Every TableName may be an ARN. Source: 0.6.
def test_table_by_its_arn(dynamodb, simple, item):
    arn = dynamodb.describe_table(TableName=simple)["Table"]["TableArn"]
    told = answer(dynamodb.get_item, TableName=arn, Key={"pk": item["pk"]})
    assert told == {"Item": item}
