"""Which operators and functions take which constants: texts 89, 94, 95 and 96."""

import pytest

from tests.rows import rows
from tests.unit.expressions.requests import CURRENT, OLDER, TYPED, bound, refused, used

# Which constants which operators and functions take; all others are refused with 89.
TAKEN = {
    "a = {}": "s n b bool null ss ns bs l m",
    "{} <> a": "s n b bool null ss ns bs l m",
    "a IN ({})": "s n b bool null ss ns bs l m",
    "contains(a, {})": "s n b bool null ss ns bs l m",
    "contains({}, a)": "s n b bool null ss ns bs l m",
    "attribute_type({}, a)": "",
    "a < {}": "s n b",
    "{} <= a": "s n b",
    "a > {}": "s n b",
    "{} >= a": "s n b",
    "a BETWEEN {} AND b": "s n b",
    "a BETWEEN b AND {}": "s n b",
    "{} BETWEEN a AND b": "s n b",
    "begins_with(a, {})": "s b",
    "begins_with({}, a)": "s b",
    "size({}) = a": "s b ss ns bs l m",
    "attribute_type(a, {})": "s",
}
NAMES_OF_OPERATORS = {
    "a < {}": "<",
    "{} <= a": "<=",
    "a > {}": ">",
    "{} >= a": ">=",
    "a BETWEEN {} AND b": "BETWEEN",
    "a BETWEEN b AND {}": "BETWEEN",
    "{} BETWEEN a AND b": "BETWEEN",
    "begins_with(a, {})": "begins_with",
    "begins_with({}, a)": "begins_with",
    "size({}) = a": "size",
    "attribute_type(a, {})": "attribute_type",
}


@rows("kind", [key[1:] for key in TYPED])
@rows("form", TAKEN)
def test_types_of_constants(form, kind):
    placeholder = f":{kind}"
    expression = form.format(placeholder)
    value = {"S": "N"} if (form, kind) == ("attribute_type(a, {})", "s") else TYPED[placeholder]
    if kind in TAKEN[form].split():
        assert bound(None, {placeholder: value}, condition=expression).condition is not None
        return
    operator = NAMES_OF_OPERATORS.get(form, "attribute_type")
    type_ = kind.upper() if form in NAMES_OF_OPERATORS else "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
    assert refused(None, {placeholder: value}, condition=expression) == (
        "Invalid ConditionExpression: Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {type_}"
    )


@pytest.mark.parametrize(
    "expression", ["begins_with(a, size(b))", "attribute_type(a, size(b))", "size(size(a)) = :n"]
)
def test_a_size_is_a_number(expression):
    assert "operand type: N" in refused(None, used(expression, TYPED), condition=expression)


@rows("wording", [CURRENT, OLDER])
@rows(
    ("lower", "upper", "shown"),
    [
        ({"N": "2"}, {"N": "1"}, ("{N:2}", "{N:1}")),
        ({"N": "10"}, {"N": "9"}, ("{N:10}", "{N:9}")),
        ({"N": "0.10"}, {"N": "-5"}, ("{N:0.1}", "{N:-5}")),
        ({"S": "b"}, {"S": "a"}, ("{S:b}", "{S:a}")),
        ({"B": "eg=="}, {"B": "YQ=="}, ("{B:eg==}", "{B:YQ==}")),
        # By their bytes, not by their base64: 0xfb sorts after 0x61.
        ({"B": "+w=="}, {"B": "YQ=="}, ("{B:+w==}", "{B:YQ==}")),
    ],
)
def test_reversed_bounds(wording, lower, upper, shown):
    values = {":lower": lower, ":upper": upper}
    expected = (
        "Invalid FilterExpression: The BETWEEN operator requires upper bound to be greater than or "
        f"equal to lower bound; lower bound operand: AttributeValue: {shown[0]}, "
        f"upper bound operand: AttributeValue: {shown[1]}"
    )
    assert refused(None, values, wording, filter="a BETWEEN :lower AND :upper") == expected


# Also once the shape is known: what is kept of it must not be the first request's values.
def test_bounds_are_checked_for_each_request():
    good = {":lower": {"N": "1"}, ":upper": {"N": "2"}}
    bad = {":lower": {"N": "4"}, ":upper": {"N": "3"}}
    expression = "bounds_of_each_request BETWEEN :lower AND :upper"
    for _ in range(2):
        assert bound(None, good, filter=expression).filter
        assert "{N:4}, upper bound" in refused(None, bad, filter=expression)


# 96, and again for each request of a known shape.
def test_names_of_types():
    expression = "attribute_type(names_of_types, :t)"
    for _ in range(2):
        for kind in TYPED.values():
            (name,) = kind
            assert bound(None, {":t": {"S": name}}, condition=expression).condition
        assert refused(None, {":t": {"S": "STRING"}}, condition=expression) == (
            "Invalid ConditionExpression: Invalid attribute type name found; type: STRING, "
            "valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
        )
