"""Numbers and flags as texts of forms, as recorded in September 2026."""

import pytest

from hashrange.api.iam.registry import IAM
from hashrange.errors import ApiError
from hashrange.wire.query_protocol import request_of


def found(member, attribute, text):
    try:
        return getattr(request_of(IAM.operations()["ListPolicies"], {member: text}), attribute)
    except ApiError as error:
        return error.name


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
    assert found("MaxItems", "max_items", text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("true", True), ("1", True), ("false", False), ("0", False)),
        *((text, "MalformedInput") for text in ("True", "FALSE", " true", "", "null", "2")),
    ],
)
def test_flags(text, value):
    assert found("OnlyAttached", "only_attached", text) == value
