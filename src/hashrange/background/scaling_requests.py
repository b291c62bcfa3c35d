"""Requests of UpdateTable that set the units of scalable targets."""

from collections.abc import Sequence

from hashrange.model.structures.dynamodb import (
    GlobalSecondaryIndexUpdate,
    ProvisionedThroughput,
    ProvisionedThroughputOverride,
    ReplicaGlobalSecondaryIndex,
    ReplicationGroupUpdate,
    UpdateGlobalSecondaryIndexAction,
    UpdateReplicationGroupMemberAction,
    UpdateTable,
)
from hashrange.model.table import Table
from hashrange.regions.replication.groups import replicas_of
from hashrange.tables.jobs.scaling_rows import StoredTarget


def request_of(target: StoredTarget, table: Table, units: int) -> UpdateTable:
    """The request that sets the units of a target. Read units are those of one replica only."""
    name, *index = target.names
    throughput = table.throughput
    if index:
        found = table.index(index[0])
        assert found is not None, "the evaluation has found it"
        throughput = found.throughput
    if not target.is_write and replicas_of(table):
        return _of_replica(table, index, units)
    changed = ProvisionedThroughput(
        read_capacity_units=throughput.read_units if target.is_write else units,
        write_capacity_units=units if target.is_write else throughput.write_units,
    )
    if not index:
        return UpdateTable(table_name=name, provisioned_throughput=changed)
    action = UpdateGlobalSecondaryIndexAction(index_name=index[0], provisioned_throughput=changed)
    updates = [GlobalSecondaryIndexUpdate(update=action)]
    return UpdateTable(table_name=name, global_secondary_index_updates=updates)


def _of_replica(table: Table, index: Sequence[str], units: int) -> UpdateTable:
    """The request that sets the read units of a replica, or of an index of it."""
    own = ProvisionedThroughputOverride(read_capacity_units=units)
    action = UpdateReplicationGroupMemberAction(
        region_name=table.region, provisioned_throughput_override=own
    )
    if index:
        of_index = ReplicaGlobalSecondaryIndex(
            index_name=index[0], provisioned_throughput_override=own
        )
        action = UpdateReplicationGroupMemberAction(
            region_name=table.region, global_secondary_indexes=[of_index]
        )
    updates = [ReplicationGroupUpdate(update=action)]
    return UpdateTable(table_name=table.name, replica_updates=updates)
