"""Values as bytes. The vectors pin bytes that are on disks: they are never changed."""

import itertools
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.tables.keys.ordering import ordered
from tests.rows import rows
from tests.unit.model.strategies import base64
from tests.unit.tables.key_values import (
    binary_values,
    comparable,
    number_values,
    string_values,
    suffixes,
)


@rows(
    ("value", "encoding"),
    [
        ({"S": ""}, "02 0000000000000000 00"),
        ({"S": "a"}, "02 6100000000000000 01"),
        ({"S": "a\0"}, "02 6100000000000000 02"),
        ({"S": "abcdefg"}, "02 6162636465666700 07"),
        ({"S": "abcdefgh"}, "02 6162636465666768 08"),
        ({"S": "abcdefghi"}, "02 6162636465666768 09 6900000000000000 01"),
        ({"S": "é"}, "02 c3a9000000000000 02"),
        ({"B": ""}, "03 0000000000000000 00"),
        ({"B": "/wA="}, "03 ff00000000000000 02"),
        ({"N": "0"}, "01 02"),
        ({"N": "1"}, "01 03 82 20"),
        ({"N": "12"}, "01 03 83 2300"),
        ({"N": "120"}, "01 03 84 2300"),
        ({"N": "123"}, "01 03 84 2340"),
        ({"N": "909"}, "01 03 84 a1a0"),
        ({"N": "12.5"}, "01 03 83 2360"),
        ({"N": "0.5"}, "01 03 81 60"),
        ({"N": "0.05"}, "01 03 80 60"),
        ({"N": "-1"}, "01 01 7d df"),
        ({"N": "-12"}, "01 01 7c dcff"),
        ({"N": "-12.5"}, "01 01 7c dc9f"),
        ({"N": "1" + "0" * 125}, "01 03 ff 20"),
        ({"N": "0." + "0" * 129 + "1"}, "01 03 00 20"),
        ({"N": "-1" + "0" * 125}, "01 01 00 df"),
        ({"N": "9" * 38}, "01 03 a7" + "aa" * 19 + "00"),
    ],
)
def test_ordered_vectors(value, encoding):
    assert ordered(value) == bytes.fromhex(encoding)


def pairs_of_one_type():
    return st.one_of(
        *(st.tuples(kind, kind) for kind in (string_values, number_values, binary_values))
    )


@given(pairs_of_one_type())
def test_encodings_sort_as_values_do(pair):
    left, right = pair
    assert (ordered(left) < ordered(right)) == (comparable(left) < comparable(right))
    assert (ordered(left) == ordered(right)) == (left == right)


@given(pairs_of_one_type(), suffixes, suffixes)
def test_what_follows_an_encoding_never_decides_between_values(pair, after_left, after_right):
    left, right = pair
    if left != right:
        smaller = ordered(left) + after_left < ordered(right) + after_right
        assert smaller == (comparable(left) < comparable(right))
        assert not ordered(left).startswith(ordered(right))


SIGNIFICANT = [
    "".join(drawn)
    for length in range(1, 5)
    for drawn in itertools.product("019", repeat=length)
    if drawn[0] != "0" != drawn[-1]
]
NUMBERS = {
    text
    for significant in SIGNIFICANT
    for plain in (significant, f"{significant}0", f"0.{significant}", f"0.0{significant}")
    for text in (plain, f"-{plain}", "0")
}
BYTES = [
    filling * length + bytes(drawn)
    for filling in (b"\0", b"a", b"\xff")
    for length in (0, 6, 7, 8, 14, 15, 16)
    for count in range(3)
    for drawn in itertools.product([0, 9, 0xFF], repeat=count)
]


# Drawn values seldom differ in just what is rare: so all small ones meet here.
@pytest.mark.parametrize(
    "values",
    [
        [{"N": text} for text in sorted(NUMBERS, key=Decimal)],
        [{"B": base64(raw)} for raw in sorted(set(BYTES))],
    ],
    ids=["N", "B"],
)
def test_all_small_values_are_in_order_and_none_is_a_prefix(values):
    for smaller, larger in itertools.pairwise(map(ordered, values)):
        assert smaller < larger
        # In sorted order, whatever has a prefix follows it at once.
        assert not larger.startswith(smaller)


@pytest.mark.parametrize("byte", [0, 0x61, 0xFF])
def test_encodings_cost_an_eighth_whatever_the_bytes_are(byte):
    raw = bytes([byte]) * 1024
    assert len(ordered({"B": base64(raw)})) == 1 + 1024 + 1024 // 8


@given(number_values)
def test_numbers_take_at_most_23_bytes(value):
    assert len(ordered(value)) <= 23


def test_orderings_of_all_types_are_disjoint():
    encodings = [ordered(value) for value in ({"N": "1"}, {"S": ""}, {"B": ""})]
    assert all(a < b for a, b in itertools.pairwise(encodings))
