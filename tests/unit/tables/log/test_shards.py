"""Streams and their shards, from one catalog entry to the next."""

from itertools import pairwise

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from hashrange.model.log import ALL_RECORDS, LogReader
from hashrange.model.table import Table
from hashrange.tables.log.shards import (
    Horizon,
    cut,
    is_over,
    is_to_roll,
    rolled,
    trimmed,
    with_reader,
    with_stream,
    without_log,
    without_reader,
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
    shards = streaming(count).log.open_shards
    assert len(shards) == count
    assert (shards[0].start, shards[-1].end) == (b"", b"")
    assert all(one.end == other.start for one, other in pairwise(shards))
    assert all(one.start < other.start for one, other in pairwise(shards))


def test_children_go_on_from_shards_that_were_open_for_long_enough():
    table = streaming(2)
    assert not is_to_roll(table, NOON_MS + HOUR_MS - 1, HOUR_MS)
    assert is_to_roll(table, NOON_MS + HOUR_MS, HOUR_MS)
    table = rolled(table, NOON_MS + HOUR_MS, HOUR_MS)
    first, second, *children = table.log.shards
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
    assert [numbers(table.shards_of(stream)) for stream in table.streams] == [[1], [2], [3], [4]]
    assert table.latest_stream_ms == NOON_MS + 5


def test_disabled_stream_has_no_open_shard():
    table = without_stream(streaming(3), NOON_MS + 1)
    assert table.stream is None
    assert table.log.open_shards == ()
    assert table.streams[0].disabled_ms == NOON_MS + 1
    assert without_stream(table, NOON_MS + 2) == table
    assert all(is_over(shard, NOON_MS + 2) for shard in table.log.shards)
    assert not any(is_over(shard, NOON_MS + 1) for shard in table.log.shards)
    assert not is_over(streaming().log.open_shards[0], NOON_MS + HOUR_MS)


def test_trim_horizons_only_go_on():
    table = trimmed(streaming(2), {1: Horizon(10)})
    assert [shard.trimmed_to for shard in table.log.open_shards] == [10, 1]
    assert trimmed(table, {1: Horizon(9), 2: Horizon(0)}) == table


def test_trimmed_shards_vanish_and_disabled_streams_with_the_last():
    table = rolled(streaming(), NOON_MS + HOUR_MS, HOUR_MS)
    table = trimmed(table, {1: Horizon(ALL_RECORDS)})
    assert numbers(table.shards_of(table.stream)) == [2]
    table = without_shards(table, {1})
    assert numbers(table.log.shards) == [2]
    table = without_stream(table, NOON_MS + 2 * HOUR_MS)
    table = without_shards(trimmed(table, {2: Horizon(ALL_RECORDS)}), {2})
    assert table.streams == ()
    assert table.latest_stream_ms == NOON_MS, "it is told for as long as the table lives"


def test_streams_are_kept_in_the_catalog():
    table = rolled(streaming(3), NOON_MS + HOUR_MS, HOUR_MS)
    assert msgspec.json.decode(msgspec.json.encode(table), type=Table) == table


COPY = LogReader(name="copy", kind="COPY", first_shard=0)


# A log without a stream is open for its reader alone, and no stream shows it.
def test_a_reader_opens_the_log_and_closes_it():
    table = with_reader(definition(), COPY, 2, NOON_MS)
    assert numbers(table.log.open_shards) == [1, 2]
    assert (table.stream, table.log.readers[0].first_shard) == (None, 1)
    assert without_reader(table, "other", NOON_MS) is table
    table = without_reader(table, "copy", NOON_MS + 1)
    assert (table.log.open_shards, table.log.readers) == ((), ())


# What a reader reads begins and ends with whole shards; those of a stream have no parent before it.
def test_shards_are_rolled_when_a_reader_or_a_stream_comes_or_goes():
    table = with_reader(streaming(2), COPY, 1, NOON_MS + 1)
    assert numbers(table.log.open_shards) == [3, 4]
    assert table.log.readers[0].first_shard == 3
    assert numbers(table.shards_of(table.stream)) == [1, 2, 3, 4]
    table = without_stream(table, NOON_MS + 2)
    assert numbers(table.shards_of(table.streams[0])) == [1, 2, 3, 4]
    assert numbers(table.log.open_shards) == [5, 6]
    table = streaming(1, NOON_MS + 3, table)
    assert numbers(table.shards_of(table.stream)) == [7, 8]
    assert numbers(cut(table, NOON_MS + 4).log.open_shards) == [9, 10]
    table = without_reader(table, "copy", NOON_MS + 5)
    assert numbers(table.log.open_shards) == [7, 8], "the stream still reads"


def test_shards_are_kept_for_readers_beyond_the_end_of_their_stream():
    table = without_stream(with_reader(streaming(), COPY, 1, NOON_MS), NOON_MS)
    table = trimmed(table, {1: Horizon(ALL_RECORDS), 2: Horizon(ALL_RECORDS, 5)})
    assert (table.streams, [shard.cleared_to for shard in table.log.shards]) == (
        (),
        [ALL_RECORDS, 5, 1],
    )
    table = trimmed(table, {2: Horizon(1, 3)})
    assert table.log.shards[1].cleared_to == 5, "what is gone does not come back"


def test_dropped_tables_have_no_readers():
    table = with_reader(definition(), COPY, 1, NOON_MS)
    assert without_log(table, NOON_MS).log.readers == ()
    assert without_log(table, NOON_MS).log.open_shards == ()
