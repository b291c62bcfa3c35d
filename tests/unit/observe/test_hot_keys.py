"""The sketch of what is asked for most, against exact counts."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hashrange.observe import hot_keys
from hashrange.observe.hot_keys import KEY_CHARS_MAX, HotKeys


def test_keys_are_counted_by_table():
    keys = HotKeys()
    for table, key in [("T", "a"), ("T", "b"), ("T", "a"), ("U", "a")]:
        keys.add(table, key)
    assert keys.total == 4
    assert keys.hottest(2) == [(("T", "a"), 2), (("T", "b"), 1)]


# What the algorithm promises: heavy keys are there, and no count is too high, nor too low by more
# than one in so many of all.
@given(st.lists(st.integers(0, 9) | st.integers(0, 300), max_size=400), st.integers(5, 20))
def test_heavy_keys_are_never_missed(numbers, counters):
    keys, exact = HotKeys(), Counter(map(str, numbers))
    before, hot_keys.KEYS_MAX = hot_keys.KEYS_MAX, counters
    try:
        for number in numbers:
            keys.add("T", str(number))
    finally:
        hot_keys.KEYS_MAX = before
    found = {key: count for (_, key), count in keys.hottest(counters)}
    assert len(found) <= counters
    for key, count in found.items():
        assert count <= exact[key] <= count + len(numbers) / counters
    for key, count in exact.items():
        assert key in found or count <= len(numbers) / counters


# Of many keys, each asked for once, none is hot, however high the counter that it took over.
def test_keys_seen_once_are_counted_once():
    keys = HotKeys()
    for number in range(5 * hot_keys.KEYS_MAX):
        keys.add("T", str(number))
    assert {count for _, count in keys.hottest(hot_keys.KEYS_MAX)} == {1}


# A key may be long, and a server may run for months.
def test_memory_is_bounded_and_counts_age():
    keys = HotKeys()
    for number in range(50_000):
        keys.add("T", "x" * 2000 if number < 20_000 else f"{number % 1000}")
    ((_, first), count), *rest = keys.hottest(hot_keys.KEYS_MAX + 1)
    assert len(rest) < hot_keys.KEYS_MAX
    assert len(first) <= KEY_CHARS_MAX + 1
    assert keys.total < hot_keys.AGED_AT
    assert count < 5_000
    keys.clear()
    assert (keys.total, keys.hottest(9)) == (0, [])
