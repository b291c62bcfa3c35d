"""The bill of a month: what a usage costs in each way of paying for its capacity.

Backups, exports, streams and the like cost the same in each.
"""

from collections.abc import Iterator, Mapping
from math import inf
from typing import Final

import msgspec

from hashrange.capacity.costs.capacity_lines import (
    Line,
    fixed_units,
    line,
    on_demand,
    provisioned,
    reserved,
    round_usd,
    scaled_units,
    storage,
    total_usd,
)
from hashrange.capacity.costs.usage import DAY_HOURS, Usage
from hashrange.capacity.prices import MONTH_HOURS, FreeTier, Prices, Term

_MILLION: Final = 1_000_000
_TB: Final = 1024
_EGRESS: Final = (
    ("egress_gb", 10 * _TB),
    ("egress_gb_above_10_tb", 50 * _TB),
    ("egress_gb_above_50_tb", 150 * _TB),
    ("egress_gb_above_150_tb", inf),
)
"""Prices of what is sent to the internet, and the GB of a month up to which each holds."""


def extras(usage: Usage, prices: Prices, dax: Mapping[str, float], free: FreeTier) -> list[Line]:
    """The lines of what the usage has."""
    recovery_gb = usage.storage_gb * usage.regions if usage.pitr else 0.0
    streams = max(0.0, usage.stream_reads - free.stream_reads) / _MILLION
    # A unit of writes is up to 1 KB, which goes to each other region.
    written_gb = usage.write_units * usage.load_seconds / 1024**2
    found = [
        line("point-in-time recovery", recovery_gb, "GB", prices.pitr_gb_month),
        line("backups", usage.backup_gb, "GB", prices.backup_gb_month),
        line("restores", usage.restore_gb, "GB", prices.restore_gb),
        line("exports", usage.export_gb, "GB", prices.export_gb),
        line(
            "incremental exports", usage.incremental_export_gb, "GB", prices.incremental_export_gb
        ),
        line("imports", usage.import_gb, "GB", prices.import_gb),
        line("reads of the stream", streams, "million requests", prices.stream_read_million),
        line(
            "transfer to other regions",
            written_gb * usage.replicas,
            "GB",
            prices.transfer_between_regions_gb,
        ),
        _egress(max(0.0, usage.egress_gb - free.egress_gb), prices),
        *_nodes(usage.dax_nodes, dax),
        line("writes of vector indexes", usage.vector_write_gb, "GB", prices.vector_write_gb),
        line("searches of vectors", usage.vector_search_gb, "GB", prices.vector_search_gb),
    ]
    return [each for each in found if each.quantity]


def _egress(gb: float, prices: Prices) -> Line:
    """The line of what is sent to the internet; each tier has its price."""
    usd, begin = 0.0, 0.0
    for name, end in _EGRESS:
        part = min(gb, end) - begin
        if part <= 0:
            break
        price = getattr(prices, name)
        if price is None:
            return Line("transfer to the internet", gb, "GB", None)
        usd += part * price
        begin = end
    return Line("transfer to the internet", gb, "GB", round_usd(usd))


def _nodes(nodes: Mapping[str, int], dax: Mapping[str, float]) -> Iterator[Line]:
    for kind, count in nodes.items():
        yield line(f"nodes {kind}", count * MONTH_HOURS, "hours", dax.get(kind))


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
