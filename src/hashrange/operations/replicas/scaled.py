"""Auto scaling of the write units of provisioned global tables, which all replicas have in common.

Source: users' measurements of the service, October 2026: the table and each global index need a
target with a policy before a replica is added; the replica gets targets of its own; an index that
is created later gets a target by itself.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from hashrange.errors import invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.table import Table
from hashrange.operations.pipeline.operation import RequestContext
from hashrange.replication.groups import replicas_of
from hashrange.scaling.places import places_of_peers
from hashrange.scaling.rows import (
    INDEX_WRITE,
    TABLE_WRITE,
    Place,
    StoredPolicy,
    StoredTarget,
    copied,
)
from hashrange.scaling.store import ScalingRows
from hashrange.scaling.targets import role_of
from hashrange.tables.catalog_entries import Beside
from hashrange.tables.scaling_keys import target_key

FIRST_UNITS_MAX: Final = 10
FIRST_PERCENT: Final = 70.0
"""The bounds and the utilization of a target that an index gets by itself; at least one unit."""

_encode: Final = msgspec.json.Encoder().encode
_target: Final = msgspec.json.Decoder(StoredTarget).decode


def own_place(table: Table, resource: str, dimension: str) -> Place:
    """The place of a target in the region of the table."""
    return Place(f"{table.account}:{table.region}", table.region, resource, dimension)


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


async def refuse_unscaled(
    table: Table, context: RequestContext, *, is_remote: bool = False
) -> None:
    """Refuse a table whose write units are not scaled in all regions.

    Targets are not sent to other servers, so tables with replicas there are refused too; such a
    replica is about to be added if `is_remote`.

    Raises DynamoError: ValidationException.
    """
    if is_remote or any(each.is_remote for each in replicas_of(table)):
        raise invalid(messages.provisioned_between_servers())
    rows = ScalingRows(context.store.engine)
    for resource, dimension in writes_of(table):
        target = await rows.target(own_place(table, resource, dimension).text)
        if target is None or not target.policies:
            is_table = dimension == TABLE_WRITE
            raise invalid(messages.write_capacity() if is_table else messages.index_capacity())


def scaled_in(table: Table, region: str) -> Beside:
    """The targets of a new replica: those of the replica that is copied."""
    writes = writes_of(table)
    keys = [target_key(own_place(table, *each).text) for each in writes]

    def puts(values: Sequence[bytes | None], _table: Table) -> Mapping[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        for (resource, dimension), value in zip(writes, values, strict=True):
            if value is not None:
                place = Place(f"{table.account}:{region}", region, resource, dimension)
                found[target_key(place.text)] = _encode(copied(_target(value), place, None))
        return found

    return Beside(keys, puts)


def scaled_index(table: Table, index: str, context: RequestContext) -> Beside:
    """The targets of an index that is created in a provisioned global table."""
    resource = resource_of(table, index)
    own = own_place(table, resource, INDEX_WRITE)
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
    places = [own, *places_of_peers(table, resource, INDEX_WRITE)]
    rows = {target_key(each.text): _encode(copied(target, each, None)) for each in places}
    return Beside((), lambda _values, _table: rows)
