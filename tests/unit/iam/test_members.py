"""Numbers and flags as texts of forms, as recorded in September 2026."""

import pytest

from hashrange.iam.errors import QueryError
from hashrange.iam.members import checked


def found(name, text):
    try:
        return checked("ListPolicies", {name: text}, required=[], optional=[name])[name]
    except QueryError as error:
        return error.code.wire_name


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("900", 900), ("0900", 900), ("+900", 900), ("1000", 1000), ("0" * 40 + "7", 7)),
        *(("0", "ValidationError"), ("-1", "ValidationError"), ("1001", "ValidationError")),
        *((text, "MalformedInput") for text in (" 900 ", "900.0", "9e2", "2147483648", "", "x")),
        *((text, "MalformedInput") for text in ("\u0663", "--1", "+", "9" * 500)),
    ],
)
def test_numbers(text, value):
    assert found("MaxItems", text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("true", True), ("1", True), ("false", False), ("0", False)),
        *((text, "MalformedInput") for text in ("True", "FALSE", " true", "", "null", "2")),
    ],
)
def test_flags(text, value):
    assert found("OnlyAttached", text) == value
