"""Reads of items by range: where a page ends, and that it costs what it answers."""

import asyncio

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hashrange.assembly.engines.trials.contract import ContractEngine
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.limits.requests import PAGE_BYTES_MAX
from hashrange.storage.engine import StaleFenceError
from hashrange.tables.items.images import Image, size_of, stored
from hashrange.tables.keys import keyspace
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import KeyRange, read_items, read_page, read_size
from tests.engines.counting import CountingEngine
from tests.unit.tables.definitions import definition

TABLE = OpenTable(definition(), {})
EVERYTHING = KeyRange(b"", b"\xff")


def engine_of(images):
    """An engine with these images by key, which keeps the contract and counts."""
    pairs = {key: stored(image, key) for key, image in images.items()}
    return CountingEngine(ContractEngine(DictEngine(pairs)))


def page_of(engine, keys=EVERYTHING, items_max=None, **bounds):
    return asyncio.run(read_page(engine, TABLE, keys, items_max=items_max, **bounds))


def keys_of(count):
    return [number.to_bytes(4, "big") for number in range(count)]


def alike(count, size, stored_bytes=None):
    """Images of one size, and of so many bytes where they are stored, by key."""
    json = b"x" * (stored_bytes or size)
    return {key: Image(size, json) for key in keys_of(count)}


# The size of items decides, not of what is stored, which is always more.
@pytest.mark.parametrize("stored_bytes", [None, 3_000, 20_000])
@pytest.mark.parametrize("reverse", [False, True])
def test_page_ends_with_the_item_that_makes_a_megabyte(reverse, stored_bytes):
    engine = engine_of(alike(1_100, 1_000, stored_bytes))
    page = page_of(engine, KeyRange(b"", b"\xff", reverse))
    assert len(page.stored) == 1_049
    assert page.size == 1_049_000
    assert page.more


# One byte less than a page goes on; a page exactly does not.
@pytest.mark.parametrize(
    ("first", "items"), [(PAGE_BYTES_MAX - 1, 2), (PAGE_BYTES_MAX, 1), (PAGE_BYTES_MAX + 1, 1)]
)
def test_boundary_of_a_page(first, items):
    images = {b"a": Image(first, b"x" * first), b"b": Image(7, b"x" * 9), b"c": Image(7, b"x" * 9)}
    page = page_of(engine_of(images))
    assert page.stored == [stored(image, key) for key, image in images.items()][:items]
    assert page.more


# That there is no more is known only where the engine had less to give than was asked for.
@pytest.mark.parametrize(
    ("items_max", "items", "more"),
    [(None, 5, False), (6, 5, False), (5, 5, True), (4, 4, True), (1, 1, True)],
)
def test_more(items_max, items, more):
    images = alike(5, 100)
    page = page_of(engine_of(images), items_max=items_max)
    assert (len(page.stored), page.size, page.more) == (items, items * 100, more)


# Nothing is asked of the engine where there is nothing to ask for.
@pytest.mark.parametrize("keys", [KeyRange(b"a", b"a"), KeyRange(b"b", b"a", reverse=True)])
def test_empty_range(keys):
    engine = engine_of(alike(5, 100))
    page = page_of(engine, keys)
    assert (page.stored, page.size, page.more, engine.scans) == ([], 0, False, 0)


# A limit of one costs one row, however large the partition is.
@pytest.mark.parametrize("count", [1, 10, 10_000])
@pytest.mark.parametrize("reverse", [False, True])
def test_limit_costs_what_it_answers(count, reverse):
    engine = engine_of(alike(count, 100))
    page_of(engine, KeyRange(b"", b"\xff", reverse), items_max=1)
    assert (engine.scans, engine.pairs) == (1, 1)


# A page reads the rows that it answers and no others, though it does not know beforehand how many
# bytes they are stored in; so often as it asks again, that is bounded.
@pytest.mark.parametrize("ratio", [1, 2, 3, 10])
def test_page_reads_only_its_rows(ratio):
    engine = engine_of(alike(30_000, 50, 50 * ratio))
    page = page_of(engine)
    assert engine.pairs == len(page.stored) == 20_972
    assert engine.scans <= 15 * ratio


# At no time more than a page and one item is held from the engine, whatever the range holds.
def test_page_of_large_items_is_bounded():
    large = 400 * 1024
    engine = engine_of(alike(50, large))
    page = page_of(engine)
    assert len(page.stored) == 3
    assert engine.value_bytes_max <= PAGE_BYTES_MAX + large + 5


# What a page holds that was planned with a table that is no more, nobody may see.
def test_fences_are_handed_on():
    engine = DictEngine({b"fence": b"new"})
    table = OpenTable(definition(), {b"fence": b"old"})
    with pytest.raises(StaleFenceError):
        asyncio.run(read_page(engine, table, EVERYTHING, items_max=None))
    with pytest.raises(StaleFenceError):
        asyncio.run(read_items(engine, [table], [b"a"]))
    with pytest.raises(StaleFenceError):
        asyncio.run(read_items(engine, [TABLE, table], [b"a"]))


# In the order of the keys, with a gap for each that is absent.
def test_items_by_key():
    images = alike(3, 100)
    engine = engine_of(images)
    first, _, last = keys_of(3)
    read = asyncio.run(read_items(engine, [TABLE, TABLE], [last, b"absent", first]))
    assert read == [stored(images[last], last), None, stored(images[first], first)]
    assert asyncio.run(read_items(engine, [TABLE], [first])) == [stored(images[first], first)]


# A table that nothing was ever written to has no counters.
def test_size_of_a_table():
    counters = {
        keyspace.item_count_key(1): (3).to_bytes(8, "big"),
        keyspace.bytes_key(1): (300).to_bytes(8, "big"),
    }
    size = asyncio.run(read_size(DictEngine(counters), 1))
    assert (size.items, size.size) == (3, 300)
    size = asyncio.run(read_size(DictEngine(counters), 2))
    assert (size.items, size.size) == (0, 0)


short = st.binary(min_size=1, max_size=2)
bounds = st.binary(max_size=3)


# Any range, in any pages, in both directions, is the range. The page is short here, so that
# several fit into few items.
@example([b"a", b"b", b"c"], [40, 60, 1], 0, (b"", b"\xff"), False, None)
@given(
    st.lists(short, unique=True, max_size=12),
    st.lists(st.integers(1, 120), min_size=12, max_size=12),
    st.integers(0, 30),
    st.tuples(bounds, bounds),
    st.booleans(),
    st.none() | st.integers(1, 5),
)
def test_walk_of_a_range(keys, sizes, more_bytes, within, reverse, items_max):
    images = {
        key: Image(size, b"x" * (size + more_bytes)) for key, size in zip(keys, sizes, strict=False)
    }
    engine = engine_of(images)
    start, end = within
    selected = sorted((key for key in keys if start <= key < end), reverse=reverse)
    walked = []
    while True:  # bound: each page has an item more, or is the last
        page = page_of(engine, KeyRange(start, end, reverse), items_max, page_bytes_max=100)
        read = page.stored
        assert page.size == sum(map(size_of, read))
        assert sum(map(size_of, read[:-1])) < 100
        assert items_max is None or len(read) <= items_max
        assert page.more == (page.size >= 100 or len(read) == items_max)
        walked += read
        if not page.more:
            break
        last = selected[len(walked) - 1]
        start, end = (start, last) if reverse else (last + b"\x00", end)
    assert walked == [stored(images[key], key) for key in selected]
