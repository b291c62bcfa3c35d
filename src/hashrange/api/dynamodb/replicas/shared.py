"""Settings that all replicas share, when UpdateTable changes them in one: what others get. Pure.

Only what the request changes in its own region is changed in the others: units that it repeats do
not replace overrides there. Source: Developer Guide, "How DynamoDB global tables work".

Its index gets a scalable target, and servers of other regions must be able to follow.
"""

from collections.abc import Sequence
from typing import Final, Protocol

import msgspec

from hashrange.api.dynamodb.replicas.keys import encryption_register, refuse_elsewhere
from hashrange.api.dynamodb.replicas.overrides import overwritten, without_overrides
from hashrange.api.dynamodb.replicas.scaling_descriptions import refuse_unscaled, scaled_index
from hashrange.api.steps.operation import RequestContext
from hashrange.model.replication import SettingValue
from hashrange.model.structures.dynamodb import (
    GlobalSecondaryIndexUpdate,
    ProvisionedThroughput,
    SSESpecification,
    UpdateGlobalSecondaryIndexAction,
)
from hashrange.model.table import Index, Table, Throughput
from hashrange.regions.replication.groups import replicas_of
from hashrange.tables.catalog.registers import ENCRYPTION

_replace: Final = msgspec.structs.replace


def units_of_peer(
    own: Throughput, peer: Throughput, sent: ProvisionedThroughput | None
) -> ProvisionedThroughput | None:
    """The units to request for another replica; None if it has them.

    Args:
        own: the throughput in the region of the request, before it.
        peer: that of the other replica.
        sent: the request.
    """
    if sent is None:
        return None
    read = sent.read_capacity_units
    if read == own.read_units and own != Throughput():
        read = peer.read_units
    if (read, sent.write_capacity_units) == (peer.read_units, peer.write_units):
        return None
    return ProvisionedThroughput(
        read_capacity_units=read, write_capacity_units=sent.write_capacity_units
    )


def updates_of_peer(
    own: Table, peer: Table, updates: Sequence[GlobalSecondaryIndexUpdate] | None
) -> list[GlobalSecondaryIndexUpdate] | None:
    """The updates of indexes to request for another replica: those that change something."""
    if updates is None:
        return None
    found = [_update_of_peer(own, peer, update) for update in updates]
    return [update for update in found if update is not None]


def _update_of_peer(
    own: Table, peer: Table, update: GlobalSecondaryIndexUpdate
) -> GlobalSecondaryIndexUpdate | None:
    sent = update.update
    if sent is None or sent.provisioned_throughput is None:
        return update
    units = units_of_peer(
        _throughput(own.index(str(sent.index_name))),
        _throughput(peer.index(str(sent.index_name))),
        sent.provisioned_throughput,
    )
    left = _replace(sent, provisioned_throughput=units)
    if left == UpdateGlobalSecondaryIndexAction(index_name=sent.index_name):
        return None
    return GlobalSecondaryIndexUpdate(update=left)


def _throughput(index: Index | None) -> Throughput:
    return Throughput() if index is None else index.throughput


def synchronised(own: Table, changed: Table, entry: Table) -> Table:
    """A member of the group without the overrides of what has changed.

    Args:
        own: the table of the request, before it.
        changed: the same after it.
        entry: the member, after the change.
    """
    if entry.replication is None:
        return entry
    if own.billing_mode != changed.billing_mode:
        return without_overrides(entry)
    indexes = {
        index.name: (
            index.throughput.read_units != before.throughput.read_units,
            index.on_demand.max_read_units != before.on_demand.max_read_units,
        )
        for index in changed.indexes
        if (before := own.index(index.name)) is not None
    }
    return overwritten(
        entry,
        units=own.throughput.read_units != changed.throughput.read_units,
        limits=own.on_demand.max_read_units != changed.on_demand.max_read_units,
        table_class=own.table_class != changed.table_class,
        key=own.encryption != changed.encryption,
        indexes=indexes,
    )


class SharedUpdate(Protocol):
    """The request, as far as it matters here."""

    @property
    def billing_mode(self) -> str | None:
        """As sent."""

    @property
    def global_secondary_index_updates(self) -> Sequence[GlobalSecondaryIndexUpdate] | None:
        """As sent."""

    @property
    def sse_specification(self) -> SSESpecification | None:
        """As sent."""


async def refuse_for_replicas(name: str, request: SharedUpdate, context: RequestContext) -> None:
    """Refuse what replicas cannot have: units that are not scaled, encryption. Raises DynamoError.

    Without auto scaling a global table is not made provisioned, nor are its indexes changed.
    """
    opened = await context.catalog.open(name)
    if opened is None or not replicas_of(opened.table):
        return
    table = opened.table
    needs_scaling = request.billing_mode == "PROVISIONED"
    if table.billing_mode == "PROVISIONED":
        needs_scaling = bool(request.global_secondary_index_updates)
    if needs_scaling:
        await refuse_unscaled(table, context)
    specification = request.sse_specification
    if specification is not None and encryption_register(specification)[ENCRYPTION] is not None:
        remote = [each.region for each in replicas_of(table) if each.is_remote]
        await refuse_elsewhere(table, context, remote)


def values_of(
    request: SharedUpdate, context: RequestContext, table: Table
) -> dict[str, SettingValue]:
    """Registers of the encryption, and of the scalable targets of new indexes."""
    found: dict[str, SettingValue] = {}
    if request.sse_specification is not None:
        found |= encryption_register(request.sse_specification)
    if table.billing_mode == "PROVISIONED":
        for update in request.global_secondary_index_updates or ():
            if update.create is not None:
                found |= scaled_index(table, str(update.create.index_name), context)
    return found
