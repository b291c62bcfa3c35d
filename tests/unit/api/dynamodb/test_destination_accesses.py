"""The accesses of operations on destinations; to enable one, those on its stream as well."""

import pytest

from hashrange.api.steps.accesses import Access, Resource
from tests.unit.api.dynamodb.test_accesses import ARN, T, accesses

STREAM = "arn:aws:kinesis:us-east-1:000000000000:stream/changes"
PRECISION = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}


# Source: Developer Guide, "Using IAM policies for Amazon Kinesis Data Streams and Amazon DynamoDB".
@pytest.mark.parametrize("name", [T, ARN])
def test_destinations(name):
    request = {"TableName": name, "StreamArn": STREAM}
    table, stream = Resource("table", name), Resource("data-stream", STREAM)
    assert accesses("EnableKinesisStreamingDestination", request) == [
        Access("EnableKinesisStreamingDestination", table),
        Access("kinesis:ListStreams", Resource("*")),
        Access("kinesis:PutRecords", stream),
        Access("kinesis:DescribeStream", stream),
    ]
    for verb, more in (
        ("Disable", {}),
        ("Update", {"UpdateKinesisStreamingConfiguration": PRECISION}),
    ):
        operation = f"{verb}KinesisStreamingDestination"
        assert accesses(operation, {**request, **more}) == [Access(operation, table)]
