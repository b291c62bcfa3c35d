"""What /metrics shows of caches."""

from hashrange.dax.cache.caches import Caches, cache_figures
from hashrange.observe.figures import SENTENCES


def test_the_figures_are_those_of_all_caches():
    one, other = Caches(1000), Caches(1000)
    one.item(b"a", 0)
    one.end_fill(one.begin_fill(b"a"), "value", 10, 0)
    one.item(b"a", 0)
    other.item(b"a", 0)
    other.query(b"a", 0, is_scan=True)
    other.keep_query(b"a", "page", 600, 0)
    other.keep_query(b"b", "page", 600, 0)
    figures = cache_figures([one, other])
    assert figures.keys() <= SENTENCES.keys()
    assert figures["dax_item_cache_hits_total"] == 1
    assert figures["dax_item_cache_misses_total"] == 2
    assert figures["dax_scan_cache_misses_total"] == 1
    assert figures["dax_evicted_entries_total"] == 1
    assert figures["dax_cache_bytes"] == one.entries.size + other.entries.size
    assert figures["dax_evicted_bytes_total"] > 600
