"""Texts about placeholders, by their numbers in the catalogue."""

from tests.rows import rows
from tests.unit.expressions.catalogue import NOT_NUMERIC, VALUES_ALONE
from tests.unit.expressions.requests import OLDER, bound, refusal, refused

S = {"S": "x"}


PLACEHOLDERS = [
    (
        71,
        {"names": {"#a": "a"}},
        "ExpressionAttributeNames can only be specified when using expressions",
    ),
    (
        72,
        {"values": {":v": S}, "projection": "a"},
        VALUES_ALONE,
    ),
    (
        72,
        {"values": {":v": S}, "wording": OLDER, "absent": ": FilterExpression is null"},
        VALUES_ALONE + ": FilterExpression is null",
    ),
    (73, {"names": {}, "condition": "a = b"}, "ExpressionAttributeNames must not be empty"),
    (74, {"values": {}, "condition": "a = b"}, "ExpressionAttributeValues must not be empty"),
    (
        75,
        {"names": {"a": "a"}, "condition": "a = b"},
        'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"',
    ),
    (
        75,
        {"names": {"#": "a"}, "condition": "a = b"},
        'ExpressionAttributeNames contains invalid key: Syntax error; key: "#"',
    ),
    (
        75,
        {"names": {"#a-b": "a"}, "condition": "a = b"},
        'ExpressionAttributeNames contains invalid key: Syntax error; key: "#a-b"',
    ),
    (
        76,
        {"values": {":v": {}, "v": S}, "condition": "a = :v"},
        'ExpressionAttributeValues contains invalid key: Syntax error; key: "v"',
    ),
    (
        77,
        {"names": {"#a": ""}, "condition": "#a = b"},
        "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a",
    ),
    (
        78,
        {"values": {":a": S, ":v": {"N": "x"}}, "condition": "a = :v", "wording": OLDER},
        f"ExpressionAttributeValues contains invalid value: {NOT_NUMERIC}x for key :v",
    ),
    (
        39,
        {"values": {":a": S, ":v": {"N": "x"}}, "condition": "a = :v"},
        NOT_NUMERIC + "x",
    ),
    (
        79,
        {"names": {"#a": "a", "#b": "b", "#c": "c"}, "condition": "#c = d"},
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}",
    ),
    (
        80,
        {"values": {":v": S, ":w": S}, "condition": "a = :w"},
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}",
    ),
]


@rows(("number", "request_", "text"), PLACEHOLDERS)
def test_texts_about_placeholders(number, request_, text):
    assert refused(**request_) == text


def test_long_placeholders():
    long = "#" + "a" * 255
    assert refused(names={long: "a"}, projection=long) == (
        "ExpressionAttributeNames contains invalid key: The expression attribute map contains a "
        "key that is too long; size of key: 256"
    )


# Names and values together; also for a shape that is known already.
def test_placeholders_of_two_megabytes():
    expression = "SET placeholders_of_two_megabytes = :v"
    fits = {":v": {"S": "x" * (2 * 1024 * 1024 - 2)}}
    exceeds = {":v": {"S": "x" * (2 * 1024 * 1024 - 1)}}
    text = "ExpressionAttributeValues exceeds max size"
    assert refused(None, exceeds, update=expression) == text
    assert bound(None, fits, update=expression).update
    assert refused(None, exceeds, update=expression) == text


# A fault of several types in one value is never enveloped, whatever the operation.
def test_faults_that_are_bare():
    many = {":v": {"S": "x", "N": "1"}}
    assert refusal(None, many, condition="a = :v").bare
    assert refusal(None, many, OLDER, condition="a = :v").bare
    assert not refusal(None, {":v": {"N": ""}}, condition="a = :v").bare
    assert not refusal(condition="a =").bare
