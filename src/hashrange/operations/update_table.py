"""UpdateTable, for what exists so far: billing mode, throughput, class, deletion protection."""

from typing import Final, cast

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages import tables as messages
from hashrange.model.table import Table, TableClass, Throughput
from hashrange.operations.descriptions import describe
from hashrange.operations.operation import Moment, Outcome, TableOperation
from hashrange.operations.table_constraints import ATTRIBUTE_DEFINITION, TABLE_SETTINGS
from hashrange.operations.table_names import existing_table_name
from hashrange.operations.table_shapes import (
    AttributeDefinition,
    OnDemandThroughput,
    ProvisionedThroughput,
    SSESpecification,
    StreamSpecification,
    TableDescription,
    Untyped,
    WarmThroughput,
    api_name,
)
from hashrange.operations.throughput import changed_throughput, check_units
from hashrange.operations.unbuilt import refuse_encryption, refuse_stream, refuse_unbuilt
from hashrange.tables.catalog import Catalog
from hashrange.tables.lifecycle import status_of
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import each, rows
from hashrange.wire.rules import Form


class UpdateTable(msgspec.Struct, frozen=True, kw_only=True, rename=api_name):
    """The request, as the client sent it."""

    attribute_definitions: list[AttributeDefinition] | None = None
    table_name: str | None = None
    billing_mode: str | None = None
    provisioned_throughput: ProvisionedThroughput | None = None
    global_secondary_index_updates: list[Untyped] | None = None
    stream_specification: StreamSpecification | None = None
    sse_specification: SSESpecification | None = None
    replica_updates: list[Untyped] | None = None
    table_class: str | None = None
    deletion_protection_enabled: bool | None = None
    multi_region_consistency: str | None = None
    global_table_witness_updates: list[Untyped] | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None
    global_table_settings_replication_mode: str | None = None
    disassociation_protection_enabled: bool | None = None
    vector_index_updates: list[Untyped] | None = None


_ROWS: Final = rows(each("attribute_definitions", *ATTRIBUTE_DEFINITION), *TABLE_SETTINGS)


class Answer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer."""

    table_description: TableDescription


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the table."""

    name: str
    request: UpdateTable


_UNBUILT: Final = {
    "global_secondary_index_updates": "GlobalSecondaryIndexUpdates",
    "replica_updates": "ReplicaUpdates",
    "multi_region_consistency": "MultiRegionConsistency",
    "global_table_witness_updates": "GlobalTableWitnessUpdates",
    "on_demand_throughput": "OnDemandThroughput",
    "warm_throughput": "WarmThroughput",
    "global_table_settings_replication_mode": "GlobalTableSettingsReplicationMode",
    "disassociation_protection_enabled": "DisassociationProtectionEnabled",
    "vector_index_updates": "VectorIndexUpdates",
}


def check(request: UpdateTable) -> Checked:
    """See `TableOperation.check`."""
    name = existing_table_name(request.table_name)
    check_constraints(request, _ROWS, Form.MODEL)
    refuse_unbuilt(request, _UNBUILT)
    refuse_stream(request.stream_specification)
    refuse_encryption(request.sse_specification)
    units, mode = request.provisioned_throughput, request.billing_mode
    check_units(units)
    if mode == "PAY_PER_REQUEST" and units is not None:
        raise invalid(messages.units_on_demand())
    if mode == "PROVISIONED" and units is None:
        raise invalid(messages.throughput_missing())
    changes = (
        units,
        mode,
        request.stream_specification,
        request.sse_specification,
        request.table_class,
        request.deletion_protection_enabled,
    )
    if all(change is None for change in changes):
        raise invalid(messages.nothing_to_update())
    return Checked(name, request)


async def run(checked: Checked, catalog: Catalog, moment: Moment) -> Outcome:
    """See `TableOperation.run`."""
    name, now_ms = checked.name, moment.now_ms

    def change(table: Table) -> Table:
        status = status_of(table, now_ms, moment.transient_ms)
        if status != "ACTIVE":
            doing = "created" if status == "CREATING" else "updated"
            raise DynamoError(Fault.RESOURCE_IN_USE, messages.table_busy(name, doing))
        return changed_table(table, checked.request, now_ms)

    table = await catalog.change(name, change)
    size = await catalog.size(table)
    return Outcome(Answer(describe(table, size, "UPDATING", now_ms)))


def changed_table(table: Table, request: UpdateTable, now_ms: int) -> Table:
    """The table after the update. Pure. Raises ValidationException."""
    if request.stream_specification is not None:
        raise invalid(messages.no_stream_to_disable(table.name))
    table = _billed(table, request, now_ms)
    if request.table_class is not None:
        table = msgspec.structs.replace(
            table, table_class=cast("TableClass", request.table_class), class_changed_ms=now_ms
        )
    if request.deletion_protection_enabled is not None:
        table = msgspec.structs.replace(
            table, deletion_protection=request.deletion_protection_enabled
        )
    return msgspec.structs.replace(table, changed_ms=now_ms)


def _billed(table: Table, request: UpdateTable, now_ms: int) -> Table:
    """Billing mode and throughput after the update."""
    units = request.provisioned_throughput
    mode = request.billing_mode or table.billing_mode
    if mode == "PAY_PER_REQUEST":
        if units is not None:
            raise invalid(messages.units_on_demand())
        if table.billing_mode == mode:
            return table
        return msgspec.structs.replace(
            table, billing_mode=mode, billing_switched_ms=now_ms, throughput=Throughput()
        )
    if units is None:
        return table
    throughput = changed_throughput(table, units, now_ms)
    old = table.throughput
    unchanged = (throughput.read_units, throughput.write_units) == (old.read_units, old.write_units)
    if table.billing_mode == mode and unchanged:
        raise invalid(messages.throughput_unchanged(old.read_units, old.write_units))
    return msgspec.structs.replace(table, billing_mode="PROVISIONED", throughput=throughput)


OPERATION: Final = TableOperation(request=UpdateTable, check=check, run=run)
