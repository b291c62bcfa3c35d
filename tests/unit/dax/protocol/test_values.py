from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.dax.protocol import keys
from hashrange.dax.protocol.values import encode_value, read_value
from hashrange.errors import DynamoError
from hashrange.model.canonical import canonical_item
from hashrange.model.numbers import canonical_number
from hashrange.model.wording import Wording
from hashrange.wire.cbor.reader import MalformedError

# What the official client of Python sends, and what all clients read.
SENT = {
    "62c3a9": {"S": "é"},
    "40": {"B": ""},
    "f5": {"BOOL": True},
    "f6": {"NULL": True},
    "82616101": {"L": [{"S": "a"}, {"N": "1"}]},
    "a1616b81f6": {"M": {"k": {"L": [{"NULL": True}]}}},
    "d90cf98261616162": {"SS": ["a", "b"]},
    "d90cfa8201c482201819": {"NS": ["1", "2.5"]},
    "d90cfb814101": {"BS": ["AQ=="]},
    "1b0000000100000000": {"N": "4294967296"},
    "390100": {"N": "-257"},
    "c249010000000000000000": {"N": "18446744073709551616"},
    "c349010000000000000000": {"N": "-18446744073709551617"},
    "c48220184b": {"N": "7.5"},
    "c4822119013a": {"N": "3.14"},
    "c4822024": {"N": "-0.5"},
}
# Further forms of numbers: floats of JavaScript, decimals that are not normalised.
READ = {
    "fb401e000000000000": "7.5",
    "fb3e7ad7f29abcaf48": "0.0000001",
    "c482201903e8": "100",
    "c482211896": "1.5",
    "c4820301": "1000",
    "f90000": "0",
}


def canonical(value):
    return canonical_item({"v": value}, Wording.CURRENT).item["v"]


@pytest.mark.parametrize(("encoded", "value"), SENT.items())
def test_there_and_back(encoded, value):
    data = bytes.fromhex(encoded)
    read, end = read_value(data, 0)
    assert (canonical(read), end) == (value, len(data))
    assert encode_value(value).hex() == encoded


@pytest.mark.parametrize(("encoded", "number"), READ.items())
def test_numbers(encoded, number):
    read, _ = read_value(bytes.fromhex(encoded), 0)
    assert canonical(read) == {"N": number}


# One client shows larger big numbers rounded, unless they are decimals with the exponent 0.
def test_long_integers():
    assert encode_value({"N": "9" * 21}).startswith(b"\xc2")
    assert encode_value({"N": "9" * 22}).startswith(b"\xc4\x82\x00\xc2")


@pytest.mark.parametrize(
    "encoded", ["f97e00", "f97c00", "c4821bffffffffffffffff01", "c259ffff" + "ff" * 0xFFFF]
)
def test_no_numbers(encoded):
    with pytest.raises(DynamoError):
        canonical(read_value(bytes.fromhex(encoded), 0)[0])


def test_nested_too_deeply():
    with pytest.raises(DynamoError, match=r"[Nn]esting"):
        read_value(b"\x81" * 200 + b"\x00", 0)


@pytest.mark.parametrize(
    "encoded", ["d90cf98101", "d90cf901", "f7", "c48101", "a10102", "d90cff00"]
)
def test_no_values(encoded):
    with pytest.raises(MalformedError):
        read_value(bytes.fromhex(encoded), 0)


# Computed by the encoder of the official client of Python.
LEXICAL = {
    "0": "80",
    "1": "c11c0000",
    "-1": "3ee3fff0",
    "10": "c21c0010",
    "42": "c26c0010",
    "-42": "3d93ffe0",
    "100": "c31c0020",
    "999": "c3fcc020",
    "1000": "c41c00c000",
    "1234": "c421d9c000",
    "123.456": "c321dd4008",
    "12345678901234567890": "d421dd4c8418596b2e4001",
    "9" * 38: "e6fcff3fcff3fcff3fcff3fcff3fcff3fa8010",
    "3.14": "c1518020",
    "-3.14": "3eae7fd0",
    "3.141": "c151870000",
    "0.1": "c01c0000",
    "0.01": "bf1c0000",
    "-0.5": "3f7ffff0",
    "0.0000000001": "b71c0000",
    f"0.{'0' * 62}1": "821c0000",
    f"0.{'0' * 63}1": "817fffffc11c0000",
    f"-0.{'0' * 127}1": "7e8000007ee3fff0",
    "111122223333444445555.66667777": "d51ec863ad59721c98dea6ac70e004",
}


@pytest.mark.parametrize(("number", "encoded"), LEXICAL.items())
def test_lexical(number, encoded):
    assert keys.encode(number).hex() == encoded
    assert canonical_number(keys.decode(bytes.fromhex(encoded)), Wording.CURRENT) == number


# The forms of other clients: fewer or more digits, and long headers.
@pytest.mark.parametrize(
    ("encoded", "number"),
    [
        ("7f", "0"),
        ("cc518020", "314000000000"),
        ("cc5180c0300c0080", "314000000000"),
        ("fe8000007e1c0000", "1" + 125 * "0"),
        ("017fffff81e3fff0", "-1" + 125 * "0"),
    ],
)
def test_lexical_forms(encoded, number):
    assert canonical_number(keys.decode(bytes.fromhex(encoded)), Wording.CURRENT) == number


@pytest.mark.parametrize("encoded", ["", "00", "ff", "c1", "c1ffff", "fe80", "c100", "c11c000000"])
def test_lexical_malformed(encoded):
    with pytest.raises(MalformedError):
        keys.decode(bytes.fromhex(encoded))


numbers = st.builds(
    lambda digits, places: canonical_number(f"{digits}E{places}", Wording.CURRENT),
    st.integers(-(10**38) + 1, 10**38 - 1),
    st.integers(-120, 80),
)


@given(numbers, numbers)
def test_lexical_order(left, right):
    assert canonical_number(keys.decode(keys.encode(left)), Wording.CURRENT) == left
    ordered = keys.encode(left) < keys.encode(right)
    assert ordered == (Decimal(left) < Decimal(right))
