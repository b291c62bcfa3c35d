"""ReplicaUpdates of UpdateTable: adds a replica to a global table, or removes one."""

from collections.abc import Sequence
from functools import partial
from typing import Final, Literal

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.table import Table
from hashrange.operations.pipeline.accesses import Access, Resource
from hashrange.operations.pipeline.operation import RequestContext
from hashrange.operations.tables.structures import Untyped, api_name
from hashrange.operations.unbuilt.parameters import refuse_unbuilt
from hashrange.replication.groups import (
    beside_names,
    change_group,
    name_in,
    names_of,
    new_replica,
    replica_in,
    replicas_of,
    together,
    told,
    with_replica,
    with_state,
)
from hashrange.replication.positions import inherited
from hashrange.storage.engine import StorageError
from hashrange.tables.catalog import not_found
from hashrange.wire.constraints import each, inside, required

ATTEMPTS: Final = 20
"""Attempts to add a replica to a table that is being changed meanwhile."""

_UNBUILT: Final = {
    "kms_master_key_id": "KMSMasterKeyId",
    "provisioned_throughput_override": "ProvisionedThroughputOverride",
    "on_demand_throughput_override": "OnDemandThroughputOverride",
    "global_secondary_indexes": "GlobalSecondaryIndexes",
    "table_class_override": "TableClassOverride",
}


_ACTIONS: Final = {
    "CREATE": (
        "CreateTable",
        "CreateTableReplica",
        "Query",
        "Scan",
        "UpdateItem",
        "PutItem",
        "GetItem",
        "DeleteItem",
        "BatchWriteItem",
    ),
    "DELETE": ("DeleteTable", "DeleteTableReplica"),
}
"""Actions on the replica in its region. Source: Service Authorization Reference."""


class ReplicaAction(msgspec.Struct, frozen=True, kw_only=True, rename=api_name):
    """A replica to create, to update or to delete."""

    region_name: str | None = None
    kms_master_key_id: str | None = None
    provisioned_throughput_override: Untyped | None = None
    on_demand_throughput_override: Untyped | None = None
    global_secondary_indexes: list[Untyped] | None = None
    table_class_override: str | None = None


class ReplicationGroupUpdate(msgspec.Struct, frozen=True, kw_only=True, rename=api_name):
    """One change of the group of replicas."""

    create: ReplicaAction | None = None
    update: ReplicaAction | None = None
    delete: ReplicaAction | None = None
    disassociate: Untyped | None = None


REPLICA_UPDATES: Final = each(
    "replica_updates",
    *(inside(action, required("region_name")) for action in ("create", "update", "delete")),
)


class ReplicaChange(msgspec.Struct, frozen=True):
    """The change of a request that passed all checks that need no table."""

    kind: Literal["CREATE", "DELETE"]
    region: str


class _ChangedError(Exception):
    """The table has changed since it was read."""


def checked_replicas(updates: Sequence[ReplicationGroupUpdate]) -> ReplicaChange:
    """The change that a request asks for; two that are equal count as one.

    Raises ValidationException.
    """
    found: list[ReplicaChange] = []
    for each_update in updates:
        refuse_unbuilt(each_update, {"disassociate": "Disassociate", "update": "Update"})
        create, delete = each_update.create, each_update.delete
        if create is not None and delete is not None:
            raise invalid(messages.several_kinds())
        action = create or delete
        if action is None:
            raise invalid(messages.no_action())
        refuse_unbuilt(action, _UNBUILT)
        kind: Literal["CREATE", "DELETE"] = "DELETE" if create is None else "CREATE"
        found.append(ReplicaChange(kind, str(action.region_name)))
    if not found:
        raise invalid(messages.no_action())
    if len({change.kind for change in found}) > 1:
        raise invalid(messages.several_kinds())
    if len(set(found)) > 1:
        raise invalid(messages.several_actions())
    return found[0]


def replica_accesses(change: ReplicaChange, name: str) -> list[Access]:
    """The actions on the replica that a request adds or removes."""
    resource = Resource("replica", name, region=change.region)
    return [Access(action, resource) for action in _ACTIONS[change.kind]]


async def change_replicas(change: ReplicaChange, name: str, context: RequestContext) -> Table:
    """Add a replica to the table, or begin to remove one; the table as it is then.

    Raises DynamoError: ValidationException, ResourceInUseException, ResourceNotFoundException.
    """
    regions = context.choices.regions
    if not regions or not context.catalog.prefix:
        raise invalid(messages.regions_needed())
    for _ in range(ATTEMPTS):
        opened = await context.catalog.open(name)
        if opened is None:
            raise not_found(name)
        table = opened.table
        if change.region == table.region:
            raise invalid(messages.local_region())
        if change.region not in regions:
            raise invalid(messages.region_not_supported(change.region, regions))
        try:
            if change.kind == "CREATE":
                return await _add(change.region, table, context)
            return await _remove(change.region, table, context)
        except _ChangedError:
            continue
    raise StorageError("the table changes too often")


async def _add(region: str, table: Table, context: RequestContext) -> Table:
    catalog, now_ms = context.catalog, context.now_ms
    _refuse_during_change(table)
    target = catalog.within(table.account, region)
    if await target.open(table.name) is not None:
        raise invalid(messages.already_tables(table.name))
    if table.billing_mode == "PROVISIONED":
        raise invalid(messages.write_capacity())
    if replica_in(table, region) is not None:  # it was deleted, which the others do not know yet
        raise DynamoError(Fault.RESOURCE_IN_USE, messages.in_use())
    names, shards = names_of(catalog, table), context.choices.stream_shards
    others = [await catalog.whole.open(name) for name in names[1:]]
    peers = [other.table for other in others if other is not None]
    draft = new_replica(table, region, name=names[0], now_ms=now_ms, shards=shards)

    def change(each_table: Table) -> Table:
        if each_table not in (table, *peers):
            raise _ChangedError
        if each_table != table and replica_in(each_table, table.region) is None:
            raise DynamoError(Fault.RESOURCE_IN_USE, messages.in_use())
        return with_replica(each_table, region, source=table.region, now_ms=now_ms, shards=shards)

    try:
        await target.create(
            lambda number: msgspec.structs.replace(draft, number=number, id=context.new_id),
            table.name,
            together(beside_names(names, change), inherited(peers, table.number)),
        )
    except DynamoError as error:
        if error.fault is Fault.RESOURCE_IN_USE:
            raise invalid(messages.already_tables(table.name)) from error
        raise
    await told(catalog, names)
    return await _reopened(table, context)


async def _remove(region: str, table: Table, context: RequestContext) -> Table:
    catalog = context.catalog
    replica = replica_in(table, region)
    if replica is None:
        raise invalid(messages.not_replicas(region))
    _refuse_during_change(table)
    target = await catalog.whole.open(name_in(catalog, table, region))
    if target is not None and target.table.deletion_protection:
        raise invalid(messages.protected(table.name, region))
    change = partial(with_state, region=region, state="DELETING")
    return await change_group(catalog, names_of(catalog, table), change)


def _refuse_during_change(table: Table) -> None:
    if table.restore is not None:
        raise invalid(messages.being_added(table.name, table.region))
    if any(replica.state != "ACTIVE" for replica in replicas_of(table)):
        raise DynamoError(Fault.RESOURCE_IN_USE, messages.in_use())


async def _reopened(table: Table, context: RequestContext) -> Table:
    opened = await context.catalog.open(table.name)
    if opened is None:
        raise not_found(table.name)
    return opened.table
