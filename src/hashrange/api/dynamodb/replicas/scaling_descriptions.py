"""The scalable targets of replicas, as DescribeTableReplicaAutoScaling shows them.

Source: API reference; users' measurements of the service, October 2026.
"""

from collections.abc import Mapping, Sequence

from hashrange.api.dynamodb.replicas.scaled import resource_of
from hashrange.api.pipeline.operation import RequestContext
from hashrange.model.structures.dynamodb import (
    AutoScalingPolicyUpdate,
    AutoScalingSettings,
    AutoScalingTargetTrackingScalingPolicyConfigurationUpdate,
    ReplicaAutoScaling,
    ReplicaIndexAutoScaling,
    TableAutoScaling,
)
from hashrange.model.table import Index, Table
from hashrange.regions.replication.groups import replicas_of
from hashrange.regions.replication.shared_targets import address_in, local_regions, target_in
from hashrange.tables.catalog.lifecycle import index_status_of, status_of
from hashrange.tables.jobs.scaling_rows import (
    INDEX_READ,
    INDEX_WRITE,
    TABLE_READ,
    TABLE_WRITE,
    TargetAddress,
)
from hashrange.tables.jobs.scaling_store import ScalingRows


async def described_scaling(members: Sequence[Table], context: RequestContext) -> TableAutoScaling:
    """The auto scaling of replicas; the first is that of the request."""
    rows, table = ScalingRows(context.store.engine), members[0]
    states: Mapping[str, str] = {each.region: each.state for each in replicas_of(table)}
    replicas = []
    for member in sorted(members, key=lambda each: each.region):
        indexes = [
            ReplicaIndexAutoScaling(
                index_name=index.name,
                index_status=_index_status(index, context),
                provisioned_read_capacity_auto_scaling_settings=await _target(
                    rows,
                    table,
                    address_in(table, member.region, resource_of(table, index.name), INDEX_READ),
                ),
                provisioned_write_capacity_auto_scaling_settings=await _target(
                    rows,
                    table,
                    address_in(table, member.region, resource_of(table, index.name), INDEX_WRITE),
                ),
            )
            for index in member.indexes
            if not index.is_local
        ]
        replicas.append(
            ReplicaAutoScaling(
                region_name=member.region,
                global_secondary_indexes=indexes,
                replica_provisioned_read_capacity_auto_scaling_settings=await _target(
                    rows, table, address_in(table, member.region, resource_of(table), TABLE_READ)
                ),
                replica_provisioned_write_capacity_auto_scaling_settings=await _target(
                    rows, table, address_in(table, member.region, resource_of(table), TABLE_WRITE)
                ),
                replica_status=states.get(member.region, "ACTIVE"),
            )
        )
    status = status_of(table, context.now_ms, context.transient_ms)
    return TableAutoScaling(table_name=table.name, table_status=status, replicas=replicas)


def _index_status(index: Index, context: RequestContext) -> str:
    return index_status_of(index, context.now_ms, context.transient_ms)


async def _target(rows: ScalingRows, table: Table, address: TargetAddress) -> AutoScalingSettings:
    if address.region in local_regions(table):
        target = await rows.target(address.text)
    else:
        target = target_in(table, address)
    if target is None or not target.policies:
        # So also for a target without a policy, as the service has it.
        return AutoScalingSettings(auto_scaling_disabled=True, scaling_policies=[])
    return AutoScalingSettings(
        minimum_units=target.min_units,
        maximum_units=target.max_units,
        # The target of an on-demand table stays, and does nothing.
        auto_scaling_disabled=True if table.billing_mode == "PAY_PER_REQUEST" else None,
        auto_scaling_role_arn=target.role,
        scaling_policies=[
            AutoScalingPolicyUpdate(
                policy_name=policy.name,
                target_tracking_scaling_policy_configuration=AutoScalingTargetTrackingScalingPolicyConfigurationUpdate(
                    disable_scale_in=policy.in_disabled,
                    scale_in_cooldown=policy.in_cooldown_seconds,
                    scale_out_cooldown=policy.out_cooldown_seconds,
                    target_value=policy.percent,
                ),
            )
            for policy in target.policies
        ],
    )
