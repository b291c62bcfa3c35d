"""Replicas in the descriptions of global tables."""

from typing import Final

from hashrange.model.replication import Replica
from hashrange.model.table import Table
from hashrange.operations.tables.structures import ReplicaDescription, ReplicaIndexDescription
from hashrange.replication.groups import replicas_of

VERSION: Final = "2019.11.21"
SETTINGS: Final = "ENABLED_WITH_OVERRIDES"
"""The mode of replicas in one account."""


def described_replicas(table: Table) -> list[ReplicaDescription] | None:
    """The other replicas of a global table; None for any other table."""
    return [_described(table, each) for each in replicas_of(table)] or None


def global_table_version(table: Table) -> str | None:
    """The version of a global table; None for any other table."""
    return VERSION if replicas_of(table) else None


def settings_replication(table: Table) -> str | None:
    """How the replicas share settings; None for a table without replicas."""
    return SETTINGS if replicas_of(table) else None


def _described(table: Table, replica: Replica) -> ReplicaDescription:
    indexes = [
        ReplicaIndexDescription(index_name=index.name)
        for index in table.indexes
        if not index.is_local
    ]
    return ReplicaDescription(
        region_name=replica.region,
        replica_status=replica.state,
        global_secondary_indexes=indexes or None,
    )
