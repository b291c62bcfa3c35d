"""What Kinesis data streams refuse, in the words of the service, and its CBOR protocol."""

import http.client
import json
from urllib.parse import urlsplit

import pytest

from hashrange.wire.cbor.reader import read_item
from hashrange.wire.cbor_protocol import CBOR_1_1, encoded
from tests.api.conftest import client_of
from tests.api.kinesis import ACCOUNT, HASHES, arn_of, created, put, refused, shard_id
from tests.crash.server import AUTHORIZATION

ARGUMENT = "InvalidArgumentException"
ABSENT = "ResourceNotFoundException"
LIMIT = "LimitExceededException"
MISSING = "Either StreamName or StreamARN must be specified."
VALIDATION = "ValidationException"
ITERATOR = (
    "Must either specify (1) AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER and StartingSequenceNumber"
    " or (2) TRIM_HORIZON or LATEST and no StartingSequenceNumber. Request specified "
)
NONE = f"Stream none under account {ACCOUNT} not found."


@pytest.fixture(scope="module")
def kinesis(endpoint):
    client = client_of(endpoint, "kinesis")
    yield client
    client.close()


@pytest.fixture(scope="module")
def stream(kinesis):
    """A stream of two shards, with a record in the first."""
    name = created(kinesis, 2)
    put(kinesis, name, b"x", ExplicitHashKey="0")
    return name


def places(stream, foreign, second):
    """Requests for iterators that are refused, and the refusals."""
    shard = f"{shard_id(0)} in stream {stream} under account {ACCOUNT}"
    used = f"used in GetShardIterator on shard {shard} is invalid"
    encoded_in = f"Invalid StartingSequenceNumber. It encodes {shard_id(1)}, while it was used in"
    latest = {"ShardIteratorType": "LATEST"}
    return (
        ({}, ARGUMENT, f"{ITERATOR}AT_SEQUENCE_NUMBER and no StartingSequenceNumber."),
        (latest | numbered("5"), ARGUMENT, f"{ITERATOR}LATEST and also a StartingSequenceNumber."),
        (
            {"ShardId": "shardId-7"} | latest,
            ABSENT,
            f"Shard {shard_id(7)} in stream {stream} under account {ACCOUNT} does not exist",
        ),
        (
            {"ShardId": "2147483648"},
            ABSENT,
            f"Could not find shard 2147483648 in stream {stream} under account {ACCOUNT}.",
        ),
        (numbered("5"), ARGUMENT, f"StartingSequenceNumber 5 {used}."),
        (
            numbered(foreign),
            ARGUMENT,
            f"StartingSequenceNumber {foreign} {used} because it did not come from this stream.",
        ),
        (numbered(second), ARGUMENT, f"{encoded_in} a call to a shard with {shard_id(0)}"),
    )


def numbered(number):
    return {"StartingSequenceNumber": number}


# Texts of kinesalite's tests, which were recorded from the service.
def test_iterators_that_are_refused(kinesis, stream):
    foreign = put(kinesis, created(kinesis), b"x")[1]
    second = put(kinesis, stream, b"y", ExplicitHashKey=str(HASHES - 1))[1]
    at = {"StreamName": stream, "ShardId": shard_id(0), "ShardIteratorType": "AT_SEQUENCE_NUMBER"}
    for more, code, text in places(stream, foreign, second):
        assert refused(kinesis.get_shard_iterator, **(at | more)) == (code, text)
    assert refused(kinesis.get_records, ShardIterator="nothing") == (
        ARGUMENT,
        "Invalid ShardIterator.",
    )


HERE = f"in stream STREAM under account {ACCOUNT}"
RECORD = {"Data": b"", "PartitionKey": "k"}
BUFFER = "java.nio.HeapByteBuffer[pos=0 lim=1048576 cap=1048576]"
MODEL = "1 validation error detected: Value "
REFUSALS = (
    (
        "create_stream",
        {"ShardCount": 1},
        "ResourceInUseException",
        f"Stream STREAM under account {ACCOUNT} already exists.",
    ),
    ("create_stream", {"StreamName": "none", "ShardCount": 100_000}, LIMIT, None),
    (
        "create_stream",
        {"StreamName": "none", "ShardCount": 1, "WarmThroughputMiBps": 1},
        VALIDATION,
        "hashrange does not support WarmThroughputMiBps yet",
    ),
    ("put_record", RECORD | {"StreamName": "none"}, ABSENT, NONE),
    (
        "put_record",
        RECORD | {"ExplicitHashKey": str(HASHES)},
        ARGUMENT,
        (
            "Invalid ExplicitHashKey. ExplicitHashKey must be in the range: [0, 2^128-1]. "
            f"Specified value was {HASHES}"
        ),
    ),
    (
        "put_record",
        {"Data": bytes(1024 * 1024), "PartitionKey": "k"},
        VALIDATION,
        (
            f"{MODEL}'{BUFFER}' at 'data' failed to satisfy constraint: Member must have length "
            "less than or equal to 1048576"
        ),
    ),
    (
        "put_record",
        {"Data": b""},
        VALIDATION,
        f"{MODEL}null at 'partitionKey' failed to satisfy constraint: Member must not be null",
    ),
    ("put_record", RECORD | {"DryRun": True}, VALIDATION, "hashrange does not support DryRun yet"),
    (
        "put_records",
        {"Records": [{"Data": bytes(10**6), "PartitionKey": "k"}] * 11},
        ARGUMENT,
        "Records size exceeds 10 MB limit",
    ),
    (
        "merge_shards",
        {"ShardToMerge": shard_id(0), "AdjacentShardToMerge": shard_id(0)},
        ARGUMENT,
        (
            f"Shards {shard_id(0)} and {shard_id(0)} {HERE} are not an adjacent pair of shards "
            "eligible for merging"
        ),
    ),
    (
        "split_shard",
        {"ShardToSplit": shard_id(0), "NewStartingHashKey": "1"},
        ARGUMENT,
        (
            f"NewStartingHashKey 1 used in SplitShard() on shard {shard_id(0)} {HERE} is not both "
            "greater than one plus the shard's StartingHashKey 0 and less than the shard's "
            f"EndingHashKey {HASHES // 2 - 1}."
        ),
    ),
    (
        "increase_stream_retention_period",
        {"RetentionPeriodHours": 23},
        ARGUMENT,
        (
            "Minimum allowed retention period is 24 hours. Requested retention period (23 hours) "
            "is too short."
        ),
    ),
    (
        "decrease_stream_retention_period",
        {"RetentionPeriodHours": 25},
        ARGUMENT,
        (
            "Requested retention period (25 hours) for stream STREAM can not be longer than "
            "existing retention period (24 hours). Use IncreaseRetentionPeriod API."
        ),
    ),
    ("describe_stream", {"StreamName": None}, ARGUMENT, MISSING),
    (
        "describe_stream",
        {"StreamARN": arn_of("none")},
        ARGUMENT,
        "StreamName and StreamARN must be of the same stream.",
    ),
    (
        "start_stream_encryption",
        {"EncryptionType": "KMS", "KeyId": "k"},
        "UnknownOperationException",
        "hashrange does not support StartStreamEncryption yet",
    ),
)


@pytest.mark.parametrize(("operation", "parameters", "code", "text"), REFUSALS)
def test_refusals_in_the_words_of_the_service(kinesis, stream, operation, parameters, code, text):
    sent = {"StreamName": stream} | parameters
    present = {name: value for name, value in sent.items() if value is not None}
    found = refused(getattr(kinesis, operation), **present)
    assert found[0] == code
    assert text is None or found[1] == text.replace("STREAM", stream)


# A consumer with enhanced fan-out is told what to do.
def test_subscriptions_are_refused(kinesis, stream):
    code, text = refused(
        kinesis.subscribe_to_shard,
        ConsumerARN=f"{arn_of(stream)}/consumer/c:1",
        ShardId=shard_id(0),
        StartingPosition={"Type": "LATEST"},
    )
    assert code == "UnknownOperationException"
    assert text.startswith(
        "hashrange does not support SubscribeToShard: read shards with GetRecord"
    )


def call(endpoint, operation, body, content_type):
    address = urlsplit(endpoint)
    connection = http.client.HTTPConnection(address.hostname, address.port)
    headers = {
        "X-Amz-Target": f"Kinesis_20131202.{operation}",
        "Content-Type": content_type,
        "Authorization": AUTHORIZATION.replace("/dynamodb/", "/kinesis/"),
        "X-Amz-Date": "20260101T000000Z",
    }
    connection.request("POST", "/", body, headers)
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer.status, answer.getheader("Content-Type"), data


def in_cbor(endpoint, operation, **parameters):
    status, kind, data = call(endpoint, operation, encoded(parameters), CBOR_1_1.decode())
    assert kind == CBOR_1_1.decode()
    return status, read_item(data, 0)[0]


# As the SDKs for Java speak it: blobs are bytes, times are milliseconds behind tag 1.
def test_cbor(endpoint, kinesis):
    name = created(kinesis)
    status, made = in_cbor(
        endpoint, "PutRecord", StreamName=name, Data=b"\x00\xff", PartitionKey="k"
    )
    assert (status, made["ShardId"]) == (200, shard_id(0))
    _, summary = in_cbor(endpoint, "DescribeStreamSummary", StreamName=name)
    at = summary["StreamDescriptionSummary"]["StreamCreationTimestamp"]
    assert at.number == 1
    described = kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
    assert at.item == round(described["StreamCreationTimestamp"].timestamp() * 1000)
    _, iterator = in_cbor(
        endpoint,
        "GetShardIterator",
        StreamName=name,
        ShardId=shard_id(0),
        ShardIteratorType="AT_TIMESTAMP",
        Timestamp=at.item / 1000,  # a float is encoded as a time
    )
    _, page = in_cbor(endpoint, "GetRecords", **iterator)
    assert [each["Data"] for each in page["Records"]] == [b"\x00\xff"]
    assert in_cbor(endpoint, "DescribeStream", StreamName="none") == (
        400,
        {"__type": "ResourceNotFoundException", "message": NONE},
    )


MALFORMED = (
    *(b"\xa1", b"\x01", b"\xa1\x01\x02", b"\x80" * 99, b"\xa0\xa0", b"\xa1\x61a\xc7\x01"),
    *(b"\x9f" * 40_000, b"\x81\x80" * 40_000, b"\xa1\x64Data\x01"),
)


# None of them may fail the server, or be taken for a request.
@pytest.mark.parametrize("body", MALFORMED, ids=lambda body: body[:8].hex())
def test_malformed_cbor_is_refused(endpoint, body):
    status, kind, data = call(endpoint, "PutRecord", body, CBOR_1_1.decode())
    assert (status, kind) == (400, CBOR_1_1.decode())
    assert read_item(data, 0)[0]["__type"] == "SerializationException"


def test_base64_that_is_none_is_refused(endpoint, stream):
    body = json.dumps({"StreamName": stream, "PartitionKey": "k", "Data": "*"})
    status, _, data = call(endpoint, "PutRecord", body, "application/x-amz-json-1.1")
    assert (status, json.loads(data)["__type"]) == (400, "SerializationException")
