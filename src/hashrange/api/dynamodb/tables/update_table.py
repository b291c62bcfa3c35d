"""UpdateTable: changes billing, throughput, indexes, stream, class or other settings."""

from collections.abc import Iterable
from functools import partial
from typing import Final, cast

import msgspec

from hashrange.api.dynamodb.definitions.billing import billed, checked_class, reclassed
from hashrange.api.dynamodb.definitions.encryption import (
    check_encryption,
    encrypted,
    refuse_encryption,
)
from hashrange.api.dynamodb.definitions.on_demand_limits import (
    asks_for_limits,
    check_limits,
    echoed_limits,
    limited,
)
from hashrange.api.dynamodb.definitions.table_names import (
    TableReference,
    existing_table,
    no_such_table,
)
from hashrange.api.dynamodb.definitions.throughput import check_units
from hashrange.api.dynamodb.definitions.warm_throughput import asks_for_warm, warmed
from hashrange.api.dynamodb.indexes.descriptions import with_echoed_limits
from hashrange.api.dynamodb.indexes.settings import RequestedChanges, check_indexes_free
from hashrange.api.dynamodb.indexes.updates import (
    IndexChanges,
    check_index_updates,
    online_updates,
    with_index_updates,
)
from hashrange.api.dynamodb.indexes.vectors import check_vector_updates
from hashrange.api.dynamodb.replicas.disassociation import with_protection
from hashrange.api.dynamodb.replicas.keys import with_kind
from hashrange.api.dynamodb.replicas.requests import ReplicaChange, checked_group, replica_accesses
from hashrange.api.dynamodb.replicas.settings import (
    change_settings,
    check_settings_mode,
    refuse_unreplicated,
    with_settings_mode,
)
from hashrange.api.dynamodb.replicas.shared import (
    refuse_for_replicas,
    units_of_peer,
    updates_of_peer,
    values_of,
)
from hashrange.api.dynamodb.replicas.updates import change_replicas
from hashrange.api.dynamodb.streams.specification import check_stream_update, with_stream_update
from hashrange.api.dynamodb.tables.descriptions import describe, refuse_deleting, sizes_of
from hashrange.api.dynamodb.tables.in_use import fault_while_creating, in_use, in_use_text
from hashrange.api.steps.accesses import Access, on_tables
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.errors import DynamoError, invalid
from hashrange.messages.tables import indexes as index_messages
from hashrange.messages.tables import operations as messages
from hashrange.messages.tables import replicas as replica_messages
from hashrange.messages.tables import throughput as texts
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    UpdateTable,
    UpdateTableAnswer,
)
from hashrange.model.table import Table, TableClass
from hashrange.regions.replication.groups import is_of_accounts, replicas_of
from hashrange.tables.catalog.lifecycle import is_changing, is_disassociating, status_of
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import UPDATE_TABLE_ROWS
from hashrange.wire.rules import Form

_on_table: Final = on_tables("UpdateTable")
_ALONE: Final = {
    "sse_specification": "Server-Side Encryption modification",
    "table_class": "TableClass modification",
    "deletion_protection_enabled": "DeletionProtection modification",
    "warm_throughput": "WarmThroughput",
    "disassociation_protection_enabled": "DisassociationProtection modification",
}
"""Changes that must be alone in a request, in the order of their checks."""
_CHANGES: Final = (
    *_ALONE,
    "billing_mode",
    "provisioned_throughput",
    "on_demand_throughput",
    "stream_specification",
    "global_secondary_index_updates",
    "vector_index_updates",
    "global_table_settings_replication_mode",
)


class CheckedUpdateTable(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no table."""

    table: TableReference
    request: UpdateTable
    replicas: ReplicaChange | None = None

    @property
    def table_names(self) -> tuple[str]:
        """The name or ARN, as sent."""
        return self.table.table_names


def check(request: UpdateTable) -> CheckedUpdateTable:
    """Refuse invalid members, and changes that cannot be combined.

    AttributeDefinitions are only read for the keys of new indexes, also if they contradict the
    table. Source: measured by users, October 2026.
    """
    table = existing_table(request.table_name)
    check_constraints(request, UPDATE_TABLE_ROWS, Form.MODEL)
    checked_class(request.table_class)
    check_settings_mode(request.global_table_settings_replication_mode)
    request = _without_empty(request)
    consistency, witnesses = request.multi_region_consistency, request.global_table_witness_updates
    changes = _changes_of(request)
    if changes and (consistency is not None or witnesses):
        raise invalid(replica_messages.only_members())
    if request.replica_updates is not None:
        if changes:
            raise invalid(replica_messages.only_replicas())
        replicas = checked_group(request.replica_updates, consistency, witnesses)
        return CheckedUpdateTable(table, request, replicas)
    _check_combination(request)
    check_stream_update(request.stream_specification)
    check_encryption(request.sse_specification)
    units, mode = request.provisioned_throughput, request.billing_mode
    check_units(units)
    if mode == "PAY_PER_REQUEST" and units is not None:
        raise invalid(texts.units_with_on_demand())
    if mode == "PROVISIONED" and units is None:
        raise invalid(messages.throughput_missing())
    check_limits(request.on_demand_throughput)
    if request.global_secondary_index_updates is not None:
        check_index_updates(request.global_secondary_index_updates, request.attribute_definitions)
    if request.vector_index_updates is not None:
        check_vector_updates(request.vector_index_updates)
    return CheckedUpdateTable(table, request)


def _without_empty(request: UpdateTable) -> UpdateTable:
    """The request without empty structures, which the service ignores."""
    limits, warm = request.on_demand_throughput, request.warm_throughput
    return msgspec.structs.replace(
        request,
        on_demand_throughput=limits if asks_for_limits(limits) else None,
        warm_throughput=warm if asks_for_warm(warm) else None,
    )


def _check_combination(request: UpdateTable) -> None:
    """Refuse a request without changes, and changes that cannot be combined.

    Source: measured by users, October 2026.
    """
    changes = _changes_of(request)
    if not changes:
        named = request.multi_region_consistency is not None
        raise invalid(messages.nothing_to_update(names_consistency=named))
    updates = request.global_secondary_index_updates or []
    if "warm_throughput" in changes and any(update.create is not None for update in updates):
        raise invalid(index_messages.create_with_warm())
    for field, name in _ALONE.items():
        if field in changes and len(changes) > 1:
            raise invalid(messages.only_change(name))
    if "on_demand_throughput" in changes and changes - {"on_demand_throughput", "billing_mode"}:
        raise invalid(messages.on_demand_with_other())
    has_units = request.provisioned_throughput is not None or request.billing_mode == "PROVISIONED"
    if "stream_specification" in changes and has_units:
        raise invalid(messages.stream_with_units())
    if online_updates(updates) or request.vector_index_updates:
        if has_units:
            raise invalid(index_messages.with_units())
        if "stream_specification" in changes:
            raise invalid(index_messages.with_stream())


def _changes_of(request: UpdateTable) -> set[str]:
    """The changes that a request asks for, but for those of replicas."""
    # An empty list of indexes is not a change; with another change it is refused later.
    return {field for field in _CHANGES if getattr(request, field) not in (None, [])}


async def run(checked: CheckedUpdateTable, context: RequestContext) -> Outcome:
    """Change the definition of the table. Raises ResourceInUseException during other changes."""
    name, request = checked.table.name, checked.request
    catalog, now_ms = context.catalog, context.now_ms
    refuse_encryption(request.sse_specification, context.choices)

    def change(table: Table) -> Table:
        _check_not_in_use(table, request, context)
        table = with_stream_update(table, request.stream_specification, context)
        if request.sse_specification is not None:
            names_key = request.sse_specification.kms_master_key_id is not None
            if names_key and replicas_of(table) and not is_of_accounts(table):
                raise invalid(replica_messages.key_by_replica_updates())
            return encrypted(
                table,
                request.sse_specification,
                now_ms,
                context.choices,
                transient_ms=context.transient_ms,
            )
        return changed_table(
            table, request, now_ms, context.choices.table_units, transient_ms=context.transient_ms
        )

    await refuse_deleting(catalog, name, context)
    if checked.replicas is not None:
        table = await change_replicas(checked.replicas, name, context)
    else:
        await refuse_unreplicated(name, context)
        await refuse_for_replicas(name, request, context)
        of_peer = partial(_of_peer, request, context)
        values = partial(values_of, request, context)
        table = await change_settings(name, change, of_peer, context, values=values)
    sizes = await sizes_of(catalog, table)
    # The answer shows a change that begins now, also if transient statuses are not shown.
    transient_ms = max(context.transient_ms, 1)
    status = "UPDATING" if _shows(request) else status_of(table, now_ms, transient_ms)
    key_id = context.choices.master_key_id
    shown = describe(table, sizes, status, now_ms, transient_ms=transient_ms, master_key_id=key_id)
    updates = [each.update for each in request.global_secondary_index_updates or ()]
    limits = {each.index_name: each.on_demand_throughput for each in updates if each is not None}
    description = msgspec.structs.replace(
        shown,
        global_secondary_indexes=with_echoed_limits(shown.global_secondary_indexes, limits),
        on_demand_throughput=echoed_limits(
            shown.on_demand_throughput, request.on_demand_throughput
        ),
    )
    return Outcome(UpdateTableAnswer(description))


def _of_peer(request: UpdateTable, context: RequestContext, own: Table, table: Table) -> Table:
    """Another replica of the table after the update; protection is of one replica only."""
    if is_of_accounts(table):
        request = msgspec.structs.replace(request, sse_specification=None, table_class=None)
    if request.sse_specification is not None:
        return with_kind(table, request.sse_specification, context.now_ms, context.choices)
    units, table_class = request.provisioned_throughput, request.table_class
    updates = request.global_secondary_index_updates
    if table_class is not None:
        table = reclassed(table, cast("TableClass", table_class), context.now_ms, is_peer=True)
    request = msgspec.structs.replace(
        request,
        deletion_protection_enabled=None,
        disassociation_protection_enabled=None,
        table_class=None,
        provisioned_throughput=units_of_peer(own.throughput, table.throughput, units),
        global_secondary_index_updates=updates_of_peer(own, table, updates),
    )
    return changed_table(table, request, context.now_ms, context.choices.table_units)


def _shows(request: UpdateTable) -> bool:
    """Whether the answer has the status UPDATING, which it has even if nothing changes."""
    return (
        request.replica_updates is not None
        or request.billing_mode is not None
        or request.provisioned_throughput is not None
        or request.table_class is not None
        or request.stream_specification is not None
    )


def changed_table(
    table: Table, request: UpdateTable, now_ms: int, most: int, *, transient_ms: int = 0
) -> Table:
    """The table after the update; `most` is the quota of a table. Pure.

    Raises ValidationException and LimitExceededException.
    """
    before, units = table, request.provisioned_throughput
    table = billed(table, request.billing_mode, units, now_ms=now_ms, most=most)
    changes = IndexChanges(
        updates=request.global_secondary_index_updates or (),
        vector_updates=request.vector_index_updates or (),
        declared=request.attribute_definitions,
        now_ms=now_ms,
        table_units=most,
        transient_ms=transient_ms,
    )
    table = with_index_updates(before, table, changes)
    if request.on_demand_throughput is not None:
        table = limited(table, request.on_demand_throughput, most)
    if request.warm_throughput is not None:
        table = warmed(table, request.warm_throughput, now_ms, most)
    if request.table_class is not None:
        table = reclassed(table, cast("TableClass", request.table_class), now_ms)
    table = with_settings_mode(table, request.global_table_settings_replication_mode)
    table = with_protection(table, enabled=request.disassociation_protection_enabled)
    if request.deletion_protection_enabled is not None:
        table = msgspec.structs.replace(
            table, deletion_protection=request.deletion_protection_enabled
        )
    return table


def _check_not_in_use(table: Table, request: UpdateTable, context: RequestContext) -> None:
    """Raise ResourceInUseException while another change goes on that excludes this request."""
    status = status_of(table, context.now_ms, context.transient_ms)
    if status == "CREATING":
        raise fault_while_creating(table)
    if is_disassociating(table):
        raise in_use(table, replica_messages.in_use())
    mode = request.billing_mode
    requested = RequestedChanges(
        updates=request.global_secondary_index_updates or (),
        vector_updates=request.vector_index_updates or (),
        units=request.provisioned_throughput is not None or mode not in {None, table.billing_mode},
        limits=request.on_demand_throughput is not None,
        stream=request.stream_specification is not None,
    )
    try:
        check_indexes_free(table, requested, context.now_ms, context.transient_ms)
    except DynamoError as error:
        raise in_use(table, str(error.message)) from None
    # These changes are possible during any other change.
    changes = (
        request.deletion_protection_enabled,
        request.warm_throughput,
        request.sse_specification,
    )
    may_be_changing = any(change is not None for change in changes)
    if is_changing(table, context.now_ms, context.transient_ms) and not may_be_changing:
        text = in_use_text(
            table,
            requested,
            names_class=request.table_class is not None,
            names_billing=mode is not None or request.provisioned_throughput is not None,
        )
        raise in_use(table, text)


def accesses(checked: CheckedUpdateTable) -> Iterable[Access]:
    """UpdateTable on the table, and what a replica needs in its region."""
    found = _on_table(checked)
    if checked.replicas is None:
        return found
    return [*found, *replica_accesses(checked.replicas, checked.table.name)]


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["UpdateTable"],
    request=UpdateTable,
    check=check,
    accesses=accesses,
    not_found=no_such_table,
    run=run,
)
