"""TagResource, UntagResource and ListTagsOfResource."""

import pytest

from tests.api.items import INVALID
from tests.api.refusals import NOT_FOUND, VALIDATION, refusal, table_request

MISSING = "arn:aws:dynamodb:us-east-1:000000000000:table/no-such-table"


@pytest.fixture
def arn(dynamodb, new_table):
    """A table without tags."""
    return dynamodb.describe_table(TableName=new_table())["Table"]["TableArn"]


@pytest.fixture
def tags_of(dynamodb):
    """All tags of a resource, over all pages; an order is not promised."""

    def listed(arn):
        pages = dynamodb.get_paginator("list_tags_of_resource").paginate(ResourceArn=arn)
        tags = [(tag["Key"], tag["Value"]) for page in pages for tag in page["Tags"]]
        assert len(dict(tags)) == len(tags), "no key comes twice"
        return dict(tags)

    return listed


def tags(pairs):
    return [{"Key": key, "Value": value} for key, value in pairs.items()]


# A table without tags has an empty list, not none: Terraform reads the member.
def test_no_tags(dynamodb, arn):
    answer = dynamodb.list_tags_of_resource(ResourceArn=arn)
    assert answer["Tags"] == []
    assert "NextToken" not in answer


def test_tags_are_set_replaced_and_removed(dynamodb, arn, tags_of):
    dynamodb.tag_resource(ResourceArn=arn, Tags=tags({"a": "1", "b": "2", "c": ""}))
    assert tags_of(arn) == {"a": "1", "b": "2", "c": ""}
    dynamodb.tag_resource(ResourceArn=arn, Tags=tags({"b": "new", "d": "4"}))
    assert tags_of(arn) == {"a": "1", "b": "new", "c": "", "d": "4"}
    # A key that is not there is no mistake.
    dynamodb.untag_resource(ResourceArn=arn, TagKeys=["a", "c", "never there"])
    assert tags_of(arn) == {"b": "new", "d": "4"}


# Both writers answer 200 with no body at all. Measured.
def test_writers_answer_nothing(dynamodb, arn):
    for answer in (
        dynamodb.tag_resource(ResourceArn=arn, Tags=tags({"a": "1"})),
        dynamodb.untag_resource(ResourceArn=arn, TagKeys=["a"]),
    ):
        metadata = answer.pop("ResponseMetadata")
        assert metadata["HTTPStatusCode"] == 200
        assert metadata["HTTPHeaders"]["content-length"] == "0"
        assert answer == {}


# All tags that a resource may have stand in one answer, which has no token; one that is sent is
# passed over. Measured by users, October 2026.
@pytest.mark.parametrize("token", [{}, {"NextToken": "no answer gave this"}])
def test_all_tags_are_one_page(dynamodb, arn, token):
    every = {f"key {number}": f"value {number}" for number in range(50)}
    dynamodb.tag_resource(ResourceArn=arn, Tags=tags(every))
    page = dynamodb.list_tags_of_resource(ResourceArn=arn, **token)
    assert {tag["Key"]: tag["Value"] for tag in page["Tags"]} == every
    assert "NextToken" not in page


TOO_MANY = "Number of Tags exceed the current limit for the provided ResourceArn"


# 50 tags: whether they come at once or one after the other. Measured by users, October 2026.
def test_fifty_tags_at_most(dynamodb, arn, tags_of):
    fifty = {f"{number}": "" for number in range(50)}
    dynamodb.tag_resource(ResourceArn=arn, Tags=tags(fifty))
    told = refusal(dynamodb.tag_resource, ResourceArn=arn, Tags=tags({"one more": ""}))
    assert told == (VALIDATION, TOO_MANY)
    told = refusal(dynamodb.tag_resource, ResourceArn=arn, Tags=tags({**fifty, "51": ""}))
    assert told == (VALIDATION, TOO_MANY)
    dynamodb.tag_resource(ResourceArn=arn, Tags=tags({"0": "replaced"}))
    assert tags_of(arn) == {**fifty, "0": "replaced"}


# As many as come at once, keys that are removed too. Measured by users, October 2026.
def test_fifty_keys_at_most(dynamodb, arn):
    keys = [f"{number}" for number in range(51)]
    dynamodb.untag_resource(ResourceArn=arn, TagKeys=keys[:50])
    told = refusal(dynamodb.untag_resource, ResourceArn=arn, TagKeys=keys)
    assert told == (VALIDATION, TOO_MANY)


# 10,240 bytes for all tags of a resource, those that it has included. Measured by users, October
# 2026; that just keys and values are added up is a guess.
def test_size_of_all_tags(dynamodb, arn, tags_of):
    most = {f"{number:02}": "v" * 254 for number in range(40)}
    dynamodb.tag_resource(ResourceArn=arn, Tags=tags(most))
    text = "Tag set size 10241 bytes is above max size limit of 10240 bytes"
    told = refusal(dynamodb.tag_resource, ResourceArn=arn, Tags=tags({"x": ""}))
    assert told == (VALIDATION, text)
    assert tags_of(arn) == most


# Characters and not bytes are counted, and the bounds themselves are fine. Measured.
@pytest.mark.parametrize("character", ["k", "é", "表"])
def test_lengths_are_counted_in_characters(dynamodb, arn, tags_of, character):
    longest = {character * 128: character * 256}
    dynamodb.tag_resource(ResourceArn=arn, Tags=tags(longest))
    assert tags_of(arn) == longest


BAD_KEY = "The Tag Key provided is invalid, Key: "
BAD_VALUE = "The Tag Value provided is invalid, Value: "


# In words of its own, and CreateTable says the same. A good tag beside is not applied. Measured by
# users, October 2026.
@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ({"Key": "k" * 129, "Value": ""}, BAD_KEY + "k" * 129),
        ({"Key": "k", "Value": "v" * 257}, BAD_VALUE + "v" * 257),
        ({"Key": "", "Value": "v"}, BAD_KEY),
        ({"Value": "v"}, BAD_KEY + "null"),
        ({}, BAD_KEY + "null"),
        ({"Key": "k"}, BAD_VALUE + "null"),
        *(
            pair
            for odd in (
                "bad#char",
                "🔑",
                "100%",
                "a,b",
                'q"',
                "(x)",
                "a&b",
                "a*b",
                "a;b",
                "~a",
                "\n",
            )
            for pair in (
                ({"Key": odd, "Value": "v"}, BAD_KEY + odd),
                ({"Key": "k", "Value": odd}, BAD_VALUE + odd),
            )
        ),
    ],
)
def test_tag_is_invalid(dynamodb, arn, tags_of, tag, text):
    told = refusal(dynamodb.tag_resource, ResourceArn=arn, Tags=[{"Key": "a", "Value": ""}, tag])
    assert told == (VALIDATION, text)
    assert tags_of(arn) == {}
    assert refusal(dynamodb.create_table, **table_request(Tags=[tag])) == (VALIDATION, text)


# Keys to remove are checked like those that are set. Measured by users, October 2026.
@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("", BAD_KEY),
        ("k" * 129, BAD_KEY + "k" * 129),
        ("aws:foo", "Tag Key cannot be prefixed with aws:, Key: aws:foo"),
    ],
)
def test_key_to_remove_is_invalid(dynamodb, arn, key, text):
    told = refusal(dynamodb.untag_resource, ResourceArn=arn, TagKeys=["a", key])
    assert told == (VALIDATION, text)


# Letters of any script, any space, and some punctuation; nothing is trimmed. Measured by users,
# October 2026.
def test_characters_of_tags(dynamodb, arn, tags_of):
    fine = {"sp ace": "a+b-c=d.e_f:g/h@i", "ключ": "café", " ": "\u3000表", "k ": "1", "k": "2"}
    dynamodb.tag_resource(ResourceArn=arn, Tags=tags(fine))
    assert tags_of(arn) == fine


# `aws:` is reserved in any case. Measured by users, October 2026.
@pytest.mark.parametrize("key", ["aws:owner", "AWS:owner"])
def test_reserved_key(dynamodb, arn, tags_of, key):
    told = refusal(dynamodb.tag_resource, ResourceArn=arn, Tags=tags({key: "me"}))
    assert told == (VALIDATION, f"Tag Key cannot be prefixed with aws:, Key: {key}")
    assert tags_of(arn) == {}
    dynamodb.tag_resource(ResourceArn=arn, Tags=tags({f"my{key}": "me"}))


# One request cannot say two things of one key; which of them would hold?
def test_key_comes_twice(dynamodb, arn, tags_of):
    twice = tags({"a": "1"}) + tags({"a": "2"})
    told = refusal(dynamodb.tag_resource, ResourceArn=arn, Tags=twice)
    text = "Duplicate Tag Keys provided as input: Duplicate Tag Key found a"
    assert told == (VALIDATION, text)
    assert tags_of(arn) == {}


CALLS = [
    ("tag_resource", {"Tags": tags({"a": "1"})}),
    ("untag_resource", {"TagKeys": ["a"]}),
    ("list_tags_of_resource", {}),
]


NO_TABLE_ARN = "Invalid TableArn: Invalid ResourceArn provided as input "
FOREIGN = f"{INVALID}Provided Arn is not a DynamoDB resource arn: "
OF_INDEX = (
    f"{INVALID}Invalid resource arn provided, only table or stream is accepted. "
    "Provided resource arn: "
)


# Catalogue 162: other things have ARNs too, but no tags. Measured by users, October 2026.
@pytest.mark.parametrize(("call", "more"), CALLS)
@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (f"{MISSING}/index/some-index", OF_INDEX),
        (f"{MISSING}/backup/01489173575360-b308cd7d", FOREIGN),
        ("arn:aws:dynamodb:us-east-1:000000000000:global-table/name", FOREIGN),
        ("arn:aws:s3:::bucket", FOREIGN),
        ("arn:aws:dynamodb:us-east-1:0:table/name", NO_TABLE_ARN),
    ],
)
def test_resource_is_no_table(dynamodb, call, more, wrong, text):
    told = refusal(getattr(dynamodb, call), ResourceArn=wrong, **more)
    assert told == (VALIDATION, f"{text}{wrong}")


# The service has tags of streams, apart from those of their tables; here nobody finds a stream.
@pytest.mark.parametrize(("call", "more"), CALLS)
def test_stream_is_not_found(dynamodb, call, more):
    stream = f"{MISSING}/stream/2026-01-01T00:00:00.000"
    told = refusal(getattr(dynamodb, call), ResourceArn=stream, **more)
    assert told == (NOT_FOUND, f"Requested resource not found: ResourceArn: {stream} not found")
