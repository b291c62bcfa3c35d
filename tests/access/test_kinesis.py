"""Policies on Kinesis streams: the stream and the consumer that a request names decide."""

import json

import pytest

from tests.api.conftest import client_of
from tests.api.kinesis import iterator_of, refused, shard_id
from tests.api.refusals import table_request
from tests.api.test_identities import ACCOUNT, keys_of, made_administrator
from tests.served import served

OPEN = f"arn:aws:kinesis:us-east-1:{ACCOUNT}:stream/open"
RECORD = {"Data": b"x", "PartitionKey": "k"}


@pytest.fixture(scope="module")
def clients(tmp_path_factory):
    """Of the administrator, and of a user who may do everything with one of two streams."""
    place = tmp_path_factory.mktemp("kinesis") / "data"
    administrator = made_administrator(str(place))
    with served(memory=False, data=place, auth="required") as server:
        iam = client_of(server.endpoint, "iam", **administrator)
        iam.create_user(UserName="probe")
        statement = {"Effect": "Allow", "Action": "kinesis:*", "Resource": [OPEN, f"{OPEN}/*"]}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        iam.put_user_policy(UserName="probe", PolicyName="p", PolicyDocument=policy)
        keys = keys_of(iam.create_access_key(UserName="probe")["AccessKey"])
        admin = client_of(server.endpoint, "kinesis", **administrator)
        for name in ("open", "closed"):
            admin.create_stream(StreamName=name, ShardCount=1)
        yield admin, client_of(server.endpoint, "kinesis", **keys)


# By name, by ARN, by an iterator, by the token of a page, by the ARN of a consumer.
def test_only_the_stream_of_the_policy_can_be_used(clients):
    admin, user = clients
    closed = OPEN.replace("open", "closed")
    consumers = {}
    for arn in (OPEN, closed):
        made = admin.register_stream_consumer(StreamARN=arn, ConsumerName="c")
        consumers[arn] = made["Consumer"]["ConsumerARN"]
        split = {"ShardToSplit": shard_id(0), "NewStartingHashKey": "99"}
        admin.split_shard(StreamARN=arn, **split)
    for name, arn, is_allowed in (("open", OPEN, True), ("closed", closed, False)):
        iterator = iterator_of(admin, name)
        token = admin.list_shards(StreamName=name, MaxResults=1)["NextToken"]
        for call, parameters in (
            (user.put_record, {"StreamName": name, **RECORD}),
            (user.put_records, {"StreamARN": arn, "Records": [RECORD]}),
            (user.get_records, {"ShardIterator": iterator}),
            (user.list_shards, {"NextToken": token}),
            (user.describe_stream_consumer, {"ConsumerARN": consumers[arn]}),
            (user.describe_stream_consumer, {"StreamARN": arn, "ConsumerName": "c"}),
            (user.list_tags_for_resource, {"ResourceARN": consumers[arn]}),
        ):
            if is_allowed:
                call(**parameters)
                continue
            code, text = refused(call, **parameters)
            assert code == "AccessDeniedException"
            assert f"on resource: {arn}" in text
    assert refused(user.list_streams)[0] == "AccessDeniedException"


# A destination needs what puts records into its stream, as the caller's own requests do.
def test_destinations_are_enabled_for_those_who_may_use_the_stream(tmp_path):
    administrator = made_administrator(str(tmp_path / "data"))
    table = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/tab"
    on_table = {"Effect": "Allow", "Action": "dynamodb:*", "Resource": table}
    lists = {"Effect": "Allow", "Action": "kinesis:ListStreams", "Resource": "*"}
    writes = ["kinesis:PutRecords", "kinesis:DescribeStream"]
    stream = {"Effect": "Allow", "Action": writes, "Resource": OPEN}
    with served(memory=False, data=tmp_path / "data", auth="required") as server:
        iam = client_of(server.endpoint, "iam", **administrator)
        client_of(server.endpoint, **administrator).create_table(**table_request(TableName="tab"))
        kinesis = client_of(server.endpoint, "kinesis", **administrator)
        kinesis.create_stream(StreamName="open", ShardCount=1)
        for name, statements, missing in (
            ("none", [lists, stream], "dynamodb:EnableKinesisStreamingDestination"),
            ("table", [on_table, lists], "kinesis:PutRecords"),
            ("lists", [on_table, stream], "kinesis:ListStreams"),
            ("all", [on_table, lists, stream], None),
        ):
            iam.create_user(UserName=name)
            policy = json.dumps({"Version": "2012-10-17", "Statement": statements})
            iam.put_user_policy(UserName=name, PolicyName="p", PolicyDocument=policy)
            keys = keys_of(iam.create_access_key(UserName=name)["AccessKey"])
            call = client_of(server.endpoint, **keys).enable_kinesis_streaming_destination
            if missing is None:
                assert call(TableName=table, StreamArn=OPEN)["DestinationStatus"] == "ENABLING"
                continue
            code, text = refused(call, TableName=table, StreamArn=OPEN)
            assert code == "AccessDeniedException"
            assert f"is not authorized to perform: {missing} on resource: " in text
