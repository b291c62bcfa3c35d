"""Items to be stored: measured by their JSON, they are what the walk over them says."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.errors import DynamoError
from hashrange.model.canonical import canonical_item, encoded_item
from hashrange.model.wording import Wording
from tests.rows import rows
from tests.unit.model.strategies import items, names, number_values, numbers, strings


def walked(item, wording=Wording.CURRENT):
    sized = canonical_item(item, wording)
    return sized.item, sized.bytes, msgspec.json.encode(sized.item)


def encoded(item, wording=Wording.CURRENT):
    whole = encoded_item(item, wording)
    return whole.item, whole.size, whole.json


def fault(function, item, wording):
    with pytest.raises(DynamoError) as caught:
        function(item, wording)
    return caught.value.fault, caught.value.message, caught.value.bare


# Strings and numbers alone are measured by their JSON; what is escaped there, and all else, is not.
@given(
    st.one_of(items, st.dictionaries(names, st.one_of(strings, number_values), max_size=5)),
    st.sampled_from(Wording),
)
def test_an_item_is_what_the_walk_says(item, wording):
    assert encoded(item, wording) == walked(item, wording)


@given(numbers())
def test_numbers_are_measured_as_the_walk_does(number):
    assert encoded({"n": {"N": number}}) == walked({"n": {"N": number}})


@rows("text", ["", "plain", "é", "\U0001f600", '"', "\\", "\n", "\x00", "\x7f"])
def test_every_text_counts_its_bytes(text):
    item = {"a": {"S": text}, f"n{text}": {"N": "1"}}
    assert encoded(item) == walked(item)
    assert encoded(item)[1] == 1 + len(text.encode()) + len(f"n{text}".encode()) + 2


@pytest.mark.parametrize(
    "number", ["0", "7", "1000", "12345678901234567890", "-5", "0.5", "9" * 38]
)
def test_canonical_numbers_are_not_copied(number):
    item = {"n": {"N": number}}
    assert encoded_item(item, Wording.CURRENT).item is item
    assert encoded(item) == walked(item)


# The second is what a digit is to Python and not to DynamoDB.
@rows("number", ["01", "٣", "²", "1" * 39, "", "1e400", "-0"])
@rows("wording", Wording)
def test_other_numbers_are_looked_at_closely(number, wording):
    item = {"s": {"S": "x"}, "n": {"N": number}}
    try:
        expected = walked(item, wording)
    except DynamoError:
        assert fault(encoded_item, item, wording) == fault(canonical_item, item, wording)
    else:
        assert encoded(item, wording) == expected


@rows(
    "item",
    [
        {"": {"S": "x"}},
        {"a": {}},
        {"a": {"S": "x", "N": "1"}},
        # As many members as attributes, but not one each.
        {"a": {"S": "x", "N": "1"}, "b": {}},
        {"a": {"S": "x"}, "b": {"S": "y", "B": "A"}},
        {"a": {"N": "x"}, "b": {"B": "A"}},
        {"n" * 65_536: {"S": "x"}},
        {"a": {"S": "x"}, "é" * 32_768: {"N": "1"}},
        {"a": {"NULL": False}},
    ],
)
@rows("wording", Wording)
def test_faults_are_those_of_the_walk(item, wording):
    assert fault(encoded_item, item, wording) == fault(canonical_item, item, wording)


def test_no_item_is_too_deep_to_be_refused():
    value = {"S": ""}
    for _ in range(100_000):
        value = {"L": [value]}
    item = {"a": value}
    assert fault(encoded_item, item, Wording.CURRENT) == fault(
        canonical_item, item, Wording.CURRENT
    )
    while value and "L" in value:  # taken apart here: a deep dict is freed recursively
        value = value.pop("L").pop()
