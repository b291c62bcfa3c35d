"""Streams are enabled and disabled, described and listed. Texts measured by users, October 2026."""

import re

import pytest

from tests.api.conftest import client_of
from tests.api.indexes import schema
from tests.api.refusals import VALIDATION, absent, refusal, table_request, violated
from tests.api.streams import VIEW_TYPES, arn_of, shards_of, streaming

INVALID = "One or more parameter values were invalid: "
LABEL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}")
OFF = {"StreamSpecification": {"StreamEnabled": False}}


@pytest.mark.parametrize("view_type", VIEW_TYPES)
def test_stream_of_a_new_table(dynamodb, streams, new_table, view_type):
    name = new_table(sk="N", **streaming(view_type))
    table = dynamodb.describe_table(TableName=name)["Table"]
    assert table["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": view_type}
    label = table["LatestStreamLabel"]
    assert LABEL.fullmatch(label)
    arn = table["LatestStreamArn"]
    assert arn == f"{table['TableArn']}/stream/{label}"
    stream = streams.describe_stream(StreamArn=arn)["StreamDescription"]
    created = stream.pop("CreationRequestDateTime")
    assert created.timestamp() == pytest.approx(table["CreationDateTime"].timestamp(), abs=5)
    (shard,) = stream.pop("Shards")
    assert re.fullmatch(r"shardId-\d{20}-[0-9a-f]{8}", shard["ShardId"])
    assert list(shard["SequenceNumberRange"]) == ["StartingSequenceNumber"]
    assert stream == {
        "StreamArn": arn,
        "StreamLabel": label,
        "StreamStatus": "ENABLED",
        "StreamViewType": view_type,
        "TableName": name,
        "KeySchema": schema("pk", sort=("sk",)),
    }


def test_answers_show_the_stream(dynamodb, new_table):
    name = new_table()
    assert "LatestStreamArn" not in dynamodb.describe_table(TableName=name)["Table"]
    on = dynamodb.update_table(TableName=name, **streaming())["TableDescription"]
    assert on["TableStatus"] == "UPDATING"
    assert on["StreamSpecification"] == streaming()["StreamSpecification"]
    assert on["LatestStreamArn"] == arn_of(dynamodb, name)
    off = dynamodb.update_table(TableName=name, **OFF)["TableDescription"]
    assert off["TableStatus"] == "UPDATING"
    assert "StreamSpecification" not in off
    # What stays is how readers find the rest of the records.
    assert off["LatestStreamArn"] == on["LatestStreamArn"]
    assert off["LatestStreamLabel"] == on["LatestStreamLabel"]


# The view type cannot change; who wants another disables the stream and enables a new one.
def test_each_enabling_makes_another_stream(dynamodb, streams, new_table):
    name = new_table(**streaming("KEYS_ONLY"))
    told = (VALIDATION, f"Table already has an enabled stream: TableName: {name}")
    for view_type in ("KEYS_ONLY", "NEW_IMAGE"):
        assert refusal(dynamodb.update_table, TableName=name, **streaming(view_type)) == told
    arns = [arn_of(dynamodb, name)]
    for view_type in ("NEW_IMAGE", "OLD_IMAGE"):
        dynamodb.update_table(TableName=name, **OFF)
        dynamodb.update_table(TableName=name, **streaming(view_type))
        arns.append(arn_of(dynamodb, name))
    assert arns == sorted(set(arns))
    listed = streams.list_streams(TableName=name)["Streams"]
    assert [stream["StreamArn"] for stream in listed] == arns
    described = [streams.describe_stream(StreamArn=arn)["StreamDescription"] for arn in arns]
    assert [(each["StreamStatus"], each["StreamViewType"]) for each in described] == [
        ("DISABLED", "KEYS_ONLY"),
        ("DISABLED", "NEW_IMAGE"),
        ("ENABLED", "OLD_IMAGE"),
    ]


def test_nothing_to_disable(dynamodb, new_table):
    name = new_table()
    told = (VALIDATION, f"Table has no stream to disable: TableName: {name}")
    assert refusal(dynamodb.update_table, TableName=name, **OFF) == told
    dynamodb.update_table(TableName=name, **streaming())
    dynamodb.update_table(TableName=name, **OFF)
    assert refusal(dynamodb.update_table, TableName=name, **OFF) == told


@pytest.mark.parametrize(
    ("specification", "of_new_table", "of_update"),
    [
        (
            {"StreamEnabled": True},
            "Table is being created with a stream enabled, UpdateViewType is required",
            "If stream is being enabled then UpdateViewType is required",
        ),
        (
            {"StreamEnabled": False, "StreamViewType": "KEYS_ONLY"},
            "Table is being created with a stream disabled, UpdateViewType should not be specified",
            "If stream is being disabled, then UpdateViewType must not be specified",
        ),
    ],
)
def test_view_type_goes_with_the_stream(dynamodb, simple, specification, of_new_table, of_update):
    member = {"StreamSpecification": specification}
    told = refusal(dynamodb.create_table, **table_request(**member))
    assert told == (VALIDATION, INVALID + of_new_table)
    told = refusal(dynamodb.update_table, TableName=simple, **member)
    assert told == (VALIDATION, INVALID + of_update)


@pytest.mark.parametrize("specification", [{}, {"StreamViewType": "KEYS_ONLY"}])
def test_enabled_is_required(dynamodb, simple, specification):
    told = violated(absent("streamSpecification.streamEnabled"))
    member = {"StreamSpecification": specification}
    assert refusal(dynamodb.create_table, **table_request(**member)) == told
    assert refusal(dynamodb.update_table, TableName=simple, **member) == told


# The one other change that a stream goes with. Measured by users, 2026.
def test_stream_with_billing_mode(dynamodb, new_table):
    units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    name = new_table(BillingMode="PROVISIONED", ProvisionedThroughput=units)
    request = {"BillingMode": "PAY_PER_REQUEST", **streaming()}
    table = dynamodb.update_table(TableName=name, **request)["TableDescription"]
    assert table["StreamSpecification"]["StreamEnabled"]
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


# Refused together, neither is done.
def test_refused_update_leaves_the_stream_alone(dynamodb, new_table):
    name = new_table(**streaming())
    units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    refusal(dynamodb.update_table, TableName=name, ProvisionedThroughput=units, **OFF)
    assert "StreamSpecification" in dynamodb.describe_table(TableName=name)["Table"]


def test_shards_are_as_many_as_the_server_is_told(start_server):
    endpoint = start_server(stream_shards=5)
    dynamodb, streams = client_of(endpoint), client_of(endpoint, "dynamodbstreams")
    dynamodb.create_table(**table_request(**streaming()))
    arn = arn_of(dynamodb, "never-made")
    whole = shards_of(streams, arn)
    assert len(whole) == 5
    for page in (1, 2, 3, 5):
        assert shards_of(streams, arn, page=page) == whole
    # As the Kinesis adapter asks: there are none after what was never a shard.
    answer = streams.describe_stream(StreamArn=arn, ExclusiveStartShardId="x" * 30)
    assert answer["StreamDescription"]["Shards"] == []


# All streams in pages; a full page tells where to go on, even if that leads to an empty one.
def test_streams_are_listed_in_pages(start_server):
    endpoint = start_server()
    dynamodb, streams = client_of(endpoint), client_of(endpoint, "dynamodbstreams")
    expected = []
    for number in range(6):
        name = f"table-{number}"
        more = streaming() if number % 2 else {}
        dynamodb.create_table(**table_request(TableName=name, **more))
        if more:
            dynamodb.update_table(TableName=name, **OFF)
            first = arn_of(dynamodb, name)
            dynamodb.update_table(TableName=name, **streaming())
            expected += [first, arn_of(dynamodb, name)]
    dynamodb.delete_table(TableName="table-3")
    for page in (1, 2, 4, 100):
        listed, start = [], {}
        while True:
            answer = streams.list_streams(Limit=page, **start)
            listed += answer["Streams"]
            if len(answer["Streams"]) < page:
                assert "LastEvaluatedStreamArn" not in answer
                break
            start = {"ExclusiveStartStreamArn": answer["LastEvaluatedStreamArn"]}
        assert [stream["StreamArn"] for stream in listed] == expected
        assert [stream["TableName"] for stream in listed] == [arn.split("/")[1] for arn in expected]
        assert [stream["StreamLabel"] for stream in listed] == [
            arn.split("/")[3] for arn in expected
        ]
    assert streams.list_streams(TableName="nobody").get("Streams") == []
    answer = streams.list_streams(TableName="table-5", ExclusiveStartStreamArn=expected[-2])
    assert [stream["StreamArn"] for stream in answer["Streams"]] == expected[-1:]
