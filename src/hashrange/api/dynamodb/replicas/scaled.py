"""Auto scaling of the write units of provisioned global tables, which all replicas have in common.

Source: users' measurements of the service, October 2026: the table and each global index need a
target with a policy before a replica is added; the replica gets targets of its own; an index that
is created later gets a target by itself.
"""

from typing import Final

from hashrange.api.pipeline.operation import RequestContext
from hashrange.api.scaling.targets import role_of
from hashrange.errors import invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.replication import SettingValue
from hashrange.model.table import Table
from hashrange.regions.replication.shared_targets import register_of, register_value
from hashrange.tables.jobs.scaling_rows import (
    INDEX_WRITE,
    TABLE_WRITE,
    StoredPolicy,
    StoredTarget,
    TargetAddress,
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
        role=role_of(table.account),
        policies=(policy,),
    )
    return {register_of(resource, INDEX_WRITE, table.region): register_value(target)}
