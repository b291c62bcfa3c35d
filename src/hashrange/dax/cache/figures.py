"""The figures of caches, for metrics."""

from collections.abc import Sequence
from typing import Any

from hashrange.dax.cache.caches import Caches
from hashrange.observe.figures import Figures


def cache_figures(caches: Sequence[Caches[Any]]) -> Figures:
    """The figures of caches together; `SENTENCES` has their names in CloudWatch."""
    found: dict[str, float] = {}
    for kind in ("item", "query", "scan"):
        uses = [each.uses[kind] for each in caches]
        found[f"dax_{kind}_cache_hits_total"] = sum(each.hits for each in uses)
        found[f"dax_{kind}_cache_misses_total"] = sum(each.misses for each in uses)
    entries = [each.entries for each in caches]
    size, room = sum(each.size for each in entries), sum(each.bytes_max for each in entries)
    found["dax_cache_bytes"] = size
    found["dax_cache_memory_percent"] = 100 * size / room if room else 0.0
    found["dax_evicted_entries_total"] = sum(each.evicted for each in entries)
    found["dax_evicted_bytes_total"] = sum(each.evicted_bytes for each in entries)
    return found
