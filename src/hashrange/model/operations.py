"""The operations of DynamoDB's API: what is known of each beside how it is performed.

A row has what more than one layer asks of an operation; its functions are an `Operation` of
`api/dynamodb/`. The rows are all operations of the API's model, also those that this server does
not have.
"""

from collections.abc import Mapping
from enum import Enum, auto
from functools import partial
from types import MappingProxyType
from typing import Final

import msgspec

from hashrange.limits.requests import (
    BATCH_GET_KEYS_MAX,
    BATCH_STATEMENTS_MAX,
    BATCH_WRITE_ITEMS_MAX,
    TRANSACTION_ACTIONS_MAX,
    TRANSACTION_STATEMENTS_MAX,
)
from hashrange.model import iam_actions as iam
from hashrange.model.iam_actions import OWN, SHARED, UNBOUND, WITHIN_ACCOUNT, Action


class Service(Enum):
    """The services that share the endpoint; the value is the prefix of X-Amz-Target."""

    DYNAMODB = "DynamoDB_20120810"
    STREAMS = "DynamoDBStreams_20120810"


class Items(Enum):
    """How a request names items."""

    ONE = auto()
    """By the key of one item."""
    PAGE = auto()
    """By a condition, page by page."""
    BATCH = auto()
    """Several, each by itself."""
    TRANSACTION = auto()
    """Several, all or none."""


class OperationFacts(msgspec.Struct, frozen=True):
    """The facts of an operation.

    Attributes:
        name: as in the API, without the service.
        implementation: its `Operation`: package, module and name in `api/dynamodb/`; None if this
            server does not have the operation.
        service: the service that has it.
        is_read: it changes nothing; statements of PartiQL count as writes, as on AWS.
        action: the IAM action of this name; None if requests need actions of other names.
        items: how it names items; None if it reads and writes none.
        items_max: the most items of a request.
        statements: the member that has its statements of PartiQL; empty without any.
        is_data_event: CloudTrail records it as a data event, and not as a management event.
        recorded: members that its records have although the request has not, with their values.
        is_answer_recorded: the records of a management event have its answer. Those of backups,
            restores and recovery have none. Source: measured by users, September 2026.
        lookup_members: members of the request that LookupEvents shows as the names of resources,
            also of what is refused; None if it shows the resources of the record. Source: as above.
        dax_metric: the metric of its calls through DAX; None if DAX does not serve it.
    """

    name: str
    implementation: str | None = None
    service: Service = Service.DYNAMODB
    is_read: bool = False
    action: Action | None = OWN
    items: Items | None = None
    items_max: int | None = None
    statements: str = ""
    is_data_event: bool = False
    recorded: Mapping[str, object] = {}
    is_answer_recorded: bool = False
    lookup_members: tuple[str, ...] | None = None
    dax_metric: str | None = None


_data = partial(OperationFacts, is_data_event=True)
_read = partial(OperationFacts, is_read=True)
_change = partial(OperationFacts, is_answer_recorded=True)
_NAMELESS: Final = ()
"""LookupEvents shows no resource."""

_ROWS: Final = (
    _data(
        "GetItem",
        "items.get_item.OPERATION",
        is_read=True,
        action=iam.reading(iam.ITEM | iam.SELECT | iam.CAPACITY | iam.ENCLOSING),
        items=Items.ONE,
        dax_metric="GetItemRequestCount",
    ),
    _data(
        "Query",
        "items.query.OPERATION",
        is_read=True,
        action=iam.reading(iam.ITEM | iam.SELECT | iam.VALUES | iam.CAPACITY),
        items=Items.PAGE,
        dax_metric="QueryRequestCount",
    ),
    _data(
        "Scan",
        "items.scan.OPERATION",
        is_read=True,
        action=iam.reading(iam.ATTRIBUTES | iam.SELECT | iam.VALUES | iam.CAPACITY),
        items=Items.PAGE,
        recorded={"consistentRead": False},
        dax_metric="ScanRequestCount",
    ),
    _data(
        "PutItem",
        "items.put_item.OPERATION",
        action=iam.writing(iam.ITEM | iam.VALUES | iam.CAPACITY | iam.ENCLOSING),
        items=Items.ONE,
        dax_metric="PutItemRequestCount",
    ),
    _data(
        "UpdateItem",
        "items.update_item.OPERATION",
        action=iam.writing(iam.ITEM | iam.VALUES | iam.CAPACITY | iam.ENCLOSING),
        items=Items.ONE,
        dax_metric="UpdateItemRequestCount",
    ),
    _data(
        "DeleteItem",
        "items.delete_item.OPERATION",
        action=iam.writing(iam.ITEM | iam.VALUES | iam.CAPACITY | iam.ENCLOSING),
        items=Items.ONE,
        dax_metric="DeleteItemRequestCount",
    ),
    _data(
        "BatchGetItem",
        "items.batch_get_item.OPERATION",
        is_read=True,
        action=iam.reading(iam.ITEM | iam.SELECT | iam.CAPACITY),
        items=Items.BATCH,
        items_max=BATCH_GET_KEYS_MAX,
        dax_metric="BatchGetItemRequestCount",
    ),
    _data(
        "BatchWriteItem",
        "items.batch_write_item.OPERATION",
        action=iam.writing(iam.ITEM | iam.CAPACITY, shows=False),
        items=Items.BATCH,
        items_max=BATCH_WRITE_ITEMS_MAX,
        dax_metric="BatchWriteItemRequestCount",
    ),
    _data(
        "TransactGetItems",
        "transactions.transact_get_items.OPERATION",
        is_read=True,
        action=None,
        items=Items.TRANSACTION,
        items_max=TRANSACTION_ACTIONS_MAX,
        dax_metric="TransactGetItemsCount",
    ),
    _data(
        "TransactWriteItems",
        "transactions.transact_write_items.OPERATION",
        action=None,
        items=Items.TRANSACTION,
        items_max=TRANSACTION_ACTIONS_MAX,
        dax_metric="TransactWriteItemsCount",
    ),
    _data(
        "ExecuteStatement",
        "partiql.execute_statement.OPERATION",
        action=None,
        items=Items.ONE,
        statements="Statement",
    ),
    _data(
        "BatchExecuteStatement",
        "partiql.batch_execute_statement.OPERATION",
        action=None,
        items=Items.BATCH,
        items_max=BATCH_STATEMENTS_MAX,
        statements="Statements",
        recorded={"returnConsumedCapacity": "NONE"},
    ),
    _data(
        "ExecuteTransaction",
        "partiql.execute_transaction.OPERATION",
        action=None,
        items=Items.TRANSACTION,
        items_max=TRANSACTION_STATEMENTS_MAX,
        statements="TransactStatements",
    ),
    _data(
        "SearchVectors",
        "vectors.search_vectors.OPERATION",
        is_read=True,
        action=iam.reading(cross_account=False),
    ),
    # Streams
    _read(
        "DescribeStream",
        "streams.describe_stream.OPERATION",
        service=Service.STREAMS,
        action=SHARED,
    ),
    _read(
        "GetRecords",
        "streams.get_records.OPERATION",
        service=Service.STREAMS,
        action=iam.reading(),
        is_data_event=True,
    ),
    _read(
        "GetShardIterator",
        "streams.get_shard_iterator.OPERATION",
        service=Service.STREAMS,
        action=SHARED,
        is_data_event=True,
    ),
    _read("ListStreams", "streams.list_streams.OPERATION", service=Service.STREAMS, action=UNBOUND),
    # Tables
    _change("CreateTable", "tables.create_table.OPERATION", action=Action(keys=iam.TAGS)),
    _change("DeleteTable", "tables.delete_table.OPERATION", action=SHARED),
    _read("DescribeTable", "tables.describe_table.OPERATION", action=SHARED),
    _read("ListTables", "tables.list_tables.OPERATION"),
    _change("UpdateTable", "tables.update_table.OPERATION", action=SHARED),
    _read("DescribeTimeToLive", "tables.time_to_live.DESCRIBE_TIME_TO_LIVE", action=WITHIN_ACCOUNT),
    _change("UpdateTimeToLive", "tables.time_to_live.UPDATE_TIME_TO_LIVE", action=WITHIN_ACCOUNT),
    _read("ListTagsOfResource", "tables.tags.LIST_TAGS_OF_RESOURCE", action=SHARED),
    _change("TagResource", "tables.tags.TAG_RESOURCE", action=iam.tags(iam.TAGS)),
    _change("UntagResource", "tables.tags.UNTAG_RESOURCE", action=iam.tags(iam.TAG_KEYS)),
    _change(
        "DeleteResourcePolicy",
        "tables.resource_policies.DELETE_RESOURCE_POLICY",
        action=WITHIN_ACCOUNT,
    ),
    _read(
        "GetResourcePolicy", "tables.resource_policies.GET_RESOURCE_POLICY", action=WITHIN_ACCOUNT
    ),
    _change(
        "PutResourcePolicy", "tables.resource_policies.PUT_RESOURCE_POLICY", action=WITHIN_ACCOUNT
    ),
    _read(
        "DescribeContributorInsights",
        "insights.settings.DESCRIBE_CONTRIBUTOR_INSIGHTS",
        action=WITHIN_ACCOUNT,
    ),
    _read("ListContributorInsights", "insights.listing.LIST_CONTRIBUTOR_INSIGHTS", action=UNBOUND),
    _change(
        "UpdateContributorInsights",
        "insights.settings.UPDATE_CONTRIBUTOR_INSIGHTS",
        action=WITHIN_ACCOUNT,
    ),
    _read(
        "DescribeKinesisStreamingDestination",
        "destinations.describing.OPERATION",
        action=WITHIN_ACCOUNT,
    ),
    _change(
        "DisableKinesisStreamingDestination",
        "destinations.disabling.OPERATION",
        action=WITHIN_ACCOUNT,
    ),
    _change(
        "EnableKinesisStreamingDestination",
        "destinations.enabling.OPERATION",
        action=WITHIN_ACCOUNT,
    ),
    _change(
        "UpdateKinesisStreamingDestination",
        "destinations.updating.OPERATION",
        action=WITHIN_ACCOUNT,
    ),
    _read("DescribeEndpoints", "tables.describe_endpoints.OPERATION"),
    _read("DescribeLimits", "tables.describe_limits.OPERATION"),
    # Replicas
    _change(
        "CreateGlobalTable",
        "replicas.legacy_global_tables.CREATE_GLOBAL_TABLE",
        lookup_members=_NAMELESS,
    ),
    _read(
        "DescribeGlobalTable",
        "replicas.legacy_global_tables.DESCRIBE_GLOBAL_TABLE",
        lookup_members=_NAMELESS,
    ),
    _read(
        "DescribeGlobalTableSettings",
        "replicas.legacy_global_tables.DESCRIBE_GLOBAL_TABLE_SETTINGS",
    ),
    _read(
        "ListGlobalTables",
        "replicas.legacy_global_tables.LIST_GLOBAL_TABLES",
        lookup_members=_NAMELESS,
    ),
    _change(
        "UpdateGlobalTable",
        "replicas.legacy_global_tables.UPDATE_GLOBAL_TABLE",
        lookup_members=_NAMELESS,
    ),
    _change(
        "UpdateGlobalTableSettings", "replicas.legacy_global_tables.UPDATE_GLOBAL_TABLE_SETTINGS"
    ),
    _read(
        "DescribeTableReplicaAutoScaling", "replicas.auto_scaling.DESCRIBE", action=WITHIN_ACCOUNT
    ),
    _change("UpdateTableReplicaAutoScaling", "replicas.auto_scaling.UPDATE", action=WITHIN_ACCOUNT),
    # Backups
    OperationFacts(
        "CreateBackup",
        "backups.create_backup.OPERATION",
        action=WITHIN_ACCOUNT,
        lookup_members=_NAMELESS,
    ),
    OperationFacts(
        "DeleteBackup", "backups.existing_backups.DELETE_BACKUP", lookup_members=_NAMELESS
    ),
    _read("DescribeBackup", "backups.existing_backups.DESCRIBE_BACKUP", lookup_members=_NAMELESS),
    _read(
        "ListBackups",
        "backups.existing_backups.LIST_BACKUPS",
        action=UNBOUND,
        lookup_members=_NAMELESS,
    ),
    _read(
        "DescribeContinuousBackups",
        "backups.continuous_backups.DESCRIBE_CONTINUOUS_BACKUPS",
        action=WITHIN_ACCOUNT,
        lookup_members=_NAMELESS,
    ),
    OperationFacts(
        "UpdateContinuousBackups",
        "backups.continuous_backups.UPDATE_CONTINUOUS_BACKUPS",
        action=WITHIN_ACCOUNT,
        lookup_members=("tableName",),
    ),
    OperationFacts(
        "RestoreTableFromBackup",
        "backups.restores.RESTORE_FROM_BACKUP",
        lookup_members=("backupArn", "targetTableName"),
    ),
    OperationFacts(
        "RestoreTableToPointInTime",
        "backups.restores.RESTORE_TO_POINT_IN_TIME",
        action=WITHIN_ACCOUNT,
        lookup_members=_NAMELESS,
    ),
    # Exports, imports and bulk operations
    _read("DescribeExport", "exports.existing_exports.DESCRIBE_EXPORT"),
    _change(
        "ExportTableToPointInTime",
        "exports.export_table.OPERATION",
        action=iam.reading(cross_account=False),
    ),
    _read("ListExports", "exports.existing_exports.LIST_EXPORTS"),
    _read("DescribeImport", "imports.existing_imports.DESCRIBE_IMPORT"),
    _change("ImportTable", "imports.import_table.OPERATION", action=Action(writes_items=True)),
    _read("ListImports", "imports.existing_imports.LIST_IMPORTS"),
    _change("CancelBulkOperation", "imports.existing_bulk_operations.CANCEL_BULK_OPERATION"),
    _read("DescribeBulkOperation", "imports.existing_bulk_operations.DESCRIBE_BULK_OPERATION"),
    _read("ListBulkOperations", "imports.existing_bulk_operations.LIST_BULK_OPERATIONS"),
    _change(
        "StartBulkPutItems", "imports.start_bulk_put.OPERATION", action=Action(writes_items=True)
    ),
)

OPERATION_FACTS: Final[Mapping[str, OperationFacts]] = MappingProxyType(
    {each.name: each for each in _ROWS}
)
"""By name; names of operations are unique over both services."""

ITEM_OPERATIONS: Final = tuple(row for row in _ROWS if row.items and not row.statements)
"""The operations on items, without those of PartiQL."""

_READING_BEGINNINGS: Final = ("Describe", "Get", "List", "Lookup", "Simulate")


def is_read_only(operation: str) -> bool:
    """Whether an operation of any API on the port changes nothing, by its name.

    The audit log has the answer in its records, and a console that only reads refuses the others.
    """
    facts = OPERATION_FACTS.get(operation)
    return operation.startswith(_READING_BEGINNINGS) if facts is None else facts.is_read
