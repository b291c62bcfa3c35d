"""The scalable targets of replicas, as DescribeTableReplicaAutoScaling shows them.

Source: API reference; users' measurements of the service, October 2026.

Source: users' measurements of the service, October 2026: the table and each global index need a
target with a policy before a replica is added; the replica gets targets of its own; an index that
is created later gets a target by itself.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from hashrange.api.steps.operation import RequestContext
from hashrange.errors import invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.replication import SettingValue
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
from hashrange.regions.replication.shared_targets import (
    address_in,
    local_regions,
    register_of,
    register_value,
    target_in,
)
from hashrange.tables.catalog.lifecycle import index_status_of, status_of
from hashrange.tables.jobs.scaling_rows import (
    INDEX_READ,
    INDEX_WRITE,
    TABLE_READ,
    TABLE_WRITE,
    StoredPolicy,
    StoredTarget,
    TargetAddress,
    scaling_role,
)
from hashrange.tables.jobs.scaling_store import ScalingRows

FIRST_UNITS_MAX: Final = 10
FIRST_PERCENT: Final = 70.0
"""The bounds and the utilization of a target that an index gets by itself; at least one unit."""


def own_address(table: Table, resource: str, dimension: str) -> TargetAddress:
    """The address of a target in the region of the table."""
    return TargetAddress(f"{table.account}:{table.region}", table.region, resource, dimension)


def resource_of(table: Table, index: str | None = None) -> str:
    """The resource id of a table, or of its index."""
    return f"table/{table.name}" + ("" if index is None else f"/index/{index}")


def writes_of(table: Table) -> list[tuple[str, str]]:
    """Resource and dimension of the write units of a table and of its global indexes."""
    indexes = [each for each in table.indexes if not each.is_local and each.state != "DELETING"]
    return [
        (resource_of(table), TABLE_WRITE),
        *((resource_of(table, index.name), INDEX_WRITE) for index in indexes),
    ]


async def refuse_unscaled(table: Table, context: RequestContext) -> None:
    """Refuse a table whose write units are not scaled. Raises DynamoError: ValidationException."""
    rows = ScalingRows(context.store.engine)
    for resource, dimension in writes_of(table):
        target = await rows.target(own_address(table, resource, dimension).text)
        if target is None or not target.policies:
            is_table = dimension == TABLE_WRITE
            raise invalid(messages.write_capacity() if is_table else messages.index_capacity())


def scaled_index(table: Table, index: str, context: RequestContext) -> dict[str, SettingValue]:
    """The register of the target of an index that is created in a provisioned global table."""
    resource = resource_of(table, index)
    own = own_address(table, resource, INDEX_WRITE)
    policy = StoredPolicy(
        name=f"DynamoDBWriteCapacityUtilization:{resource}",
        id=context.new_id,
        created_ms=context.now_ms,
        percent=FIRST_PERCENT,
    )
    target = StoredTarget(
        scope=own.scope,
        resource=resource,
        dimension=INDEX_WRITE,
        account=table.account,
        region=table.region,
        id=context.new_id.replace("-", ""),
        created_ms=context.now_ms,
        min_units=1,
        max_units=FIRST_UNITS_MAX,
        role=scaling_role(table.account),
        policies=(policy,),
    )
    return {register_of(resource, INDEX_WRITE, table.region): register_value(target)}


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
