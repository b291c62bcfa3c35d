"""Changes of the throughput of global indexes by UpdateTable, and states of indexes. Pure.

An index has units, maxima, warm throughput and a count of decreases of its own, and the billing
mode of its table.

Source: measured by users, October 2026.
"""

from collections.abc import Callable, Sequence

import msgspec

from hashrange.api.dynamodb.definitions.on_demand_limits import asks_for_limits, merged_limits
from hashrange.api.dynamodb.definitions.table_names import index_as_it_is
from hashrange.api.dynamodb.definitions.throughput import (
    changed_throughput,
    check_maximum,
    decreases_today,
    throughput_of,
)
from hashrange.api.dynamodb.definitions.warm_throughput import grown_warm
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import indexes as messages
from hashrange.messages.tables import streams as stream_messages
from hashrange.model.structures.dynamodb import (
    GlobalSecondaryIndexUpdate,
    ProvisionedThroughput,
    UpdateGlobalSecondaryIndexAction,
    VectorIndexUpdate,
)
from hashrange.model.table import Index, OnDemandLimits, Table
from hashrange.tables.catalog.lifecycle import index_status_of, is_allocating


def index_switched(index: Index, before: Table, now_ms: int) -> Index:
    """An index after its table has changed the billing mode; `before` is the table until then."""
    was = index_as_it_is(before.billing_mode, index, now_ms)
    if before.billing_mode == "PAY_PER_REQUEST":
        return msgspec.structs.replace(
            index, on_demand=OnDemandLimits(), warm=was.warm, changed_ms=now_ms, meanwhile=None
        )
    # The service counts this as a decrease of an index, but not of the table, and shows it when it
    # is complete. Source: measured, September 2026.
    none = msgspec.structs.replace(index.throughput, read_units=0, write_units=0)
    lowered = msgspec.structs.replace(
        none, decreased_ms=now_ms, decreases_today=decreases_today(none, now_ms) + 1
    )
    return msgspec.structs.replace(
        index,
        throughput=lowered,
        warm=was.warm,
        changed_ms=now_ms,
        meanwhile=msgspec.structs.replace(was, throughput=none),
    )


def index_updated(
    index: Index, table: Table, sent: UpdateGlobalSecondaryIndexAction, *, now_ms: int, most: int
) -> Index:
    """An index after an update; `table` has the new billing mode already.

    Raises ValidationException, and LimitExceededException for more units than `most`, the quota of
    a table or index, and for frequent decreases.
    """
    units, warm = sent.provisioned_throughput, sent.warm_throughput
    limits = sent.on_demand_throughput if asks_for_limits(sent.on_demand_throughput) else None
    nothing = limits is None and warm is None
    if table.billing_mode == "PAY_PER_REQUEST":
        if units is not None or nothing:
            raise invalid(messages.only_updates_on_demand(index.name))
    elif units is None and nothing:
        raise invalid(messages.units_missing(index.name))
    if units is not None:
        index = _with_units(index, table, units, now_ms=now_ms, most=most)
    if limits is not None:
        merged = merged_limits(table, index.on_demand, limits, most, index=index.name)
        index = msgspec.structs.replace(index, on_demand=merged, changed_ms=now_ms)
    if warm is not None:
        was = index_as_it_is(table.billing_mode, index, now_ms)
        grown = grown_warm(was.warm, warm, table.region, most, index=index.name)
        index = msgspec.structs.replace(
            index,
            warm=grown,
            warm_changed_ms=now_ms,
            meanwhile=was if units is None else index.meanwhile,
        )
    return index


def _with_units(
    index: Index, table: Table, units: ProvisionedThroughput, *, now_ms: int, most: int
) -> Index:
    old, new = index.throughput, throughput_of(units)
    check_maximum(new, table.region, most, index=index.name)
    if (old.read_units, old.write_units) == (0, 0):
        # It was on demand until now. That is an increase of an index, but not of the table, and its
        # date is shown when the change is complete. Source: measured, September 2026.
        units_now = msgspec.structs.replace(
            old, read_units=new.read_units, write_units=new.write_units
        )
        raised = msgspec.structs.replace(units_now, increased_ms=now_ms)
        was = index_as_it_is(table.billing_mode, index, now_ms)
        shown = msgspec.structs.replace(was, throughput=units_now)
        return msgspec.structs.replace(index, throughput=raised, meanwhile=shown)
    if (new.read_units, new.write_units) == (old.read_units, old.write_units):
        text = messages.throughput_unchanged(index.name, old.read_units, old.write_units)
        raise invalid(text)
    was = index_as_it_is(table.billing_mode, index, now_ms)
    # Until the change is complete an index shows its old dates, unlike a table.
    return msgspec.structs.replace(
        index,
        throughput=changed_throughput(old, units, now_ms),
        warm=was.warm,
        changed_ms=now_ms,
        meanwhile=was,
    )


class RequestedChanges(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of an UpdateTable that may have to wait for an index.

    `units`: the table's units or billing mode change. `limits`: its on-demand maxima change.
    `stream`: its stream is enabled or disabled.
    """

    updates: Sequence[GlobalSecondaryIndexUpdate]
    units: bool
    limits: bool
    stream: bool
    vector_updates: Sequence[VectorIndexUpdate] = ()


def check_indexes_free(
    table: Table, requested: RequestedChanges, now_ms: int, transient_ms: int
) -> None:
    """Raise ResourceInUseException for changes that must wait until an index is ready or gone."""
    for update in requested.updates:
        action = update.update or update.create or update.delete
        assert action is not None, "checked without the table"
        index = table.index(str(action.index_name))
        if index is not None and not index.is_local:
            _check_index_free(table, index, update, now_ms=now_ms, transient_ms=transient_ms)
    for each in requested.vector_updates:
        changed = each.create or each.delete
        assert changed is not None, "checked without the table"
        index = table.vector_index(str(changed.index_name))
        if index is not None:
            _check_index_free(table, index, each, now_ms=now_ms, transient_ms=transient_ms)
    deleting = _names(table, lambda index: index.state == "DELETING")
    if deleting:
        _check_table_free(table, requested, ("deleted", "deletion"), deleting)
    allocating = _names(table, lambda index: is_allocating(index, now_ms, transient_ms))
    if allocating:
        _check_table_free(table, requested, ("created", "creation"), allocating)
        if requested.stream:
            raise _in_use(stream_messages.during_index(table.name, allocating))


def _check_index_free(
    table: Table,
    index: Index,
    update: GlobalSecondaryIndexUpdate | VectorIndexUpdate,
    *,
    now_ms: int,
    transient_ms: int,
) -> None:
    status = index_status_of(index, now_ms, transient_ms)
    if status == "DELETING":
        raise _in_use(messages.index_busy("deleted", table.name, index.name))
    if status == "CREATING" and update.create is not None:
        raise _in_use(messages.create_during_creation(table.name, index.name))
    if is_allocating(index, now_ms, transient_ms):
        wait = (
            messages.update_before_backfilling
            if update.delete is None
            else messages.delete_before_backfilling
        )
        raise _in_use(wait(table.name, index.name))
    if status == "UPDATING" and update.create is None:
        raise _in_use(messages.index_busy("updated", table.name, index.name))


def _check_table_free(
    table: Table, requested: RequestedChanges, doing: tuple[str, str], indexes: str
) -> None:
    if requested.units:
        raise _in_use(messages.units_during(doing[0], table.name, indexes))
    if requested.limits:
        raise _in_use(messages.limits_during(doing[1], indexes))


def _names(table: Table, predicate: Callable[[Index], bool]) -> str:
    return ", ".join(index.name for index in table.all_indexes if predicate(index))


def _in_use(text: str) -> DynamoError:
    return DynamoError(Fault.RESOURCE_IN_USE, text)
