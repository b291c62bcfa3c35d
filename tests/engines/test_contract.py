"""What every engine does with one caller: reads, pages, changes, fences."""

import random
from itertools import pairwise

import pytest

from hashrange.storage.engine import Changes, StaleFenceError
from tests.engines.contract import EVERYTHING, NO_LIMIT, OpenedEngine

PAIRS = {bytes([letter]): bytes([letter]) * 10 for letter in b"abcdefgh"}
KEYS = list(PAIRS)


class RefusedError(Exception):
    """What a decision raises in these tests."""


def refuse(values):
    raise RefusedError(values)


# Reads


def test_read_answers_in_the_order_of_its_keys(opened: OpenedEngine):
    opened.change(puts={b"a": b"1", b"b": b"2", b"c": b"3"})
    assert opened.read(b"c", b"x", b"a", b"c", b"b") == [b"3", None, b"1", b"3", b"2"]


def test_reading_no_keys_answers_nothing(opened: OpenedEngine):
    assert opened.read() == []


def test_an_empty_value_is_not_absence(opened: OpenedEngine):
    opened.change(puts={b"empty": b""})
    assert opened.read(b"empty", b"absent") == [b"", None]
    assert opened.scan() == [(b"empty", b"")]
    seen = opened.write([b"empty", b"absent"], lambda values: Changes(answer=tuple(values)))
    assert seen == (b"", None)


# A text column, a terminating zero or a length in one byte would each lose one of these.
@pytest.mark.parametrize(
    "key",
    [b"\x00", b"\x00\x00", b"a\x00b", b"\xff", b"\xc3\x28", bytes(range(256)), b"%_'\"\\"],
    ids=repr,
)
def test_keys_and_values_are_any_bytes(opened: OpenedEngine, key: bytes):
    opened.change(puts={key: key})
    assert opened.read(key, key + b"\x00", key[:-1] or b"-") == [key, None, None]
    assert opened.scan() == [(key, key)]


def test_the_longest_key_and_a_large_value_are_kept(opened: OpenedEngine):
    noise = random.Random(1)  # what compresses to nothing would hide a limit on a row
    longest = noise.randbytes(opened.engine.key_bytes_max)
    large = noise.randbytes(500_000)
    opened.change(puts={longest: large, longest[:-1]: b"shorter"})
    assert opened.read(longest, longest[:-1]) == [large, b"shorter"]
    assert len(opened.scan()) == 2


def test_many_keys_are_read_at_once(opened: OpenedEngine):
    keys = [number.to_bytes(3) for number in range(2_500)]
    opened.change(puts={key: key for key in keys[::2]})
    assert opened.read(*keys) == [key if index % 2 == 0 else None for index, key in enumerate(keys)]


# Scans


def test_keys_are_ordered_as_unsigned_bytes(opened: OpenedEngine):
    keys = [b"\x00", b"\x00\x00", b"\x01", b"Z", b"a", b"a\x00", b"aa", b"\x7f", b"\x80", b"\xff"]
    shuffled = random.Random(2).sample(keys, len(keys))
    opened.change(puts=dict.fromkeys(shuffled, b""))
    assert [key for key, _ in opened.scan()] == keys
    assert [key for key, _ in opened.scan(reverse=True)] == keys[::-1]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (b"b", b"d", b"bc"),
        (b"b", b"b\x00", b"b"),
        (b"b\x00", b"c", b""),
        (b"b", b"b", b""),
        (b"d", b"b", b""),
        (b"", b"c", b"ab"),
        (b"g", b"\xff" * 5000, b"gh"),
        (b"", b"", b""),
    ],
)
def test_a_scan_includes_its_start_and_excludes_its_end(
    opened: OpenedEngine, start: bytes, end: bytes, expected: bytes, reverse: bool
):
    opened.change(puts=PAIRS)
    page = opened.scan(start=start, end=end, reverse=reverse)
    assert sorted(page) == [(bytes([letter]), PAIRS[bytes([letter])]) for letter in expected]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("limit", "bytes_max", "count"),
    [
        (1, 1000, 1),
        (3, 1000, 3),
        (8, 1000, 8),
        (9, 1000, 8),
        (8, 1, 1),
        (8, 10, 1),  # exactly reached: the pair that brings the sum there is the last
        (8, 11, 2),
        (8, 20, 2),
        (8, 79, 8),
        (8, 80, 8),
        (2, 21, 2),
        (4, 21, 3),
    ],
)
def test_a_page_ends_at_its_limit_or_its_bytes(
    opened: OpenedEngine, limit: int, bytes_max: int, count: int, reverse: bool
):
    opened.change(puts=PAIRS)
    page = opened.scan(limit=limit, bytes_max=bytes_max, reverse=reverse)
    assert [key for key, _ in page] == (KEYS[::-1] if reverse else KEYS)[:count]


def test_a_value_larger_than_a_page_is_a_page(opened: OpenedEngine):
    opened.change(puts={b"a": b"x" * 10_000, b"b": b""})
    assert opened.scan(bytes_max=100) == [(b"a", b"x" * 10_000)]


def test_keys_and_empty_values_cost_a_page_no_bytes(opened: OpenedEngine):
    opened.change(puts={number.to_bytes(2): b"" for number in range(100)} | {b"z": b"1"})
    assert len(opened.scan(bytes_max=1)) == 101


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("bounds", [{"limit": 7}, {"bytes_max": 500}], ids=str)
def test_pages_that_follow_each_other_are_everything_once(
    opened: OpenedEngine, bounds: dict[str, int], reverse: bool
):
    noise = random.Random(3)
    pairs = {number.to_bytes(2): noise.randbytes(number % 150) for number in range(300)}
    opened.change(puts=pairs)
    found, start, end = [], EVERYTHING["start"], EVERYTHING["end"]
    while page := opened.scan(start=start, end=end, reverse=reverse, **bounds):
        found += page
        last = page[-1][0]
        start, end = (start, last) if reverse else (last + b"\x00", end)
    assert found == sorted(pairs.items(), reverse=reverse)


# Writes


def test_a_write_answers_what_was_decided_on_what_is_there(opened: OpenedEngine):
    opened.change(puts={b"a": b"1", b"b": b"2"})

    def decide(values):
        assert type(values) is list
        return Changes(answer=tuple(values), puts={b"a": b"3"}, deletes=[b"b", b"x"])

    assert opened.write([b"b", b"x", b"a", b"b"], decide) == (b"2", None, b"1", b"2")
    assert opened.scan() == [(b"a", b"3")]


def test_puts_replace_and_deletes_of_nothing_are_nothing(opened: OpenedEngine):
    opened.change(puts={b"a": b"1", b"b": b"1"})
    opened.change(puts={b"a": b"longer than before", b"c": b""}, deletes=[b"b", b"nothing"])
    opened.change(puts={b"a": b""}, deletes=[b"b"])
    assert opened.scan() == [(b"a", b""), (b"c", b"")]


def test_changes_outside_of_the_keys_are_made_as_well(opened: OpenedEngine):
    opened.change(puts={b"item": b"1", b"entry 1": b"", b"rest": b""})
    opened.write(
        [b"item"],
        lambda _: Changes(
            answer=None,
            puts={b"item": b"2", b"entry 2": b"new"},
            deletes=[b"entry 1", b"entry 0"],
        ),
    )
    assert opened.scan() == [(b"entry 2", b"new"), (b"item", b"2"), (b"rest", b"")]


def test_a_decision_to_change_nothing_changes_nothing(opened: OpenedEngine):
    opened.change(puts=PAIRS)
    assert opened.write([b"a", b"new"], lambda values: Changes(answer=len(values))) == 2
    assert opened.write([], lambda values: Changes(answer=len(values))) == 0
    assert opened.scan() == sorted(PAIRS.items())


def test_what_decide_raises_reaches_the_caller_and_changes_nothing(opened: OpenedEngine):
    opened.change(puts={b"a": b"1"})
    with pytest.raises(RefusedError) as refused:
        opened.write([b"a", b"b"], refuse)
    assert refused.value.args == ([b"1", None],)
    assert opened.scan() == [(b"a", b"1")]
    opened.change(puts={b"a": b"2"})  # and the engine goes on
    assert opened.read(b"a") == [b"2"]


def test_a_deleted_key_can_be_put_again(opened: OpenedEngine):
    for value in (b"1", b"2", b"2", b"3"):
        opened.change(puts={b"a": value})
        assert opened.scan() == [(b"a", value)]
        opened.change(deletes=[b"a"])
        assert opened.scan() == []


# An engine may keep a mark for a key that was compared while it was absent. The mark is nothing:
# it is not read, not scanned, and to delete it is no change.
def test_a_key_seen_to_be_absent_stays_absent(opened: OpenedEngine):
    opened.write([b"a", b"seen"], lambda _: Changes(answer=None, puts={b"a": b"1"}))
    assert opened.read(b"seen") == [None]
    assert opened.scan() == [(b"a", b"1")]
    assert opened.scan(limit=1, reverse=True) == [(b"a", b"1")]
    opened.change(deletes=[b"seen"])
    opened.write([b"seen"], lambda values: Changes(answer=None, deletes=[b"a", b"seen"]))
    assert opened.scan() == []
    opened.change(puts={b"seen": b"2"})
    assert opened.scan() == [(b"seen", b"2")]


def test_a_write_of_a_hundred_items_is_one(opened: OpenedEngine):
    items = [b"item %03d" % number for number in range(100)]
    entries = [b"entry %03d %d" % (number, index) for number in range(100) for index in range(20)]
    opened.write(
        items,
        lambda _: Changes(
            answer=None,
            puts={key: key for key in [*items, *entries]},
            adds={b"count %d" % number: 1 for number in range(20)},
            appends=[(b"log", item) for item in items],
        ),
    )
    assert len(opened.scan(end=b"log")) == 100 + 2_000 + 20
    opened.write(items, lambda _: Changes(answer=None, deletes=[*items, *entries]))
    assert len(opened.scan(end=b"log")) == 20


# Fences

FENCE = {b"fence": b"1"}
STALE = [{b"fence": b"0"}, {b"fence": b""}, {b"absent": b""}, {b"a": b"1", b"fence": b"2"}]


def test_a_fence_that_holds_changes_nothing_else(opened: OpenedEngine):
    opened.change(puts={b"fence": b"1", b"a": b"1"})
    fences = {b"fence": b"1", b"a": b"1"}
    assert opened.read(b"a", b"x", fences=fences) == [b"1", None]
    assert opened.scan(end=b"b", fences=fences) == [(b"a", b"1")]
    seen = opened.write([b"a"], lambda values: Changes(answer=values[0]), fences=fences)
    assert seen == b"1"
    opened.change(puts={b"b": b"2"}, fences=fences)
    assert opened.read(b"b", b"fence") == [b"2", b"1"]


@pytest.mark.parametrize("fences", STALE, ids=str)
def test_nothing_happens_behind_a_stale_fence(opened: OpenedEngine, fences: dict[bytes, bytes]):
    opened.change(puts={b"fence": b"1", b"a": b"1"})
    with pytest.raises(StaleFenceError):
        opened.read(b"a", fences=fences)
    with pytest.raises(StaleFenceError):
        opened.read(fences=fences)
    with pytest.raises(StaleFenceError):
        opened.scan(fences=fences)
    with pytest.raises(StaleFenceError):
        opened.scan(start=b"x", end=b"y", fences=fences)  # an empty page would be a wrong answer
    with pytest.raises(StaleFenceError):
        opened.change(puts={b"a": b"2"}, deletes=[b"fence"], adds={b"n": 1}, fences=fences)
    with pytest.raises(StaleFenceError):
        opened.change(appends=[(b"log", b"")], fences=fences)
    with pytest.raises(StaleFenceError):
        opened.write([b"a"], lambda _: Changes(answer=None), fences=fences)
    assert opened.scan() == [(b"a", b"1"), (b"fence", b"1")]


# The decision rests on a plan made for another table definition: its refusal may be wrong.
def test_a_stale_fence_comes_before_what_decide_raises(opened: OpenedEngine):
    opened.change(puts={b"fence": b"2"})
    with pytest.raises(StaleFenceError):
        opened.write([b"a"], refuse, fences=FENCE)


def test_a_fence_is_checked_each_time(opened: OpenedEngine):
    for value in (b"1", b"2", b"1", None):
        if value is None:
            opened.change(deletes=[b"fence"])
        else:
            opened.change(puts={b"fence": value})
        for fence in (b"1", b"2"):
            if fence == value:
                opened.change(puts={b"a": fence}, fences={b"fence": fence})
                assert opened.read(b"a", fences={b"fence": fence}) == [fence]
            else:
                with pytest.raises(StaleFenceError):
                    opened.change(puts={b"a": b"never"}, fences={b"fence": fence})
                with pytest.raises(StaleFenceError):
                    opened.read(b"a", fences={b"fence": fence})


# A change of a table's definition compares the definition that it changes.
def test_a_fence_may_be_among_the_keys_and_the_puts(opened: OpenedEngine):
    opened.change(puts=FENCE)
    opened.change(puts={b"fence": b"2"}, fences=FENCE)
    with pytest.raises(StaleFenceError):
        opened.change(puts={b"fence": b"3"}, fences=FENCE)
    assert opened.read(b"fence") == [b"2"]


# Together


# The model test finds this too; here it is found at once and by name.
def test_pages_agree_with_a_sorted_list(opened: OpenedEngine):
    noise = random.Random(4)
    pairs = {noise.randbytes(noise.randint(1, 3)): noise.randbytes(5) for _ in range(200)}
    opened.change(puts=pairs)
    for _ in range(50):
        start, end = sorted(noise.randbytes(2) for _ in range(2))
        inside = sorted(pair for pair in pairs.items() if start <= pair[0] < end)
        limit = noise.randint(1, 20)
        assert opened.scan(start=start, end=end, limit=limit) == inside[:limit]
        backwards = opened.scan(start=start, end=end, limit=limit, reverse=True)
        assert backwards == inside[::-1][:limit]


def test_what_was_written_is_there_when_opened_again(durable, tmp_path):
    with OpenedEngine(durable, tmp_path) as opened:
        opened.change(puts=PAIRS, adds={b"n": 5}, appends=[(b"log", b"1")])
        opened.change(deletes=[b"a"])
        everything = opened.scan(**NO_LIMIT)
    assert all(a < b for (a, _), (b, _) in pairwise(everything))
    with OpenedEngine(durable, tmp_path) as opened:
        assert opened.scan() == everything
