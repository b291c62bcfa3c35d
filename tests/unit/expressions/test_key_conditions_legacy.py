"""KeyConditions as clauses on key attributes."""

import pytest

from hashrange.expressions.key_conditions import KeyClause
from hashrange.expressions.legacy_conditions import Unindexable, key_conditions
from hashrange.model.structures.dynamodb import Condition
from tests.unit.expressions.legacy import INVALID, REVERSED, TYPES_DIFFER, entry, refused

A, B = {"S": "a"}, {"S": "b"}
LENGTH = "Conditions can be of length 1 or 2 only"


@pytest.mark.parametrize(
    ("operator", "key_operator"),
    [
        ("EQ", "="),
        ("LE", "<="),
        ("LT", "<"),
        ("GE", ">="),
        ("GT", ">"),
        ("BEGINS_WITH", "begins_with"),
    ],
)
def test_operators(operator, key_operator):
    clauses = key_conditions({"k": entry(operator, A)}, 2)
    assert clauses == (KeyClause("k", key_operator, (A,)),)


def test_bounds_and_order_of_conditions():
    clauses = key_conditions({"s": entry("BETWEEN", A, B), "p": entry("EQ", {"N": "1.0"})}, 2)
    assert clauses == (KeyClause("s", "BETWEEN", (A, B)), KeyClause("p", "=", ({"N": "1"},)))


# Refused only once the table is known, and only if the key has the attribute. Catalogue 224.
@pytest.mark.parametrize(
    ("operator", "arguments"),
    [
        ("NE", [A]),
        ("CONTAINS", [A]),
        ("NOT_CONTAINS", [A]),
        ("IN", [A, B]),
        ("NULL", []),
        ("NOT_NULL", []),
    ],
)
def test_operators_of_no_range(operator, arguments):
    assert key_conditions({"k": entry(operator, *arguments)}, 2) == (Unindexable("k"),)


# Arguments are looked at first, even where there are too many conditions. Catalogue 216 to 219.
@pytest.mark.parametrize(
    ("conditions", "text"),
    [
        ({}, LENGTH),
        (dict.fromkeys("abc", entry("NULL")), LENGTH),
        (
            {"a": Condition(comparison_operator="EQ"), "b": entry("NULL"), "c": entry("NULL")},
            INVALID + "Invalid number of argument(s) for the EQ ComparisonOperator",
        ),
        ({"a": entry("IN", A, {"N": "1"})}, TYPES_DIFFER),
        (
            {"a": entry("BEGINS_WITH", {"N": "1"})},
            INVALID + "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type",
        ),
        ({"a": entry("BETWEEN", B, A)}, REVERSED),
        (
            {"a": entry("EQ", {"SS": ["a", "a"]})},
            INVALID + 'Input collection ["a", "a"] contains duplicates.',
        ),
    ],
)
def test_refusals(conditions, text):
    assert refused(key_conditions, conditions, 2) == text


# The key of a global index can have eight attributes.
def test_conditions_on_the_key_of_an_index():
    conditions = dict.fromkeys("abcdefgh", entry("EQ", A))
    assert [clause.attribute for clause in key_conditions(conditions, 8)] == list("abcdefgh")
    assert refused(key_conditions, conditions | {"i": entry("EQ", A)}, 8) == LENGTH
