"""DynamoDB Streams: where its answers and this server differ from its model."""

from typing import Final

from tests.house.structures.service import Service

STREAMS: Final = Service(
    module="streams",
    model="dynamodbstreams",
    title="DynamoDB Streams",
    requests="DescribeStream GetRecords GetShardIterator ListStreams",
    answers="DescribeStream GetRecords GetShardIterator ListStreams",
    # `hashrange.model` has a Shard and a Stream.
    names={"Shard": "ShardDescription", "Stream": "ListedStream"},
    always={
        "DescribeStreamAnswer": "StreamDescription",
        "GetRecordsAnswer": "Records",
        "GetShardIteratorAnswer": "ShardIterator",
        "Identity": "PrincipalId Type",
        "ListStreamsAnswer": "Streams",
        "ListedStream": "StreamArn TableName StreamLabel",
        "Record": "eventID eventName eventVersion eventSource awsRegion dynamodb",
        "SequenceNumberRange": "StartingSequenceNumber",
        "ShardDescription": "ShardId SequenceNumberRange",
        "StreamDescription": """
            StreamArn StreamLabel StreamStatus StreamViewType CreationRequestDateTime TableName
            KeySchema Shards
            """,
        "StreamRecord": "ApproximateCreationDateTime Keys SequenceNumber SizeBytes StreamViewType",
    },
    # The order of captures of the service.
    members={"ShardDescription": "ShardId SequenceNumberRange ParentShardId"},
    types={
        "Record.eventName": 'Literal["INSERT", "MODIFY", "REMOVE"]',
        # Items are answered in the JSON in which they are stored.
        "StreamRecord.NewImage": "msgspec.Raw",
        "StreamRecord.OldImage": "msgspec.Raw",
    },
    imports=("from typing import Literal",),
    checked_operations="DescribeStream GetRecords GetShardIterator ListStreams",
    # The ARN of the stream is checked before them.
    checked={
        "DescribeStream": "Limit ExclusiveStartShardId ShardFilter",
        "GetShardIterator": "ShardId ShardIteratorType SequenceNumber",
    },
)
