"""What a cache keeps, and what it evicts."""

from hypothesis import given
from hypothesis import strategies as st

from hashrange.bounded_cache import BoundedCache


def cache(entries_max=16):
    return BoundedCache(entries_max=entries_max, chars_max=100, entry_chars_max=50)


def kept(some, keys):
    return [key for key in keys if some.get(key) is not None]


def test_what_is_kept_is_found():
    some = cache()
    some.keep("a", 1, 10)
    assert some.get("a") == some.entries["a"] == 1
    assert some.get("b") is None


def test_large_ones_are_not_kept():
    some = cache()
    some.keep("a", 1, 50)
    some.keep("b", 2, 51)
    assert kept(some, "ab") == ["a"]


def test_one_too_many_evicts_the_oldest_eighth():
    some = cache(entries_max=16)
    for key in range(17):
        some.keep(key, "value", 1)
    assert kept(some, range(17)) == [*range(2, 17)]


def test_characters_evict_too():
    some = cache()
    for key in "abc":
        some.keep(key, 1, 50)
    assert kept(some, "abc") == ["b", "c"]


# As where two requests of one shape are the first at once.
def test_a_key_that_is_kept_again_counts_once():
    some = cache()
    for value in range(5):
        some.keep("a", value, 50)
    some.keep("b", 1, 50)
    assert some.get("a") == 4
    assert some.chars == 100


def test_all_can_be_forgotten():
    some = cache()
    some.keep("a", 1, 50)
    some.clear()
    assert (len(some), some.chars) == (0, 0)
    for key in "bc":
        some.keep(key, 1, 50)
    assert kept(some, "abc") == ["b", "c"]


# Whatever is kept in whatever order: within both bounds, with the sizes of what there is, and the
# last one is there.
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 60))))
def test_bounds_hold(entries):
    some, sizes = cache(), {}
    for key, chars in entries:
        some.keep(key, f"{key}", chars)
        if chars <= 50:
            sizes[key] = chars
            assert some.get(key) == f"{key}"
        assert len(some) <= 16
        assert some.chars == sum(sizes[each] for each in some.entries) <= 100
