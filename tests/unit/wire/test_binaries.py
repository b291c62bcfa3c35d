"""Base64 in requests that are refused for another reason."""

import msgspec
import pytest

from hashrange.errors import Fault
from hashrange.model.values import AttributeValue
from hashrange.wire.codec import check_binaries
from tests.unit.refusals import refusal


class Inner(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A structure with a value."""

    value: AttributeValue | None = None


class Request(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Values wherever a request may have them."""

    names: dict[str, str] | None = None
    item: dict[str, AttributeValue] | None = None
    keys: list[dict[str, AttributeValue]] | None = None
    inner: dict[str, Inner] | None = None


GOOD = {"B": "YQ=="}
BAD, WORSE = {"B": "abc"}, {"B": "abcde"}


def refused(request):
    return refusal(check_binaries, request, fault=Fault.SERIALIZATION)


def length(characters):
    return f"Base64 encoded length is expected a multiple of 4 bytes but found: {characters}"


@pytest.mark.parametrize(
    "request_",
    [
        Request(),
        Request(names={"B": "abc"}),
        Request(item={"B": {"S": "abc"}, "b": GOOD, "m": {"M": {"B": {"N": "abc"}}}}),
        Request(item={"": {}}, keys=[{}], inner={"a": Inner()}),
        Request(item={"a": {"S": "x", "B": ""}, "s": {"BS": ["", "YWI="]}}),
    ],
    ids=repr,
)
def test_good_base64_and_what_is_none(request_):
    assert refused(request_) is None


@pytest.mark.parametrize(
    "request_",
    [
        Request(item={"a": GOOD, "b": BAD}),
        Request(item={"a": {"S": "x", **BAD}}),
        Request(item={"a": {"BS": ["YQ==", "abc"]}}),
        Request(item={"a": {"L": [GOOD, {"M": {"x": {"L": [BAD]}}}]}}),
        Request(keys=[{}, {"a": BAD}]),
        Request(inner={"a": Inner(), "b": Inner(value=BAD)}),
    ],
    ids=repr,
)
def test_bad_base64_is_found_anywhere(request_):
    assert refused(request_) == length(3)


# The first in the order in which the service reads them.
def test_first_is_told():
    assert refused(Request(item={"a": BAD, "b": WORSE}, keys=[{"c": WORSE}])) == length(3)
    assert refused(Request(item={"a": {"L": [{"L": [BAD]}, WORSE]}})) == length(3)
    assert refused(Request(keys=[{"a": BAD}], inner={"a": Inner(value=WORSE)})) == length(3)


# A value may be as deep as JSON may be; here deeper, for nothing calls itself.
def test_deep_values():
    value = BAD
    for _ in range(5000):
        value = {"L": [{"M": {"x": value}}]}
    assert refused(Request(item={"a": value})) == length(3)
