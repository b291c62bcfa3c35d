"""Texts about tags and time to live, by their numbers in the catalogue."""

import pytest

from tests.api.refusals import NOT_FOUND, VALIDATION, absent, brief, refusal, violated

MISSING = "arn:aws:dynamodb:us-east-1:000000000000:table/no-such-table"
MALFORMED = "arn:aws:dynamodb:us-east-1:0:table/name"


@pytest.mark.parametrize(
    ("number", "operation", "request_", "told"),
    [
        (8, "tag_resource", {"ResourceArn": MISSING}, violated(absent("tags"))),
        (8, "untag_resource", {"ResourceArn": MISSING}, violated(absent("tagKeys"))),
        (8, "list_tags_of_resource", {}, violated(absent("resourceArn"))),
        (
            163,
            "tag_resource",
            {"ResourceArn": MISSING, "Tags": []},
            (VALIDATION, "Atleast one Tag needs to be provided as Input."),
        ),
        (
            164,
            "untag_resource",
            {"ResourceArn": MISSING, "TagKeys": []},
            (VALIDATION, "Atleast one Tag Key needs to be provided as Input."),
        ),
    ],
    ids=brief,
)
def test_tags(dynamodb, number, operation, request_, told):
    assert refusal(getattr(dynamodb, operation), **request_) == told


# Of ARNs, in all three alike.
@pytest.mark.parametrize(
    ("operation", "more"),
    [
        ("tag_resource", {"Tags": [{"Key": "k", "Value": "v"}]}),
        ("untag_resource", {"TagKeys": ["k"]}),
        ("list_tags_of_resource", {}),
    ],
)
@pytest.mark.parametrize(
    ("number", "arn", "told"),
    [
        (
            161,
            MISSING,
            (NOT_FOUND, f"Requested resource not found: ResourceArn: {MISSING} not found"),
        ),
        (
            162,
            MALFORMED,
            (VALIDATION, f"Invalid TableArn: Invalid ResourceArn provided as input {MALFORMED}"),
        ),
    ],
    ids=brief,
)
def test_resources(dynamodb, number, arn, told, operation, more):
    request = {"ResourceArn": arn, **more}
    assert refusal(getattr(dynamodb, operation), **request) == told


@pytest.fixture(scope="module")
def expiring(dynamodb, new_table):
    """A table whose items expire, since a moment ago."""
    name = new_table()
    specification = {"Enabled": True, "AttributeName": "expires"}
    dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification=specification)
    return name


# Time to live, of a table that has it and of one that has not.
@pytest.mark.parametrize(
    ("number", "is_expiring", "specification", "text"),
    [
        (165, False, (False, "expires"), "TimeToLive is already disabled"),
        (165, True, (True, "expires"), "TimeToLive is already enabled"),
        (
            165,
            True,
            (True, "other"),
            "TimeToLive is active on a different AttributeName: current AttributeName is expires",
        ),
    ],
)
def test_time_to_live(dynamodb, simple, expiring, number, is_expiring, specification, text):
    enabled, name = specification
    told = refusal(
        dynamodb.update_time_to_live,
        TableName=expiring if is_expiring else simple,
        TimeToLiveSpecification={"Enabled": enabled, "AttributeName": name},
    )
    assert told == (VALIDATION, text)
