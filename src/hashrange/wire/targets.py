"""The header X-Amz-Target, which names an operation of a service.

The names are all operations of the API's model, also those that this server does not have; the
caller refuses those.
"""

from enum import Enum
from typing import Final

import msgspec


class Service(Enum):
    """The services that share the endpoint; the value is the prefix of the target."""

    DYNAMODB = "DynamoDB_20120810"
    STREAMS = "DynamoDBStreams_20120810"


class Target(msgspec.Struct, frozen=True):
    """One operation of one service."""

    service: Service
    operation: str


_OPERATIONS: Final = {
    Service.DYNAMODB: """
        BatchExecuteStatement BatchGetItem BatchWriteItem CancelBulkOperation CreateBackup
        CreateGlobalTable CreateTable DeleteBackup DeleteItem DeleteResourcePolicy DeleteTable
        DescribeBackup DescribeBulkOperation DescribeContinuousBackups DescribeContributorInsights
        DescribeEndpoints DescribeExport DescribeGlobalTable DescribeGlobalTableSettings
        DescribeImport DescribeKinesisStreamingDestination DescribeLimits DescribeTable
        DescribeTableReplicaAutoScaling DescribeTimeToLive DisableKinesisStreamingDestination
        EnableKinesisStreamingDestination ExecuteStatement ExecuteTransaction
        ExportTableToPointInTime GetItem GetResourcePolicy ImportTable ListBackups
        ListBulkOperations ListContributorInsights ListExports ListGlobalTables ListImports
        ListTables ListTagsOfResource PutItem PutResourcePolicy Query RestoreTableFromBackup
        RestoreTableToPointInTime Scan SearchVectors StartBulkPutItems TagResource TransactGetItems
        TransactWriteItems UntagResource UpdateContinuousBackups UpdateContributorInsights
        UpdateGlobalTable UpdateGlobalTableSettings UpdateItem UpdateKinesisStreamingDestination
        UpdateTable UpdateTableReplicaAutoScaling UpdateTimeToLive
    """,
    Service.STREAMS: "DescribeStream GetRecords GetShardIterator ListStreams",
}

_TARGETS: Final = {
    f"{service.value}.{operation}".encode(): Target(service, operation)
    for service, operations in _OPERATIONS.items()
    for operation in operations.split()
}


_NAMES: Final = {target.operation: name for name, target in _TARGETS.items()}


def target_of(operation: str) -> bytes:
    """The value of the header for an operation; names of operations are unique over services."""
    return _NAMES[operation]


def operation_of(target: bytes | None) -> Target | None:
    """The operation of a value of the header.

    Args:
        target: the header's value, without white space around it; None if there is no header.

    Returns:
        None for a prefix or a name that the API does not have (UnknownOperationException). Names
        are case-sensitive.
    """
    return None if target is None else _TARGETS.get(target)
