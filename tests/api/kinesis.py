"""Requests to Kinesis Data Streams, in short."""

import uuid

import pytest
from botocore.exceptions import ClientError

ACCOUNT = "000000000000"
HASHES = 2**128


def arn_of(name, region="us-east-1", account=ACCOUNT):
    return f"arn:aws:kinesis:{region}:{account}:stream/{name}"


def created(client, shards=1, **more):
    """The name of a new stream."""
    name = f"s-{uuid.uuid4()}"
    client.create_stream(StreamName=name, ShardCount=shards, **more)
    return name


def shards_of(client, name, **more):
    return client.list_shards(StreamName=name, **more)["Shards"]


def ids_of(client, name, **more):
    """The numbers of the shards."""
    return [int(each["ShardId"][-12:]) for each in shards_of(client, name, **more)]


def shard_id(number):
    return f"shardId-{number:012}"


def iterator_of(client, name, shard=0, kind="TRIM_HORIZON", **more):
    answer = client.get_shard_iterator(
        StreamName=name, ShardId=shard_id(shard), ShardIteratorType=kind, **more
    )
    return answer["ShardIterator"]


def records_of(client, name, shard=0, kind="TRIM_HORIZON", **more):
    """All records from an iterator to the tip of the shard, or to its end."""
    iterator, found = iterator_of(client, name, shard, kind, **more), []
    while iterator is not None:
        page = client.get_records(ShardIterator=iterator)
        found += page["Records"]
        iterator = page.get("NextShardIterator") if page["MillisBehindLatest"] else None
    return found


def data_of(client, name, shard=0, **more):
    return [each["Data"] for each in records_of(client, name, shard, **more)]


def put(client, name, data, key="k", **more):
    """The shard and the sequence number of a new record."""
    answer = client.put_record(StreamName=name, Data=data, PartitionKey=key, **more)
    return int(answer["ShardId"][-12:]), answer["SequenceNumber"]


def refused(call, **parameters):
    """The name and the text of a refusal."""
    with pytest.raises(ClientError) as caught:
        call(**parameters)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]
