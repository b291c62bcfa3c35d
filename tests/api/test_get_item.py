"""GetItem. Its texts are never enveloped but for those of the model's constraints (A.4)."""

import pytest

from tests.api.items import SCHEMA, answer
from tests.api.refusals import VALIDATION, refusal


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
