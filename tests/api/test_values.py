"""Attribute values: what can be stored, how it is answered, and what is refused."""

import pytest

from tests.api.items import INVALID, stored, values
from tests.api.refusals import VALIDATION, refusal, violated

OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
UNDERFLOW = (
    "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)
DIGITS = "Attempting to store more than 38 significant digits in a Number"
NOT_NUMERIC = "The parameter cannot be converted to a numeric value: "
EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
MANY = (
    "Supplied AttributeValue has more than one datatypes set, "
    "must contain exactly one of the supported datatypes"
)
TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
ALL_TYPES = {
    "S": 'né😀\x00\n"\\',
    "N": "-12.5",
    "B": b"\x00\xff\x10",
    "BOOL": False,
    "NULL": True,
    "SS": ["a", "b"],
    "NS": ["-1", "2.5"],
    "BS": [b"\x00", b"\x01\x02"],
    "L": [{"S": "x"}, {"L": []}, {"M": {}}, {"NULL": True}],
    "M": {"s": {"S": "x"}, "m": {"M": {"l": {"L": [{"N": "1"}]}}}},
}


@pytest.fixture
def kept(dynamodb, simple, pk):
    """A value as it is answered after it was put."""

    def put_and_get(value):
        dynamodb.put_item(TableName=simple, Item={"pk": {"S": pk}, "v": value})
        return stored(dynamodb, simple, {"pk": {"S": pk}})["v"]

    return put_and_get


@pytest.fixture
def refused(dynamodb, simple, pk):
    """What is said of a value that is put."""

    def put(value):
        return refusal(dynamodb.put_item, TableName=simple, Item={"pk": {"S": pk}, "v": value})

    return put


# Each of the ten types comes back as it was, at the top and within lists and maps. Source: D.1.
@pytest.mark.parametrize("kind", ALL_TYPES)
def test_value_of_each_type(kept, kind):
    value = {kind: ALL_TYPES[kind]}
    assert kept(value) == value
    assert kept({"L": [value, value]}) == {"L": [value, value]}
    assert kept({"M": {"x": {"M": {"y": value}}}}) == {"M": {"x": {"M": {"y": value}}}}


# Only keys and sets must have something in them; members of sets may be empty. Source: D.1.
@pytest.mark.parametrize(
    "value",
    [
        {"S": ""},
        {"B": b""},
        {"L": []},
        {"M": {}},
        {"SS": [""]},
        {"BS": [b""]},
        {"L": [{"S": ""}, {"B": b""}]},
        {"M": {"x": {"S": ""}}},
    ],
)
def test_empty_values_are_fine(kept, value):
    assert kept(value) == value


# Plain digits, without an exponent and without zeros or signs that say nothing. Source: D.2.
@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("+0.000", "0"),
        ("0e125", "0"),
        ("1", "1"),
        ("+5", "5"),
        ("007", "7"),
        ("0042.1200", "42.12"),
        ("5.", "5"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("1.0", "1"),
        ("-1.50", "-1.5"),
        ("1e3", "1000"),
        ("1E+3", "1000"),
        ("1.23e1", "12.3"),
        ("12.3e-1", "1.23"),
        ("1e-3", "0.001"),
        ("-15.789e6", "-15789000"),
        ("1" * 38, "1" * 38),
        ("0." + "1" * 38, "0." + "1" * 38),
        ("000" + "9" * 38 + ".000", "9" * 38),
        ("9" * 38 + "e88", "9" * 38 + "0" * 88),
        ("-" + "9" * 38 + "e88", "-" + "9" * 38 + "0" * 88),
        ("1e125", "1" + "0" * 125),
        ("1e-130", "0." + "0" * 129 + "1"),
        ("-1e-130", "-0." + "0" * 129 + "1"),
        ("0001.000e-130", "0." + "0" * 129 + "1"),
        ("9.9999999999999999999999999999999999999e-93", "0." + "0" * 92 + "9" * 38),
    ],
)
def test_number_is_answered_in_plain_digits(kept, sent, answered):
    assert kept({"N": sent}) == {"N": answered}
    assert kept({"NS": [sent]}) == {"NS": [answered]}


# Catalogue 39 to 42; enveloped for writes wherever the number stands. Source: D.2, A.4.
@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("abc", NOT_NUMERIC + "abc"),
        ("", NOT_NUMERIC),
        (" 1", NOT_NUMERIC + " 1"),
        ("1 ", NOT_NUMERIC + "1 "),
        ("1,5", NOT_NUMERIC + "1,5"),
        ("1_000", NOT_NUMERIC + "1_000"),
        ("0x10", NOT_NUMERIC + "0x10"),
        ("NaN", NOT_NUMERIC + "NaN"),
        ("Infinity", NOT_NUMERIC + "Infinity"),
        ("-", NOT_NUMERIC + "-"),
        (".", NOT_NUMERIC + "."),
        ("1e", NOT_NUMERIC + "1e"),
        ("1e1.5", NOT_NUMERIC + "1e1.5"),
        ("--1", NOT_NUMERIC + "--1"),
        ("\u0661", NOT_NUMERIC + "\u0661"),
        ("1e9223372036854775808", NOT_NUMERIC + "1e9223372036854775808"),
        ("1" * 39, DIGITS),
        ("-1." + "1" * 38, DIGITS),
        ("1" + "0" * 37 + "1", DIGITS),
        ("1e126", OVERFLOW),
        ("-1e126", OVERFLOW),
        ("9e9223372036854775807", OVERFLOW),
        ("0e126", OVERFLOW),
        ("1e-131", UNDERFLOW),
        ("-1e-131", UNDERFLOW),
        ("1e-9223372036854775808", UNDERFLOW),
        ("0e-131", UNDERFLOW),
    ],
)
def test_number_is_refused(refused, number, text):
    expected = violated(text)
    assert refused({"N": number}) == expected
    assert refused({"NS": ["1", number]}) == expected
    assert refused({"L": [{"M": {"x": {"N": number}}}]}) == expected


# Sets have no order; equal ones are equal however they are sent, and number members are compared
# by value. Source: D.1, D.5.
@pytest.mark.parametrize(
    ("sent", "same"),
    [
        ({"SS": ["b", "a", "é"]}, {"SS": ["é", "a", "b"]}),
        ({"NS": ["10", "9", "-1.50"]}, {"NS": ["9.0", "-1.5", "1e1"]}),
        ({"BS": [b"\xff", b"\x00\x01", b""]}, {"BS": [b"", b"\xff", b"\x00\x01"]}),
    ],
)
def test_sets_are_equal_in_any_order(dynamodb, simple, pk, kept, sent, same):
    (kind, members), (_, others) = *sent.items(), *same.items()
    answered = kept(sent)
    assert len(answered[kind]) == len(members)
    assert kept(same) == answered
    dynamodb.put_item(
        TableName=simple,
        Item={"pk": {"S": pk}, "v": {kind: others}},
        ConditionExpression="v = :v",
        ExpressionAttributeValues=values(v=sent),
    )


# Catalogue 32 to 38, in the current wording: members quoted, sorted up to the first that repeats.
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"SS": []}, "An string set  may not be empty"),
        ({"NS": []}, "An number set  may not be empty"),
        ({"BS": []}, "Binary sets should not be empty"),
        ({"SS": ["b", "a", "b"]}, 'Input collection ["a", "b", "b"] contains duplicates.'),
        (
            {"SS": ["c", "a", "c", "b", "a"]},
            'Input collection ["a", "c", "c", "b", "a"] contains duplicates.',
        ),
        ({"NS": ["1", "2", "1.0"]}, "Input collection contains duplicates."),
        (
            {"BS": [b"\xff", b"\x00", b"\x00"]},
            'Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.',
        ),
        ({"NULL": False}, "Null attribute value types must have the value of true"),
    ],
)
def test_set_or_null_is_refused(refused, value, text):
    expected = violated(INVALID + text)
    assert refused(value) == expected
    assert refused({"M": {"x": {"L": [value]}}}) == expected


# Catalogue 30: a value has a type, at every depth. Enveloped, as every fault of a value.
@pytest.mark.parametrize("value", [{}, {"L": [{}]}, {"M": {"x": {"L": [{"M": {"y": {}}}]}}}])
def test_value_without_a_type(refused, value):
    assert refused(value) == violated(EMPTY)


# Catalogue 31, never enveloped (A.4).
@pytest.mark.parametrize("value", [{"S": "a", "N": "1"}, {"L": [{"S": "a", "BOOL": True}]}])
def test_value_of_two_types(refused, value):
    assert refused(value) == (VALIDATION, MANY)


# Catalogue 39 before 31: what a value holds is looked at before how many types it has. Source: an
# emulator's tests, run on the service.
def test_contents_are_looked_at_before_types_are_counted(refused):
    assert refused({"S": "a", "N": "b"}) == violated(NOT_NUMERIC + "b")


# Catalogue 46: names have at least a character, at every depth; by analogy with transactions.
@pytest.mark.parametrize("item", [{"": {"S": "x"}}, {"v": {"M": {"": {"S": "x"}}}}])
def test_attribute_name_is_empty(dynamodb, simple, pk, item):
    told = refusal(dynamodb.put_item, TableName=simple, Item={"pk": {"S": pk}, **item})
    assert told == violated("Empty attribute name")


# Names may be anything else: reserved words, spaces, dots, what is beyond the basic plane.
def test_attribute_names(dynamodb, simple, pk):
    item = {name: {"N": "1"} for name in ("SELECT", "a b", "a.b", "#x", ":y", "😀", "\x00", '"')}
    dynamodb.put_item(TableName=simple, Item={"pk": {"S": pk}, **item})
    assert stored(dynamodb, simple, {"pk": {"S": pk}}) == {"pk": {"S": pk}, **item}


def _wrapped(levels, kind):
    value = {"S": "leaf"}
    for _ in range(levels):
        value = {"L": [value]} if kind == "L" else {"M": {"x": value}}
    return value


# Catalogue 43: a value at the top is level 1, so 31 wrappers are the most. Source: D.4, verified.
# Enveloped, as captured in September 2026.
@pytest.mark.parametrize("kind", ["L", "M"])
def test_nesting(kept, refused, kind):
    deepest = _wrapped(31, kind)
    assert kept(deepest) == deepest
    assert refused(_wrapped(32, kind)) == violated(TOO_DEEP)
    assert refused(_wrapped(100, kind)) == violated(TOO_DEEP)


# An empty container at the bottom is a leaf.
@pytest.mark.parametrize("bottom", [{"L": []}, {"M": {}}])
def test_empty_container_at_the_deepest_level(kept, bottom):
    value = bottom
    for _ in range(31):
        value = {"L": [value]}
    assert kept(value) == value
