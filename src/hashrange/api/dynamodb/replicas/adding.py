"""Adds a replica to the group of a table: its entry, and those of all others, in one write."""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from hashrange.api.steps.operation import RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.import_job import BULK_GOING_ON
from hashrange.model.replication import SettingValue
from hashrange.model.table import Table
from hashrange.regions.replication.groups import (
    change_group,
    further_entries,
    names_of,
    new_replica,
    notify_changed,
    replica_in,
    replicas_of,
    together,
    with_account,
    with_replica,
)
from hashrange.regions.replication.positions import inherited
from hashrange.regions.replication.shared_settings import settings_changed, settings_of_peer
from hashrange.regions.replication.shared_targets import (
    TargetsChangedError,
    received_targets,
    targets_of,
)
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.dropped_tables import ExtraRows
from hashrange.tables.catalog.lifecycle import is_disassociating
from hashrange.tables.catalog.registers import (
    applied,
    next_version,
    noted_values,
    without_overrides_of,
)
from hashrange.tables.jobs.transfers import BULK_JOBS

ATTEMPTS: Final = 20
"""Attempts to change a group that is being changed meanwhile."""


class TableChangedError(Exception):
    """The table has changed since it was read."""


class NewReplica(msgspec.Struct, frozen=True, kw_only=True):
    """A replica to add.

    Attributes:
        region: of the replica.
        account: of the replica, if it is another than that of the table.
        is_remote: another server will have it.
        values: of registers that all replicas get.
        known: each member with what it knows of the new one's settings; pure.
        finished: the definition of the new one with what it has for itself; pure.
    """

    region: str
    account: str
    is_remote: bool
    values: Mapping[str, SettingValue]
    known: Callable[[Table], Table]
    finished: Callable[[Table], Table]


async def add_replica(new: NewReplica, table: Table, context: RequestContext) -> None:
    """Add a replica, of which the items are copied from a table.

    Raises TableChangedError, and DynamoError if it cannot be added.
    """
    catalog, now_ms, region = context.catalog, context.now_ms, new.region
    names, shards = names_of(catalog, table), context.choices.stream_shards
    others = [await catalog.whole.open(name) for name in names[1:]]
    peers = [other.table for other in others if other is not None]
    targets, same_targets = await targets_of(context.store.engine, table)

    def grown(each_table: Table) -> Table:
        added = with_replica(
            each_table, region,
            source=table.region, now_ms=now_ms, shards=shards, is_remote=new.is_remote,
        )  # fmt: skip
        added = with_account(added, region, new.account)
        added = without_overrides_of(added, region, next_version(added, now_ms))
        return new.known(added)

    own = settings_changed(table, grown(table), now_ms)
    own = noted_values(own, {**targets, **new.values}, next_version(own, now_ms))

    def changed(each_table: Table) -> Table:
        if each_table not in (table, *peers):
            raise TableChangedError
        if each_table == table:
            return own
        if replica_in(each_table, table.region) is None:
            raise DynamoError(Fault.RESOURCE_IN_USE, messages.in_use())
        return settings_of_peer(own, grown(each_table))

    draft = new_replica(
        table, region, name=names[0], now_ms=now_ms, shards=shards, account=new.account
    )
    draft = new.finished(applied(settings_of_peer(own, draft), now_ms))
    try:
        if new.is_remote:
            await change_group(catalog, names, changed, same_targets)
            return
        rows = received_targets(own, targets, [region])
        extra = together(
            further_entries(names, changed), inherited(peers, table.number), rows, same_targets
        )
        target = catalog.whole.within(draft.account, region)
        await _create(settings_of_peer(own, draft), extra, target, context.new_id)
    except TargetsChangedError as error:
        raise TableChangedError from error
    await notify_changed(catalog, names)


async def _create(draft: Table, extra: ExtraRows, catalog: Catalog, new_id: str) -> None:
    """Create the table of a replica, which is empty, in the catalog of its region."""
    try:
        await catalog.create(
            lambda number: msgspec.structs.replace(draft, number=number, id=new_id),
            draft.name,
            extra,
        )
    except DynamoError as error:
        if error.fault is Fault.RESOURCE_IN_USE:
            raise invalid(messages.already_tables(draft.name)) from error
        raise


def refuse_during_change(table: Table) -> None:
    """Refuse changes of the group while it is being changed. Raises DynamoError."""
    if table.restore is not None:
        raise invalid(messages.being_added(table.name, table.region))
    if table.strong is not None and table.strong.state != "ACTIVE":
        raise DynamoError(Fault.RESOURCE_IN_USE, messages.in_use())
    if is_disassociating(table) or any(each.state != "ACTIVE" for each in replicas_of(table)):
        raise DynamoError(Fault.RESOURCE_IN_USE, messages.in_use())
    if table.replication is not None and replicas_of(table) and table.replication.denied:
        raise invalid(messages.not_authorized(sorted(table.replication.denied)))


async def refuse_during_bulk(table: Table, context: RequestContext) -> None:
    """Refuse a new replica while items are put in bulk. Raises ResourceInUseException."""
    name = names_of(context.catalog, table)[0]
    async for job in BULK_JOBS.all(context.store.engine):
        if job.table == name and job.status in BULK_GOING_ON:
            raise DynamoError(Fault.RESOURCE_IN_USE, messages.in_use())
