"""ReplicaUpdates of a request: their structures, and the checks that need no table."""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.api.dynamodb.definitions.billing import checked_class
from hashrange.api.dynamodb.definitions.on_demand_limits import check_limits
from hashrange.api.dynamodb.definitions.throughput import check_units
from hashrange.api.dynamodb.replicas.adding import refuse_during_bulk, refuse_during_change
from hashrange.api.dynamodb.replicas.keys import refuse_elsewhere
from hashrange.api.dynamodb.replicas.scaling_descriptions import refuse_unscaled
from hashrange.api.steps.accesses import Access, Resource
from hashrange.api.steps.operation import RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import STRONG_MEMBERS, STRONG_REGIONS
from hashrange.messages.tables import replicas as messages
from hashrange.model.replication import NO_OVERRIDES, IndexOverrides, Overrides
from hashrange.model.structures.dynamodb import (
    CreateReplicationGroupMemberAction,
    GlobalTableWitnessGroupUpdate,
    OnDemandThroughput,
    OnDemandThroughputOverride,
    ProvisionedThroughput,
    ProvisionedThroughputOverride,
    ReplicationGroupUpdate,
    UpdateReplicationGroupMemberAction,
)
from hashrange.model.table import Table
from hashrange.regions.peers.messages import Found, TableQuery
from hashrange.regions.replication.denials import denies
from hashrange.regions.replication.groups import name_in, replica_in

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
    "UPDATE": ("UpdateTable",),
    "DELETE": ("DeleteTable", "DeleteTableReplica"),
    "DISASSOCIATE": ("DisassociateTableReplica",),
}
"""Actions on the replica in its region. Source: Service Authorization Reference; UPDATE is ours."""

_WITNESS_ACTIONS: Final = {
    "CREATE": "CreateGlobalTableWitness",
    "DELETE": "DeleteGlobalTableWitness",
}
"""The same for a witness."""
ReplicaChangeKind: TypeAlias = Literal["CREATE", "UPDATE", "DELETE", "DISASSOCIATE"]


ReplicaAction: TypeAlias = CreateReplicationGroupMemberAction | UpdateReplicationGroupMemberAction


class ReplicaChange(msgspec.Struct, frozen=True):
    """The change of a request that passed all checks that need no table.

    Attributes:
        kind: what is done.
        overrides: by region, of which only UPDATE and changes of strong tables may have several.
        consistency: MultiRegionConsistency.
        witness: the region of a witness, for which the same is done.
    """

    kind: ReplicaChangeKind
    overrides: dict[str, Overrides]
    consistency: str | None = None
    witness: str | None = None

    @property
    def region(self) -> str:
        """The first region."""
        return next(iter(self.overrides))

    @property
    def regions(self) -> tuple[str, ...]:
        """All regions, that of the witness last."""
        return (*self.overrides, *(() if self.witness is None else (self.witness,)))


def checked_replicas(updates: Sequence[ReplicationGroupUpdate]) -> ReplicaChange:
    """The change that a request asks for; two that are equal count as one.

    Raises ValidationException.
    """
    kinds: set[ReplicaChangeKind] = set()
    overrides: dict[str, Overrides] = {}
    if len(updates) > 1 and any(each.disassociate is not None for each in updates):
        raise invalid(messages.only_disassociation())
    for each_update in updates:
        create, update, delete = each_update.create, each_update.update, each_update.delete
        disassociate = each_update.disassociate
        kinds |= {"CREATE"} if create else set()
        kinds |= {"UPDATE"} if update else set()
        kinds |= {"DELETE"} if delete else set()
        kinds |= {"DISASSOCIATE"} if disassociate else set()
        action = create or update or delete or disassociate
        if action is None:
            raise invalid(messages.no_action())
        if len(kinds) > 1:
            raise invalid(messages.several_kinds())
        region = str(action.region_name)
        asked = _overrides(action) if isinstance(action, ReplicaAction) else NO_OVERRIDES
        if update is not None and asked == NO_OVERRIDES:
            raise invalid(messages.no_action())
        if overrides.get(region, asked) != asked:
            raise invalid(messages.several_actions())
        overrides[region] = asked
    if not kinds:
        raise invalid(messages.no_action())
    (kind,) = kinds
    return ReplicaChange(kind, overrides)


def replica_accesses(change: ReplicaChange, name: str) -> list[Access]:
    """The actions on the replicas that a request adds, changes or removes."""
    found = [(region, action) for region in change.overrides for action in _ACTIONS[change.kind]]
    if change.witness is not None:
        found.append((change.witness, _WITNESS_ACTIONS[change.kind]))
    return [Access(action, Resource("replica", name, region=region)) for region, action in found]


def _overrides(action: ReplicaAction) -> Overrides:
    """The overrides of an action. Raises ValidationException."""
    checked_class(action.table_class_override)
    names = [str(index.index_name) for index in action.global_secondary_indexes or ()]
    if len(set(names)) < len(names):
        raise invalid(messages.index_twice(next(each for each in names if names.count(each) > 1)))
    indexes = tuple(
        IndexOverrides(
            name=str(index.index_name),
            read_units=_read_units(index.provisioned_throughput_override, index.index_name),
            max_read_units=_maximum(index.on_demand_throughput_override, index.index_name),
        )
        for index in action.global_secondary_indexes or ()
    )
    return Overrides(
        read_units=_read_units(action.provisioned_throughput_override),
        max_read_units=_maximum(action.on_demand_throughput_override),
        table_class=action.table_class_override,
        key=action.kms_master_key_id,
        indexes=tuple(each for each in indexes if each != IndexOverrides(name=each.name)),
    )


def _read_units(sent: ProvisionedThroughputOverride | None, index: str | None = None) -> int | None:
    if sent is None:
        return None
    check_units(ProvisionedThroughput(read_capacity_units=sent.read_capacity_units), index)
    return sent.read_capacity_units


def _maximum(sent: OnDemandThroughputOverride | None, index: str | None = None) -> int | None:
    if sent is None:
        return None
    check_limits(OnDemandThroughput(max_read_request_units=sent.max_read_request_units), index)
    return sent.max_read_request_units


async def check_addable(table: Table, region: str, context: RequestContext) -> None:
    """Refuse a replica that cannot be added now. Raises DynamoError."""
    refuse_during_change(table)
    if denies(table, context.now_ms):
        raise invalid(messages.not_authorized([table.region]))
    is_remote = region in context.choices.peer_regions
    target = context.catalog.within(table.account, region)
    if is_remote:
        found = await found_at_peer(table, region, context)
        exists = found is not None and found.exists
    else:
        exists = await target.open(table.name) is not None
    if exists:
        raise invalid(messages.already_tables(table.name))
    if table.billing_mode == "PROVISIONED":
        await refuse_unscaled(table, context)
    if is_remote and table.encryption is not None:
        await refuse_elsewhere(table, context, [region])
    if replica_in(table, region) is not None:  # it was deleted, which the others do not know yet
        raise DynamoError(Fault.RESOURCE_IN_USE, messages.in_use())
    await refuse_during_bulk(table, context)


async def refuse_protected(table: Table, region: str, context: RequestContext) -> None:
    """Refuse to remove a replica that is protected against deletion. Raises DynamoError."""
    replica = replica_in(table, region)
    if replica is None or replica.state == "CREATION_FAILED":
        return  # a table of the name there is another one
    if replica.is_remote:
        found = await found_at_peer(table, region, context)
        is_protected = found is not None and found.is_protected
    else:
        target = await context.catalog.whole.open(name_in(context.catalog, table, region))
        is_protected = target is not None and target.table.deletion_protection
    if is_protected:
        raise invalid(messages.protected(table.name, region))


async def found_at_peer(table: Table, region: str, context: RequestContext) -> Found | None:
    """The table of the name on the server of another region; None if it does not say."""
    peers = context.choices.peers
    if peers is None:
        return None
    query = TableQuery(account=table.account, name=table.name)
    return await peers.table(query, sender=table.region, receiver=region)


STRONG: Final = "STRONG"


def checked_group(
    updates: Sequence[ReplicationGroupUpdate],
    consistency: str | None,
    witnesses: Sequence[GlobalTableWitnessGroupUpdate] | None,
) -> ReplicaChange:
    """The change of a group that a request asks for. Raises ValidationException."""
    change = checked_replicas(updates)
    kind, region = _witness(witnesses or ())
    change = msgspec.structs.replace(change, consistency=consistency, witness=region)
    if consistency is not None and change.kind != "CREATE":
        raise invalid(messages.only_create())
    if kind == "CREATE" and consistency != STRONG:
        raise invalid(messages.witness_without_strong())
    if kind is not None and kind != change.kind:
        raise invalid(messages.several_kinds())
    if consistency == STRONG:
        _check_strong(change)
    elif change.kind == "CREATE" and len(change.overrides) > 1:
        raise invalid(messages.several_actions())
    return change


def check_supported(regions: Sequence[str], possible: Sequence[str]) -> None:
    """Refuse regions that strong tables cannot have, or that this server does not know.

    Args:
        regions: of the request, each once.
        possible: those of this server, and of others that it knows.

    Raises ValidationException.
    """
    wrong = [each for each in regions if each not in STRONG_REGIONS or each not in possible]
    if wrong:
        raise invalid(messages.regions_not_supported(list(dict.fromkeys(wrong))))


def _check_strong(change: ReplicaChange) -> None:
    """Refuse a group that has not three members, or one of them twice."""
    if len(change.regions) != STRONG_MEMBERS - 1:
        raise invalid(messages.replica_count())
    check_supported(change.regions, STRONG_REGIONS)
    if change.witness in change.overrides:
        raise invalid(messages.region_twice())


def _witness(
    updates: Sequence[GlobalTableWitnessGroupUpdate],
) -> tuple[ReplicaChangeKind | None, str | None]:
    """The action on a witness, and its region."""
    if not updates:
        return None, None
    (update,) = updates
    if update.create is not None and update.delete is not None:
        raise invalid(messages.several_kinds())
    if update.create is not None:
        return "CREATE", update.create.region_name
    if update.delete is not None:
        return "DELETE", update.delete.region_name
    raise invalid(messages.no_witness_action())
