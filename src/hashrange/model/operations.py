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
        is_read=True,
        action=iam.reading(iam.ITEM | iam.SELECT | iam.CAPACITY | iam.ENCLOSING),
        items=Items.ONE,
        dax_metric="GetItemRequestCount",
    ),
    _data(
        "Query",
        is_read=True,
        action=iam.reading(iam.ITEM | iam.SELECT | iam.VALUES | iam.CAPACITY),
        items=Items.PAGE,
        dax_metric="QueryRequestCount",
    ),
    _data(
        "Scan",
        is_read=True,
        action=iam.reading(iam.ATTRIBUTES | iam.SELECT | iam.VALUES | iam.CAPACITY),
        items=Items.PAGE,
        recorded={"consistentRead": False},
        dax_metric="ScanRequestCount",
    ),
    _data(
        "PutItem",
        action=iam.writing(iam.ITEM | iam.VALUES | iam.CAPACITY | iam.ENCLOSING),
        items=Items.ONE,
        dax_metric="PutItemRequestCount",
    ),
    _data(
        "UpdateItem",
        action=iam.writing(iam.ITEM | iam.VALUES | iam.CAPACITY | iam.ENCLOSING),
        items=Items.ONE,
        dax_metric="UpdateItemRequestCount",
    ),
    _data(
        "DeleteItem",
        action=iam.writing(iam.ITEM | iam.VALUES | iam.CAPACITY | iam.ENCLOSING),
        items=Items.ONE,
        dax_metric="DeleteItemRequestCount",
    ),
    _data(
        "BatchGetItem",
        is_read=True,
        action=iam.reading(iam.ITEM | iam.SELECT | iam.CAPACITY),
        items=Items.BATCH,
        items_max=BATCH_GET_KEYS_MAX,
        dax_metric="BatchGetItemRequestCount",
    ),
    _data(
        "BatchWriteItem",
        action=iam.writing(iam.ITEM | iam.CAPACITY, shows=False),
        items=Items.BATCH,
        items_max=BATCH_WRITE_ITEMS_MAX,
        dax_metric="BatchWriteItemRequestCount",
    ),
    _data(
        "TransactGetItems",
        is_read=True,
        action=None,
        items=Items.TRANSACTION,
        items_max=TRANSACTION_ACTIONS_MAX,
        dax_metric="TransactGetItemsCount",
    ),
    _data(
        "TransactWriteItems",
        action=None,
        items=Items.TRANSACTION,
        items_max=TRANSACTION_ACTIONS_MAX,
        dax_metric="TransactWriteItemsCount",
    ),
    _data("ExecuteStatement", action=None, items=Items.ONE, statements="Statement"),
    _data(
        "BatchExecuteStatement",
        action=None,
        items=Items.BATCH,
        items_max=BATCH_STATEMENTS_MAX,
        statements="Statements",
        recorded={"returnConsumedCapacity": "NONE"},
    ),
    _data(
        "ExecuteTransaction",
        action=None,
        items=Items.TRANSACTION,
        items_max=TRANSACTION_STATEMENTS_MAX,
        statements="TransactStatements",
    ),
    _read("SearchVectors", action=iam.reading(cross_account=False)),
    # Streams
    _read("DescribeStream", service=Service.STREAMS, action=SHARED),
    _read("GetRecords", service=Service.STREAMS, action=iam.reading(), is_data_event=True),
    _read("GetShardIterator", service=Service.STREAMS, action=SHARED, is_data_event=True),
    _read("ListStreams", service=Service.STREAMS, action=UNBOUND),
    # Tables
    _change("CreateTable", action=Action(keys=iam.TAGS)),
    _change("DeleteTable", action=SHARED),
    _read("DescribeTable", action=SHARED),
    _read("ListTables"),
    _change("UpdateTable", action=SHARED),
    _read("DescribeTimeToLive", action=WITHIN_ACCOUNT),
    _change("UpdateTimeToLive", action=WITHIN_ACCOUNT),
    _read("ListTagsOfResource", action=SHARED),
    _change("TagResource", action=iam.tags(iam.TAGS)),
    _change("UntagResource", action=iam.tags(iam.TAG_KEYS)),
    _change("DeleteResourcePolicy", action=WITHIN_ACCOUNT),
    _read("GetResourcePolicy", action=WITHIN_ACCOUNT),
    _change("PutResourcePolicy", action=WITHIN_ACCOUNT),
    _read("DescribeContributorInsights", action=WITHIN_ACCOUNT),
    _read("ListContributorInsights", action=UNBOUND),
    _change("UpdateContributorInsights", action=WITHIN_ACCOUNT),
    _read("DescribeKinesisStreamingDestination", action=WITHIN_ACCOUNT),
    _change("DisableKinesisStreamingDestination", action=WITHIN_ACCOUNT),
    _change("EnableKinesisStreamingDestination", action=WITHIN_ACCOUNT),
    _change("UpdateKinesisStreamingDestination", action=WITHIN_ACCOUNT),
    _read("DescribeEndpoints"),
    _read("DescribeLimits"),
    # Replicas
    _change("CreateGlobalTable", lookup_members=_NAMELESS),
    _read("DescribeGlobalTable", lookup_members=_NAMELESS),
    _read("DescribeGlobalTableSettings"),
    _read("ListGlobalTables", lookup_members=_NAMELESS),
    _change("UpdateGlobalTable", lookup_members=_NAMELESS),
    _change("UpdateGlobalTableSettings"),
    _read("DescribeTableReplicaAutoScaling", action=WITHIN_ACCOUNT),
    _change("UpdateTableReplicaAutoScaling", action=WITHIN_ACCOUNT),
    # Backups
    OperationFacts("CreateBackup", action=WITHIN_ACCOUNT, lookup_members=_NAMELESS),
    OperationFacts("DeleteBackup", lookup_members=_NAMELESS),
    _read("DescribeBackup", lookup_members=_NAMELESS),
    _read("ListBackups", action=UNBOUND, lookup_members=_NAMELESS),
    _read("DescribeContinuousBackups", action=WITHIN_ACCOUNT, lookup_members=_NAMELESS),
    OperationFacts("UpdateContinuousBackups", action=WITHIN_ACCOUNT, lookup_members=("tableName",)),
    OperationFacts("RestoreTableFromBackup", lookup_members=("backupArn", "targetTableName")),
    OperationFacts("RestoreTableToPointInTime", action=WITHIN_ACCOUNT, lookup_members=_NAMELESS),
    # Exports, imports and bulk operations
    _read("DescribeExport"),
    _change("ExportTableToPointInTime", action=iam.reading(cross_account=False)),
    _read("ListExports"),
    _read("DescribeImport"),
    _change("ImportTable", action=Action(writes_items=True)),
    _read("ListImports"),
    _change("CancelBulkOperation"),
    _read("DescribeBulkOperation"),
    _read("ListBulkOperations"),
    _change("StartBulkPutItems", action=Action(writes_items=True)),
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
