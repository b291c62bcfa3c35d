"""Expected: its two forms, what operators mean, and what is refused in which order."""

import gc
import sys

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from hashrange.model.structures.dynamodb import ExpectedAttributeValue
from tests.rows import rows
from tests.unit.expressions.documents import values
from tests.unit.expressions.legacy import (
    ARGUMENT_KINDS,
    INVALID,
    OPERATORS,
    REVERSED,
    TYPES_DIFFER,
    VALUES,
    WITHOUT_ARGUMENTS,
    compared,
    expected,
    met,
    refused,
)

A, B, ONE, TWO = {"S": "a"}, {"S": "b"}, {"N": "1"}, {"N": "2"}
Entry = ExpectedAttributeValue


@st.composite
def _arguments(draw, operator):
    """Arguments that an operator takes; few, so that what is stored is often among them."""
    if operator in WITHOUT_ARGUMENTS:
        return []
    least, most = {"IN": (1, 3), "BETWEEN": (2, 2)}.get(operator, (1, 1))
    kind = draw(st.sampled_from(sorted(ARGUMENT_KINDS[operator])))
    alike = st.sampled_from(_DRAWN[kind])
    arguments = draw(st.lists(alike, min_size=least, max_size=most))
    if operator == "BETWEEN" and not met("LE", arguments[0], arguments[1:]):
        arguments.reverse()
    return arguments


def _of(kind, *contents):
    return [{kind: content} for content in contents]


_DRAWN = {kind: [value] for kind, value in VALUES.items()} | {
    "S": _of("S", "a", "ab", "b", "\uffff", "\U00010000"),
    "N": _of("N", "1", "2", "10", "-1"),
    "B": _of("B", "YQ==", "YWI=", "+w=="),
}
_stored = st.one_of(
    st.none(),
    st.sampled_from([value for drawn in _DRAWN.values() for value in drawn]),
    st.sampled_from([value for drawn in _DRAWN.values() for value in drawn]),
    st.sampled_from([{"L": _DRAWN["N"]}, {"L": []}, {"SS": ["a", "b"]}, {"NS": ["1", "2"]}]),
    values,
)


@pytest.mark.parametrize("operator", OPERATORS)
@given(data=st.data())
def test_operators_mean_what_is_documented(operator, data):
    arguments, stored = data.draw(_arguments(operator)), data.draw(_stored)
    holds = met(operator, stored, arguments)
    event(f"{operator}: {holds}")
    item = {} if stored is None else {"x": stored}
    assert expected({"x": compared(operator, *arguments)}).holds(item) is holds


# Each condition finds its own arguments among those of all.
@given(
    st.dictionaries(st.sampled_from("abcd"), st.sampled_from(OPERATORS), min_size=2, max_size=4),
    st.sampled_from([None, "AND", "OR"]),
    st.data(),
)
def test_several_conditions(operators, conditional_operator, data):
    drawn = {
        name: (operator, data.draw(_arguments(operator)), data.draw(_stored))
        for name, operator in operators.items()
    }
    item = {name: stored for name, (_, _, stored) in drawn.items() if stored is not None}
    each = [met(operator, stored, arguments) for operator, arguments, stored in drawn.values()]
    holds = any(each) if conditional_operator == "OR" else all(each)
    event(f"holds: {holds}")
    entries = {name: compared(operator, *values) for name, (operator, values, _) in drawn.items()}
    assert expected(entries, conditional_operator).holds(item) is holds


# Two requests of one shape share what is compiled and nothing else.
def test_each_request_has_its_own_values():
    first = expected({"x": compared("LT", {"N": "5"}), "y": Entry(value=A)})
    second = expected({"x": compared("LT", {"N": "3"}), "y": Entry(value=B)})
    assert first.test is second.test, "compiled once"
    assert first.holds({"x": {"N": "4"}, "y": A})
    assert not second.holds({"x": {"N": "4"}, "y": B})


def test_shapes_differ_by_types():
    item = {"shapes_of_expected": {"N": "10"}}
    assert not expected({"shapes_of_expected": compared("LT", {"S": "9"})}).holds(item)
    assert not expected({"shapes_of_expected": compared("LT", {"N": "9.5"})}).holds(item)
    assert expected({"shapes_of_expected": compared("LT", {"N": "10.5"})}).holds(item)


# Names are names: a dot is no step into a map.
def test_names_are_no_paths():
    condition = expected({"a.b": Entry(value=A)})
    assert condition.paths == (("a.b",),)
    assert condition.holds({"a.b": A})
    assert not condition.holds({"a": {"M": {"b": A}}})


# A plan is kept for long; the values of the request that brought it must not be.
def test_values_are_not_kept():
    content = "expected values that nobody keeps" + "!" * len(gc.get_objects()[:1])
    before = sys.getrefcount(content)
    condition = expected(
        {"x": compared("BETWEEN", {"S": content}, {"S": content}), "y": Entry(value={"S": content})}
    )
    assert sys.getrefcount(content) > before
    del condition
    gc.collect()
    assert sys.getrefcount(content) == before


# Catalogue 216.
@rows(
    ("operator", "count"),
    [
        *((operator, 0) for operator in ARGUMENT_KINDS),
        *((operator, 2) for operator in ARGUMENT_KINDS if operator not in {"IN", "BETWEEN"}),
        ("IN", 101),
        ("BETWEEN", 1),
        ("BETWEEN", 3),
        ("NULL", 1),
        ("NOT_NULL", 1),
    ],
)
def test_number_of_arguments(operator, count):
    text = refused(expected, {"x": compared(operator, *[A] * count)})
    assert text == INVALID + f"Invalid number of argument(s) for the {operator} ComparisonOperator"


def test_in_takes_a_hundred():
    members = [{"N": str(number)} for number in range(100)]
    assert expected({"x": compared("IN", *members)}).holds({"x": {"N": "99"}})


# Value counts as one argument.
@pytest.mark.parametrize("operator", ["BETWEEN", "NULL"])
def test_value_counts(operator):
    text = refused(expected, {"x": Entry(value=A, comparison_operator=operator)})
    assert text == INVALID + f"Invalid number of argument(s) for the {operator} ComparisonOperator"


# Catalogue 219, for each operator and each type.
@rows("kind", VALUES)
@rows("operator", ARGUMENT_KINDS)
def test_types_of_arguments(operator, kind):
    arguments = [VALUES[kind]] * (2 if operator == "BETWEEN" else 1)
    if kind in ARGUMENT_KINDS[operator]:
        assert expected({"x": compared(operator, *arguments)}) is not None
        return
    text = refused(expected, {"x": compared(operator, *arguments)})
    reason = f"ComparisonOperator {operator} is not valid for {kind} AttributeValue type"
    assert text == INVALID + reason


# Values come first, then their number, their likeness, their type, their order.
@rows(
    ("entry", "text"),
    [
        (compared("EQ", {"N": "x"}, A), "cannot be converted to a numeric value: x"),
        (compared("EQ", {}, A), "Supplied AttributeValue is empty"),
        (compared("LT", ONE, A), "Invalid number of argument(s) for the LT"),
        (compared("BETWEEN", ONE, A), TYPES_DIFFER),
        (compared("IN", VALUES["L"], VALUES["M"]), TYPES_DIFFER),
        (compared("BETWEEN", {"SS": ["b"]}, {"SS": ["a"]}), "is not valid for SS"),
        (compared("BETWEEN", TWO, ONE), REVERSED),
        (compared("BETWEEN", {"N": "10"}, {"N": "9"}), REVERSED),
        (compared("BETWEEN", {"B": "/w=="}, {"B": "AA=="}), REVERSED),
        # By bytes of UTF-8, not by units of UTF-16.
        (compared("BETWEEN", {"S": "\U00010000"}, {"S": "\uffff"}), REVERSED),
    ],
)
def test_order_of_checks(entry, text):
    assert text in refused(expected, {"x": entry})
