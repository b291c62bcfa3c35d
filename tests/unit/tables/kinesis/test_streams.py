"""Shards are split, merged and counted so that the open ones always cover all hash keys once."""

from hypothesis import given
from hypothesis import strategies as st

from hashrange.tables.kinesis.numbers import numbers_in, sequence_number
from hashrange.tables.kinesis.streams import (
    HASHES,
    StoredStream,
    are_adjacent,
    merged,
    resized,
    split,
    with_shards,
)

STREAM = StoredStream(number=1, name="s", account="0" * 12, region="us-east-1", created_ms=0)


def check(stream):
    """The open shards cover all hash keys, and each shard's keys are those of its parents'."""
    shards = stream.open_shards
    following = 0
    for each in shards:
        assert int(each.first) == following
        following = int(each.last) + 1
    assert following == HASHES
    by_number = {each.number: each for each in stream.shards}
    for each in stream.shards:
        parents = [by_number[number] for number in each.parents]
        assert all(parent.closed_ms is not None for parent in parents)
        assert all(parent.number < each.number for parent in parents)
        overlapping = [
            other
            for other in stream.shards
            if other.number < each.number
            and int(other.first) <= int(each.last)
            and int(each.first) <= int(other.last)
        ]
        # So a consumer that follows parents to children reads all records of a key, in order.
        assert {other.number for other in overlapping} <= ancestors(each, by_number)


def ancestors(shard, by_number):
    found = set(shard.parents)
    for number in shard.parents:
        found |= ancestors(by_number[number], by_number)
    return found


@given(st.integers(1, 9), st.lists(st.integers(0, HASHES - 1), max_size=4), st.data())
def test_any_changes_leave_a_partition_of_the_keys(count, hash_keys, data):
    stream = with_shards(STREAM, count, 0)
    check(stream)
    for hash_key in hash_keys:
        shard = next(e for e in stream.open_shards if int(e.first) <= hash_key <= int(e.last))
        if int(shard.first) < hash_key:
            stream = split(stream, shard, hash_key, {shard.number: 7}, now_ms=1)
            assert stream.shard(shard.number).end == 7
            check(stream)
        shards = stream.open_shards
        if len(shards) > 1 and data.draw(st.booleans()):
            at = data.draw(st.integers(0, len(shards) - 2))
            stream = merged(stream, shards[at + 1], shards[at], {}, now_ms=2)
            check(stream)
    target = data.draw(st.integers(1, 12))
    stream = resized(stream, target, {}, now_ms=3)
    check(stream)
    starts = [int(each.first) for each in stream.open_shards]
    assert starts == [HASHES // target * number for number in range(target)]


def test_adjacent_shards():
    first, second, third = with_shards(STREAM, 3, 0).shards
    assert are_adjacent(first, second)
    assert are_adjacent(third, second)
    assert not are_adjacent(first, third)


@given(st.integers(1, 2**32 - 1), st.integers(0, 2**31), st.integers(0, 2**64 - 1))
def test_sequence_numbers(stream, shard, record):
    text = sequence_number((stream, shard), record)
    assert len(text) == 56
    assert numbers_in(text) == ((stream, shard), record)
    assert int(sequence_number((stream, shard + 1), 0)) > int(text)


def test_numbers_of_others():
    assert numbers_in("0") is None
    assert numbers_in("5" * 56) is None
    assert numbers_in("9" * 129) is None
