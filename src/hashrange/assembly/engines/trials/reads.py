"""Trials of reads of a single caller: values in order, pages, bounds."""

import random
from itertools import product
from typing import Final

from hashrange.assembly.engines.trials.subject import EVERYTHING, Subject
from hashrange.storage.engine import Changes, Pair

PAIRS: Final = {bytes([letter]): bytes([letter]) * 10 for letter in b"abcdefgh"}
_KEYS: Final = list(PAIRS)


def read_answers_in_the_order_of_its_keys(subject: Subject) -> None:
    """Read answers in the order of its keys."""
    subject.change(puts={b"a": b"1", b"b": b"2", b"c": b"3"})
    assert subject.read(b"c", b"x", b"a", b"c", b"b") == [b"3", None, b"1", b"3", b"2"]


def reading_no_keys_answers_nothing(subject: Subject) -> None:
    """Reading no keys answers nothing."""
    assert subject.read() == []


def an_empty_value_is_not_absence(subject: Subject) -> None:
    """An empty value is not absence."""
    subject.change(puts={b"empty": b""})
    assert subject.read(b"empty", b"absent") == [b"", None]
    assert subject.scan() == [(b"empty", b"")]
    seen = subject.write([b"empty", b"absent"], lambda values: Changes(answer=tuple(values)))
    assert seen == (b"", None)


def keys_and_values_are_any_bytes(subject: Subject) -> None:
    """Keys and values are any bytes.

    A text column, a terminating zero or a length in one byte would each lose one of these.
    """
    ends = [b"\x00", b"\x00\x00", b"a\x00b", b"\xff", b"\xc3\x28", b"%_'\"\\"]
    for key in [*ends, bytes(range(256))]:
        subject.use_empty_subspace()
        subject.change(puts={key: key})
        assert subject.read(key, key + b"\x00", key[:-1] or b"-") == [key, None, None]
        assert subject.scan() == [(key, key)]


def the_longest_key_and_a_large_value_are_kept(subject: Subject) -> None:
    """The longest key and a large value are kept."""
    noise = random.Random(1)  # values that compress well would hide a limit on a row
    longest = noise.randbytes(subject.engine.key_bytes_max)
    large = noise.randbytes(500_000)
    subject.change(puts={longest: large, longest[:-1]: b"shorter"})
    assert subject.read(longest, longest[:-1]) == [large, b"shorter"]
    assert len(subject.scan()) == 2


def many_keys_are_read_at_once(subject: Subject) -> None:
    """Many keys are read at once."""
    keys = [number.to_bytes(3) for number in range(2_500)]
    subject.change(puts={key: key for key in keys[::2]})
    assert subject.read(*keys) == [
        key if index % 2 == 0 else None for index, key in enumerate(keys)
    ]


def keys_are_ordered_as_unsigned_bytes(subject: Subject) -> None:
    """Keys are ordered as unsigned bytes."""
    keys = [b"\x00", b"\x00\x00", b"\x01", b"Z", b"a", b"a\x00", b"aa", b"\x7f", b"\x80", b"\xff"]
    shuffled = random.Random(2).sample(keys, len(keys))
    subject.change(puts=dict.fromkeys(shuffled, b""))
    assert [key for key, _ in subject.scan()] == keys
    assert [key for key, _ in subject.scan(reverse=True)] == keys[::-1]


def a_scan_includes_its_start_and_excludes_its_end(subject: Subject) -> None:
    """A scan includes its start and excludes its end."""
    subject.change(puts=PAIRS)
    bounds = [
        (b"b", b"d", b"bc"),
        (b"b", b"b\x00", b"b"),
        (b"b\x00", b"c", b""),
        (b"b", b"b", b""),
        (b"d", b"b", b""),
        (b"", b"c", b"ab"),
        (b"g", b"\xff" * 5000, b"gh"),
        (b"", b"", b""),
    ]
    for (start, end, expected), reverse in product(bounds, (False, True)):
        page = subject.scan(start=start, end=end, reverse=reverse)
        assert sorted(page) == [(bytes([letter]), PAIRS[bytes([letter])]) for letter in expected]


def a_page_ends_at_its_limit_or_its_bytes(subject: Subject) -> None:
    """A page ends at its limit or its bytes.

    The pair that brings the sum of bytes to the bound exactly is the last.
    """
    subject.change(puts=PAIRS)
    ends = [
        (1, 1000, 1),
        (3, 1000, 3),
        (8, 1000, 8),
        (9, 1000, 8),
        (8, 1, 1),
        (8, 10, 1),
        (8, 11, 2),
        (8, 20, 2),
        (8, 79, 8),
        (8, 80, 8),
        (2, 21, 2),
        (4, 21, 3),
    ]
    for (limit, bytes_max, count), reverse in product(ends, (False, True)):
        page = subject.scan(limit=limit, bytes_max=bytes_max, reverse=reverse)
        assert [key for key, _ in page] == (_KEYS[::-1] if reverse else _KEYS)[:count]


def a_value_larger_than_a_page_is_a_page(subject: Subject) -> None:
    """A value larger than a page is a page."""
    subject.change(puts={b"a": b"x" * 10_000, b"b": b""})
    assert subject.scan(bytes_max=100) == [(b"a", b"x" * 10_000)]


def keys_and_empty_values_cost_a_page_no_bytes(subject: Subject) -> None:
    """Keys and empty values cost a page no bytes."""
    subject.change(puts={number.to_bytes(2): b"" for number in range(100)} | {b"z": b"1"})
    assert len(subject.scan(bytes_max=1)) == 101


def consecutive_pages_have_every_pair_once(subject: Subject) -> None:
    """Consecutive pages have every pair once."""
    noise = random.Random(3)
    pairs = {number.to_bytes(2): noise.randbytes(number % 150) for number in range(300)}
    subject.change(puts=pairs)
    for bounds, reverse in product(({"limit": 7}, {"bytes_max": 500}), (False, True)):
        found: list[Pair] = []
        start, end = EVERYTHING["start"], EVERYTHING["end"]
        while page := subject.scan(start=start, end=end, reverse=reverse, **bounds):
            found += page
            last = page[-1][0]
            start, end = (start, last) if reverse else (last + b"\x00", end)
        assert found == sorted(pairs.items(), reverse=reverse)


def pages_agree_with_a_sorted_list(subject: Subject) -> None:
    """Pages agree with a sorted list.

    Random histories would find this fault too, but later and without its name.
    """
    noise = random.Random(4)
    pairs = {noise.randbytes(noise.randint(1, 3)): noise.randbytes(5) for _ in range(200)}
    subject.change(puts=pairs)
    for _ in range(50):
        start, end = sorted(noise.randbytes(2) for _ in range(2))
        inside = sorted(pair for pair in pairs.items() if start <= pair[0] < end)
        limit = noise.randint(1, 20)
        assert subject.scan(start=start, end=end, limit=limit) == inside[:limit]
        backwards = subject.scan(start=start, end=end, limit=limit, reverse=True)
        assert backwards == inside[::-1][:limit]
