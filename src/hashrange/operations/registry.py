"""The table of all operations: the server, docs/operations.md and the tests read it."""

from typing import Final

from hashrange.operations.backups import (
    continuous_backups,
    create_backup,
    existing_backups,
    restores,
)
from hashrange.operations.exports import existing_exports, export_table
from hashrange.operations.imports import (
    existing_bulk_operations,
    existing_imports,
    import_table,
    start_bulk_put,
)
from hashrange.operations.insights import listing as insights_listing
from hashrange.operations.insights import settings as insights_settings
from hashrange.operations.items import (
    batch_get_item,
    batch_write_item,
    delete_item,
    get_item,
    put_item,
    query,
    scan,
    update_item,
)
from hashrange.operations.partiql import (
    batch_execute_statement,
    execute_statement,
    execute_transaction,
)
from hashrange.operations.pipeline.operation import AnyOperation
from hashrange.operations.replicas import auto_scaling, legacy_global_tables
from hashrange.operations.streams import (
    describe_stream,
    get_records,
    get_shard_iterator,
    list_streams,
)
from hashrange.operations.tables import (
    create_table,
    delete_table,
    describe_endpoints,
    describe_limits,
    describe_table,
    list_tables,
    resource_policies,
    tags,
    time_to_live,
    update_table,
)
from hashrange.operations.transactions import transact_get_items, transact_write_items
from hashrange.operations.unbuilt import describe_kinesis_streaming_destination

OPERATIONS: Final[dict[str, AnyOperation]] = {
    "BatchExecuteStatement": batch_execute_statement.OPERATION,
    "BatchGetItem": batch_get_item.OPERATION,
    "BatchWriteItem": batch_write_item.OPERATION,
    "CancelBulkOperation": existing_bulk_operations.CANCEL_BULK_OPERATION,
    "CreateBackup": create_backup.OPERATION,
    "CreateGlobalTable": legacy_global_tables.CREATE_GLOBAL_TABLE,
    "CreateTable": create_table.OPERATION,
    "DeleteBackup": existing_backups.DELETE_BACKUP,
    "DeleteItem": delete_item.OPERATION,
    "DeleteResourcePolicy": resource_policies.DELETE_RESOURCE_POLICY,
    "DeleteTable": delete_table.OPERATION,
    "DescribeBackup": existing_backups.DESCRIBE_BACKUP,
    "DescribeBulkOperation": existing_bulk_operations.DESCRIBE_BULK_OPERATION,
    "DescribeContinuousBackups": continuous_backups.DESCRIBE_CONTINUOUS_BACKUPS,
    "DescribeContributorInsights": insights_settings.DESCRIBE_CONTRIBUTOR_INSIGHTS,
    "DescribeEndpoints": describe_endpoints.OPERATION,
    "DescribeExport": existing_exports.DESCRIBE_EXPORT,
    "DescribeGlobalTable": legacy_global_tables.DESCRIBE_GLOBAL_TABLE,
    "DescribeGlobalTableSettings": legacy_global_tables.DESCRIBE_GLOBAL_TABLE_SETTINGS,
    "DescribeImport": existing_imports.DESCRIBE_IMPORT,
    "DescribeKinesisStreamingDestination": describe_kinesis_streaming_destination.OPERATION,
    "DescribeLimits": describe_limits.OPERATION,
    "DescribeStream": describe_stream.OPERATION,
    "DescribeTable": describe_table.OPERATION,
    "DescribeTableReplicaAutoScaling": auto_scaling.DESCRIBE,
    "DescribeTimeToLive": time_to_live.DESCRIBE_TIME_TO_LIVE,
    "ExecuteStatement": execute_statement.OPERATION,
    "ExecuteTransaction": execute_transaction.OPERATION,
    "ExportTableToPointInTime": export_table.OPERATION,
    "GetItem": get_item.OPERATION,
    "GetRecords": get_records.OPERATION,
    "GetResourcePolicy": resource_policies.GET_RESOURCE_POLICY,
    "GetShardIterator": get_shard_iterator.OPERATION,
    "ImportTable": import_table.OPERATION,
    "ListBackups": existing_backups.LIST_BACKUPS,
    "ListContributorInsights": insights_listing.LIST_CONTRIBUTOR_INSIGHTS,
    "ListBulkOperations": existing_bulk_operations.LIST_BULK_OPERATIONS,
    "ListExports": existing_exports.LIST_EXPORTS,
    "ListGlobalTables": legacy_global_tables.LIST_GLOBAL_TABLES,
    "ListImports": existing_imports.LIST_IMPORTS,
    "ListStreams": list_streams.OPERATION,
    "ListTables": list_tables.OPERATION,
    "ListTagsOfResource": tags.LIST_TAGS_OF_RESOURCE,
    "PutItem": put_item.OPERATION,
    "PutResourcePolicy": resource_policies.PUT_RESOURCE_POLICY,
    "Query": query.OPERATION,
    "RestoreTableFromBackup": restores.RESTORE_FROM_BACKUP,
    "RestoreTableToPointInTime": restores.RESTORE_TO_POINT_IN_TIME,
    "Scan": scan.OPERATION,
    "StartBulkPutItems": start_bulk_put.OPERATION,
    "TagResource": tags.TAG_RESOURCE,
    "TransactGetItems": transact_get_items.OPERATION,
    "TransactWriteItems": transact_write_items.OPERATION,
    "UntagResource": tags.UNTAG_RESOURCE,
    "UpdateContinuousBackups": continuous_backups.UPDATE_CONTINUOUS_BACKUPS,
    "UpdateContributorInsights": insights_settings.UPDATE_CONTRIBUTOR_INSIGHTS,
    "UpdateGlobalTable": legacy_global_tables.UPDATE_GLOBAL_TABLE,
    "UpdateGlobalTableSettings": legacy_global_tables.UPDATE_GLOBAL_TABLE_SETTINGS,
    "UpdateItem": update_item.OPERATION,
    "UpdateTable": update_table.OPERATION,
    "UpdateTableReplicaAutoScaling": auto_scaling.UPDATE,
    "UpdateTimeToLive": time_to_live.UPDATE_TIME_TO_LIVE,
}
