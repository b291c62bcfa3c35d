"""QueryFilter and ScanFilter as conditions."""

import pytest

from hashrange.expressions.legacy_conditions import filter_condition
from hashrange.model.structures.dynamodb import Condition
from hashrange.model.wording import Wording
from tests.unit.expressions.legacy import INVALID, entry, refused

A, ONE = {"S": "a"}, {"N": "1"}
ITEM = {"a": A, "b": {"N": "1"}}


def _filter(entries, operator=None, wording=Wording.CURRENT):
    return filter_condition(entries, operator, wording)


def test_no_filter():
    assert _filter({}) is None


@pytest.mark.parametrize(
    ("entries", "operator", "holds"),
    [
        ({"a": entry("EQ", A)}, None, True),
        ({"a": entry("EQ", A), "b": entry("GT", ONE)}, None, False),
        ({"a": entry("EQ", A), "b": entry("GT", ONE)}, "AND", False),
        ({"a": entry("EQ", A), "b": entry("GT", ONE)}, "OR", True),
        ({"a": entry("NULL"), "b": entry("NULL")}, "OR", False),
        ({"c": Condition(comparison_operator="NULL")}, None, True),
    ],
)
def test_filters(entries, operator, holds):
    assert _filter(entries, operator).holds(ITEM) is holds


# Query looks at the attributes of a filter: those of the key are refused.
def test_paths_are_the_attributes_each_once():
    condition = _filter({"a": entry("NOT_CONTAINS", A), "b": entry("BETWEEN", ONE, ONE)})
    assert condition.paths == (("a",), ("b",))


# A filter has no other form: there is no argument where there is no list.
@pytest.mark.parametrize("listed", [None, []])
def test_list_may_be_missing(listed):
    condition = Condition(comparison_operator="EQ", attribute_value_list=listed)
    text = INVALID + "Invalid number of argument(s) for the EQ ComparisonOperator"
    assert refused(_filter, {"a": condition}) == text


# Scan speaks in the older words.
def test_values_are_told_in_the_words_of_the_layer():
    entries = {"a": entry("EQ", {"SS": ["b", "a", "b"]})}
    current = INVALID + 'Input collection ["a", "b", "b"] contains duplicates.'
    assert refused(_filter, entries) == current
    older = INVALID + "Input collection [b, a, b] contains duplicates."
    assert refused(_filter, entries, None, Wording.OLDER) == older
