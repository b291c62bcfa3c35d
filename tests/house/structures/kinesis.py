"""Kinesis Data Streams: where its requests and answers, and this server, differ from its model."""

from typing import Final

from tests.house.structures.service import Service

_OPERATIONS: Final = """
    AddTagsToStream CreateStream DecreaseStreamRetentionPeriod DeleteStream
    DeregisterStreamConsumer DescribeStream DescribeStreamConsumer
    DescribeStreamSummary GetRecords GetShardIterator IncreaseStreamRetentionPeriod ListShards
    ListStreamConsumers ListStreams ListTagsForResource ListTagsForStream MergeShards PutRecord
    PutRecords RegisterStreamConsumer RemoveTagsFromStream SplitShard TagResource UntagResource
    UpdateShardCount UpdateStreamMode
    """
_UNBOUND: Final = {"min": None, "max": None}

KINESIS: Final = Service(
    module="kinesis",
    model="kinesis",
    title="Kinesis Data Streams",
    requests=f"DescribeLimits {_OPERATIONS}",
    answers="""
        DescribeLimits DescribeStream DescribeStreamConsumer DescribeStreamSummary GetRecords
        GetShardIterator ListShards ListStreamConsumers ListStreams ListTagsForResource
        ListTagsForStream PutRecord PutRecords RegisterStreamConsumer UpdateShardCount
        """,
    # What there is none of here: channels, queues, enhanced metrics, warm throughput.
    members={
        "DescribeLimitsAnswer": """
            ShardLimit OpenShardCount OnDemandStreamCount OnDemandStreamCountLimit
            """,
        "StreamDescription": """
            StreamName StreamARN StreamStatus StreamModeDetails Shards HasMoreShards
            RetentionPeriodHours StreamCreationTimestamp EnhancedMonitoring EncryptionType
            """,
        "StreamDescriptionSummary": """
            StreamName StreamARN StreamStatus StreamModeDetails RetentionPeriodHours
            StreamCreationTimestamp EnhancedMonitoring EncryptionType OpenShardCount ConsumerCount
            MaxRecordSizeInKiB
            """,
    },
    always={
        "ListShardsAnswer": "Shards",
        "ListStreamConsumersAnswer": "Consumers",
        "ListTagsForResourceAnswer": "Tags",
        "PutRecordsAnswer": "FailedRecordCount",
        "EnhancedMetrics": "ShardLevelMetrics",
    },
    checked_operations=_OPERATIONS,
    own_enums=True,
    # Without automatic distribution of records each needs a key.
    required=("PutRecord.PartitionKey", "PutRecordsRequestEntry.PartitionKey"),
    # Bytes are not echoed: `api.aws_services.kinesis.putting` checks them.
    bounds={"Data": _UNBOUND},
    linear={
        "StreamARN": r"(?>arn:aws.*?:kinesis:)(?>.*:\d{12}:stream/(?=\S))\S+",
        "ResourceARN": (
            r"(?>arn:aws.*?:kinesis:)(?>.*?:\d{12}:)(?>.*(stream|channel|queue)/(?=\S))\S+"
        ),
        "ConsumerARN": (
            r"(?>arn:aws.*?:kinesis:)(?>.*?:\d{12}:)"
            r".*stream\/[a-zA-Z0-9_.-]+\/consumer\/[a-zA-Z0-9_.-]+:[0-9]+"
        ),
    },
    elements=("RemoveTagsFromStream.TagKeys", "UntagResource.TagKeys"),
)
