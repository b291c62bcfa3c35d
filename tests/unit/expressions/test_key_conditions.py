"""Key conditions: what they may say, and their clauses."""

from hashrange.expressions.legacy_conditions import key_conditions
from hashrange.expressions.program import KeyClause
from tests.rows import rows
from tests.unit.expressions import legacy
from tests.unit.expressions.catalogue import OPERAND_TYPE
from tests.unit.expressions.legacy import entry
from tests.unit.expressions.requests import TYPED, bound, refused, used

PREFIX = "Invalid KeyConditionExpression: "
OPERATOR = "Invalid operator used in KeyConditionExpression: "
CONDITION = "Invalid condition in KeyConditionExpression: "
NESTED = "KeyConditionExpressions cannot have conditions on nested attributes"
FIRST = " operator must have the key attribute as its first operand"


def _clauses(text, names=None):
    return bound(names, used(text, TYPED), key_condition=text).key_condition


@rows(
    ("text", "clauses"),
    [
        ("a = :s", [("a", "=", ":s")]),
        ("(a = :s)", [("a", "=", ":s")]),
        ("(a = :s AND b < :n)", [("a", "=", ":s"), ("b", "<", ":n")]),
        ("(a = :s) AND (b <= :n)", [("a", "=", ":s"), ("b", "<=", ":n")]),
        ("b > :n and a = :s", [("b", ">", ":n"), ("a", "=", ":s")]),
        ("a = :s AND b >= :n", [("a", "=", ":s"), ("b", ">=", ":n")]),
        # The value may come first: then the comparison is turned round.
        (":s = a AND :n < b", [("a", "=", ":s"), ("b", ">", ":n")]),
        (":n <= a", [("a", ">=", ":n")]),
        (":n > a", [("a", "<", ":n")]),
        (":n >= (a)", [("a", "<=", ":n")]),
        ("a BETWEEN :n AND :n", [("a", "BETWEEN", ":n", ":n")]),
        ("a = :s AND begins_with(b, :b)", [("a", "=", ":s"), ("b", "begins_with", ":b")]),
        ("#k = :s", [("k.k", "=", ":s")]),
        ("a = :s AND b = :n AND c = :b", [("a", "=", ":s"), ("b", "=", ":n"), ("c", "=", ":b")]),
        (
            "a = :s AND (b = :n AND (c = :l))",
            [("a", "=", ":s"), ("b", "=", ":n"), ("c", "=", ":l")],
        ),
    ],
)
def test_clauses(text, clauses):
    names = {"#k": "k.k"} if "#k" in text else None
    expected = tuple(
        KeyClause(attribute, operator, tuple(TYPED[placeholder] for placeholder in placeholders))
        for attribute, operator, *placeholders in clauses
    )
    assert _clauses(text, names) == expected


@rows(
    ("text", "reason"),
    [
        ("a > b AND size(b) > c OR a > c", OPERATOR + "OR"),
        ("NOT a > b", OPERATOR + "NOT"),
        ("a = :s AND NOT b = :n", OPERATOR + "NOT"),
        ("a IN (b, size(c), d)", OPERATOR + "IN"),
        ("a <> b", OPERATOR + "<>"),
        ("attribute_exists(a)", OPERATOR + "attribute_exists"),
        ("attribute_not_exists(a)", OPERATOR + "attribute_not_exists"),
        ("contains(a.d, b)", OPERATOR + "contains"),
        ("size(b) > a AND a.b > b", "KeyConditionExpressions cannot contain nested operations"),
        ("a > size(b.d)", "KeyConditionExpressions cannot contain nested operations"),
        (
            "a BETWEEN size(b) AND size(a)",
            "KeyConditionExpressions cannot contain nested operations",
        ),
        ("b.d > a AND c.d > e.f", NESTED),
        ("b[0] > a", NESTED),
        (":n < a.b", NESTED),
        (":n BETWEEN size(b) AND size(a)", CONDITION + "BETWEEN" + FIRST),
        ("begins_with(:s, b) AND a > :s", CONDITION + "begins_with" + FIRST),
        ("b > a.b", CONDITION + "Multiple attribute names used in one condition"),
        ("b BETWEEN c[1] AND d", CONDITION + "Multiple attribute names used in one condition"),
        ("a BETWEEN b AND size(a)", CONDITION + "Multiple attribute names used in one condition"),
        ("begins_with(a, b)", CONDITION + "Multiple attribute names used in one condition"),
        (":n > :ns AND a < :n", OPERAND_TYPE.format(">", "NS")),
        (":s > :n AND a < :n", CONDITION + "No key attribute specified"),
        (
            "b > :n AND b < :n AND c = :n AND d = :n",
            "KeyConditionExpressions must only contain one condition per key",
        ),
        (
            "(a > :n AND b > :n) AND (b > :n AND c > :n)",
            "KeyConditionExpressions must only contain one condition per key",
        ),
        ("a = :s AND begins_with(b, :n)", OPERAND_TYPE.format("begins_with", "N")),
    ],
)
def test_refusals(text, reason):
    assert refused(None, used(text, TYPED), key_condition=text) == PREFIX + reason


def test_attribute_type_is_no_key_condition():
    values = {":t": {"S": "S"}}
    assert refused(None, values, key_condition="attribute_type(a, :t)") == (
        PREFIX + OPERATOR + "attribute_type"
    )


# KeyConditions: the key of a global index can have eight attributes.
def test_legacy_conditions_on_the_key_of_an_index():
    conditions = dict.fromkeys("abcdefgh", entry("EQ", {"S": "a"}))
    assert [clause.attribute for clause in key_conditions(conditions, 8)] == list("abcdefgh")
    text = "Conditions can be of length 1 or 2 only"
    assert legacy.refused(key_conditions, conditions | {"i": entry("EQ", {"S": "a"})}, 8) == text
