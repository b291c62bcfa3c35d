"""DynamoDB: where its answers and this server differ from its model."""

from typing import Final

from tests.house.structures.service import Service

_IMAGE: Final = "msgspec.Raw | dict[str, AttributeValue]"
"""Items are answered in the JSON in which they are stored."""
_IMAGES: Final = "msgspec.Raw | list[dict[str, AttributeValue]]"

_REPLICA: Final = "RegionName KMSMasterKeyId ProvisionedThroughputOverride GlobalSecondaryIndexes"
_IMPORT: Final = "ImportArn ImportStatus TableArn S3BucketSource InputFormat"
_LOCAL_INDEX: Final = "IndexName KeySchema Projection"
_VECTOR_BYTES: Final = "VectorSearchRequestBytes VectorWriteRequestBytes"
_VECTOR_INDEX: Final = "IndexName Projection VectorAttribute Dimensions DistanceFunction"

DYNAMODB: Final = Service(
    module="dynamodb",
    model="dynamodb",
    title="DynamoDB",
    requests="""
        BatchExecuteStatement BatchGetItem BatchWriteItem CancelBulkOperation CreateBackup
        CreateGlobalTable CreateTable DeleteBackup DeleteItem DeleteResourcePolicy
        DeleteTable DescribeBackup DescribeBulkOperation DescribeContinuousBackups
        DescribeContributorInsights DescribeEndpoints DescribeExport DescribeGlobalTable
        DescribeGlobalTableSettings DescribeImport DescribeKinesisStreamingDestination
        DescribeLimits DescribeTable DescribeTableReplicaAutoScaling DescribeTimeToLive
        DisableKinesisStreamingDestination EnableKinesisStreamingDestination
        ExecuteStatement ExecuteTransaction ExportTableToPointInTime GetItem
        GetResourcePolicy ImportTable ListBackups ListBulkOperations ListContributorInsights
        ListExports ListGlobalTables ListImports ListTables ListTagsOfResource PutItem
        PutResourcePolicy Query RestoreTableFromBackup RestoreTableToPointInTime Scan SearchVectors
        StartBulkPutItems TagResource TransactGetItems TransactWriteItems UntagResource
        UpdateContinuousBackups UpdateContributorInsights UpdateGlobalTable
        UpdateGlobalTableSettings UpdateItem UpdateKinesisStreamingDestination UpdateTable
        UpdateTableReplicaAutoScaling UpdateTimeToLive
        """,
    answers="""
        BatchExecuteStatement BatchGetItem BatchWriteItem CancelBulkOperation CreateBackup
        CreateTable DeleteBackup DeleteResourcePolicy DeleteTable DescribeBackup
        DescribeBulkOperation DescribeContinuousBackups DescribeContributorInsights
        DescribeEndpoints DescribeExport DescribeImport DescribeKinesisStreamingDestination
        DescribeLimits DescribeTable DescribeTableReplicaAutoScaling DescribeTimeToLive
        DisableKinesisStreamingDestination EnableKinesisStreamingDestination
        ExecuteStatement ExecuteTransaction ExportTableToPointInTime GetItem GetResourcePolicy
        ImportTable ListBackups ListBulkOperations ListContributorInsights ListExports
        ListGlobalTables ListImports ListTables ListTagsOfResource PutItem PutResourcePolicy Query
        RestoreTableFromBackup RestoreTableToPointInTime Scan SearchVectors StartBulkPutItems
        TransactGetItems TransactWriteItems UpdateContinuousBackups UpdateContributorInsights
        UpdateItem UpdateKinesisStreamingDestination UpdateTable UpdateTableReplicaAutoScaling
        UpdateTimeToLive
        """,
    # Answers of one form have one class, and structures do not have the names of `hashrange.model`.
    names={
        "AutoScalingPolicyDescription": "AutoScalingPolicyUpdate",
        "AutoScalingSettingsDescription": "AutoScalingSettings",
        "BulkOperationBytes": "BulkBytes",
        "ContributorInsightsSummary": "InsightsSummary",
        "DeleteBackupOutput": "BackupDescriptionAnswer",
        "DeleteItemOutput": "WriteAnswer",
        "DeleteResourcePolicyOutput": "RevisionAnswer",
        "DescribeBackupOutput": "BackupDescriptionAnswer",
        "DescribeBulkOperationOutput": "BulkAnswer",
        "DescribeContinuousBackupsOutput": "ContinuousBackupsAnswer",
        "DescribeContributorInsightsOutput": "InsightsAnswer",
        "DescribeExportOutput": "ExportAnswer",
        "DescribeImportOutput": "ImportAnswer",
        "DescribeTableReplicaAutoScalingOutput": "TableAutoScalingAnswer",
        "ExecuteStatementOutput": "StatementAnswer",
        "ExportTableToPointInTimeOutput": "ExportAnswer",
        "GetResourcePolicyOutput": "PolicyAnswer",
        "GlobalSecondaryIndexInfo": "IndexInfo",
        "GlobalSecondaryIndexWarmThroughputDescription": "WarmThroughputDescription",
        "GlobalTableWitnessDescription": "WitnessDescription",
        "ImportTableOutput": "ImportAnswer",
        "KinesisStreamingDestinationInput": "StreamingDestination",
        "KinesisStreamingDestinationOutput": "StreamingDestinationAnswer",
        "LocalSecondaryIndexInfo": "IndexInfo",
        "PutItemOutput": "WriteAnswer",
        "PutResourcePolicyOutput": "RevisionAnswer",
        "QueryOutput": "PageAnswer",
        "ReplicaAutoScalingDescription": "ReplicaAutoScaling",
        "ReplicaGlobalSecondaryIndexAutoScalingDescription": "ReplicaIndexAutoScaling",
        "ReplicaGlobalSecondaryIndexDescription": "ReplicaIndexDescription",
        "RestoreTableFromBackupOutput": "RestoreAnswer",
        "RestoreTableToPointInTimeOutput": "RestoreAnswer",
        "ScanOutput": "PageAnswer",
        "StartBulkPutItemsOutput": "BulkAnswer",
        "TableAutoScalingDescription": "TableAutoScaling",
        "TableWarmThroughputDescription": "WarmThroughputDescription",
        "UpdateContinuousBackupsOutput": "ContinuousBackupsAnswer",
        "UpdateContributorInsightsOutput": "InsightsAnswer",
        "UpdateItemOutput": "WriteAnswer",
        "UpdateTableReplicaAutoScalingOutput": "TableAutoScalingAnswer",
    },
    added={
        # The billing mode again, which SDKs do not know. Source: captures of the service, 2026.
        "ThroughputModeSummary": {
            "type": "structure",
            "members": {
                "TableThroughputMode": {"shape": "String"},
                "LastUpdateToPayPerRequestDateTime": {"shape": "Date"},
            },
        },
    },
    # The orders are those of captures of the service.
    members={
        "BulkOperationUsage": """
            TableName BulkPutBytes Table LocalSecondaryIndexes GlobalSecondaryIndexes VectorIndexes
            """,
        "Capacity": "CapacityUnits ReadCapacityUnits WriteCapacityUnits",
        "ConsumedCapacity": """
            TableName CapacityUnits ReadCapacityUnits WriteCapacityUnits Table
            LocalSecondaryIndexes GlobalSecondaryIndexes VectorIndexes
            """,
        "ImportSummary": f"{_IMPORT} StartTime EndTime",
        "ImportTableDescription": """
            ImportArn ImportStatus TableArn TableId ClientToken S3BucketSource ErrorCount
            InputFormat InputFormatOptions InputCompressionType TableCreationParameters StartTime
            EndTime ProcessedSizeBytes ProcessedItemCount ImportedItemCount FailureCode
            FailureMessage
            """,
        "IndexInfo": """
            IndexName KeySchema Projection ProvisionedThroughput:ProvisionedThroughput
            OnDemandThroughput:OnDemandThroughput
            """,
        "InsightsAnswer": """
            TableName IndexName ContributorInsightsRuleList:ContributorInsightsRuleList
            ContributorInsightsStatus LastUpdateDateTime:LastUpdateDateTime
            ContributorInsightsMode
            """,
        "ListGlobalTablesAnswer": "GlobalTables",
        "PageAnswer": "Count Items ScannedCount LastEvaluatedKey ConsumedCapacity",
        "ReplicaDescription": """
            RegionName ReplicaStatus ReplicaArn KMSMasterKeyId ProvisionedThroughputOverride
            OnDemandThroughputOverride WarmThroughput GlobalSecondaryIndexes
            ReplicaTableClassSummary GlobalTableSettingsReplicationMode
            """,
        "SSEDescription": "Status SSEType KMSMasterKeyArn",
        "SourceTableFeatureDetails": """
            LocalSecondaryIndexes GlobalSecondaryIndexes StreamDescription TimeToLiveDescription
            SSEDescription VectorIndexes
            """,
        "TableDescription": """
            AttributeDefinitions TableName KeySchema TableStatus CreationDateTime
            ProvisionedThroughput TableSizeBytes ItemCount TableArn TableId BillingModeSummary
            TableThroughputModeSummary:ThroughputModeSummary TableClassSummary
            DeletionProtectionEnabled DisassociationProtectionEnabled OnDemandThroughput
            LocalSecondaryIndexes GlobalSecondaryIndexes StreamSpecification
            LatestStreamLabel LatestStreamArn
            SSEDescription RestoreSummary GlobalTableVersion Replicas
            GlobalTableSettingsReplicationMode MultiRegionConsistency GlobalTableWitnesses
            WarmThroughput VectorIndexes
            """,
        "TransactGetItemsAnswer": "Responses ConsumedCapacity",
        # The units again, which SDKs do not know. Source: users of the service, 2026.
        "VectorCapacity": f"{_VECTOR_BYTES} VectorSearchUnits:ConsumedCapacityUnits",
    },
    always={
        "AutoScalingSettings": "ScalingPolicies",
        "BackupDescription": "BackupDetails SourceTableDetails SourceTableFeatureDetails",
        "BackupDescriptionAnswer": "BackupDescription",
        "BackupDetails": "BackupSizeBytes",
        "BackupSummary": """
            TableName TableId TableArn BackupArn BackupName BackupCreationDateTime BackupStatus
            BackupType BackupSizeBytes
            """,
        "BatchExecuteStatementAnswer": "Responses",
        "BatchGetItemAnswer": "Responses UnprocessedKeys",
        "BatchStatementError": "Code",
        "BatchWriteItemAnswer": "UnprocessedItems",
        "BillingModeSummary": "BillingMode",
        "BulkAnswer": "BulkOperationDescription",
        "BulkBytes": "BulkPutBytes",
        "BulkOperationDescription": """
            BulkOperationArn BulkOperationStatus TableDetails InputS3Configuration
            OutputS3Configuration StartTime ProcessedItemCount ProcessedInputBytes
            BulkOperationUsage FailedItemCount
            """,
        "BulkOperationSummary": "BulkOperationArn BulkOperationStatus StartTime",
        "BulkOperationTableDetail": "TableName TableId",
        "BulkOperationUsage": "TableName BulkPutBytes Table",
        "CancelBulkOperationAnswer": "BulkOperationArn BulkOperationStatus",
        "Capacity": "CapacityUnits",
        "ConsumedCapacity": "TableName CapacityUnits",
        "ContinuousBackupsAnswer": "ContinuousBackupsDescription",
        "ContinuousBackupsDescription": "PointInTimeRecoveryDescription",
        "CreateBackupAnswer": "BackupDetails",
        "CreateTableAnswer": "TableDescription",
        "DeleteTableAnswer": "TableDescription",
        "DescribeKinesisStreamingDestinationAnswer": "TableName KinesisDataStreamDestinations",
        "DescribeLimitsAnswer": """
            AccountMaxReadCapacityUnits AccountMaxWriteCapacityUnits TableMaxReadCapacityUnits
            TableMaxWriteCapacityUnits
            """,
        "DescribeTableAnswer": "Table",
        "DescribeTimeToLiveAnswer": "TimeToLiveDescription",
        "ExecuteTransactionAnswer": "Responses",
        "ExportAnswer": "ExportDescription",
        "ExportDescription": """
            ExportArn ExportStatus StartTime TableArn TableId S3Bucket S3SseAlgorithm ExportFormat
            """,
        "ExportSummary": "ExportArn ExportStatus ExportType",
        "GlobalSecondaryIndexDescription": """
            IndexName KeySchema Projection ProvisionedThroughput IndexSizeBytes ItemCount IndexArn
            """,
        "ImportSummary": f"{_IMPORT} StartTime",
        "ImportTableDescription": """
            ImportArn ImportStatus TableArn TableId S3BucketSource ErrorCount InputFormat
            InputCompressionType TableCreationParameters StartTime ProcessedItemCount
            ImportedItemCount
            """,
        "IndexInfo": _LOCAL_INDEX,
        "InsightsAnswer": "TableName ContributorInsightsStatus",
        "InsightsSummary": "TableName ContributorInsightsStatus ContributorInsightsMode",
        "ItemCollectionMetrics": "ItemCollectionKey SizeEstimateRangeGB",
        "ListBackupsAnswer": "BackupSummaries",
        "ListBulkOperationsAnswer": "BulkOperationsSummaryList",
        "ListContributorInsightsAnswer": "ContributorInsightsSummaries",
        "ListExportsAnswer": "ExportSummaries",
        "ListGlobalTablesAnswer": "GlobalTables",
        "ListImportsAnswer": "ImportSummaryList",
        "ListTablesAnswer": "TableNames",
        "ListTagsOfResourceAnswer": "Tags",
        "LocalSecondaryIndexDescription": f"{_LOCAL_INDEX} IndexSizeBytes ItemCount IndexArn",
        "PageAnswer": "Count ScannedCount",
        "PointInTimeRecoveryDescription": "PointInTimeRecoveryStatus",
        "PolicyAnswer": "Policy RevisionId",
        "ProvisionedThroughputDescription": "ReadCapacityUnits WriteCapacityUnits",
        "ReplicaAutoScaling": """
            RegionName ReplicaProvisionedReadCapacityAutoScalingSettings
            ReplicaProvisionedWriteCapacityAutoScalingSettings ReplicaStatus
            """,
        "ReplicaDescription": "RegionName ReplicaStatus",
        "ReplicaIndexAutoScaling": (
            "IndexName IndexStatus ProvisionedReadCapacityAutoScalingSettings "
            "ProvisionedWriteCapacityAutoScalingSettings"
        ),
        "ReplicaIndexDescription": "IndexName",
        "RestoreAnswer": "TableDescription",
        "RestoreSummary": "SourceTableArn",
        "SearchResultItem": "Item Score",
        "SearchVectorsAnswer": "SearchResults",
        "SSEDescription": "Status",
        "SourceTableDetails": "TableArn TableSizeBytes ItemCount BillingMode",
        "StatementAnswer": "Items",
        "TableAutoScaling": "TableName TableStatus Replicas",
        "TableAutoScalingAnswer": "TableAutoScalingDescription",
        "TableClassSummary": "TableClass",
        "TableDescription": (
            "TableName TableStatus ProvisionedThroughput TableSizeBytes ItemCount TableArn TableId"
        ),
        "ThroughputModeSummary": "TableThroughputMode",
        "TimeToLiveDescription": "TimeToLiveStatus",
        "TransactGetItemsAnswer": "Responses",
        "UpdateTableAnswer": "TableDescription",
        "UpdateTimeToLiveAnswer": "TimeToLiveSpecification",
        "StreamingDestinationAnswer": "TableName StreamArn DestinationStatus",
        "UpdateKinesisStreamingDestinationAnswer": """
            TableName StreamArn DestinationStatus UpdateKinesisStreamingConfiguration
            """,
        "KinesisDataStreamDestination": "StreamArn DestinationStatus",
        "VectorIndexDescription": f"{_VECTOR_INDEX} IndexSizeBytes ItemCount IndexArn",
        "VectorIndexInfo": _VECTOR_INDEX,
        "WarmThroughputDescription": "ReadUnitsPerSecond WriteUnitsPerSecond Status",
        "WitnessDescription": "RegionName WitnessStatus",
    },
    types={
        "BatchGetItemAnswer.Responses": f"dict[str, {_IMAGES}]",
        "BatchStatementError.Item": "Any",
        "BatchStatementResponse.Item": "Any",
        "ConsumedCapacity.GlobalSecondaryIndexes": "Mapping[str, Capacity]",
        "ConsumedCapacity.LocalSecondaryIndexes": "Mapping[str, Capacity]",
        "GetItemAnswer.Item": _IMAGE,
        "ItemCollectionMetrics.SizeEstimateRangeGB": "tuple[float, float]",
        "ItemResponse.Item": "Any",
        "PageAnswer.Items": _IMAGES,
        "StatementAnswer.Items": "list[Any] | msgspec.Raw",
        "WriteAnswer.Attributes": _IMAGE,
        # Members are described as they were sent.
        "BulkOperationDescription.InputS3Configuration": "dict[str, Any]",
        "BulkOperationDescription.OutputS3Configuration": "dict[str, Any]",
        "ExportDescription.FilterSpecification": "dict[str, Any]",
        "ImportTableDescription.InputFormatOptions": "dict[str, Any]",
        "ImportTableDescription.TableCreationParameters": "dict[str, Any]",
        # There are none.
        "ListGlobalTablesAnswer.GlobalTables": "tuple[()]",
        # Their violations say that the numbers are of 32, and of 64 bits.
        "AutoScalingSettingsUpdate.MaximumUnits": "Integer",
        "AutoScalingSettingsUpdate.MinimumUnits": "Integer",
        "StartBulkPutItems.MaxWriteRequestUnits": "Long",
        "UpdateGlobalTableSettings.GlobalTableProvisionedWriteCapacityUnits": "Integer",
    },
    unread=(
        "GlobalTableGlobalSecondaryIndexSettingsUpdate",
        "ReplicaSettingsUpdate",
        "UpdateGlobalTableSettings.GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate",
    ),
    # Their digests are kept with tokens.
    nulls=("ExportTableToPointInTime", "FilterSpecification"),
    imports=("from collections.abc import Mapping",),
    checked_operations="""
        CancelBulkOperation CreateBackup CreateTable DeleteBackup DeleteResourcePolicy
        DescribeBackup DescribeBulkOperation DescribeContributorInsights DescribeExport
        DescribeGlobalTable DescribeImport DisableKinesisStreamingDestination
        EnableKinesisStreamingDestination ExecuteStatement ExportTableToPointInTime
        GetResourcePolicy ImportTable ListBackups ListBulkOperations ListContributorInsights
        ListExports ListGlobalTables ListImports ListTables ListTagsOfResource PutResourcePolicy
        RestoreTableFromBackup RestoreTableToPointInTime SearchVectors StartBulkPutItems
        TagResource UntagResource UpdateContinuousBackups UpdateContributorInsights
        UpdateGlobalTable UpdateKinesisStreamingDestination UpdateTable
        UpdateTableReplicaAutoScaling UpdateTimeToLive
        """,
    # Names and ARNs of tables, tags, classes, and modes of settings are checked in other words. The
    # orders are those of captures of the service, as far as it is known.
    checked={
        "AttributeDefinition": "AttributeType AttributeName",
        "CreateBackup": "BackupName",
        "CreateReplicationGroupMemberAction": _REPLICA,
        "CreateTable": """
            AttributeDefinitions TableName KeySchema GlobalSecondaryIndexes LocalSecondaryIndexes
            BillingMode ProvisionedThroughput StreamSpecification SSESpecification VectorIndexes
            """,
        "DescribeContributorInsights": "IndexName",
        "DisableKinesisStreamingDestination": "StreamArn EnableKinesisStreamingConfiguration",
        "EnableKinesisStreamingDestination": "StreamArn EnableKinesisStreamingConfiguration",
        "FilterSpecification": "",
        "ListBackups": "Limit ExclusiveStartBackupArn BackupType",
        "ListContributorInsights": "MaxResults",
        "ProvisionedThroughput": "WriteCapacityUnits ReadCapacityUnits",
        "RestoreTableFromBackup": """
            TargetTableName BillingModeOverride GlobalSecondaryIndexOverride
            LocalSecondaryIndexOverride ProvisionedThroughputOverride SSESpecificationOverride
            VectorIndexOverride BackupArn
            """,
        "RestoreTableToPointInTime": """
            TargetTableName BillingModeOverride GlobalSecondaryIndexOverride
            LocalSecondaryIndexOverride ProvisionedThroughputOverride SSESpecificationOverride
            VectorIndexOverride SourceTableArn
            """,
        "TableCreationParameters": """
            TableName AttributeDefinitions KeySchema GlobalSecondaryIndexes BillingMode
            ProvisionedThroughput SSESpecification VectorIndexes
            """,
        "SearchVectors": "IndexName SearchVector TopK ReturnConsumedCapacity",
        "Tag": "",
        "TimeToLiveSpecification": "AttributeName Enabled",
        "UpdateContinuousBackups": "PointInTimeRecoverySpecification",
        "UpdateContributorInsights": "IndexName ContributorInsightsAction ContributorInsightsMode",
        "UpdateKinesisStreamingDestination": "StreamArn UpdateKinesisStreamingConfiguration",
        "UpdateReplicationGroupMemberAction": _REPLICA,
        "UpdateTable": """
            AttributeDefinitions GlobalSecondaryIndexUpdates ReplicaUpdates BillingMode
            ProvisionedThroughput StreamSpecification SSESpecification MultiRegionConsistency
            GlobalTableWitnessUpdates VectorIndexUpdates
            """,
        "UpdateTableReplicaAutoScaling": (
            "GlobalSecondaryIndexUpdates ProvisionedWriteCapacityAutoScalingUpdate ReplicaUpdates"
        ),
        "UpdateTimeToLive": "TimeToLiveSpecification",
    },
    elements=("CsvOptions.HeaderList", "OutputS3Configuration.OutputType"),
    # SDKs make a token for each request.
    required=(
        "CreateTable.AttributeDefinitions",
        "CreateTable.KeySchema",
        "GlobalSecondaryIndexAutoScalingUpdate.IndexName",
        "ImportTable.ClientToken",
        "ReplicaGlobalSecondaryIndexAutoScalingUpdate.IndexName",
    ),
    # Some are narrower in the service than in its model, or wider. Source: captures, and for the
    # prefix ScyllaDB's tests, which run on AWS.
    bounds={
        "AutoScalingPolicyUpdate.PolicyName": {"pattern": None},
        "AutoScalingSettingsUpdate.AutoScalingRoleArn": {"pattern": None},
        "CreateGlobalSecondaryIndexAction.KeySchema": {"max": 8},
        "CreateReplicationGroupMemberAction.KMSMasterKeyId": {"min": 1},
        "CreateTable.KeySchema": {"max": 2},
        "CreateTable.TableName": {"min": 3, "max": 255, "pattern": "[a-zA-Z0-9_.-]+"},
        "DisableKinesisStreamingDestination.StreamArn": {"min": None},
        "ExportTableToPointInTime.S3Prefix": {"min": 1},
        "GlobalSecondaryIndex.KeySchema": {"max": 8},
        "LocalSecondaryIndex.KeySchema": {"max": 2},
        "SSESpecification.KMSMasterKeyId": {"min": 1},
        "TableCreationParameters.KeySchema": {"max": 2},
        "UpdateReplicationGroupMemberAction.KMSMasterKeyId": {"min": 1},
        "UpdateTable.GlobalTableWitnessUpdates": {"min": None},
        "UpdateTable.ReplicaUpdates": {"min": None},
    },
    # Source: measured by users, October 2026.
    pattern_first=(
        "CsvOptions.Delimiter",
        "DescribeGlobalTable.GlobalTableName",
        "ListGlobalTables.ExclusiveStartGlobalTableName",
        "ListTables.ExclusiveStartTableName",
        "UpdateGlobalTable.GlobalTableName",
    ),
    linear={"S3Bucket": r"[a-z0-9A-Z][\.\-\w]*[a-z0-9A-Z]"},
    echoed=("ReturnConsumedCapacity", "ReturnItemCollectionMetrics"),
)
