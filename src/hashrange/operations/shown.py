"""What is shown of a table: as it is, or as it was while a change of it is under way. Pure."""

import msgspec

from hashrange.limits import ON_DEMAND_WARM_READ_UNITS, ON_DEMAND_WARM_WRITE_UNITS
from hashrange.model.table import BillingMode, Shown, Table, TableStatus, Throughput, WarmUnits


def as_it_is(table: Table, now_ms: int) -> Shown:
    """The table with every change that was asked for."""
    return Shown(
        at_ms=now_ms,
        throughput=table.throughput,
        warm=warm_units(table.billing_mode, table.throughput, table.warm),
        billing_switched_ms=table.billing_switched_ms,
        table_class=table.table_class,
        class_changed_ms=table.class_changed_ms,
    )


def as_shown(table: Table, status: TableStatus, now_ms: int, *, warming: bool) -> Shown:
    """The table as clients see it while it has `status`; `warming` of its warm throughput alone."""
    now, before = as_it_is(table, now_ms), table.meanwhile
    if before is None:
        return now
    if status == "UPDATING" and before.at_ms == table.changed_ms:
        return before
    if warming and before.at_ms == table.warm_changed_ms:
        return msgspec.structs.replace(now, warm=before.warm)
    return now


def warm_units(mode: BillingMode, throughput: Throughput, most: WarmUnits) -> WarmUnits:
    """What a table or index is prepared for; `most` is the most that it ever was asked to be."""
    if mode == "PAY_PER_REQUEST":
        read, write = ON_DEMAND_WARM_READ_UNITS, ON_DEMAND_WARM_WRITE_UNITS
    else:
        read, write = throughput.read_units, throughput.write_units
    return WarmUnits(
        read_units=max(read, most.read_units), write_units=max(write, most.write_units)
    )
