"""What readers of streams are told when they are refused."""

import json
import urllib.request

import pytest

from tests.api.refusals import NOT_FOUND, VALIDATION, absent, breaks, refusal, violated
from tests.api.streams import arn_of, iterator_of, shards_of, streaming

INVALID = "One or more parameter values were invalid: "
OTHER_ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/nobody/stream/2026-01-01T00:00:00.000"
SHARD = "shardId-00000001795269764283-000000ff"


@pytest.fixture(scope="module")
def arn(dynamodb, new_table):
    return arn_of(dynamodb, new_table(**streaming()))


@pytest.fixture(scope="module")
def shard(streams, arn):
    return shards_of(streams, arn)[0]["ShardId"]


# The old test suite of the JavaScript SDK has this text from the service.
@pytest.mark.parametrize(
    "bad",
    [
        "fake-stream",
        "x" * 40,
        "arn:aws:dynamodb:us-east-1:000000000000:table/a-table",
        "arn:aws:dynamodb:us-east-1:000000000000:table/a-table/stream/",
        "arn:aws:dynamodb:us-east-1:000000000000:table/a-table/stream/yesterday",
        "arn:aws:kinesis:us-east-1:000000000000:stream/a-stream-of-another-kind",
    ],
)
def test_no_arn_of_a_stream(streams, bad):
    told = (VALIDATION, "Invalid StreamArn")
    assert refusal(streams.describe_stream, StreamArn=bad) == told
    request = {"StreamArn": bad, "ShardId": SHARD, "ShardIteratorType": "LATEST"}
    assert refusal(streams.get_shard_iterator, **request) == told


def test_no_such_stream(streams):
    told = (NOT_FOUND, f"Requested resource not found: Stream: {OTHER_ARN} not found")
    assert refusal(streams.describe_stream, StreamArn=OTHER_ARN) == told
    request = {"StreamArn": OTHER_ARN, "ShardId": SHARD, "ShardIteratorType": "LATEST"}
    assert refusal(streams.get_shard_iterator, **request) == told


# An existing table, but not this label: a reader that was left behind must notice.
def test_other_label(streams, arn):
    other = arn[:-3] + ("000" if arn[-3:] != "000" else "001")
    code, _ = refusal(streams.describe_stream, StreamArn=other)
    assert code == NOT_FOUND


@pytest.mark.parametrize(
    "other", [SHARD, "shardId-00000000000000000000-00000001", "x" * 28, "shardId-" + "9" * 57]
)
def test_no_such_shard(streams, arn, other):
    told = (NOT_FOUND, "Requested resource not found: Shard does not exist")
    request = {"StreamArn": arn, "ShardId": other, "ShardIteratorType": "LATEST"}
    assert refusal(streams.get_shard_iterator, **request) == told
    only = {"Type": "CHILD_SHARDS", "ShardId": other}
    assert refusal(streams.describe_stream, StreamArn=arn, ShardFilter=only) == told


@pytest.mark.parametrize(
    ("request_", "constraint"),
    [
        ({}, absent("streamArn")),
        ({"Limit": 0}, breaks(0, "limit", "have value greater than or equal to 1")),
        (
            {"ExclusiveStartShardId": "short"},
            breaks("short", "exclusiveStartShardId", "have length greater than or equal to 28"),
        ),
        (
            {"ShardFilter": {"Type": "ALL", "ShardId": SHARD}},
            breaks("ALL", "shardFilter.type", "satisfy enum value set: [CHILD_SHARDS]"),
        ),
    ],
)
def test_constraints_of_describe_stream(streams, arn, request_, constraint):
    given = {"StreamArn": arn, **request_} if request_ else {}
    assert refusal(streams.describe_stream, **given) == violated(constraint)


def test_filter_needs_both_members(streams, arn, shard):
    told = (VALIDATION, INVALID + "ShardFilter must have both Type and ShardId")
    for only in ({"Type": "CHILD_SHARDS"}, {"ShardId": shard}, {}):
        assert refusal(streams.describe_stream, StreamArn=arn, ShardFilter=only) == told


# The model has no upper bound.
def test_limits(streams, arn, shard):
    told = (VALIDATION, INVALID + "Limit should be less than or equal to {}")
    assert refusal(streams.describe_stream, StreamArn=arn, Limit=101) == (
        VALIDATION,
        told[1].format(100),
    )
    assert refusal(streams.list_streams, Limit=101) == (VALIDATION, told[1].format(100))
    iterator = iterator_of(streams, arn, shard)
    assert refusal(streams.get_records, ShardIterator=iterator, Limit=1001) == (
        VALIDATION,
        told[1].format(1000),
    )
    for call, given in (
        (streams.list_streams, {}),
        (streams.get_records, {"ShardIterator": iterator}),
    ):
        least = breaks(0, "limit", "have value greater than or equal to 1")
        assert refusal(call, Limit=0, **given) == violated(least)


def test_constraints_of_list_streams(streams):
    assert refusal(streams.list_streams, TableName="a!b") == violated(
        breaks("a!b", "tableName", "satisfy regular expression pattern: [a-zA-Z0-9_.-]+")
    )
    told = (VALIDATION, "Invalid StreamArn")
    assert refusal(streams.list_streams, ExclusiveStartStreamArn="x" * 40) == told


def test_constraints_of_get_shard_iterator(streams, arn, shard):
    request = {"StreamArn": arn, "ShardId": shard}
    assert refusal(streams.get_shard_iterator, **request) == violated(absent("shardIteratorType"))
    (code, text) = refusal(streams.get_shard_iterator, **request, ShardIteratorType="FIRST")
    assert code == VALIDATION
    assert text.startswith(
        "1 validation error detected: Value 'FIRST' at 'shardIteratorType' failed to satisfy"
    )
    short = {**request, "ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": "1"}
    assert refusal(streams.get_shard_iterator, **short) == violated(
        breaks("1", "sequenceNumber", "have length greater than or equal to 21")
    )


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (
            {"ShardIteratorType": "AT_SEQUENCE_NUMBER"},
            "The parameter SequenceNumber is required for this ShardIteratorType",
        ),
        (
            {"ShardIteratorType": "LATEST", "SequenceNumber": "1" * 25},
            "The parameter SequenceNumber is not allowed for this ShardIteratorType",
        ),
        (
            {"ShardIteratorType": "AT_TIMESTAMP"},
            "The parameter Timestamp is required for this ShardIteratorType",
        ),
        (
            {"ShardIteratorType": "TRIM_HORIZON", "Timestamp": 1},
            "The parameter Timestamp is not allowed for this ShardIteratorType",
        ),
        (
            {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": 95_000_000_000},
            "The parameter Timestamp must not be in the future",
        ),
    ],
)
def test_members_that_do_not_go_together(streams, arn, shard, place, text):
    told = refusal(streams.get_shard_iterator, StreamArn=arn, ShardId=shard, **place)
    assert told == (VALIDATION, INVALID + text)


# Of no shard, of another one, of a record that is not there yet.
@pytest.mark.parametrize(
    "number",
    [
        "0" * 21,
        "9" * 40,
        "1000000001000000000000001",
        "1000000002000000000000000",
        "-" + "1" * 24,
        "1e" + "1" * 23,
        "\u0661" * 25,
    ],
)
def test_sequence_number_of_no_record(streams, arn, shard, number):
    for kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        request = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": kind}
        told = refusal(streams.get_shard_iterator, **request, SequenceNumber=number)
        assert told == (VALIDATION, "Invalid SequenceNumber for the shard")


@pytest.mark.parametrize(
    "change",
    [
        lambda iterator: "x",
        lambda iterator: iterator[:-1],
        lambda iterator: iterator + "A",
        lambda iterator: iterator.replace("|1|", "|2|"),
        lambda iterator: iterator.replace("us-east-1", "us-west-2"),
        lambda iterator: iterator.rpartition("|")[2],
        lambda iterator: iterator.rpartition("|")[0] + "|",
        lambda iterator: iterator.rpartition("|")[0] + "|" + "\u00e4" * 8,
        lambda iterator: iterator.rpartition("|")[0] + "|" + "A" * 48,
    ],
)
def test_no_iterator_of_ours(streams, arn, shard, change):
    iterator = change(iterator_of(streams, arn, shard))
    told = refusal(streams.get_records, ShardIterator=iterator)
    assert told == (VALIDATION, "Invalid ShardIterator")


def test_iterator_is_required(streams):
    assert refusal(streams.get_records) == violated(absent("shardIterator"))


# Two services share the port: each knows its own operations only.
@pytest.mark.parametrize(
    "target", ["DynamoDB_20120810.ListStreams", "DynamoDBStreams_20120810.ListTables"]
)
def test_operation_of_the_other_service(endpoint, target):
    headers = {
        "X-Amz-Target": target,
        "Content-Type": "application/x-amz-json-1.0",
        "Authorization": "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host, Signature=0",
    }
    request = urllib.request.Request(endpoint, b"{}", headers)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    with refused.value as answer:
        assert json.load(answer)["__type"].endswith("#UnknownOperationException")
