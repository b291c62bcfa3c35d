"""Destinations of tables in tests: requests, and the records of their streams."""

import json

from tests.api.kinesis import arn_of, created, records_of, shards_of
from tests.api.refusals import VALIDATION
from tests.pace import until

WRONG_STATE = "Table is not in a valid state to enable Kinesis Streaming Destination: "
_ENABLED = "EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE"
ENABLED_ALREADY = (VALIDATION, f"{WRONG_STATE}{_ENABLED} operation.")
NOT_ACTIVE = (
    VALIDATION,
    WRONG_STATE + "KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.",
)


def enable(dynamodb, table, stream, precision=None):
    """The answer to a request that makes a stream, by its ARN, the destination of a table."""
    return dynamodb.enable_kinesis_streaming_destination(
        TableName=table, StreamArn=stream, **configuration("Enable", precision)
    )


def update(dynamodb, table, stream, precision):
    return dynamodb.update_kinesis_streaming_destination(
        TableName=table, StreamArn=stream, **configuration("Update", precision)
    )


def disable(dynamodb, table, stream):
    """Disable a destination, and wait until it has all changes."""
    dynamodb.disable_kinesis_streaming_destination(TableName=table, StreamArn=stream)
    until(lambda: statuses(dynamodb, table)[0] == (stream, "DISABLED"))


def configuration(verb, precision):
    if precision is None:
        return {}
    name = f"{verb}KinesisStreamingConfiguration"
    return {name: {"ApproximateCreationDateTimePrecision": precision}}


def described(dynamodb, table):
    """The destinations of a table."""
    answer = dynamodb.describe_kinesis_streaming_destination(TableName=table)
    assert answer["TableName"] == table
    return answer["KinesisDataStreamDestinations"]


def statuses(dynamodb, table):
    return [(each["StreamArn"], each["DestinationStatus"]) for each in described(dynamodb, table)]


def with_destination(dynamodb, kinesis, table, *, shards=1, precision=None):
    """The name of a new stream that is the destination of a table."""
    name = created(kinesis, shards)
    enable(dynamodb, table, arn_of(name), precision)
    return name


def changes_in(kinesis, name):
    """The changes in a stream, of each shard in their order."""
    shards = [int(each["ShardId"][-12:]) for each in shards_of(kinesis, name)]
    found = [each for shard in shards for each in records_of(kinesis, name, shard)]
    return [json.loads(each["Data"]) for each in found]


def awaited(kinesis, name, count):
    """The changes in a stream, once there are so many."""
    until(lambda: len(changes_in(kinesis, name)) >= count)
    return changes_in(kinesis, name)
