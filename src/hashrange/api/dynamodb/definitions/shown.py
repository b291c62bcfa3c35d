"""The settings that a description shows: until a change is complete, those before it. Pure."""

import msgspec

from hashrange.limits.tables import ON_DEMAND_WARM_READ_UNITS, ON_DEMAND_WARM_WRITE_UNITS
from hashrange.model.table import BillingMode, Index, Table, Throughput, VisibleSettings, WarmUnits
from hashrange.tables.catalog.lifecycle import is_changing, is_warming


def as_it_is(table: Table, now_ms: int) -> VisibleSettings:
    """The current settings of a table, with all changes."""
    return VisibleSettings(
        at_ms=now_ms,
        throughput=table.throughput,
        warm=warm_units(table.billing_mode, table.throughput, table.warm),
        billing_switched_ms=table.billing_switched_ms,
        table_class=table.table_class,
        class_changed_ms=table.class_changed_ms,
    )


def index_as_it_is(mode: BillingMode, index: Index, now_ms: int) -> VisibleSettings:
    """The current settings of an index of a table of that mode, with all changes."""
    return VisibleSettings(
        at_ms=now_ms,
        throughput=index.throughput,
        warm=warm_units(mode, index.throughput, index.warm),
    )


def as_shown(changed: Table | Index, now: VisibleSettings, transient_ms: int) -> VisibleSettings:
    """The settings to show: those of `now`, or until a change is complete, those before it."""
    before = changed.meanwhile
    if before is None:
        return now
    if before.at_ms == changed.changed_ms and is_changing(changed, now.at_ms, transient_ms):
        return before
    if before.at_ms == changed.warm_changed_ms and is_warming(changed, now.at_ms, transient_ms):
        return msgspec.structs.replace(now, warm=before.warm)
    return now


def warm_units(mode: BillingMode, throughput: Throughput, most: WarmUnits) -> WarmUnits:
    """The warm throughput of a table or index; `most` is the highest that was ever requested."""
    if mode == "PAY_PER_REQUEST":
        read, write = ON_DEMAND_WARM_READ_UNITS, ON_DEMAND_WARM_WRITE_UNITS
    else:
        read, write = throughput.read_units, throughput.write_units
    return WarmUnits(
        read_units=max(read, most.read_units), write_units=max(write, most.write_units)
    )
