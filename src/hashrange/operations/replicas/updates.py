"""ReplicaUpdates of UpdateTable: adds a replica to a global table, changes or removes one."""

from collections.abc import Sequence
from functools import partial
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.import_job import BULK_GOING_ON
from hashrange.model.table import Table
from hashrange.operations.pipeline.operation import RequestContext
from hashrange.operations.replicas.keys import (
    check_keys,
    encryption_values,
    key_of_new_replica,
    key_values,
    refuse_elsewhere,
    with_key,
)
from hashrange.operations.replicas.overrides import overridden, possible
from hashrange.operations.replicas.requests import ReplicaChange
from hashrange.operations.replicas.scaled import refuse_unscaled
from hashrange.peers.messages import Found, Question
from hashrange.replication.denials import denies
from hashrange.replication.groups import (
    beside_names,
    change_group,
    name_in,
    names_of,
    new_replica,
    replica_in,
    replicas_of,
    sent_replica,
    together,
    told,
    with_replica,
    with_state,
)
from hashrange.replication.positions import inherited
from hashrange.replication.shared_settings import settings_changed, settings_of_peer
from hashrange.scaling.shared_targets import (
    TargetsChangedError,
    targets_of,
    told_targets,
)
from hashrange.storage.engine import StorageError
from hashrange.tables.catalog import Catalog, not_found
from hashrange.tables.catalog_entries import Beside
from hashrange.tables.import_jobs import BULK_JOBS
from hashrange.tables.registers import (
    applied,
    next_version,
    noted_values,
    without_overrides_of,
)

ATTEMPTS: Final = 20
"""Attempts to add a replica to a table that is being changed meanwhile."""


class _ChangedError(Exception):
    """The table has changed since it was read."""


async def change_replicas(change: ReplicaChange, name: str, context: RequestContext) -> Table:
    """Add a replica to the table, or begin to remove one; the table as it is then.

    Raises DynamoError: ValidationException, ResourceInUseException, ResourceNotFoundException.
    """
    regions = context.choices.regions
    if (not regions or not context.catalog.prefix) and change.kind != "UPDATE":
        raise invalid(messages.regions_needed())
    for _ in range(ATTEMPTS):
        opened = await context.catalog.open(name)
        if opened is None:
            raise not_found(name)
        table = opened.table
        _check_regions(change, table, regions)
        _refuse_elsewhere(table, context)
        try:
            if change.kind == "CREATE":
                return await _add(change, table, context)
            if change.kind == "UPDATE":
                return await _update(change, table, context)
            return await _remove(change.region, table, context)
        except _ChangedError:
            continue
    raise StorageError("the table changes too often")


def _check_regions(change: ReplicaChange, table: Table, regions: Sequence[str]) -> None:
    if change.kind == "UPDATE":
        members = {table.region, *(each.region for each in replicas_of(table))}
        for region in change.overrides:
            if region not in members:
                raise invalid(messages.not_replicas(region))
        return
    if change.region == table.region:
        raise invalid(messages.local_region())
    if change.region not in regions:
        raise invalid(messages.region_not_supported(change.region, regions))


def _refuse_elsewhere(table: Table, context: RequestContext) -> None:
    """Refuse tables in the region of another server, which has the replicas of that region."""
    elsewhere = context.choices.peer_regions
    if table.region in elsewhere:
        own = [each for each in context.choices.regions if each not in elsewhere]
        raise invalid(messages.region_not_supported(table.region, own))


async def _update(change: ReplicaChange, table: Table, context: RequestContext) -> Table:
    """Give replicas settings of their own."""
    _refuse_during_change(table)
    if not replicas_of(table):
        raise invalid(messages.not_replicas(change.region))
    check_keys(change.overrides, table, context.choices)
    _check_elsewhere(change, table, context.now_ms)
    keys = key_values({each: asked.key for each, asked in change.overrides.items()})
    own = table  # the first entry to change: the others have its registers

    def changed(entry: Table) -> Table:
        nonlocal own
        if replicas_of(entry) == ():
            raise _ChangedError
        before = entry
        for region, overrides in change.overrides.items():
            if entry.region == region:
                entry = with_key(entry, overrides.key, context.now_ms, context.choices)
            entry = overridden(entry, region, overrides, context.now_ms)
        if entry.region != table.region:
            return settings_of_peer(own, entry)
        own = settings_changed(before, entry, context.now_ms)
        own = noted_values(own, keys, next_version(own, context.now_ms))
        return own

    return await change_group(context.catalog, names_of(context.catalog, table), changed)


def _check_elsewhere(change: ReplicaChange, table: Table, now_ms: int) -> None:
    """Refuse settings that replicas on other servers cannot have. Raises DynamoError.

    What only those servers know, such as how often a class was changed, is not checked.
    """
    for region, overrides in change.overrides.items():
        replica = replica_in(table, region)
        if replica is not None and replica.is_remote:
            overridden(sent_replica(table, replica, now_ms), region, overrides, now_ms)


async def _add(change: ReplicaChange, table: Table, context: RequestContext) -> Table:
    region, overrides = change.region, possible(change.overrides[change.region], table)
    catalog, now_ms = context.catalog, context.now_ms
    is_remote = region in context.choices.peer_regions
    await _check_addable(table, region, context)
    target = catalog.within(table.account, region)
    names, shards = names_of(catalog, table), context.choices.stream_shards
    others = [await catalog.whole.open(name) for name in names[1:]]
    peers = [other.table for other in others if other is not None]
    targets, same_targets = await targets_of(context.store.engine, table)
    keys = encryption_values(table, context.choices) | key_values({region: overrides.key})

    def grown(each_table: Table) -> Table:
        added = with_replica(
            each_table, region,
            source=table.region, now_ms=now_ms, shards=shards, is_remote=is_remote,
        )  # fmt: skip
        added = without_overrides_of(added, region, next_version(added, now_ms))
        return overridden(added, region, overrides, now_ms)

    own = settings_changed(table, grown(table), now_ms)
    own = noted_values(own, {**targets, **keys}, next_version(own, now_ms))

    def changed(each_table: Table) -> Table:
        if each_table not in (table, *peers):
            raise _ChangedError
        if each_table == table:
            return own
        if replica_in(each_table, table.region) is None:
            raise DynamoError(Fault.RESOURCE_IN_USE, messages.in_use())
        return settings_of_peer(own, grown(each_table))

    draft = new_replica(table, region, name=names[0], now_ms=now_ms, shards=shards)
    key = key_of_new_replica(table, region, overrides.key, context.choices)
    draft = msgspec.structs.replace(draft, encryption=key)
    draft = settings_of_peer(own, overridden(draft, region, overrides, now_ms))
    try:
        if is_remote:
            return await change_group(catalog, names, changed, same_targets)
        rows = told_targets(own, targets, [region])
        beside = together(
            beside_names(names, changed), inherited(peers, table.number), rows, same_targets
        )
        await _create(applied(draft, now_ms), beside, target, context.new_id)
    except TargetsChangedError as error:
        raise _ChangedError from error
    await told(catalog, names)
    return await _reopened(table, context)


async def _check_addable(table: Table, region: str, context: RequestContext) -> None:
    """Refuse a replica that cannot be added now. Raises DynamoError."""
    _refuse_during_change(table)
    if denies(table, context.now_ms):
        raise invalid(messages.not_authorized([table.region]))
    is_remote = region in context.choices.peer_regions
    target = context.catalog.within(table.account, region)
    if is_remote:
        found = await _found_at_peer(table, region, context)
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
    name = names_of(context.catalog, table)[0]
    async for job in BULK_JOBS.all(context.store.engine):
        if job.table == name and job.status in BULK_GOING_ON:
            raise DynamoError(Fault.RESOURCE_IN_USE, messages.in_use())


async def _create(draft: Table, beside: Beside, catalog: Catalog, new_id: str) -> None:
    """Create the table of a replica, which is empty, in the catalog of its region."""
    try:
        await catalog.create(
            lambda number: msgspec.structs.replace(draft, number=number, id=new_id),
            draft.name,
            beside,
        )
    except DynamoError as error:
        if error.fault is Fault.RESOURCE_IN_USE:
            raise invalid(messages.already_tables(draft.name)) from error
        raise


async def _remove(region: str, table: Table, context: RequestContext) -> Table:
    catalog = context.catalog
    replica = replica_in(table, region)
    if replica is None:
        raise invalid(messages.not_replicas(region))
    if replica.state != "CREATION_FAILED":
        _refuse_during_change(table)
    if replica.state == "CREATION_FAILED":
        is_protected = False  # a table of the name there is another one
    elif replica.is_remote:
        found = await _found_at_peer(table, region, context)
        is_protected = found is not None and found.is_protected
    else:
        target = await catalog.whole.open(name_in(catalog, table, region))
        is_protected = target is not None and target.table.deletion_protection
    if is_protected:
        raise invalid(messages.protected(table.name, region))
    change = partial(with_state, region=region, state="DELETING")
    return await change_group(catalog, names_of(catalog, table), change)


async def _found_at_peer(table: Table, region: str, context: RequestContext) -> Found | None:
    """The table of the name on the server of another region; None if it does not say."""
    peers = context.choices.peers
    if peers is None:
        return None
    question = Question(account=table.account, name=table.name)
    return await peers.table(question, sender=table.region, receiver=region)


def _refuse_during_change(table: Table) -> None:
    if table.restore is not None:
        raise invalid(messages.being_added(table.name, table.region))
    if any(replica.state != "ACTIVE" for replica in replicas_of(table)):
        raise DynamoError(Fault.RESOURCE_IN_USE, messages.in_use())
    if table.replication is not None and replicas_of(table) and table.replication.denied:
        raise invalid(messages.not_authorized(sorted(table.replication.denied)))


async def _reopened(table: Table, context: RequestContext) -> Table:
    opened = await context.catalog.open(table.name)
    if opened is None:
        raise not_found(table.name)
    return opened.table
