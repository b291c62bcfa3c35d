"""Changes of the group of replicas of a global table.

Each replica's catalog entry has the whole group. A change of it is one write of all the entries.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final

import msgspec

from hashrange.model.log import Log
from hashrange.model.replication import Replica, ReplicaCopy, ReplicaState, Replication
from hashrange.model.table import Table
from hashrange.model.table_features import Restore
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.dropped_tables import NO_EXTRA_ROWS, ExtraRows, decode_table
from hashrange.tables.catalog.registers import applied, with_registers
from hashrange.tables.keys.system_keys import catalog_key
from hashrange.tables.log.shards import cut, with_stream

_US: Final = 1000
_VIEW: Final = "NEW_AND_OLD_IMAGES"
"""Of streams that are enabled for a replica; one that the source has keeps its view type."""

_replace: Final = msgspec.structs.replace
_encode: Final = msgspec.json.Encoder().encode


def replicas_of(table: Table) -> tuple[Replica, ...]:
    """The other replicas of a table; none if it is no global table."""
    return () if table.replication is None else table.replication.replicas


def replica_in(table: Table, region: str) -> Replica | None:
    """The replica of a table in a region; None if there is none."""
    return next((each for each in replicas_of(table) if each.region == region), None)


def account_in(table: Table, region: str) -> str:
    """The account of the replica in a region."""
    replica = replica_in(table, region)
    return table.account if replica is None or not replica.account else replica.account


def is_of_accounts(table: Table) -> bool:
    """Whether each replica is of an account of its own."""
    return any(each.account for each in replicas_of(table))


def with_account(table: Table, region: str, account: str) -> Table:
    """A replica when the one in a region is of another account."""
    return _with_replicas(
        table,
        tuple(
            _replace(each, account=account) if each.region == region else each
            for each in replicas_of(table)
        ),
    )


def name_in(catalog: Catalog, table: Table, region: str) -> str:
    """The name of the replica in a region, as the whole catalog has it."""
    return catalog.whole.within(account_in(table, region), region).prefix + table.name


def names_of(catalog: Catalog, table: Table) -> list[str]:
    """The names of a table and of its replicas on this server, as the whole catalog has them."""
    others = (each.region for each in replicas_of(table) if not each.is_remote)
    regions = [table.region, *others]
    return [name_in(catalog, table, region) for region in regions]


def further_entries(names: Sequence[str], change: Callable[[Table], Table]) -> ExtraRows:
    """The same change of further entries, to be written together with another."""
    keys = [catalog_key(name) for name in names]

    def puts(values: Sequence[bytes | None], _table: Table) -> dict[bytes, bytes]:
        pairs = zip(keys, values, strict=False)
        return {
            key: _encode(change(decode_table(value))) for key, value in pairs if value is not None
        }

    return ExtraRows(keys, puts)


async def change_group(
    catalog: Catalog,
    names: Sequence[str],
    change: Callable[[Table], Table],
    extra: ExtraRows = NO_EXTRA_ROWS,
    *,
    is_bounded: bool = True,
) -> Table:
    """Change the entries of several replicas in one write; the first as it is afterwards.

    Args:
        catalog: any view of the catalog.
        names: as the whole catalog has them; those of missing tables are left out but the first.
        change: of each entry, the first one first; pure, may run again.
        extra: rows that are written with them.
        is_bounded: as that of `Catalog.change`.

    Raises ResourceNotFoundException, and errors of `change`.
    """
    whole = catalog.whole
    first, *others = names
    rows = together(further_entries(others, change), extra)
    table = await whole.change(first, change, rows, is_bounded=is_bounded)
    await notify_changed(catalog, others)
    return table


async def notify_changed(catalog: Catalog, names: Sequence[str]) -> None:
    """Read entries again that were written beside another, and notify those who follow them."""
    whole = catalog.whole
    for name in names:
        if await whole.open(name) is not None:
            whole.on_change(name)


def together(*parts: ExtraRows) -> ExtraRows:
    """The rows of all parts."""
    keys = [key for part in parts for key in part.keys]

    def puts(values: Sequence[bytes | None], table: Table) -> dict[bytes, bytes | None]:
        found: dict[bytes, bytes | None] = {}
        rest = iter(values)
        for part in parts:
            found.update(part.puts([*islice(rest, len(part.keys))], table))
        return found

    return ExtraRows(keys, puts)


def with_replica(
    table: Table, region: str, *, source: str, now_ms: int, shards: int, is_remote: bool = False
) -> Table:
    """A replica when another one is added to its group, in the state CREATING.

    Args:
        table: the replica.
        region: the region of the new replica.
        source: the region of the replica of which the items are copied. The logs of others are
            read from where they have been replicated to that one.
        now_ms: the time.
        shards: of a stream that has to be enabled.
        is_remote: another server will have it; the log is sent to it from here on, and the items
            that this replica has written. The source sends all.
    """
    known = None if is_remote else replica_in(table, source)
    first_shard = table.log.next_shard if known is None else known.first_shard
    table = associated(table)
    replication = replication_of(table)
    table = (
        with_stream(table, _VIEW, shards, now_ms) if table.stream is None else cut(table, now_ms)
    )
    copy: ReplicaCopy = "NONE"
    if is_remote:
        copy = "ALL" if table.region == source else "OWN"
    replica = Replica(
        region=region, state="CREATING", first_shard=first_shard, is_remote=is_remote, copy=copy,
        incarnation=next_incarnation(replication, region, now_ms),
    )  # fmt: skip
    others = (each for each in replication.replicas if each.region != region)
    return _replace(
        table,
        replication=_replace(
            replication,
            regions=with_region(replication.regions, region),
            replicas=(*others, replica),
            gone={name: last for name, last in replication.gone.items() if name != region},
            is_unprotected=replication.is_unprotected and bool(replication.replicas),
        ),
    )


def new_replica(
    source: Table, region: str, *, name: str, now_ms: int, shards: int, account: str = ""
) -> Table:
    """The definition of a new replica, but for its number and id.

    Tags, policies, protection against deletion, point-in-time recovery and contributor insights
    are of one replica only. Settings are those of all replicas, as far as the source knows them.

    Args:
        source: the replica of which the items are copied, without the new one.
        region: the region of the new replica.
        name: of the source, as the whole catalog has it.
        now_ms: the time.
        shards: of its stream, which is enabled when all items are there.
        account: if it is another than that of the source.
    """
    known = replication_of(source).regions
    indexes, vectors = (
        tuple(
            _replace(index, state="ACTIVE", meanwhile=None, created_ms=0)
            for index in kept
            if index.state != "DELETING"
        )
        for kept in (source.indexes, source.vectors)
    )
    draft = Table(
        number=source.number,
        id=source.id,
        name=source.name,
        account=account or source.account,
        region=region,
        created_ms=now_ms,
        attributes=source.attributes,
        partition=source.partition,
        sort=source.sort,
        billing_mode=source.billing_mode,
        throughput=source.throughput,
        billing_switched_ms=now_ms if source.billing_mode == "PAY_PER_REQUEST" else None,
        on_demand=source.on_demand,
        warm=source.warm,
        table_class=source.table_class,
        indexes=indexes,
        vectors=vectors,
        counts_collections=source.counts_collections,
        next_index=source.next_index,
        expiry=None if source.expiry is None else _replace(source.expiry, state="ACTIVE"),
        expiry_changed_ms=source.expiry_changed_ms,
        log=Log(),
        restore=Restore(
            source_arn=source.arn,
            time_ms=now_ms,
            source=name,
            source_number=source.number,
            regions=with_region(known, region),
            stream_shards=shards,
            stream_view=_VIEW if source.stream is None else source.stream.view_type,
        ),
        replication=_group_of_new(source, region, now_ms, source.account if account else ""),
    )
    return applied(with_registers(draft, replication_of(source).registers), now_ms)


def _group_of_new(source: Table, region: str, now_ms: int, account: str) -> Replication:
    """The group as a new replica has it; `account` is that of the source if it is another one."""
    group = replication_of(source)
    others = (
        _replace(each, copy="NONE", first_shard=1)
        for each in group.replicas
        if each.region != region
    )
    return Replication(
        regions=(region, *(each for each in group.regions if each != region)),
        replicas=(
            Replica(
                region=source.region,
                incarnation=group.incarnation,
                overrides=group.overrides,
                account=account,
            ),
            *others,
        ),
        group=group.group,
        incarnation=next_incarnation(group, region, now_ms),
        gone={name: last for name, last in group.gone.items() if name != region},
        settings_version=group.settings_version,
    )


def with_state(table: Table, region: str, state: ReplicaState) -> Table:
    """A replica when the state of another one changes."""
    return _with_replicas(
        table,
        tuple(
            _replace(each, state=state) if each.region == region else each
            for each in replicas_of(table)
        ),
    )


def without_replica(table: Table, region: str) -> Table:
    """A replica when another one has left its group."""
    replica = replica_in(table, region)
    if replica is None or table.replication is None:
        return table
    gone = {**table.replication.gone, region: replica.incarnation}
    denied = {each: time for each, time in table.replication.denied.items() if each != region}
    others = tuple(each for each in replicas_of(table) if each.region != region)
    table = _replace(
        table,
        replication=_replace(table.replication, gone=gone, denied=denied if others else {}),
    )
    return _with_replicas(table, others)


def sent_replica(source: Table, replica: Replica, now_ms: int) -> Table:
    """The definition of a replica that another server is to create, as `new_replica`."""
    draft = new_replica(source, replica.region, name="", now_ms=now_ms, shards=1)
    assert draft.restore is not None
    assert draft.replication is not None
    others = tuple(_replace(each, is_remote=True) for each in draft.replication.replicas)
    return _replace(
        draft,
        restore=_replace(draft.restore, source=None, source_number=0),
        replication=_replace(draft.replication, replicas=others, incarnation=replica.incarnation),
    )


def copied(table: Table, region: str, now_ms: int) -> Table:
    """A member of the group when all items of the replica in a region have been copied."""
    if table.region != region:
        return with_state(table, region, "ACTIVE")
    if table.restore is None:
        return table
    view, shards = table.restore.stream_view, table.restore.stream_shards
    return with_stream(_replace(table, restore=None), view, shards, now_ms)


def replication_of(table: Table) -> Replication:
    """The group of a table; a table of one region is its only member."""
    known = table.replication
    if known is None:
        return Replication(regions=(table.region,), group=table.id)
    return known if known.group else _replace(known, group=table.id)


def disassociated(table: Table, now_ms: int) -> Table:
    """A replica that leaves the group: only its changes until now are replicated to the others."""
    replication = replication_of(table)
    end = table.log.next_shard
    replicas = tuple(_replace(each, end_shard=end) for each in replication.replicas)
    table = cut(table, now_ms)
    return _replace(
        table,
        replication=_replace(replication, replicas=replicas, disassociation_ms=now_ms),
    )


def associated(table: Table) -> Table:
    """A replica that stays in the group after all."""
    replication = table.replication
    if replication is None or not replication.disassociation_ms:
        return table
    replicas = tuple(_replace(each, end_shard=0) for each in replication.replicas)
    return _replace(
        table, replication=_replace(replication, replicas=replicas, disassociation_ms=0)
    )


def next_incarnation(replication: Replication, region: str, now_ms: int) -> int:
    """The incarnation of a replica that is added now: later than that of the last in the region."""
    replica = next((each for each in replication.replicas if each.region == region), None)
    last = replication.gone.get(region, 0) if replica is None else replica.incarnation
    return max(now_ms * _US, last + 1)


def with_region(regions: tuple[str, ...], region: str) -> tuple[str, ...]:
    """The regions by their numbers, with one that may be among them."""
    return regions if region in regions else (*regions, region)


def _with_replicas(table: Table, replicas: tuple[Replica, ...]) -> Table:
    if table.replication is None:
        return table
    return _replace(table, replication=_replace(table.replication, replicas=replicas))
