"""Condition operators and quantifiers, by the tables of the IAM User Guide."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.access.policies.conditions import FixedKeys, request_tests
from hashrange.access.policies.operators import OPERATORS
from tests.rows import rows
from tests.unit.access.policies.subjects import ROLE_ARN, TABLE_ARN, USER_ARN, document, statement

NOTHING = FixedKeys({})


def holds(condition, context, *, known=NOTHING, version="2012-10-17"):
    """Whether a Condition element is true of a request's values."""
    made = document(statement(Condition=condition), version=version)
    tests = request_tests(made.statements[0].conditions, known, has_variables=made.has_variables)
    given_values = {key.lower(): values for key, values in context.items()}
    return tests is not None and all(test(given_values) for test in tests)


# Operator, value of the policy, values of the request that match, and values that do not.
SINGLE = [
    ("StringEquals", "a*", ["a*"], ["ab", "A*", ""]),
    ("StringEquals", "", [""], ["a"]),
    ("StringEquals", ["a", "b"], ["a", "b"], ["c"]),
    ("StringEqualsIgnoreCase", "Abc", ["abc", "ABC"], ["ab"]),
    ("StringLike", "a*", ["a", "abc"], ["ba", "Abc"]),
    ("StringLike", ["x?z", "plain"], ["xyz", "plain"], ["xz", "plainer"]),
    ("NumericEquals", "10", ["10", "10.0", "1e1"], ["9", "ten", ""]),
    ("NumericEquals", 2.5, ["2.50"], ["2"]),
    ("NumericEquals", "ten", [], ["ten", "10"]),
    ("NumericEquals", "Infinity", [], ["Infinity"]),
    ("NumericEquals", "1_0", [], ["1_0", "10"]),
    ("NumericEquals", 10, ["10"], ["\u0661\u0660", " 10", "1e99999999"]),
    ("NumericLessThan", "10", ["9.9", "-1"], ["10", "11", "x"]),
    ("NumericLessThan", ["1", "10"], ["5"], ["10"]),
    ("NumericLessThanEquals", "10", ["10"], ["10.1"]),
    ("NumericGreaterThan", "10", ["10.1"], ["10"]),
    ("NumericGreaterThanEquals", "10", ["10"], ["9"]),
    ("DateEquals", "2020-01-01", ["2020-01-01T00:00:00Z", "1577836800"], ["2020-01-02"]),
    ("DateLessThan", "2020-01-01", ["2019-12-31T23:59:59.999Z"], ["2020-01-01", "x"]),
    ("DateLessThanEquals", "2020-01-01", ["2020-01-01"], ["2020-01-01T00:00:01Z"]),
    ("DateGreaterThan", 1577836800, ["1577836801"], ["1577836800"]),
    ("DateGreaterThanEquals", "2020", ["2020-01-01T00:00Z"], ["2019"]),
    ("Bool", "true", ["true", "True"], ["false", "yes", "1"]),
    ("Bool", False, ["false"], ["true"]),
    ("Bool", "yes", ["yes", "false"], ["true"]),
    ("BinaryEquals", "QUI=", ["QUI="], ["QUE=", "AB", "!"]),
    ("IpAddress", "203.0.113.0/24", ["203.0.113.1"], ["198.51.100.1", "::1"]),
    ("IpAddress", "203.0.113.7", ["203.0.113.7"], ["203.0.113.8"]),
    ("IpAddress", ["10.1.2.3/8", "2001:db8::/32"], ["10.9.9.9", "2001:DB8::7"], ["11.0.0.1"]),
    ("IpAddress", "everywhere", [], ["10.0.0.1"]),
    ("ArnEquals", USER_ARN, [USER_ARN], [ROLE_ARN]),
    ("ArnEquals", "arn:aws:iam::*:user/*", [USER_ARN], [ROLE_ARN]),
    ("ArnLike", "arn:aws:iam::??????*:user/a??", [USER_ARN], [ROLE_ARN]),
    # Each segment is matched by itself; a text with wildcards would match.
    ("ArnLike", "arn:aws:*:books", [], [f"{TABLE_ARN}:books"]),
    ("ArnLike", "arn:aws:x:*:111122223333:finance/*", ["arn:aws:x:r:111122223333:finance/a:b"],
     ["arn:aws:x:us-east-2:999999999999:store/abc:111122223333:finance/document.txt"]),
    ("ArnLike", "*", [], [USER_ARN]),
]  # fmt: skip
NEGATED = {
    "StringEquals": "StringNotEquals",
    "StringEqualsIgnoreCase": "StringNotEqualsIgnoreCase",
    "StringLike": "StringNotLike",
    "NumericEquals": "NumericNotEquals",
    "DateEquals": "DateNotEquals",
    "IpAddress": "NotIpAddress",
    "ArnEquals": "ArnNotEquals",
    "ArnLike": "ArnNotLike",
}


@rows(("operator", "expected", "matching", "others"), SINGLE)
def test_operators_on_one_value(operator, expected, matching, others):
    condition = {operator: {"x:y": expected}}
    assert [value for value in matching if not holds(condition, {"x:y": (value,)})] == []
    assert [value for value in others if holds(condition, {"x:y": (value,)})] == []
    assert not holds(condition, {})
    assert holds({f"{operator}IfExists": {"x:y": expected}}, {})


@rows(("operator", "expected", "matching", "others"), SINGLE)
def test_negated_operators_are_true_of_other_values_and_of_none(
    operator, expected, matching, others
):
    if operator not in NEGATED:
        assert operator.startswith(("Numeric", "Date", "Bool", "Binary"))
        return
    condition = {NEGATED[operator]: {"x:y": expected}}
    assert [value for value in matching if holds(condition, {"x:y": (value,)})] == []
    assert [value for value in others if not holds(condition, {"x:y": (value,)})] == []
    assert holds(condition, {})
    assert holds({f"{NEGATED[operator]}IfExists": {"x:y": expected}}, {})


def test_all_operators_are_tested():
    assert {row[0] for row in SINGLE} | set(NEGATED.values()) == set(OPERATORS)


KEY = "dynamodb:LeadingKeys"


@rows(
    ("operator", "values", "expected"),
    [
        ("ForAllValues:StringEquals", ("a",), True),
        ("ForAllValues:StringEquals", ("a", "b"), True),
        ("ForAllValues:StringEquals", ("a", "c"), False),
        # The hole that a policy must close with Null: no value is no value that differs.
        ("ForAllValues:StringEquals", (), True),
        ("ForAllValues:StringEqualsIfExists", (), True),
        ("ForAllValues:StringNotEquals", ("c", "d"), True),
        ("ForAllValues:StringNotEquals", ("a", "c"), False),
        ("ForAllValues:StringNotEquals", (), True),
        ("ForAnyValue:StringEquals", ("a", "c"), True),
        ("ForAnyValue:StringEquals", ("c",), False),
        ("ForAnyValue:StringEquals", (), False),
        ("ForAnyValue:StringEqualsIfExists", (), True),
        ("ForAnyValue:StringNotEquals", ("a", "c"), True),
        ("ForAnyValue:StringNotEquals", ("a", "b"), False),
        ("ForAnyValue:StringNotEquals", (), False),
        # Without a quantifier, several values are no value of the policy.
        ("StringEquals", ("a",), True),
        ("StringEquals", ("a", "b"), False),
        ("StringNotEquals", ("a", "b"), True),
        ("StringNotEquals", ("a",), False),
    ],
)
def test_quantifiers(operator, values, expected):
    context = {KEY: values} if values else {}
    assert holds({operator: {KEY: ["a", "b"]}}, context) is expected
    assert holds({operator: {KEY: ["a", "b"]}}, {KEY: values}) is expected


@pytest.mark.parametrize(
    ("expected", "if_absent", "if_present"),
    [
        ("true", True, False),
        ("false", False, True),
        (True, True, False),
        (["true", "False"], True, True),
        ("maybe", False, True),
    ],
)
def test_null(expected, if_absent, if_present):
    condition = {"Null": {KEY: expected}}
    assert holds(condition, {}) is if_absent
    assert holds(condition, {KEY: ()}) is if_absent
    assert holds(condition, {KEY: ("a",)}) is if_present


def test_all_conditions_must_hold():
    condition = {"StringEquals": {"x:a": "1", "x:b": "2"}, "Null": {"x:c": "true"}}
    assert holds(condition, {"x:a": ("1",), "x:b": ("2",)})
    assert not holds(condition, {"x:a": ("1",), "x:b": ("1",)})
    assert not holds(condition, {"x:a": ("1",), "x:b": ("2",), "x:c": ("3",)})


def test_names_of_keys_are_the_same_in_any_case():
    assert holds({"StringEquals": {"AWS:SourceVPC": "a"}}, {"aws:sourcevpc": ("a",)})


# A value that variables stand for is found before the request, or with it.
@rows("known", [NOTHING, FixedKeys({"x:name": ("a*",)})])
@rows(
    ("condition", "value", "expected"),
    [
        ({"StringEquals": {"x:y": "${x:name}"}}, "a*", True),
        ({"StringLike": {"x:y": "${x:name}"}}, "ab", False),
        ({"StringLike": {"x:y": "${x:name}*"}}, "a*b", True),
        ({"StringLike": {"x:y": "${*}*"}}, "*b", True),
        ({"StringEquals": {"x:y": "${x:none}"}}, "a", False),
        ({"StringNotEquals": {"x:y": "${x:none}"}}, "a", True),
        ({"StringEquals": {"x:y": ["${x:none}", "a"]}}, "a", True),
        ({"StringEquals": {"x:y": "${x:none, 'a'}"}}, "a", True),
        ({"ArnLike": {"x:y": "arn:aws:iam::1:user/${x:name}"}}, "arn:aws:iam::1:user/a*", True),
        ({"ArnLike": {"x:y": "arn:aws:iam::1:user/${x:name}"}}, "arn:aws:iam::1:user/ab", False),
        ({"Bool": {"x:y": "${x:none, 'true'}"}}, "true", True),
        # Other operators have no variables.
        ({"NumericEquals": {"x:y": "${x:none, '1'}"}}, "1", False),
    ],
)
def test_variables(condition, value, expected, known):
    context = {"x:name": ("a*",), "x:y": (value,)}
    assert holds(condition, context, known=known) is expected


def test_variables_before_2012_are_texts():
    condition = {"StringEquals": {"x:y": "${x:name}"}}
    context = {"x:name": ("a",), "x:y": ("${x:name}",)}
    assert holds(condition, context, version="2008-10-17")
    assert not holds(condition, context)


KEYS_TRIED = st.sampled_from(["x:one", "x:two"])
OPERATORS_TRIED = [
    "ForAllValues:StringLike",
    "ForAnyValue:StringNotEquals",
    "Null",
    "StringEquals",
    "StringEqualsIfExists",
    "StringNotLike",
]


# What is known beforehand decides as it would with the request.
@given(
    st.sampled_from(OPERATORS_TRIED),
    st.lists(st.sampled_from(["a", "b*", "${x:two}", "true"]), min_size=1, max_size=2),
    st.dictionaries(KEYS_TRIED, st.sampled_from([("a",), ("b*",), ("a", "b")])),
    st.sets(KEYS_TRIED),
)
def test_known_keys_and_keys_of_the_request_decide_alike(operator, values, context, moved):
    condition = {operator: {"x:one": values}}
    before = {key: found for key, found in context.items() if key in moved}
    after = {key: found for key, found in context.items() if key not in moved}
    assert holds(condition, after, known=FixedKeys(before)) == holds(condition, context)
