"""ReplicaUpdates of UpdateTable: adds a replica to a global table, changes or removes one."""

from collections.abc import Sequence
from functools import partial
from typing import Final

import msgspec

from hashrange.api.dynamodb.replicas.adding import (
    ATTEMPTS,
    NewReplica,
    TableChangedError,
    add_replica,
    refuse_during_change,
)
from hashrange.api.dynamodb.replicas.disassociation import check_disassociation, disassociate
from hashrange.api.dynamodb.replicas.keys import (
    check_keys,
    encryption_values,
    key_of_new_replica,
    key_values,
    with_key,
)
from hashrange.api.dynamodb.replicas.overrides import overridden, possible
from hashrange.api.dynamodb.replicas.requests import (
    STRONG,
    ReplicaChange,
    check_addable,
    refuse_protected,
)
from hashrange.api.dynamodb.replicas.strong import check_members, end_group, found_group
from hashrange.api.steps.operation import RequestContext
from hashrange.errors import invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.table import Table
from hashrange.regions.replication.groups import (
    change_group,
    is_of_accounts,
    names_of,
    replica_in,
    replicas_of,
    sent_replica,
    with_state,
)
from hashrange.regions.replication.shared_settings import settings_changed, settings_of_peer
from hashrange.storage.engine import StorageError
from hashrange.tables.catalog.catalog import not_found
from hashrange.tables.catalog.registers import (
    next_version,
    noted_values,
)


async def change_replicas(change: ReplicaChange, name: str, context: RequestContext) -> Table:
    """Add a replica to the table, or begin to remove or disassociate one; the table as it is then.

    Raises DynamoError: ValidationException, ResourceInUseException, ResourceNotFoundException.
    """
    regions = context.choices.regions
    if (not regions or not context.catalog.prefix) and change.kind in {"CREATE", "DELETE"}:
        raise invalid(messages.regions_needed())
    for _ in range(ATTEMPTS):
        opened = await context.catalog.open(name)
        if opened is None:
            raise not_found(name)
        table = opened.table
        if is_of_accounts(table) and change.kind != "DISASSOCIATE":
            raise invalid(messages.of_accounts())
        _check_regions(change, table, regions)
        _refuse_elsewhere(table, context)
        try:
            if change.consistency == STRONG:
                return await found_group(change, table, context)
            if change.kind == "DELETE" and table.strong is not None:
                return await end_group(change, table, context)
            return await _CHANGES[change.kind](change, table, context)
        except TableChangedError:
            continue
    raise StorageError("the table changes too often")


def _check_regions(change: ReplicaChange, table: Table, regions: Sequence[str]) -> None:
    if change.kind == "DISASSOCIATE":
        check_disassociation(change.region, table)
        return
    if change.kind == "UPDATE":
        members = {table.region, *(each.region for each in replicas_of(table))}
        for region in change.overrides:
            if region not in members:
                raise invalid(messages.not_replicas(region))
        return
    if change.consistency == STRONG:
        check_members(change, table, regions)
        return
    if change.consistency is not None and replicas_of(table):
        raise invalid(messages.existing_global_table())
    if table.region in change.overrides:
        raise invalid(messages.local_region())
    for region in change.overrides:
        if region not in regions:
            raise invalid(messages.region_not_supported(region, regions))
    _check_consistency(change, table)


def _check_consistency(change: ReplicaChange, table: Table) -> None:
    """Refuse what only strong tables allow, and what they do not allow."""
    if table.strong is not None and change.kind == "CREATE":
        raise invalid(messages.no_more_replicas())
    if table.strong is None and change.witness is not None:
        raise invalid(messages.not_witnesses(change.witness))
    if table.strong is None and len(change.overrides) > 1:
        raise invalid(messages.several_actions())


def _refuse_elsewhere(table: Table, context: RequestContext) -> None:
    """Refuse tables in the region of another server, which has the replicas of that region."""
    elsewhere = context.choices.peer_regions
    if table.region in elsewhere:
        own = [each for each in context.choices.regions if each not in elsewhere]
        raise invalid(messages.region_not_supported(table.region, own))


async def _update(change: ReplicaChange, table: Table, context: RequestContext) -> Table:
    """Give replicas settings of their own."""
    refuse_during_change(table)
    if not replicas_of(table):
        raise invalid(messages.not_replicas(change.region))
    check_keys(change.overrides, table, context.choices)
    now_ms, most = context.now_ms, context.choices.table_units
    _check_elsewhere(change, table, now_ms=now_ms, most=most)
    keys = key_values({each: asked.key for each, asked in change.overrides.items()})
    own = table  # the first entry to change: the others have its registers

    def changed(entry: Table) -> Table:
        nonlocal own
        if replicas_of(entry) == ():
            raise TableChangedError
        before = entry
        for region, overrides in change.overrides.items():
            if entry.region == region:
                entry = with_key(entry, overrides.key, context.now_ms, context.choices)
            entry = overridden(entry, region, overrides, now_ms=now_ms, most=most)
        if entry.region != table.region:
            return settings_of_peer(own, entry)
        own = settings_changed(before, entry, context.now_ms)
        own = noted_values(own, keys, next_version(own, context.now_ms))
        return own

    return await change_group(context.catalog, names_of(context.catalog, table), changed)


def _check_elsewhere(change: ReplicaChange, table: Table, *, now_ms: int, most: int) -> None:
    """Refuse settings that replicas on other servers cannot have. Raises DynamoError.

    What only those servers know, such as how often a class was changed, is not checked.
    """
    for region, overrides in change.overrides.items():
        replica = replica_in(table, region)
        if replica is not None and replica.is_remote:
            sent = sent_replica(table, replica, now_ms)
            overridden(sent, region, overrides, now_ms=now_ms, most=most)


async def _add(change: ReplicaChange, table: Table, context: RequestContext) -> Table:
    region, overrides = change.region, possible(change.overrides[change.region], table)
    await check_addable(table, region, context)
    now_ms, choices = context.now_ms, context.choices
    key, most = key_of_new_replica(table, region, overrides.key, choices), choices.table_units

    def finished(draft: Table) -> Table:
        draft = msgspec.structs.replace(draft, encryption=key)
        return overridden(draft, region, overrides, now_ms=now_ms, most=most)

    new = NewReplica(
        region=region,
        account="",
        is_remote=region in choices.peer_regions,
        values=encryption_values(table, choices) | key_values({region: overrides.key}),
        known=lambda entry: overridden(entry, region, overrides, now_ms=now_ms, most=most),
        finished=finished,
    )
    await add_replica(new, table, context)
    return await _reopened(table, context)


async def _remove(change: ReplicaChange, table: Table, context: RequestContext) -> Table:
    catalog, region = context.catalog, change.region
    replica = replica_in(table, region)
    if replica is None:
        raise invalid(messages.not_replicas(region))
    if replica.state != "CREATION_FAILED":
        refuse_during_change(table)
    await refuse_protected(table, region, context)
    deleting = partial(with_state, region=region, state="DELETING")
    return await change_group(catalog, names_of(catalog, table), deleting)


async def _disassociate(_change: ReplicaChange, table: Table, context: RequestContext) -> Table:
    return await disassociate(table, context)


_CHANGES: Final = {
    "CREATE": _add,
    "UPDATE": _update,
    "DELETE": _remove,
    "DISASSOCIATE": _disassociate,
}


async def _reopened(table: Table, context: RequestContext) -> Table:
    opened = await context.catalog.open(table.name)
    if opened is None:
        raise not_found(table.name)
    return opened.table
