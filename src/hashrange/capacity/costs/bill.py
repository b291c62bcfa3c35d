"""The bill of a month: what a usage costs in each way of paying for its capacity."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from hashrange.capacity.costs.capacity_lines import (
    fixed_units,
    on_demand,
    provisioned,
    reserved,
    scaled_units,
    storage,
    total_usd,
)
from hashrange.capacity.costs.extras import extras
from hashrange.capacity.costs.lines import Line, round_usd
from hashrange.capacity.costs.usage import DAY_HOURS, Usage
from hashrange.capacity.prices import MONTH_HOURS, FreeTier, Prices, Term

TERMS: Final[Mapping[str, Term]] = {"reserved_1_year": "1_year", "reserved_3_years": "3_years"}


class BreakEven(msgspec.Struct, frozen=True, kw_only=True):
    """From when units for the peak of a load cost less than the units that it consumes.

    Attributes:
        share: the share of the units for the peak that is used, on average over the month.
        read_units: that share of the read units, a second.
        write_units: the same of write units, with those of indexes.
    """

    share: float
    read_units: float
    write_units: float


class Bill(msgspec.Struct, frozen=True, kw_only=True):
    """The bill of a month in US dollars, by the way of paying for capacity.

    Attributes:
        monthly: the total of each way, with `extras`; None if a price is missing.
        capacity: the lines of each way: requests or units, and storage.
        extras: the lines that are the same in each way.
        cheapest: the way with the lowest total; empty if no price is known.
        break_even: of provisioned and reserved capacity.
        not_priced: ways and lines that have no total for want of a price.
    """

    monthly: dict[str, float | None]
    capacity: dict[str, list[Line]]
    extras: list[Line]
    cheapest: str
    break_even: dict[str, BreakEven]
    not_priced: list[str]


def monthly_bill(
    usage: Usage,
    prices: Prices,
    *,
    dax: Mapping[str, float] | None = None,
    free: FreeTier | None = None,
) -> Bill:
    """The bill of a usage.

    Args:
        usage: the load and the size of a table with its indexes.
        prices: those of its region.
        dax: prices of a node for an hour, by its type.
        free: the free tier, which is subtracted; None to subtract nothing.
    """
    free = free or FreeTier()
    more = extras(usage, prices, dax or {}, free)
    extra_usd = sum(each.usd or 0.0 for each in more)
    capacity = dict(_ways(usage, prices, free))
    monthly: dict[str, float | None] = {}
    for name, lines in capacity.items():
        usd = total_usd(lines)
        monthly[name] = None if usd is None else round_usd(usd + extra_usd)
    priced = {name: usd for name, usd in monthly.items() if usd is not None}
    return Bill(
        monthly=monthly,
        capacity=capacity,
        extras=more,
        cheapest=min(priced, key=lambda name: priced[name], default=""),
        break_even=dict(_break_even(usage, prices)),
        not_priced=[each.name for each in more if each.usd is None]
        + [name for name in monthly if name not in priced],
    )


def _ways(usage: Usage, prices: Prices, free: FreeTier) -> Iterator[tuple[str, list[Line]]]:
    stored = storage(usage, prices.storage_gb_month, free.storage_gb)
    ia_stored = storage(usage, prices.ia_storage_gb_month)
    fixed, scaled = fixed_units(usage), scaled_units(usage)
    yield "on_demand", [*on_demand(usage, prices), stored]
    yield "provisioned", [*provisioned(usage, prices, fixed, free=free), stored]
    yield "provisioned_with_scaling", [*provisioned(usage, prices, scaled, free=free), stored]
    for name, term in TERMS.items():
        yield name, [*reserved(usage, prices, term), stored]
    yield "standard_ia_on_demand", [*on_demand(usage, prices, "ia_"), ia_stored]
    yield (
        "standard_ia_provisioned",
        [*provisioned(usage, prices, fixed, table_class="ia_"), ia_stored],
    )


def _break_even(usage: Usage, prices: Prices) -> Iterator[tuple[str, BreakEven]]:
    """The shares of use at which on demand costs as much, for the mix of this load."""
    units = fixed_units(usage)
    reads = units.reads / MONTH_HOURS
    writes = units.writes / MONTH_HOURS
    index_writes = units.index_writes / MONTH_HOURS
    full = msgspec.structs.replace(
        usage,
        read_units=reads,
        write_units=writes,
        index_write_units=index_writes,
        hours_a_day=DAY_HOURS,
        read_peak=1.0,
        write_peak=1.0,
    )
    consumed = total_usd(on_demand(full, prices))
    ways = {"provisioned": provisioned(usage, prices, units)}
    ways |= {name: reserved(usage, prices, term) for name, term in TERMS.items()}
    for name, lines in ways.items():
        usd = total_usd(lines)
        if usd is not None and consumed:
            share = usd / consumed
            yield (
                name,
                BreakEven(
                    share=round(share, 4),
                    read_units=round(share * reads, 2),
                    write_units=round(share * (writes + index_writes), 2),
                ),
            )
