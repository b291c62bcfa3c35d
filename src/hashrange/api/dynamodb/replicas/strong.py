"""Strong tables: begins and ends their groups, for UpdateTable.

Source: Developer Guide, "Multi-Region strong consistency"; measurements by users, October 2026.
"""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID, uuid5

import msgspec

from hashrange.api.dynamodb.replicas.adding import TableChangedError, refuse_during_change
from hashrange.api.dynamodb.replicas.keys import (
    encryption_values,
    key_of_new_replica,
    key_values,
)
from hashrange.api.dynamodb.replicas.overrides import overridden, possible
from hashrange.api.dynamodb.replicas.requests import (
    ReplicaChange,
    check_addable,
    check_supported,
    refuse_protected,
)
from hashrange.api.steps.operation import RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.replication import Overrides, SettingValue, StrongGroup, Witness
from hashrange.model.table import Table
from hashrange.regions.replication.groups import (
    change_group,
    name_in,
    names_of,
    notify_changed,
    replica_in,
    replicas_of,
    together,
    with_state,
)
from hashrange.regions.replication.shared_targets import (
    TargetsChangedError,
    received_targets,
    targets_of,
)
from hashrange.regions.replication.strong_groups import (
    founded,
    given_up,
    is_founder,
    strong_replica,
    with_group_state,
)
from hashrange.storage.engine import Engine
from hashrange.tables.catalog.dropped_tables import ExtraRows, encode_table
from hashrange.tables.catalog.registers import next_version, noted_values
from hashrange.tables.jobs.witnesses import encode_witness
from hashrange.tables.keys.consensus_keys import witness_key
from hashrange.tables.keys.keyspace import items_range
from hashrange.tables.keys.system_keys import catalog_key, sequence_key
from hashrange.tables.opened.strong import NoStrongTables

_NUMBER_BYTES: Final = 4


def check_members(change: ReplicaChange, table: Table, regions: Sequence[str]) -> None:
    """Refuse regions that a strong table cannot be in. Raises ValidationException.

    Args:
        change: creates the group.
        table: the one that it begins with.
        regions: those of this server, and of others that it knows.
    """
    if replicas_of(table):
        raise invalid(messages.existing_global_table())
    if table.region in change.overrides:
        raise invalid(messages.local_region())
    if table.region == change.witness:
        raise invalid(messages.local_witness())
    check_supported((table.region, *change.regions), regions)


async def found_group(change: ReplicaChange, table: Table, context: RequestContext) -> Table:
    """Make a table strong; the others get to know it soon.

    Raises DynamoError, TableChangedError.
    """
    check_members(change, table, context.choices.regions)
    if isinstance(context.store.strong, NoStrongTables):
        raise invalid(messages.with_workers())
    wanted = {region: possible(each, table) for region, each in change.overrides.items()}
    for region in wanted:
        await check_addable(table, region, context)
    await _refuse_unable(context.store.engine, table)
    remote = frozenset(context.choices.peer_regions)
    group = StrongGroup(
        id=context.new_id,
        members=tuple(sorted((table.region, *change.regions))),
        witness=change.witness,
        founder=table.region,
    )
    targets, same_targets = await targets_of(context.store.engine, table)
    source = founded(table, group, [*wanted], remote=remote, now_ms=context.now_ms)
    source = _with_settings(source, targets, wanted, context)
    drafts = []
    for region, overrides in wanted.items():
        key = key_of_new_replica(table, region, overrides.key, context.choices)
        if region not in remote:
            draft = strong_replica(source, region, context.now_ms)
            drafts.append(msgspec.structs.replace(draft, encryption=key))

    def with_overrides(entry: Table) -> Table:
        for region, overrides in wanted.items():
            entry = overridden(
                entry, region, overrides, now_ms=context.now_ms, most=context.choices.table_units
            )
        return entry

    def changed(entry: Table) -> Table:
        if entry != table:
            raise TableChangedError
        return with_overrides(source)

    local_witness = _witness(table, group, remote)
    rows = _created(list(map(with_overrides, drafts)), local_witness, context)
    targets_there = received_targets(source, targets, [draft.region for draft in drafts])
    extra = together(rows, targets_there, same_targets)
    try:
        made = await context.catalog.change(table.name, changed, extra)
    except TargetsChangedError as error:
        raise TableChangedError from error
    await notify_changed(
        context.catalog, [name_in(context.catalog, each, each.region) for each in drafts]
    )
    return made


def _witness(table: Table, group: StrongGroup, remote: frozenset[str]) -> Witness | None:
    """The witness of a group, if this server has it."""
    region = group.witness
    if region is None or region in remote:
        return None
    return Witness(number=0, account=table.account, name=table.name, region=region, group=group)


def _with_settings(
    table: Table,
    targets: Mapping[str, SettingValue],
    wanted: Mapping[str, Overrides],
    context: RequestContext,
) -> Table:
    """A table with the registers of what its new replicas get, and have for themselves."""
    keys = key_values({region: overrides.key for region, overrides in wanted.items()})
    values = {**targets, **encryption_values(table, context.choices), **keys}
    return noted_values(table, values, next_version(table, context.now_ms))


async def _refuse_unable(engine: Engine, table: Table) -> None:
    """Refuse a table that has what strong ones cannot have. Raises ValidationException."""
    if any(index.is_local for index in table.indexes):
        raise invalid(messages.with_local_index())
    if table.expiry is not None:
        raise invalid(messages.with_expiry())
    start, end = items_range(table.number)
    if await engine.scan(start, end, limit=1, bytes_max=1):
        raise invalid(messages.not_empty())


def _created(
    drafts: Sequence[Table], witness: Witness | None, context: RequestContext
) -> ExtraRows:
    """The entries of new replicas on this server, and the row of a witness."""
    names = [catalog_key(name_in(context.catalog, each, each.region)) for each in drafts]

    def puts(values: Sequence[bytes | None], _table: Table) -> dict[bytes, bytes]:
        sequence, *entries = values
        found: dict[bytes, bytes] = {}
        number = 1 if sequence is None else int.from_bytes(sequence, "big")
        for name, draft, entry in zip(names, drafts, entries, strict=True):
            if entry is not None:
                raise invalid(messages.already_tables(draft.name))
            table_id = str(uuid5(UUID(context.new_id), draft.region))
            found[name] = encode_table(msgspec.structs.replace(draft, number=number, id=table_id))
            number += 1
        if witness is not None:
            row = msgspec.structs.replace(witness, number=number)
            found[witness_key(witness.group.id)] = encode_witness(row)
            number += 1
        found[sequence_key()] = number.to_bytes(_NUMBER_BYTES, "big")
        return found

    return ExtraRows([sequence_key(), *names], puts)


def _check_ended(change: ReplicaChange, table: Table, strong: StrongGroup) -> None:
    """Refuse to remove another number of members than all others. Raises ValidationException."""
    for region in change.overrides:
        if replica_in(table, region) is None:
            raise invalid(messages.not_replicas(region))
    if change.witness is not None and change.witness != strong.witness:
        raise invalid(messages.not_witnesses(change.witness))
    if change.witness != strong.witness:
        raise invalid(messages.all_witnesses())
    if len(change.overrides) < len(replicas_of(table)):
        raise invalid(messages.only_one_replica())


async def end_group(change: ReplicaChange, table: Table, context: RequestContext) -> Table:
    """Begin to make a strong table one of a single region: its own.

    Raises DynamoError.
    """
    strong = table.strong
    assert strong is not None, "a strong table"
    _check_ended(change, table, strong)
    remote = set(context.choices.peer_regions)
    is_new = is_founder(table) and not remote.isdisjoint(strong.members)
    if not is_new:
        refuse_during_change(table)
    for region in change.overrides:
        await refuse_protected(table, region, context)

    def changed(entry: Table) -> Table:
        if entry.strong != strong:
            raise DynamoError(Fault.RESOURCE_IN_USE, messages.in_use())
        if is_new:
            return given_up(entry, strong.id) if is_founder(entry) else entry
        for region in change.overrides:
            entry = with_state(entry, region, "DELETING")
        return with_group_state(entry, strong.id, "DELETING")

    return await change_group(context.catalog, names_of(context.catalog, table), changed)
