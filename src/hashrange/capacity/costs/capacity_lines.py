"""Lines of a bill for requests, for units, and for storage, in each way of paying for them.

Source: "Pricing for On-Demand Capacity" and "Pricing for Provisioned Capacity" on AWS's site; the
Developer Guide, "DynamoDB reserved capacity". Writes to a global table are replicated writes in
each of its regions; writes to its indexes are ordinary writes there. Reserved capacity is for the
Standard table class, and not for replicated writes.
"""

from collections.abc import Sequence
from math import ceil
from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.capacity.costs.usage import Usage
from hashrange.capacity.prices import (
    MONTH_HOURS,
    RESERVED_BLOCK_UNITS,
    FreeTier,
    Prices,
    Term,
    blocks,
)

_DIGITS: Final = 4


class Line(msgspec.Struct, frozen=True):
    """A line of a bill.

    Attributes:
        usd: US dollars in a month; None if there is no price.
    """

    name: str
    quantity: float
    unit: str
    usd: float | None


def line(name: str, quantity: float, unit: str, price: float | None) -> Line:
    """A line, by the price of one unit. Nothing of a thing costs nothing, whatever its price."""
    usd = 0.0 if not quantity else None if price is None else round_usd(quantity * price)
    return Line(name, round(quantity, _DIGITS), unit, usd)


def round_usd(amount: float) -> float:
    """An amount as it is shown and added: to a hundredth of a cent."""
    return round(amount, _DIGITS)


Class: TypeAlias = Literal["", "ia_"]
"""The table class, as the beginning of the names of its prices: Standard, or Standard-IA."""
TARGET_USE: Final = 0.7
"""The share of its units that a table with auto scaling uses: the usual target."""
_MILLION: Final = 1_000_000
_UNIT_HOURS: Final = "unit-hours"


class UnitHours(msgspec.Struct, frozen=True, kw_only=True):
    """Provisioned units multiplied by the hours of a month, in one region."""

    reads: float
    writes: float
    index_writes: float


def on_demand(usage: Usage, prices: Prices, table_class: Class = "") -> list[Line]:
    """The lines of consumed units."""
    reads, writes, index_writes = [
        units * usage.load_seconds / _MILLION
        for units in (usage.read_units, usage.write_units, usage.index_write_units)
    ]
    kind = "replicated_write" if usage.replicas else "write"
    regions = usage.regions
    unit = "million units"
    write = getattr(prices, f"{table_class}on_demand_{kind}_million")
    index_write = getattr(prices, f"{table_class}on_demand_write_million")
    return [
        line("reads", reads, unit, getattr(prices, f"{table_class}on_demand_read_million")),
        line(_write_name(usage), writes * regions, unit, write),
        line("writes of indexes", index_writes * regions, unit, index_write),
    ]


def fixed_units(usage: Usage) -> UnitHours:
    """Units for the peak, in all hours of a month."""
    return UnitHours(
        reads=ceil(usage.read_units * usage.read_peak) * MONTH_HOURS,
        writes=ceil(usage.write_units * usage.write_peak) * MONTH_HOURS,
        index_writes=ceil(usage.index_write_units * usage.write_peak) * MONTH_HOURS,
    )


def scaled_units(usage: Usage) -> UnitHours:
    """Units that follow the load to their target use, and are one unit in the other hours."""
    idle_hours = MONTH_HOURS - usage.load_hours

    def hours(units: float) -> float:
        return ceil(units / TARGET_USE) * usage.load_hours + (idle_hours if units else 0.0)

    return UnitHours(
        reads=hours(usage.read_units),
        writes=hours(usage.write_units),
        index_writes=hours(usage.index_write_units),
    )


def provisioned(
    usage: Usage,
    prices: Prices,
    units: UnitHours,
    *,
    table_class: Class = "",
    free: FreeTier | None = None,
) -> list[Line]:
    """The lines of provisioned units; `free` is of the Standard table class."""
    free = free or FreeTier()
    kind = "replicated_write" if usage.replicas else "write"
    free_writes = free.replicated_write_units if usage.replicas else free.write_units
    regions = usage.regions
    reads = max(0.0, units.reads - free.read_units * MONTH_HOURS)
    writes = max(0.0, units.writes - free_writes * MONTH_HOURS)
    write = getattr(prices, f"{table_class}provisioned_{kind}_hour")
    index_write = getattr(prices, f"{table_class}provisioned_write_hour")
    return [
        line("reads", reads, _UNIT_HOURS, getattr(prices, f"{table_class}provisioned_read_hour")),
        line(_write_name(usage), writes * regions, _UNIT_HOURS, write),
        line("writes of indexes", units.index_writes * regions, _UNIT_HOURS, index_write),
    ]


def reserved(usage: Usage, prices: Prices, term: Term) -> list[Line]:
    """The lines of units for the peak that are reserved in whole blocks.

    The payment in advance is divided among the hours of the term.
    """
    units = fixed_units(usage)
    reads, writes, index_writes = [
        round(hours / MONTH_HOURS) for hours in (units.reads, units.writes, units.index_writes)
    ]
    ordinary = index_writes if usage.replicas else writes + index_writes
    unit = f"blocks of {RESERVED_BLOCK_UNITS} units"
    read_hour, write_hour = [
        _month(prices.reserved_hour(term, "read")),
        _month(prices.reserved_hour(term, "write")),
    ]
    lines = [
        line("reads, reserved", blocks(reads), unit, read_hour),
        line("writes, reserved", blocks(ordinary) * usage.regions, unit, write_hour),
    ]
    if usage.replicas:
        lines.append(provisioned(usage, prices, units)[1])
    return lines


def storage(usage: Usage, price: float | None, free_gb: float = 0.0) -> Line:
    """The line of the storage of the table and its indexes, in all regions."""
    free_regions = max(0.0, usage.storage_gb - free_gb) * usage.regions
    return line("storage", free_regions, "GB", price)


def total_usd(lines: Sequence[Line]) -> float | None:
    """The total cost of lines; None if one has no price."""
    total = 0.0
    for each in lines:
        if each.usd is None:
            return None
        total += each.usd
    return total


def _month(hour: float | None) -> float | None:
    return None if hour is None else hour * MONTH_HOURS


def _write_name(usage: Usage) -> str:
    return "replicated writes" if usage.replicas else "writes"
