"""Provisioned throughput: kept and reported."""

import msgspec

from hashrange.errors import invalid
from hashrange.limits import CAPACITY_UNITS_MAX
from hashrange.messages import tables as messages
from hashrange.model.table import Table, Throughput
from hashrange.operations.descriptions import decreases_today
from hashrange.operations.table_shapes import ProvisionedThroughput


def check_units(units: ProvisionedThroughput | None) -> None:
    """Refuse more units than can be asked for."""
    if units is None:
        return
    given = {
        "ReadCapacityUnits": units.read_capacity_units,
        "WriteCapacityUnits": units.write_capacity_units,
    }
    for member, value in given.items():
        if value is not None and value > CAPACITY_UNITS_MAX:
            raise invalid(messages.units_out_of_bounds(value, member))


def throughput_of(units: ProvisionedThroughput | None) -> Throughput:
    """The throughput of a new table; none is what on-demand tables have."""
    if units is None:
        return Throughput()
    assert units.read_capacity_units is not None
    assert units.write_capacity_units is not None
    return Throughput(read_units=units.read_capacity_units, write_units=units.write_capacity_units)


def changed_throughput(table: Table, units: ProvisionedThroughput, now_ms: int) -> Throughput:
    """The table's throughput after UpdateTable, with the dates of its last changes."""
    old, new = table.throughput, throughput_of(units)
    raised = new.read_units > old.read_units or new.write_units > old.write_units
    lowered = new.read_units < old.read_units or new.write_units < old.write_units
    return msgspec.structs.replace(
        new,
        increased_ms=now_ms if raised else old.increased_ms,
        decreased_ms=now_ms if lowered else old.decreased_ms,
        decreases_today=decreases_today(table, now_ms) + lowered,
    )
