"""The table of all operations, and DynamoDB and its streams as services.

The server, docs/operations.md and the tests read it.
"""

from typing import Final

from hashrange.api.dynamodb.backups import (
    continuous_backups,
    create_backup,
    existing_backups,
    restores,
)
from hashrange.api.dynamodb.exports import existing_exports, export_table
from hashrange.api.dynamodb.imports import (
    existing_bulk_operations,
    existing_imports,
    import_table,
    start_bulk_put,
)
from hashrange.api.dynamodb.insights import listing as insights_listing
from hashrange.api.dynamodb.insights import settings as insights_settings
from hashrange.api.dynamodb.items import (
    batch_get_item,
    batch_write_item,
    delete_item,
    get_item,
    put_item,
    query,
    scan,
    update_item,
)
from hashrange.api.dynamodb.partiql import (
    batch_execute_statement,
    execute_statement,
    execute_transaction,
)
from hashrange.api.dynamodb.replicas import auto_scaling, legacy_global_tables
from hashrange.api.dynamodb.streams import (
    describe_stream,
    get_records,
    get_shard_iterator,
    list_streams,
)
from hashrange.api.dynamodb.tables import (
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
from hashrange.api.dynamodb.transactions import transact_get_items, transact_write_items
from hashrange.api.dynamodb.unbuilt import describe_kinesis_streaming_destination
from hashrange.api.pipeline.operation import AnyOperation
from hashrange.model.operations import Service as Prefix
from hashrange.wire.answers import JSON_1_0
from hashrange.wire.json_protocol import JsonProtocol
from hashrange.wire.service import Service

_ROWS: Final[tuple[AnyOperation, ...]] = (
    batch_execute_statement.OPERATION,
    batch_get_item.OPERATION,
    batch_write_item.OPERATION,
    existing_bulk_operations.CANCEL_BULK_OPERATION,
    create_backup.OPERATION,
    legacy_global_tables.CREATE_GLOBAL_TABLE,
    create_table.OPERATION,
    existing_backups.DELETE_BACKUP,
    delete_item.OPERATION,
    resource_policies.DELETE_RESOURCE_POLICY,
    delete_table.OPERATION,
    existing_backups.DESCRIBE_BACKUP,
    existing_bulk_operations.DESCRIBE_BULK_OPERATION,
    continuous_backups.DESCRIBE_CONTINUOUS_BACKUPS,
    insights_settings.DESCRIBE_CONTRIBUTOR_INSIGHTS,
    describe_endpoints.OPERATION,
    existing_exports.DESCRIBE_EXPORT,
    legacy_global_tables.DESCRIBE_GLOBAL_TABLE,
    legacy_global_tables.DESCRIBE_GLOBAL_TABLE_SETTINGS,
    existing_imports.DESCRIBE_IMPORT,
    describe_kinesis_streaming_destination.OPERATION,
    describe_limits.OPERATION,
    describe_stream.OPERATION,
    describe_table.OPERATION,
    auto_scaling.DESCRIBE,
    time_to_live.DESCRIBE_TIME_TO_LIVE,
    execute_statement.OPERATION,
    execute_transaction.OPERATION,
    export_table.OPERATION,
    get_item.OPERATION,
    get_records.OPERATION,
    resource_policies.GET_RESOURCE_POLICY,
    get_shard_iterator.OPERATION,
    import_table.OPERATION,
    existing_backups.LIST_BACKUPS,
    existing_bulk_operations.LIST_BULK_OPERATIONS,
    insights_listing.LIST_CONTRIBUTOR_INSIGHTS,
    existing_exports.LIST_EXPORTS,
    legacy_global_tables.LIST_GLOBAL_TABLES,
    existing_imports.LIST_IMPORTS,
    list_streams.OPERATION,
    list_tables.OPERATION,
    tags.LIST_TAGS_OF_RESOURCE,
    put_item.OPERATION,
    resource_policies.PUT_RESOURCE_POLICY,
    query.OPERATION,
    restores.RESTORE_FROM_BACKUP,
    restores.RESTORE_TO_POINT_IN_TIME,
    scan.OPERATION,
    start_bulk_put.OPERATION,
    tags.TAG_RESOURCE,
    transact_get_items.OPERATION,
    transact_write_items.OPERATION,
    tags.UNTAG_RESOURCE,
    continuous_backups.UPDATE_CONTINUOUS_BACKUPS,
    insights_settings.UPDATE_CONTRIBUTOR_INSIGHTS,
    legacy_global_tables.UPDATE_GLOBAL_TABLE,
    legacy_global_tables.UPDATE_GLOBAL_TABLE_SETTINGS,
    update_item.OPERATION,
    update_table.OPERATION,
    auto_scaling.UPDATE,
    time_to_live.UPDATE_TIME_TO_LIVE,
)

OPERATIONS: Final[dict[str, AnyOperation]] = {row.facts.name: row for row in _ROWS}


def _service(own: Prefix) -> Service:
    rows = {name: each for name, each in OPERATIONS.items() if each.facts.service is own}
    return Service(
        name="dynamodb",
        version="2012-08-10",
        protocols=(JsonProtocol(target=own.value.encode(), content_type=JSON_1_0),),
        operations=lambda: rows,
    )


DYNAMODB: Final = _service(Prefix.DYNAMODB)
STREAMS: Final = _service(Prefix.STREAMS)
