import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.limits.dax import DAX_LEVELS_MAX, DAX_REQUEST_ITEMS_MAX
from hashrange.wire.cbor.reader import IncompleteError, MalformedError, Tagged, read_item
from hashrange.wire.cbor.scanner import Scanner

# Examples of RFC 8949, appendix A, in definite and indefinite forms, and heads longer than needed.
ITEMS = {
    "00": 0,
    "17": 23,
    "1818": 24,
    "1b000000e8d4a51000": 1_000_000_000_000,
    "1b0000000000000001": 1,
    "20": -1,
    "3bffffffffffffffff": -(2**64),
    "c249010000000000000000": 2**64,
    "c349010000000000000000": -(2**64) - 1,
    "f93c00": 1.0,
    "fa47c35000": 100_000.0,
    "fb3ff199999999999a": 1.1,
    "f4": False,
    "f5": True,
    "f6": None,
    "f7": None,
    "4401020304": b"\x01\x02\x03\x04",
    "5f42010243030405ff": b"\x01\x02\x03\x04\x05",
    "62c3bc": "ü",
    "7f657374726561646d696e67ff": "streaming",
    "83010203": [1, 2, 3],
    "9f01820203ff": [1, [2, 3]],
    "a201020304": {1: 2, 3: 4},
    "bf6161016162820203ff": {"a": 1, "b": [2, 3]},
    "a201020103": {1: 3},
    "d90cfc02": Tagged(3324, 2),
}


@pytest.mark.parametrize(("encoded", "item"), ITEMS.items())
def test_items(encoded, item):
    data = bytes.fromhex(encoded)
    assert read_item(data, 0) == (item, len(data))


# No part of an item is taken for the whole of it.
@pytest.mark.parametrize("encoded", ITEMS)
def test_incomplete(encoded):
    data = bytes.fromhex(encoded)
    for end in range(len(data)):
        with pytest.raises(IncompleteError):
            read_item(data[:end], 0)


@pytest.mark.parametrize(
    "encoded",
    [
        "1c",
        "1f",
        "3f",
        "df",
        "ff",
        "e0",
        "f818",
        "61ff",
        "5f6161ff",
        "a18000",
        "c201",
        # Keys of a map: a number of 72 bits, of which many have the same hash.
        "a1c24901000000000000000000",
    ],
)
def test_malformed(encoded):
    with pytest.raises(MalformedError):
        read_item(bytes.fromhex(encoded) + bytes(10), 0)


# Deep nesting ends before the interpreter's stack does.
@pytest.mark.parametrize("opening", [b"\x81", b"\x9f", b"\xa1\x00", b"\xa1", b"\xbf", b"\xc6"])
def test_deep(opening):
    with pytest.raises(MalformedError):
        read_item(opening * 100_000, 0)
    with pytest.raises(MalformedError):
        Scanner(0, 1).find_end(opening * (DAX_LEVELS_MAX + 1))


# Lengths are claims: nothing is allocated for them.
@pytest.mark.parametrize("head", ["5b7fffffffffffffff", "9b7fffffffffffffff", "bb7fffffffffffffff"])
def test_claimed_lengths(head):
    with pytest.raises(IncompleteError):
        read_item(bytes.fromhex(head), 0)
    assert Scanner(0, 1).find_end(bytes.fromhex(head)) is None


def test_many_items():
    with pytest.raises(MalformedError):
        Scanner(0, 1).find_end(b"\x9f" + b"\x00" * DAX_REQUEST_ITEMS_MAX)


# The scanner finds the same ends as the reader, in whatever parts the bytes arrive.
@given(st.lists(st.sampled_from(sorted(ITEMS)), min_size=1), st.data())
def test_scanner(encoded, data):
    whole = b"".join(map(bytes.fromhex, encoded))
    scanner = Scanner(0, len(encoded))
    size = 0
    while size < len(whole):
        assert scanner.find_end(whole[:size]) is None
        size = data.draw(st.integers(size + 1, len(whole)))
    assert scanner.find_end(whole) == len(whole)
