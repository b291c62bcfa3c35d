"""Destinations of tables, as requests make, change and show them.

The texts, and the orders of states, are those that users have measured on the service in October
2026. The first test asks as the suite nubo-db/dynamodb-conformance does.
"""

import pytest

from hashrange.testing_pages import ServerClock
from tests.api.conftest import client_of
from tests.api.destinations import (
    ENABLED_ALREADY,
    NOT_ACTIVE,
    WRONG_STATE,
    described,
    disable,
    enable,
    statuses,
    update,
)
from tests.api.kinesis import arn_of, created
from tests.api.refusals import (
    NOT_FOUND,
    VALIDATION,
    absent,
    breaks,
    refusal,
    table_request,
    violated,
)

NO_PERMISSION = "User does not have a permission to use kinesis stream"
BELONGS = "The kinesis Arn used to enable kinesis replication belongs to a stream which is not"
NOTHING_TO_UPDATE = (
    "Streaming destination cannot be updated with given parameters: "
    "UpdateKinesisStreamingConfiguration cannot be null or contain only null values"
)
HOUR_MS = 60 * 60 * 1000


@pytest.fixture(scope="module")
def kinesis(endpoint):
    return client_of(endpoint, "kinesis")


@pytest.fixture(scope="module")
def stream(kinesis):
    """The ARN of a stream."""
    return arn_of(created(kinesis))


@pytest.fixture
def table(new_table):
    return new_table()


def test_enabled_and_described(dynamodb, table, stream):
    assert described(dynamodb, table) == []
    answer = enable(dynamodb, table, stream)
    del answer["ResponseMetadata"]
    assert answer == {
        "TableName": table,
        "StreamArn": stream,
        "DestinationStatus": "ENABLING",
        "EnableKinesisStreamingConfiguration": {},
    }
    # A precision that nobody asked for is not shown.
    assert described(dynamodb, table) == [{"StreamArn": stream, "DestinationStatus": "ACTIVE"}]
    dynamodb.get_waiter("kinesis_streaming_destination_active").wait(
        TableName=table, WaiterConfig={"Delay": 1, "MaxAttempts": 1}
    )
    # Source: measured; DescribeTable has no member of destinations.
    assert not [
        name for name in dynamodb.describe_table(TableName=table)["Table"] if "Kinesis" in name
    ]


def test_one_destination_at_a_time(dynamodb, kinesis, table, stream):
    enable(dynamodb, table, stream)
    other = arn_of(created(kinesis))
    for arn in (stream, other, arn_of("no-such-stream")):
        told = refusal(
            dynamodb.enable_kinesis_streaming_destination, TableName=table, StreamArn=arn
        )
        assert told == ENABLED_ALREADY
    disable(dynamodb, table, stream)
    enable(dynamodb, table, other)
    assert statuses(dynamodb, table) == [(other, "ACTIVE"), (stream, "DISABLED")]
    disable(dynamodb, table, other)
    # One that is enabled again stays where it is, and its precision is forgotten.
    enable(dynamodb, table, stream, "MICROSECOND")
    assert described(dynamodb, table)[1] == {
        "StreamArn": stream,
        "DestinationStatus": "ACTIVE",
        "ApproximateCreationDateTimePrecision": "MICROSECOND",
    }
    dynamodb.disable_kinesis_streaming_destination(TableName=table, StreamArn=stream)


# The answer is the same; what is wrong shows in the description.
@pytest.mark.parametrize(
    ("arn", "why"),
    [
        (arn_of("no-such-stream"), NO_PERMISSION),
        ("arn:aws:dynamodb:us-east-1:000000000000:table/a-table", NO_PERMISSION),
        (arn_of("streams") + "/consumer/one:1", NO_PERMISSION),
        ("x" * 37, NO_PERMISSION),
        (arn_of("streams", region="eu-west-1"), f"{BELONGS} in the current region"),
        (arn_of("streams", account="111111111111"), f"{BELONGS} in Active state"),
    ],
)
def test_streams_that_cannot_be_used(dynamodb, table, arn, why):
    assert enable(dynamodb, table, arn)["DestinationStatus"] == "ENABLING"
    expected = {
        "StreamArn": arn,
        "DestinationStatus": "ENABLE_FAILED",
        "DestinationStatusDescription": why,
    }
    assert described(dynamodb, table) == [expected]
    enable(dynamodb, table, arn)  # again: one entry
    assert described(dynamodb, table) == [expected]
    told = refusal(dynamodb.disable_kinesis_streaming_destination, TableName=table, StreamArn=arn)
    assert told == NOT_ACTIVE


def test_failures_are_listed_up_to_a_bound(dynamodb, table, stream):
    for number in range(25):
        enable(dynamodb, table, arn_of(f"none-{number}"))
    enable(dynamodb, table, stream)
    found = statuses(dynamodb, table)
    assert found[:2] == [(stream, "ACTIVE"), (arn_of("none-24"), "ENABLE_FAILED")]
    assert len(found) == 20


def test_precision(dynamodb, table, stream):
    enable(dynamodb, table, stream)
    table_id = dynamodb.describe_table(TableName=table)["Table"]["TableId"]
    same = "Invalid Request: Precision is already set to the desired value of {} for tableId: "
    for precision, other in (("MICROSECOND", "MILLISECOND"), ("MILLISECOND", "MICROSECOND")):
        told = refusal(lambda: update(dynamodb, table, stream, other))  # noqa: B023
        assert told == (VALIDATION, f"{same.format(other)}{table_id}, kdsArn: {stream}")
        answer = update(dynamodb, table, stream, precision)
        assert answer["DestinationStatus"] == "UPDATING"
        assert answer["UpdateKinesisStreamingConfiguration"] == {
            "ApproximateCreationDateTimePrecision": precision
        }
        (shown,) = described(dynamodb, table)
        assert shown["ApproximateCreationDateTimePrecision"] == precision
        assert shown["DestinationStatus"] == "ACTIVE"
    update(dynamodb, table, stream, "MICROSECOND")
    code, text = refusal(lambda: update(dynamodb, table, stream, "MILLISECOND"))
    assert code == "LimitExceededException"
    assert "can be changed 3 times within 24 hours" in text


def test_refused_updates(dynamodb, table, stream):
    call = dynamodb.update_kinesis_streaming_destination
    micro = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}
    nothing = (VALIDATION, NOTHING_TO_UPDATE)
    for more in ({}, {"UpdateKinesisStreamingConfiguration": {}}):
        assert refusal(call, TableName=table, StreamArn=stream, **more) == nothing
    asked = {"TableName": table, "UpdateKinesisStreamingConfiguration": micro}
    code, text = refusal(call, StreamArn=stream, **asked)
    assert code == VALIDATION
    found = f"found for table with tableName: {table}"
    assert text == f"{WRONG_STATE}No streaming destination with streamArn: {stream} {found}"
    gone = arn_of("no-such-stream")
    enable(dynamodb, table, gone)
    code, text = refusal(call, StreamArn=gone, **asked)
    assert code == VALIDATION
    state = "Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state."
    assert text == f"{WRONG_STATE}{state} TableName: {table}, kdsArn: {gone}"


def test_refused_disabling(dynamodb, table, stream):
    call = dynamodb.disable_kinesis_streaming_destination
    for arn in (stream, arn_of("no-such-stream"), "not-an-arn"):
        assert refusal(call, TableName=table, StreamArn=arn) == NOT_ACTIVE
    enable(dynamodb, table, stream)
    precision = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}
    told = refusal(
        call, TableName=table, StreamArn=stream, EnableKinesisStreamingConfiguration=precision
    )
    text = "Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters"
    assert told == (VALIDATION, text)
    answer = call(TableName=table, StreamArn=stream)
    assert answer["DestinationStatus"] == "DISABLING"


# Table names are checked first, as in all operations on tables; then the model's constraints.
@pytest.mark.parametrize("verb", ["enable", "disable", "update"])
def test_invalid_members(dynamodb, stream, verb):
    call = getattr(dynamodb, f"{verb}_kinesis_streaming_destination")
    name = f"{verb}KinesisStreamingConfiguration"
    if verb == "disable":
        name = "enableKinesisStreamingConfiguration"
    member = name[0].upper() + name[1:]
    wrong = {member: {"ApproximateCreationDateTimePrecision": "SECOND"}}
    told = refusal(call, TableName="no-such-table", **wrong)
    assert told == violated(
        absent("streamArn"),
        breaks(
            "SECOND",
            f"{name}.approximateCreationDateTimePrecision",
            "satisfy enum value set: [MILLISECOND, MICROSECOND]",
        ),
    )
    assert refusal(call, TableName="ab")[1].startswith("1 validation error detected: Value 'ab'")
    right = {
        "UpdateKinesisStreamingConfiguration": {
            "ApproximateCreationDateTimePrecision": "MICROSECOND"
        }
    }
    told = refusal(
        call, TableName="no-such-table", StreamArn=stream, **(right if verb == "update" else {})
    )
    assert told == (NOT_FOUND, "Requested resource not found: Table: no-such-table not found")


# Each change is shown for a while, and refuses the next one.
def test_transient_statuses(start_server):
    endpoint = start_server(
        testing=True, delay_transient_statuses=True, transient_status_ms=HOUR_MS
    )
    dynamodb, kinesis = client_of(endpoint), client_of(endpoint, "kinesis")
    clock = ServerClock(endpoint)
    dynamodb.create_table(**table_request(TableName="shown"))
    early = refusal(
        dynamodb.enable_kinesis_streaming_destination, TableName="shown", StreamArn=arn_of("kds")
    )
    assert early == (NOT_FOUND, "Requested resource not found: Table: shown not found")
    clock.advance(milliseconds=HOUR_MS)
    # A stream that is being created cannot be used.
    kinesis.create_stream(StreamName="kds", ShardCount=1)
    arn = arn_of("kds")
    enable(dynamodb, "shown", arn)
    assert statuses(dynamodb, "shown") == [(arn, "ENABLING")]
    clock.advance(milliseconds=HOUR_MS)
    assert described(dynamodb, "shown")[0]["DestinationStatusDescription"] == NO_PERMISSION
    enable(dynamodb, "shown", arn)
    steps = [("ENABLING", None), ("UPDATING", "MICROSECOND"), ("DISABLING", None)]
    for status, precision in steps:
        if status == "UPDATING":
            update(dynamodb, "shown", arn, precision)
        if status == "DISABLING":
            for _ in range(2):  # the second one is answered likewise
                dynamodb.disable_kinesis_streaming_destination(TableName="shown", StreamArn=arn)
        assert statuses(dynamodb, "shown") == [(arn, status)]
        told = refusal(lambda: enable(dynamodb, "shown", arn))
        assert told == ENABLED_ALREADY
        _, text = refusal(lambda: update(dynamodb, "shown", arn, "MICROSECOND"))
        assert "Kinesis streaming is not in ACTIVE state." in text
        if status != "DISABLING":
            call = dynamodb.disable_kinesis_streaming_destination
            assert refusal(call, TableName="shown", StreamArn=arn) == NOT_ACTIVE
        clock.advance(milliseconds=HOUR_MS)
    assert statuses(dynamodb, "shown") == [(arn, "DISABLED")]
    enable(dynamodb, "shown", arn)
    clock.advance(milliseconds=HOUR_MS)
    dynamodb.delete_table(TableName="shown")
    assert statuses(dynamodb, "shown") == [(arn, "ACTIVE")]
    assert refusal(lambda: enable(dynamodb, "shown", arn)) == ENABLED_ALREADY
    call = dynamodb.disable_kinesis_streaming_destination
    assert refusal(call, TableName="shown", StreamArn=arn) == NOT_ACTIVE
    # Source: measured; the precision can be changed, and stays as it is.
    assert update(dynamodb, "shown", arn, "MICROSECOND")["DestinationStatus"] == "UPDATING"
    assert (
        "No streaming destination"
        in refusal(lambda: update(dynamodb, "shown", arn_of("other"), "MICROSECOND"))[1]
    )
    assert statuses(dynamodb, "shown") == [(arn, "ACTIVE")]
    clock.advance(milliseconds=HOUR_MS)
    call = dynamodb.describe_kinesis_streaming_destination
    assert refusal(call, TableName="shown")[0] == NOT_FOUND
