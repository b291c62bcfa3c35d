"""UpdateTimeToLive and DescribeTimeToLive, and that items go."""

import time

import pytest

from tests.api.refusals import refusal


def specification(**changes):
    return {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires", **changes}}


# The whole of it, with a real clock: what expired long ago is gone soon, what has not stays.
def test_expired_items_are_deleted(dynamodb, new_table):
    table = new_table()
    now = int(time.time())
    for key, expires in (("past", now - 60), ("future", now + 3600)):
        item = {"pk": {"S": key}, "expires": {"N": str(expires)}}
        dynamodb.put_item(TableName=table, Item=item)
    told = dynamodb.update_time_to_live(TableName=table, **specification())
    assert told["TimeToLiveSpecification"] == {"Enabled": True, "AttributeName": "expires"}

    def keys():
        return [item["pk"]["S"] for item in dynamodb.scan(TableName=table)["Items"]]

    while keys() != ["future"]:  # bound: it is deleted, or the test runs out of time
        assert "future" in keys()
    described = dynamodb.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    assert described == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}
    # There is no trace of the index that found them.
    assert "GlobalSecondaryIndexes" not in dynamodb.describe_table(TableName=table)["Table"]


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (
            {},
            (
                "1 validation error detected: Value null at 'timeToLiveSpecification' failed to "
                "satisfy constraint: Member must not be null"
            ),
        ),
        (
            specification(AttributeName=""),
            (
                "1 validation error detected: Value '' at 'timeToLiveSpecification.attributeName' "
                "failed to satisfy constraint: Member must have length greater than or equal to 1"
            ),
        ),
        (
            specification(AttributeName="x" * 256),
            (
                f"1 validation error detected: Value '{'x' * 256}' at "
                "'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must "
                "have length less than or equal to 255"
            ),
        ),
    ],
)
def test_refusals(dynamodb, simple, request_, told):
    assert refusal(dynamodb.update_time_to_live, TableName=simple, **request_) == (
        "ValidationException",
        told,
    )
