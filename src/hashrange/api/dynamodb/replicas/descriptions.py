"""Replicas in the descriptions of global tables."""

from collections.abc import Sequence
from typing import Final

import msgspec

from hashrange.api.dynamodb.definitions.encryption import key_arn, managed_key_arn
from hashrange.model.replication import IndexOverrides, Replica
from hashrange.model.structures.dynamodb import (
    GlobalSecondaryIndexDescription,
    OnDemandThroughputOverride,
    ProvisionedThroughputOverride,
    ReplicaDescription,
    ReplicaIndexDescription,
    TableClassSummary,
    WarmThroughputDescription,
    WitnessDescription,
)
from hashrange.model.table import Table
from hashrange.regions.replication.groups import is_of_accounts, replicas_of
from hashrange.wire.arns import table_arn

VERSION: Final = "2019.11.21"
SETTINGS: Final = "ENABLED_WITH_OVERRIDES"
"""The mode of replicas in one account."""
NOT_AUTHORIZED: Final = "REPLICATION_NOT_AUTHORIZED"
_TRANSIENT: Final = frozenset({"CREATING", "DELETING"})


def described_replicas(
    table: Table,
    warm: WarmThroughputDescription | None,
    indexes: Sequence[GlobalSecondaryIndexDescription],
    master_key_id: str | None,
) -> list[ReplicaDescription] | None:
    """The other replicas of a global table; None for any other table.

    Args:
        table: the table.
        warm: its warm throughput, which all replicas have in common.
        indexes: its global indexes, as they are described.
        master_key_id: of the data, if they are encrypted.
    """
    found = [
        _shown(
            msgspec.structs.replace(
                _described(table, each, indexes),
                kms_master_key_id=_key_of(table, each, master_key_id),
                warm_throughput=warm,
            )
        )
        for each in replicas_of(table)
    ]
    return found or None


def global_table_version(table: Table) -> str | None:
    """The version of a global table; None for any other table."""
    return VERSION if replicas_of(table) else None


def settings_replication(table: Table) -> str | None:
    """How the replicas share settings; of a table of one region what was set, or None."""
    if replicas_of(table) and not is_of_accounts(table):
        return SETTINGS
    return table.settings_replication


def multi_region_consistency(table: Table) -> str | None:
    """STRONG; None for any other table, also for one whose replicas are equal eventually."""
    return None if table.strong is None else "STRONG"


def described_witnesses(table: Table) -> list[WitnessDescription] | None:
    """The witness of a strong table; None if it has none."""
    strong = table.strong
    if strong is None or strong.witness is None:
        return None
    state = "DELETING" if strong.state == "ENDED" else strong.state
    return [WitnessDescription(region_name=strong.witness, witness_status=state)]


def _described(
    table: Table, replica: Replica, shown: Sequence[GlobalSecondaryIndexDescription]
) -> ReplicaDescription:
    overrides = replica.overrides
    of_indexes = {each.name: each for each in overrides.indexes}
    indexes = [
        _described_index(
            of_indexes.get(index.index_name, IndexOverrides(name=index.index_name)),
            index.warm_throughput,
        )
        for index in shown
    ]
    table_class = overrides.table_class
    return ReplicaDescription(
        region_name=replica.region,
        replica_status=_status(table, replica),
        replica_arn=_arn(table, replica) if replica.account else None,
        global_table_settings_replication_mode=settings_replication(table),
        provisioned_throughput_override=_read_units(overrides.read_units),
        on_demand_throughput_override=_maximum(overrides.max_read_units),
        global_secondary_indexes=indexes or None,
        replica_table_class_summary=(
            None if table_class is None else TableClassSummary(table_class=table_class)
        ),
    )


def _key_of(table: Table, replica: Replica, master_key_id: str | None) -> str | None:
    """The ARN of the key of a replica; None for a key that the service owns, or that is not known.

    Source: measured by users, October 2026.
    """
    account, region, key = replica.account or table.account, replica.region, replica.overrides.key
    if key is not None:
        return key_arn(key, account, region)
    encryption = table.encryption
    if encryption is None or replica.is_remote:  # Which key another server has is not known.
        return None
    if encryption.is_local:
        return None if master_key_id is None else key_arn(master_key_id, account, region)
    is_managed = encryption.key_arn == managed_key_arn(table.account, table.region)
    return managed_key_arn(account, region) if is_managed else None


def _arn(table: Table, replica: Replica) -> str:
    return table_arn(region=replica.region, account=replica.account, table=table.name)


def _status(table: Table, replica: Replica) -> str:
    denied = {} if table.replication is None else table.replication.denied
    if table.strong is not None and table.strong.state == "CREATING" and replica.state == "ACTIVE":
        return "CREATING"  # until all members are there
    is_denied = replica.state == "ACTIVE" and replica.region in denied
    return NOT_AUTHORIZED if is_denied else replica.state


def _shown(replica: ReplicaDescription) -> ReplicaDescription:
    """A replica without what the service does not show before it is there, or while it goes.

    Source: captures of the service, September 2026.
    """
    if replica.replica_status not in _TRANSIENT:
        return replica
    own = [
        msgspec.structs.replace(each, warm_throughput=None)
        for each in replica.global_secondary_indexes or ()
        if each.provisioned_throughput_override or each.on_demand_throughput_override
    ]
    return msgspec.structs.replace(
        replica,
        warm_throughput=None,
        global_secondary_indexes=own or None,
        global_table_settings_replication_mode=None,
    )


def _described_index(
    index: IndexOverrides, warm: WarmThroughputDescription | None
) -> ReplicaIndexDescription:
    return ReplicaIndexDescription(
        index_name=index.name,
        provisioned_throughput_override=_read_units(index.read_units),
        on_demand_throughput_override=_maximum(index.max_read_units),
        warm_throughput=warm,
    )


def _read_units(units: int | None) -> ProvisionedThroughputOverride | None:
    return None if units is None else ProvisionedThroughputOverride(read_capacity_units=units)


def _maximum(units: int | None) -> OnDemandThroughputOverride | None:
    return None if units is None else OnDemandThroughputOverride(max_read_request_units=units)
