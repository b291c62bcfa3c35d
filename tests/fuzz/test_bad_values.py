"""Values, names and expressions that nobody should send, by name, and the exact answer to each."""

import pytest

from hashrange.limits.requests import ECHO_CHARS_MAX
from tests.fuzz.memory import ITEM, KEY, Refusing
from tests.fuzz.mutations import TABLES, nested, raw, shown

SERIALIZATION = "com.amazon.coral.service#SerializationException"
UNREADABLE = {"__type": SERIALIZATION}
SEVERAL = (
    "Supplied AttributeValue has more than one datatypes set, "
    "must contain exactly one of the supported datatypes"
)
TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
UNDERFLOW = (
    "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)
DIGITS = "Attempting to store more than 38 significant digits in a Number"
NOT_NUMERIC = "The parameter cannot be converted to a numeric value: "
INVALID = "One or more parameter values were invalid: "
TOO_LARGE = "Item size has exceeded the maximum allowed size"
REPEATS = INVALID + "Input collection [{}] contains duplicates."


@pytest.fixture(scope="module")
def server():
    own = Refusing(TABLES)
    yield own
    own.close()


def enveloped(text):
    return f"1 validation error detected: {text}"


def put(value):
    return {"TableName": "simple", "Item": {**KEY, "v": value}}


# One value of an item that is put.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"N": "1" * 400_000}, OVERFLOW),
        ({"N": "0." + "1" * 400_000}, DIGITS),
        ({"N": "0." + "0" * 400_000 + "1"}, UNDERFLOW),
        ({"N": "1e1000000000"}, OVERFLOW),
        ({"N": "-1e1000000000"}, OVERFLOW),
        ({"N": "1e-1000000000"}, UNDERFLOW),
        ({"N": "0e1000000000"}, OVERFLOW),
        ({"N": "1e99999999999999999999"}, NOT_NUMERIC + "1e99999999999999999999"),
        ({"N": "1\0"}, NOT_NUMERIC + "1\0"),
        ({"N": "\N{ARABIC-INDIC DIGIT THREE}"}, NOT_NUMERIC + "\N{ARABIC-INDIC DIGIT THREE}"),
        (nested('{"L":[', "]}", 32, '{"S":"x"}'), TOO_DEEP),
    ],
    ids=shown,
)
def test_values_that_are_refused(server, value, text):
    assert server.invalid("PutItem", put(value)) == enveloped(text)


# Some texts never stand in the envelope.
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"S": "x", "N": "1"}, SEVERAL),
        ({"S": "x" * 409_600}, TOO_LARGE),
        ({"S": "\N{GRINNING FACE}" * 102_400}, TOO_LARGE),
        ({"L": [{"S": ""}] * 409_600}, TOO_LARGE),
        ({"NS": [str(number) for number in range(200_000)]}, TOO_LARGE),
    ],
    ids=shown,
)
def test_values_that_are_refused_without_envelope(server, value, text):
    assert server.invalid("PutItem", put(value)) == text


BASE64 = "Base64 encoded length is expected a multiple of 4 bytes but found: {}"
LAST = "Invalid last non-pad Base64 character dectected"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", BASE64.format(1)),
        ("AAAAA", BASE64.format(5)),
        ("A===", LAST),
        ("AB==", LAST),
        ("AA=A", LAST),
        ("AA-_", "Unexpected value type in payload"),
        ("AA\n=", "Unexpected value type in payload"),
        ("\0AA=", "Unexpected value type in payload"),
        ("A" * 400_001, BASE64.format(400_001)),
    ],
    ids=shown,
)
# It goes before what validation finds, wherever it is.
def test_base64_that_is_refused(server, text, message):
    expected = {"__type": SERIALIZATION, "Message": message}
    for value in (
        {"B": text},
        {"BS": ["AA==", text]},
        {"L": [{"N": "x"}, {"M": {"a": {"B": text}}}]},
    ):
        assert server.refusal("PutItem", put(value)) == expected


# An echo has a bound: a set of a million members must not become an answer of as many.
def test_echoes_of_sets_are_cut(server):
    members = [f"{number:07}" for number in range(500_000)]
    text = server.invalid("PutItem", put({"SS": [*members, members[0]]}))
    assert text.startswith(enveloped(INVALID + 'Input collection ["0000000", "0000001", '))
    assert text.endswith("] contains duplicates.")
    assert len(text) < 2 * ECHO_CHARS_MAX
    text = server.invalid("PutItem", put({"SS": ["x" * 200_000] * 2}))
    assert text == enveloped(REPEATS.format(f'"{"x" * ECHO_CHARS_MAX}"'))


# Booleans as words are DynamoDB's own leniency; other words and numbers are not.
@pytest.mark.parametrize("word", ["true", "TRUE", "1", "yes"])
def test_words_for_true(server, word):
    body = {**put({"BOOL": word}), "ConditionExpression": "attribute_not_exists(pk)"}
    assert server.refusal("PutItem", body)["__type"].endswith("ConditionalCheckFailedException")


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("maybe", "Unexpected token received from parser"),
        ("", "Unexpected token received from parser"),
        (1, "NUMBER_VALUE cannot be converted to Boolean"),
        (raw("1.0"), "DECIMAL_VALUE cannot be converted to Boolean"),
    ],
)
def test_what_is_no_boolean(server, flag, message):
    for value in ({"BOOL": flag}, {"NULL": flag}, {"L": [{"BOOL": flag}]}):
        expected = {"__type": SERIALIZATION, "Message": message}
        assert server.refusal("PutItem", put(value)) == expected


# Of a member that is sent twice the last one counts, whatever the first one was.
def test_members_sent_twice(server):
    body = b'{"TableName":5,"Key":[],"Key":{"pk":{"S":"x","S":"a"}},"TableName":"simple"}'
    assert server.answer("GetItem", body) == (200, {"Item": ITEM})
    body = b'{"TableName":"simple","Key":{"pk":{"S":"a"}},"TableName":5}'
    assert server.refusal("GetItem", body)["__type"] == SERIALIZATION


# Numbers that are members.


def breaks(value, path, bound):
    """The violation of a bound of a number, as `at_least` or `at_most` have it."""
    return f"Value '{value}' at '{path}' failed to satisfy constraint: Member must have {bound}"


def at_least(number):
    return f"value greater than or equal to {number}"


def at_most(number):
    return f"value less than or equal to {number}"


@pytest.mark.parametrize(
    ("limit", "read"),
    [
        (0, 0),
        (-1, -1),
        (-(2**63), -(2**31)),
        (raw("-1e400"), -(2**31)),
        (raw("1e-400"), 0),
        (raw("-0.9"), 0),
    ],
    ids=shown,
)
def test_limits_that_are_refused(server, limit, read):
    text = server.invalid("Scan", {"TableName": "simple", "Limit": limit})
    assert text == enveloped(breaks(read, "limit", at_least(1)))


@pytest.mark.parametrize(
    "limit",
    [2**31, 2**63, 2**64, 10**30, raw("1e400"), raw("1e1000000000"), raw("1.9"), None],
    ids=shown,
)
def test_limits_that_are_brought_into_range(server, limit):
    status, answer = server.answer("Scan", {"TableName": "simple", "Limit": limit})
    assert (status, answer["Count"]) == (200, 1)


# More digits than any number has: the parser refuses them, in every member that is a number.
def test_numbers_of_400_000_digits(server):
    for number in ("1" * 400_000, "-" + "1" * 400_000):
        for member in ("Limit", "Segment", "TotalSegments"):
            body = {"TableName": "simple", member: raw(number)}
            assert server.refusal("Scan", body) == UNREADABLE


def test_the_last_of_a_million_segments(server):
    body = {"TableName": "simple", "Segment": 999_999, "TotalSegments": 1_000_000}
    assert server.answer("Scan", body) == (200, {"Count": 0, "Items": [], "ScannedCount": 0})


# Names.


PATTERN = (
    "Value '{}' at 'tableName' failed to satisfy constraint: "
    "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
)
LONG = (
    "Value '{}' at 'tableName' failed to satisfy constraint: "
    "Member must have length less than or equal to {}"
)


@pytest.mark.parametrize(
    "name",
    [
        "\0",
        "a\0b",
        "simple\n",
        "simple ",
        "é",
        "\N{GRINNING FACE}",
        "a/b",
        "../x",
        "'",
        "%00",
        "a;b",
    ],
    ids=shown,
)
def test_table_names_of_odd_characters(server, name):
    for operation in ("GetItem", "PutItem", "UpdateItem", "DeleteItem", "Scan", "Query"):
        body = {"TableName": name, "Key": KEY, "Item": ITEM}
        assert server.invalid(operation, body) == enveloped(PATTERN.format(name))


def test_table_names_of_a_megabyte(server):
    name = "x" * 1_000_000
    assert server.invalid("GetItem", {"TableName": name, "Key": KEY}) == (
        enveloped(LONG.format(name, 255))
    )
