"""DynamoDB's IAM actions: those of operations, and others. Pure."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hashrange.model import iam_actions as iam
from hashrange.model.iam_actions import Action
from hashrange.model.operations import OPERATION_FACTS, Service

SERVICE: Final = "dynamodb"
_OTHERS: Final[Mapping[str, Action]] = {
    "ConditionCheckItem": iam.reading(iam.ITEM | iam.VALUES | iam.CAPACITY | iam.ENCLOSING),
    "PartiQLDelete": iam.writing(iam.ITEM | iam.VALUES | iam.ENCLOSING, cross_account=False),
    "PartiQLInsert": iam.writing(iam.ITEM | iam.ENCLOSING, shows=False, cross_account=False),
    "PartiQLSelect": iam.reading(
        iam.ITEM | iam.SELECT | iam.ENCLOSING | {"dynamodb:fulltablescan"}, cross_account=False
    ),
    "PartiQLUpdate": iam.writing(iam.ITEM | iam.VALUES | iam.ENCLOSING, cross_account=False),
    "AssociateTableReplica": iam.SHARED,
    "ReplicateSettings": iam.WITHIN_ACCOUNT,
    "ReadDataForReplication": Action(resource_policies=True, reads_items=True),
    "WriteDataForReplication": Action(resource_policies=True, writes_items=True),
    "CreateGlobalTableWitness": iam.OWN,
    "CreateTableReplica": iam.OWN,
    "DeleteGlobalTableWitness": iam.OWN,
    "DeleteTableReplica": iam.OWN,
    "DisassociateTableReplica": iam.OWN,
    "DescribeReservedCapacity": iam.OWN,
    "DescribeReservedCapacityOfferings": iam.OWN,
    "GetAbacStatus": iam.OWN,
    "InjectError": iam.OWN,
    "PurchaseReservedCapacityOfferings": iam.OWN,
    "RestoreTableFromAwsBackup": iam.OWN,
    "StartAwsBackupJob": iam.OWN,
    "UpdateAbacStatus": iam.OWN,
    "UpdateGlobalTableVersion": iam.OWN,
}
"""Actions that are no operations of the API."""


def _rows() -> Mapping[str, Action]:
    rows = {name: row.action for name, row in OPERATION_FACTS.items() if row.action is not None}
    return {f"{SERVICE}:{name}": row for name, row in sorted({**rows, **_OTHERS}.items())}


ACTIONS: Final[Mapping[str, Action]] = MappingProxyType(_rows())
"""By the full name, such as `dynamodb:GetItem`."""

STREAM_ACTIONS: Final = frozenset(
    f"{SERVICE}:{name}"
    for name, row in OPERATION_FACTS.items()
    if row.service is Service.STREAMS and row.action and row.action.resource_policies
)
"""Actions that a policy of a stream can allow; policies of tables can allow the other actions."""


def action_row(action: str) -> Action:
    """The row of an action; actions of other services know resource policies."""
    return ACTIONS[action] if action.startswith(f"{SERVICE}:") else iam.SHARED
