"""What the caches keep, for how long, and what they evict."""

from collections import OrderedDict

from hypothesis import given
from hypothesis import strategies as st

from hashrange.dax.cache.entries import ENTRY_BYTES, Entries, Kind

KEYS = [b"a", b"b", b"c"]


def keep(entries, each, value="value", *, size=100, now_ms=0, ttl_ms=0):
    entries.keep(Kind.ITEM, each, value, size=size, now_ms=now_ms, ttl_ms=ttl_ms)


def kept(entries):
    return [each.decode() for each in KEYS if entries.get(Kind.ITEM, each, 0) is not None]


def test_an_entry_is_found_until_its_time_is_over():
    entries = Entries(10_000)
    keep(entries, KEYS[0], ttl_ms=1000)
    assert entries.get(Kind.ITEM, KEYS[0], 999).value == "value"
    assert entries.get(Kind.ITEM, KEYS[0], 1000) is None
    assert (len(entries), entries.size) == (0, 0)


# It would be stale for as long as the clock was set back.
def test_an_entry_of_a_clock_that_was_set_back_is_over():
    entries = Entries(10_000)
    keep(entries, KEYS[0], now_ms=500, ttl_ms=1000)
    keep(entries, KEYS[1], now_ms=500)
    assert entries.get(Kind.ITEM, KEYS[0], 499) is None
    assert entries.get(Kind.ITEM, KEYS[1], 499) is not None


def test_an_item_and_a_query_of_one_key_are_two_entries():
    entries = Entries(10_000)
    keep(entries, KEYS[0])
    assert entries.get(Kind.ITEM, KEYS[1], 0) is None
    assert entries.get(Kind.QUERY, KEYS[0], 0) is None


def test_the_least_recently_used_entry_is_evicted():
    entries = Entries(2 * (100 + 1 + ENTRY_BYTES))
    keep(entries, KEYS[0])
    keep(entries, KEYS[1])
    entries.get(Kind.ITEM, KEYS[0], 0)
    keep(entries, KEYS[2])
    assert kept(entries) == ["a", "c"]
    assert (entries.evicted, entries.evicted_bytes) == (1, 100 + 1 + ENTRY_BYTES)


def test_a_value_that_never_has_room_leaves_no_entry_of_its_key_and_all_others():
    entries = Entries(2000)
    keep(entries, KEYS[0])
    keep(entries, KEYS[1])
    keep(entries, KEYS[0], size=2000)
    assert kept(entries) == ["b"]
    assert entries.evicted == 0


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["keep", "get", "drop"]), st.sampled_from("abcdefgh"), st.integers(0, 900)
    )
)


@given(steps=STEPS)
def test_the_entries_are_those_of_a_list_in_the_order_of_use(steps):
    bytes_max = 3000
    entries, model = Entries(bytes_max), OrderedDict()
    for verb, name, size in steps:
        each, total = name.encode(), size + 1 + ENTRY_BYTES
        if verb == "get":
            found = entries.get(Kind.ITEM, each, 0)
            assert (found and found.size) == model.get(name)
            if found is not None:
                model.move_to_end(name)
            continue
        model.pop(name, None)
        if verb == "drop":
            entries.drop(Kind.ITEM, each)
        else:
            keep(entries, each, size=size)
            model[name] = total
            while sum(model.values()) > bytes_max:
                model.popitem(last=False)
    assert entries.size == sum(model.values()) <= bytes_max
    assert len(entries) == len(model)
