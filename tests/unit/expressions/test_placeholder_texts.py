"""Texts about placeholders, by their numbers in the catalogue."""

from tests.unit.expressions.requests import OLDER, bound, refusal, refused

S = {"S": "x"}


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
