"""Whose turn it is, by value: parents first, and one stream after the other."""

from hashrange.background.triggers.sources import Source, due
from hashrange.tables.log.shards import rolled, with_stream, without_stream
from hashrange.tables.streams.finding import TableStream
from tests.unit.tables.definitions import HOUR_MS, NOON_MS, definition


def sources(table):
    return [
        Source(TableStream(table, stream, {}), shard)
        for stream in table.streams
        for shard in table.shards_of(stream)
    ]


def numbers(found):
    return [source.shard.number for source in found]


def test_shards_wait_for_their_parents_and_streams_for_those_before():
    table = with_stream(definition(number=7), "KEYS_ONLY", 2, NOON_MS)
    table = rolled(table, NOON_MS + HOUR_MS, HOUR_MS)  # 1 → 3, 2 → 4
    table = without_stream(table, NOON_MS + HOUR_MS)
    table = with_stream(table, "KEYS_ONLY", 1, NOON_MS + 2 * HOUR_MS)  # 5
    found = sources(table)
    assert numbers(found) == [1, 2, 3, 4, 5]
    assert numbers(due(found, [])) == [1, 2]
    assert numbers(due(found, [(7, 1)])) == [2, 3]
    assert numbers(due(found, [(7, 1), (7, 2), (7, 3)])) == [4]
    assert numbers(due(found, [(7, number) for number in range(1, 5)])) == [5]
    assert due(found, [(7, number) for number in range(1, 6)]) == []
    # A parent that is gone is waited for by nobody.
    assert numbers(due(found[2:], [])) == [3, 4]
