"""Texts about conditions, by their numbers in the catalogue."""

import pytest

from tests.rows import rows
from tests.unit.expressions.catalogue import (
    BOUNDS_OF_TYPES,
    COUNT,
    MISPLACED,
    NOT_DISTINCT,
    REDUNDANT,
    TOO_DEEP,
    TOO_LARGE,
    TOO_MANY,
    UNDEFINED_NAME,
    UNDEFINED_VALUE,
)
from tests.unit.expressions.requests import OLDER, TYPED, bound, refused, used

LONG = "a" * 4092 + " = b"

LABELS = [
    ("condition", "ConditionExpression"),
    ("filter", "FilterExpression"),
    ("key_condition", "KeyConditionExpression"),
    ("update", "UpdateExpression"),
    ("projection", "ProjectionExpression"),
]


# Number, expression, text; the values are those of TYPED that the expression uses.
CONDITIONS = [
    (81, "", "The expression can not be empty;"),
    (82, "a = = b", 'Syntax error; token: "=", near: "= = b"'),
    (82, "(", 'Syntax error; token: "<EOF>", near: "("'),
    (82, "!!", 'Syntax error; token: "!", near: "!!"'),
    (82, "foo", 'Syntax error; token: "<EOF>", near: "foo"'),
    (82, "_a = b", 'Syntax error; token: "_", near: "_a"'),
    (82, "a > 4", 'Syntax error; token: "4", near: "> 4"'),
    (82, "attribute_type()", 'Syntax error; token: ")", near: "()"'),
    (82, "#l[abc].c = :s", 'Syntax error; token: "abc", near: "[abc]"'),
    (82, "l[-1] = :s", 'Syntax error; token: "-", near: "[-1"'),
    (82, "l[01] = :s", 'Syntax error; token: "1", near: "01]"'),
    (82, "a =", 'Syntax error; token: "<EOF>", near: "="'),
    (82, "a = b)", 'Syntax error; token: ")", near: "b)"'),
    (82, "(a = b", 'Syntax error; token: "<EOF>", near: "b"'),
    (82, "ü > a", 'Syntax error; token: "ü", near: "ü >"'),
    (82, 'a = "b"', 'Syntax error; token: """, near: "= "b"'),
    (82, "a = 'x y'", 'Syntax error; token: "\'", near: "= \'x"'),
    (82, "add = :s", 'Syntax error; token: "add", near: "add ="'),
    (82, "a = :s AND Remove = :s", 'Syntax error; token: "Remove", near: "AND Remove ="'),
    (82, " set = :s", 'Syntax error; token: "set", near: " set ="'),
    (82, "a IN ()", 'Syntax error; token: ")", near: "()"'),
    (82, "   ", 'Syntax error; token: "<EOF>", near: "   "'),
    (83, "abOrt = :s", "Attribute name is a reserved keyword; reserved keyword: abOrt"),
    (83, "m.COMMENT = :s", "Attribute name is a reserved keyword; reserved keyword: COMMENT"),
    (84, "#x = :s", UNDEFINED_NAME + "#x"),
    (85, "a = :other", UNDEFINED_VALUE + ":other"),
    (86, "((a = b))", REDUNDANT),
    (86, "((a)) = :s", REDUNDANT),
    (86, "a = ((b))", REDUNDANT),
    (86, "((a))", REDUNDANT),
    (86, "a = b AND ((a = c OR c = d))", REDUNDANT),
    (86, "((attribute_exists(a)))", REDUNDANT),
    (86, "size(((a))) = :n", REDUNDANT),
    (87, "whatever(a)", "Invalid function name; function: whatever"),
    (87, "Attribute_Exists(a)", "Invalid function name; function: Attribute_Exists"),
    (
        87,
        "if_not_exists(a, :s) = :s",
        "The function is not allowed in a condition expression; function: if_not_exists",
    ),
    (
        87,
        "a = list_append(a, :s)",
        "The function is not allowed in a condition expression; function: list_append",
    ),
    (88, "attribute_exists(a, b)", COUNT.format("attribute_exists", 2)),
    (88, "begins_with(a)", COUNT.format("begins_with", 1)),
    (88, "size(a, b) = :n", COUNT.format("size", 2)),
    (
        88,
        f"a IN ({', '.join(['b'] * 101)})",
        "The IN operator is provided with too many operands; number of operands: 101",
    ),
    (
        91,
        "attribute_exists(:s)",
        "Operator or function requires a document path; operator or function: attribute_exists",
    ),
    (
        91,
        "attribute_not_exists(size(:s))",
        "Operator or function requires a document path; operator or function: attribute_not_exists",
    ),
    (92, "a = a", NOT_DISTINCT.format("=", "[a]")),
    (92, "contains(a.b[1].c, a.b[1].c)", NOT_DISTINCT.format("contains", "[a, b, [1], c]")),
    (92, "a BETWEEN b AND a", NOT_DISTINCT.format("BETWEEN", "[a]")),
    (92, "a IN (b, a)", NOT_DISTINCT.format("IN", "[a]")),
    (93, "attribute_exists(a) = :s", MISPLACED + "attribute_exists"),
    (93, "a = b AND size(a)", MISPLACED + "size"),
    (93, "size(contains(a, b)) = :n", MISPLACED + "contains"),
    (93, "a IN (b, begins_with(a, b))", MISPLACED + "begins_with"),
    (94, "a BETWEEN :n AND :s", BOUNDS_OF_TYPES.format("{N:1}", "{S:a}")),
    (97, " AND ".join(["a = b"] * 151), TOO_MANY),
    (97, " AND ".join(["a = b"] * 400), TOO_MANY),
    (98, LONG + "    ", TOO_LARGE + "4100"),
    (98, "é" * 2049, TOO_LARGE + "4098"),
    (102, ".".join(["a"] * 33) + " = :s", TOO_DEEP + "33"),
    (
        None,
        "a[4294967295] = :s",
        "List index is not within the allowable range; index: [4294967295]",
    ),
    (
        None,
        "a[99999999999999999999] = :s",
        "List index is not within the allowable range; index: [99999999999999999999]",
    ),
]


@rows(("number", "expression", "text"), CONDITIONS)
@rows(("parameter", "label"), LABELS[:3])
def test_texts_about_conditions(number, expression, text, parameter, label):
    names = {"#l": "l"} if "#l" in expression else None
    values = used(expression, TYPED)
    expected = f"Invalid {label}: {text}"
    assert refused(names, values, **{parameter: expression}) == expected
    assert refused(names, values, OLDER, **{parameter: expression}) == expected


@pytest.mark.parametrize(("parameter", "label"), LABELS)
def test_every_expression_is_named_in_its_faults(parameter, label):
    expected = f"Invalid {label}: The expression can not be empty;"
    assert refused(**{parameter: ""}) == expected


# Limits are inclusive.
def test_what_just_fits():
    assert bound(condition=LONG).condition
    assert bound(condition="NOT " + " AND ".join(["a = b"] * 150)).condition
    assert bound(condition=f"a IN ({', '.join(['b'] * 100)})").condition
    assert bound(projection=".".join(["a"] * 32)).projection
    assert bound(projection="a[2147483647]").projection
    assert bound(names={"#" + "a" * 254: "a" * 300}, projection="#" + "a" * 254).projection
