"""TagResource, UntagResource and ListTagsOfResource."""

import pytest

from tests.api.refusals import NOT_FOUND, VALIDATION, absent, breaks, refusal, violated

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


# Pages of ten. Source: the API Reference.
@pytest.mark.parametrize(
    ("count", "pages"), [(10, [10]), (11, [10, 1]), (25, [10, 10, 5]), (50, [10] * 5)]
)
def test_pages(dynamodb, arn, count, pages):
    every = {f"key {number}": f"value {number}" for number in range(count)}
    dynamodb.tag_resource(ResourceArn=arn, Tags=tags(every))
    seen, sizes, token = {}, [], {}
    while token is not None:
        page = dynamodb.list_tags_of_resource(ResourceArn=arn, **token)
        sizes.append(len(page["Tags"]))
        seen |= {tag["Key"]: tag["Value"] for tag in page["Tags"]}
        token = {"NextToken": page["NextToken"]} if "NextToken" in page else None
    assert sizes == pages
    assert seen == every


# A token means a place and not a number of tags: what comes before it may go meanwhile.
def test_pages_of_tags_that_change(dynamodb, arn):
    keys = [f"{number:02}" for number in range(20)]
    dynamodb.tag_resource(ResourceArn=arn, Tags=tags(dict.fromkeys(keys, "")))
    first = dynamodb.list_tags_of_resource(ResourceArn=arn)
    read = [tag["Key"] for tag in first["Tags"]]
    dynamodb.untag_resource(ResourceArn=arn, TagKeys=read)
    second = dynamodb.list_tags_of_resource(ResourceArn=arn, NextToken=first["NextToken"])
    assert sorted(read + [tag["Key"] for tag in second["Tags"]]) == keys


@pytest.mark.parametrize("token", ["", "!", "not a token", "YWJj\n", "/w=="])
def test_token_that_no_answer_gave(dynamodb, arn, token):
    dynamodb.tag_resource(ResourceArn=arn, Tags=tags({"a": "1"}))
    code, _ = refusal(dynamodb.list_tags_of_resource, ResourceArn=arn, NextToken=token)
    assert code == VALIDATION


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


# Characters and not bytes are counted, and the bounds themselves are fine. Measured.
@pytest.mark.parametrize("character", ["k", "é", "😀"])
def test_lengths_are_counted_in_characters(dynamodb, arn, tags_of, character):
    longest = {character * 128: character * 256}
    dynamodb.tag_resource(ResourceArn=arn, Tags=tags(longest))
    assert tags_of(arn) == longest


# Source: the model, in the words of its layer.
@pytest.mark.parametrize(
    ("tag", "violation"),
    [
        (
            {"Key": "k" * 129, "Value": ""},
            breaks("k" * 129, "tags.1.member.key", "have length less than or equal to 128"),
        ),
        (
            {"Key": "k", "Value": "v" * 257},
            breaks("v" * 257, "tags.1.member.value", "have length less than or equal to 256"),
        ),
        (
            {"Key": "", "Value": "v"},
            breaks("", "tags.1.member.key", "have length greater than or equal to 1"),
        ),
        ({"Value": "v"}, absent("tags.1.member.key")),
        ({"Key": "k"}, absent("tags.1.member.value")),
    ],
)
def test_tag_breaks_a_constraint(dynamodb, arn, tag, violation):
    told = refusal(dynamodb.tag_resource, ResourceArn=arn, Tags=[tag])
    assert told == violated(violation)


# `aws:` is reserved. Measured by users, October 2026.
def test_reserved_key(dynamodb, arn, tags_of):
    told = refusal(dynamodb.tag_resource, ResourceArn=arn, Tags=tags({"aws:owner": "me"}))
    assert told == (VALIDATION, "Tag Key cannot be prefixed with aws:, Key: aws:owner")
    assert tags_of(arn) == {}


# One request cannot say two things of one key; which of them would hold?
def test_key_comes_twice(dynamodb, arn, tags_of):
    twice = tags({"a": "1"}) + tags({"a": "2"})
    told = refusal(dynamodb.tag_resource, ResourceArn=arn, Tags=twice)
    text = "Duplicate Tag Keys provided as input: Duplicate Tag Key found a"
    assert told == (VALIDATION, text)
    assert tags_of(arn) == {}


# Catalogue 163 and 164.
def test_nothing_to_tag(dynamodb, arn):
    told = refusal(dynamodb.tag_resource, ResourceArn=arn, Tags=[])
    assert told == (VALIDATION, "Atleast one Tag needs to be provided as Input.")
    told = refusal(dynamodb.untag_resource, ResourceArn=arn, TagKeys=[])
    assert told == (VALIDATION, "Atleast one Tag Key needs to be provided as Input.")


# Catalogue 8.
def test_members_are_required(dynamodb, arn):
    assert refusal(dynamodb.tag_resource, ResourceArn=arn) == violated(absent("tags"))
    assert refusal(dynamodb.untag_resource, ResourceArn=arn) == violated(absent("tagKeys"))
    assert refusal(dynamodb.tag_resource) == violated(absent("resourceArn"), absent("tags"))
    assert refusal(dynamodb.list_tags_of_resource) == violated(absent("resourceArn"))


CALLS = [
    ("tag_resource", {"Tags": tags({"a": "1"})}),
    ("untag_resource", {"TagKeys": ["a"]}),
    ("list_tags_of_resource", {}),
]


# Catalogue 161; "ResourcArn" is the service's own spelling.
@pytest.mark.parametrize(("call", "more"), CALLS)
def test_table_is_not_found(dynamodb, call, more):
    told = refusal(getattr(dynamodb, call), ResourceArn=MISSING, **more)
    assert told == (NOT_FOUND, f"Requested resource not found: ResourcArn: {MISSING} not found")


# Catalogue 162: indexes and streams have ARNs too, but no tags.
@pytest.mark.parametrize(("call", "more"), CALLS)
@pytest.mark.parametrize(
    "wrong",
    [
        f"{MISSING}/index/some-index",
        f"{MISSING}/stream/2026-01-01T00:00:00.000",
        "arn:aws:dynamodb:us-east-1:000000000000:global-table/name",
        "arn:aws:s3:::bucket",
    ],
)
def test_resource_is_no_table(dynamodb, call, more, wrong):
    told = refusal(getattr(dynamodb, call), ResourceArn=wrong, **more)
    assert told == (VALIDATION, f"Invalid TableArn: Invalid ResourceArn provided as input {wrong}")


# The request is checked before the resource is looked for.
def test_tags_are_checked_before_the_table(dynamodb):
    told = refusal(dynamodb.tag_resource, ResourceArn=MISSING, Tags=[])
    assert told == (VALIDATION, "Atleast one Tag needs to be provided as Input.")
