"""DynamoDB's IAM actions: their resources, their condition keys, and where policies reach. Pure.

Source: Service Authorization Reference, "Actions, resources, and condition keys for Amazon
DynamoDB" (2026); Developer Guide, "API operations supported by resource-based policies" and
"Cross-account access with resource-based policies".
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec

SERVICE: Final = "dynamodb"
_KEY_VALUES: Final = frozenset(
    {
        "dynamodb:leadingkeys",
        "dynamodb:firstpartitionkeyvalues",
        "dynamodb:secondpartitionkeyvalues",
        "dynamodb:thirdpartitionkeyvalues",
        "dynamodb:fourthpartitionkeyvalues",
    }
)
_ATTRIBUTES: Final = frozenset({"dynamodb:attributes"})
_SELECT: Final = frozenset({"dynamodb:select"})
_VALUES: Final = frozenset({"dynamodb:returnvalues"})
_CAPACITY: Final = frozenset({"dynamodb:returnconsumedcapacity"})
_ENCLOSING: Final = frozenset({"dynamodb:enclosingoperation"})
_TAGS: Final = frozenset({"aws:requesttag", "aws:tagkeys"})
_NONE: Final[frozenset[str]] = frozenset()
_ITEM: Final = _KEY_VALUES | _ATTRIBUTES


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an IAM action.

    Attributes:
        keys: condition keys that only some actions have, in lower case; `aws:requesttag` stands for
            all keys that begin so.
        resource_policies: policies of tables or streams are asked.
        cross_account: they can allow it to other accounts.
        reads_items: it shows items or their changes, in its answer or elsewhere.
        writes_items: it changes items.
    """

    keys: frozenset[str] = _NONE
    resource_policies: bool = False
    cross_account: bool = False
    reads_items: bool = False
    writes_items: bool = False


def _read(keys: frozenset[str], *, cross_account: bool = True) -> Action:
    return Action(keys=keys, resource_policies=True, cross_account=cross_account, reads_items=True)


def _write(keys: frozenset[str], *, shows: bool = True, cross_account: bool = True) -> Action:
    return Action(
        keys=keys,
        resource_policies=True,
        cross_account=cross_account,
        reads_items=shows,
        writes_items=True,
    )


_ITEM_ACTIONS: Final = {
    "BatchGetItem": _read(_ITEM | _SELECT | _CAPACITY),
    "BatchWriteItem": _write(_ITEM | _CAPACITY, shows=False),
    "ConditionCheckItem": _read(_ITEM | _VALUES | _CAPACITY | _ENCLOSING),
    "DeleteItem": _write(_ITEM | _VALUES | _CAPACITY | _ENCLOSING),
    "GetItem": _read(_ITEM | _SELECT | _CAPACITY | _ENCLOSING),
    "PutItem": _write(_ITEM | _VALUES | _CAPACITY | _ENCLOSING),
    "Query": _read(_ITEM | _SELECT | _VALUES | _CAPACITY),
    "Scan": _read(_ATTRIBUTES | _SELECT | _VALUES | _CAPACITY),
    "SearchVectors": _read(_NONE, cross_account=False),
    "UpdateItem": _write(_ITEM | _VALUES | _CAPACITY | _ENCLOSING),
    "PartiQLDelete": _write(_ITEM | _VALUES | _ENCLOSING, cross_account=False),
    "PartiQLInsert": _write(_ITEM | _ENCLOSING, shows=False, cross_account=False),
    "PartiQLSelect": _read(
        _ITEM | _SELECT | _ENCLOSING | {"dynamodb:fulltablescan"}, cross_account=False
    ),
    "PartiQLUpdate": _write(_ITEM | _VALUES | _ENCLOSING, cross_account=False),
}
_STREAM_ACTIONS: Final = {
    "DescribeStream": Action(resource_policies=True, cross_account=True),
    "GetRecords": _read(_NONE),
    "GetShardIterator": Action(resource_policies=True, cross_account=True),
}
_SHARED: Final = (
    "DeleteTable",
    "DescribeTable",
    "ListTagsOfResource",
    "UpdateTable",
)
_WITHIN_ACCOUNT: Final = (
    "CreateBackup",
    "DeleteResourcePolicy",
    "DescribeContinuousBackups",
    "DescribeContributorInsights",
    "DescribeKinesisStreamingDestination",
    "DescribeTableReplicaAutoScaling",
    "DescribeTimeToLive",
    "DisableKinesisStreamingDestination",
    "EnableKinesisStreamingDestination",
    "GetResourcePolicy",
    "PutResourcePolicy",
    "RestoreTableToPointInTime",
    "UpdateContinuousBackups",
    "UpdateContributorInsights",
    "UpdateKinesisStreamingDestination",
    "UpdateTableReplicaAutoScaling",
    "UpdateTimeToLive",
)
_WITHOUT_RESOURCE_POLICIES: Final = (
    "CancelBulkOperation",
    "CreateGlobalTable",
    "CreateGlobalTableWitness",
    "CreateTableReplica",
    "DeleteBackup",
    "DeleteGlobalTableWitness",
    "DeleteTableReplica",
    "DescribeBackup",
    "DescribeBulkOperation",
    "DescribeEndpoints",
    "DescribeExport",
    "DescribeGlobalTable",
    "DescribeGlobalTableSettings",
    "DescribeImport",
    "DescribeLimits",
    "DescribeReservedCapacity",
    "DescribeReservedCapacityOfferings",
    "GetAbacStatus",
    "InjectError",
    "ListBackups",
    "ListBulkOperations",
    "ListContributorInsights",
    "ListExports",
    "ListGlobalTables",
    "ListImports",
    "ListStreams",
    "ListTables",
    "PurchaseReservedCapacityOfferings",
    "RestoreTableFromAwsBackup",
    "RestoreTableFromBackup",
    "StartAwsBackupJob",
    "UpdateAbacStatus",
    "UpdateGlobalTable",
    "UpdateGlobalTableSettings",
    "UpdateGlobalTableVersion",
)


def _rows() -> Mapping[str, Action]:
    rows = _ITEM_ACTIONS | _STREAM_ACTIONS
    rows |= {name: Action(resource_policies=True, cross_account=True) for name in _SHARED}
    rows |= {name: Action(resource_policies=True) for name in _WITHIN_ACCOUNT}
    rows |= {name: Action() for name in _WITHOUT_RESOURCE_POLICIES}
    rows["CreateTable"] = Action(keys=_TAGS)
    rows["ImportTable"] = Action(writes_items=True)
    rows["StartBulkPutItems"] = Action(writes_items=True)
    rows["ExportTableToPointInTime"] = _read(_NONE, cross_account=False)
    rows["AssociateTableReplica"] = Action(resource_policies=True, cross_account=True)
    rows["ReplicateSettings"] = Action(resource_policies=True)
    rows["ReadDataForReplication"] = Action(resource_policies=True, reads_items=True)
    rows["WriteDataForReplication"] = Action(resource_policies=True, writes_items=True)
    rows["TagResource"] = Action(keys=_TAGS, resource_policies=True, cross_account=True)
    tag_keys = frozenset({"aws:tagkeys"})
    rows["UntagResource"] = Action(keys=tag_keys, resource_policies=True, cross_account=True)
    return {f"{SERVICE}:{name}": row for name, row in sorted(rows.items())}


ACTIONS: Final[Mapping[str, Action]] = MappingProxyType(_rows())
"""By the full name, such as `dynamodb:GetItem`."""

STREAM_ACTIONS: Final = frozenset(f"{SERVICE}:{name}" for name in _STREAM_ACTIONS)
"""What a policy of a stream can allow; policies of tables can allow the other actions."""

_OTHER_SERVICE: Final = Action(resource_policies=True, cross_account=True)


def action_row(action: str) -> Action:
    """What is known of an action; those of other services know resource policies."""
    if action.startswith(f"{SERVICE}:"):
        return ACTIONS[action]
    return _OTHER_SERVICE
