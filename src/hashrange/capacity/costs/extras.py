"""Lines of a bill that are the same in each way of paying for capacity."""

from collections.abc import Iterator, Mapping
from math import inf
from typing import Final

from hashrange.capacity.costs.lines import Line, line, round_usd
from hashrange.capacity.costs.usage import Usage
from hashrange.capacity.prices import MONTH_HOURS, FreeTier, Prices

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
