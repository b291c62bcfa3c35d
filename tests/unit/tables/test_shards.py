"""Streams and their shards, from one catalog entry to the next."""

from itertools import pairwise

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from hashrange.model.stream import ALL_RECORDS
from hashrange.model.table import Table
from hashrange.tables.shards import (
    is_over,
    is_to_roll,
    rolled,
    trimmed,
    visible_shards,
    with_stream,
    without_shards,
    without_stream,
)
from tests.unit.tables.definitions import HOUR_MS, NOON_MS, definition


def streaming(shards=1, now_ms=NOON_MS, table=None):
    return with_stream(table or definition(), "NEW_IMAGE", shards, now_ms)


def numbers(shards):
    return [shard.number for shard in shards]


@given(st.integers(1, 100))
def test_open_shards_cover_all_hashes_once(count):
    shards = streaming(count).open_shards
    assert len(shards) == count
    assert (shards[0].start, shards[-1].end) == (b"", b"")
    assert all(one.end == other.start for one, other in pairwise(shards))
    assert all(one.start < other.start for one, other in pairwise(shards))


def test_children_go_on_from_shards_that_were_open_for_long_enough():
    table = streaming(2)
    assert not is_to_roll(table, NOON_MS + HOUR_MS - 1, HOUR_MS)
    assert is_to_roll(table, NOON_MS + HOUR_MS, HOUR_MS)
    table = rolled(table, NOON_MS + HOUR_MS, HOUR_MS)
    first, second, *children = table.stream.shards
    assert first.closed_ms == second.closed_ms == NOON_MS + HOUR_MS
    assert [(child.number, child.parent) for child in children] == [(3, 1), (4, 2)]
    assert [(child.start, child.end) for child in children] == [
        (first.start, first.end),
        (second.start, second.end),
    ]
    assert rolled(table, NOON_MS + HOUR_MS, HOUR_MS) == table, "they are young"


# A label is all that tells two streams apart, and a clock may go back.
def test_no_two_streams_have_one_label():
    table = streaming()
    for now_ms in (NOON_MS, NOON_MS - HOUR_MS, NOON_MS + 5):
        table = streaming(table=without_stream(table, now_ms), now_ms=now_ms)
    created = [stream.created_ms for stream in table.streams]
    assert created == [NOON_MS, NOON_MS + 1, NOON_MS + 2, NOON_MS + 5]
    assert numbers(shard for stream in table.streams for shard in stream.shards) == [1, 2, 3, 4]
    assert table.latest_stream_ms == NOON_MS + 5


def test_disabled_stream_has_no_open_shard():
    table = without_stream(streaming(3), NOON_MS + 1)
    assert table.stream is None
    assert table.open_shards == ()
    assert table.streams[0].disabled_ms == NOON_MS + 1
    assert without_stream(table, NOON_MS + 2) == table
    assert all(is_over(shard, NOON_MS + 2) for shard in table.streams[0].shards)
    assert not any(is_over(shard, NOON_MS + 1) for shard in table.streams[0].shards)
    assert not is_over(streaming().open_shards[0], NOON_MS + HOUR_MS)


def test_trim_horizons_only_go_on():
    table = trimmed(streaming(2), {1: 10})
    assert [shard.trimmed_to for shard in table.open_shards] == [10, 1]
    assert trimmed(table, {1: 9, 2: 0}) == table


def test_trimmed_shards_vanish_and_disabled_streams_with_the_last():
    table = rolled(streaming(), NOON_MS + HOUR_MS, HOUR_MS)
    table = trimmed(table, {1: ALL_RECORDS})
    assert numbers(visible_shards(table.stream)) == [2]
    table = without_shards(table, {1})
    assert numbers(table.stream.shards) == [2]
    table = without_stream(table, NOON_MS + 2 * HOUR_MS)
    table = without_shards(trimmed(table, {2: ALL_RECORDS}), {2})
    assert table.streams == ()
    assert table.latest_stream_ms == NOON_MS, "it is told for as long as the table lives"


def test_streams_are_kept_in_the_catalog():
    table = rolled(streaming(3), NOON_MS + HOUR_MS, HOUR_MS)
    assert msgspec.json.decode(msgspec.json.encode(table), type=Table) == table
