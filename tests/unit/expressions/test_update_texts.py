"""Texts about updates and projections, by their numbers in the catalogue."""

from tests.rows import rows
from tests.unit.expressions.catalogue import (
    CONFLICT,
    COUNT,
    MISPLACED,
    OPERAND_TYPE,
    OVERLAP,
    REDUNDANT,
    TOO_DEEP,
    TOO_LARGE,
    TOO_MANY,
    UNDEFINED_NAME,
    UNDEFINED_VALUE,
)
from tests.unit.expressions.requests import CURRENT, OLDER, TYPED, refused, used

UPDATES = [
    (82, "INVALID SYNTAX HERE", 'Syntax error; token: "INVALID", near: "INVALID SYNTAX"'),
    (82, "SET _123 = :s", 'Syntax error; token: "_", near: "SET _123"'),
    (82, "ADD a", 'Syntax error; token: "<EOF>", near: "a"'),
    (82, "SET a = :n +", 'Syntax error; token: "<EOF>", near: "+"'),
    (82, "SET a = a * :n", 'Syntax error; token: "*", near: "a * :n"'),
    (82, "ADD a 1", 'Syntax error; token: "1", near: "a 1"'),
    (82, "DELETE a b", 'Syntax error; token: "b", near: "a b"'),
    (82, "SET l[0.c = :s", 'Syntax error; token: ".", near: "0.c"'),
    (82, "SET a = b + c + d", 'Syntax error; token: "+", near: "c + d"'),
    (82, "SET a = (b.c).d", 'Syntax error; token: ".", near: ").d"'),
    (82, "SET a = f(b + c)", 'Syntax error; token: "+", near: "b + c"'),
    (82, "SET :s = a", 'Syntax error; token: ":s", near: "SET :s ="'),
    (82, "SET a = :s,", 'Syntax error; token: "<EOF>", near: ","'),
    (82, "SET a = :s REMOVE", 'Syntax error; token: "<EOF>", near: "REMOVE"'),
    (82, "SET a = set", 'Syntax error; token: "set", near: "= set"'),
    (83, "SET abOrt = :s", "Attribute name is a reserved keyword; reserved keyword: abOrt"),
    (82, "SET and = :s", 'Syntax error; token: "and", near: "SET and ="'),
    (82, "SET a = :s, b.IN = :s", 'Syntax error; token: "IN", near: ".IN ="'),
    (82, "REMOVE not", 'Syntax error; token: "not", near: "REMOVE not"'),
    (82, " ", 'Syntax error; token: "<EOF>", near: " "'),
    (84, "SET #x = :s", UNDEFINED_NAME + "#x"),
    (85, "SET a = :other", UNDEFINED_VALUE + ":other"),
    (86, "SET a = ((b))", REDUNDANT),
    (86, "SET a = ((b + c))", REDUNDANT),
    (86, "SET a = ((b)) + c", REDUNDANT),
    (87, "SET a = f(b)", "Invalid function name; function: f"),
    (87, "SET a = size(b)", "The function is not allowed in an update expression; function: size"),
    (88, "SET a = if_not_exists(b)", COUNT.format("if_not_exists", 1)),
    (88, "SET a = list_append(:l, :l, :l)", COUNT.format("list_append", 3)),
    (89, "SET a = list_append(a, :s)", OPERAND_TYPE.format("list_append", "S")),
    (89, "SET a = :ss - :n", OPERAND_TYPE.format("-", "SS")),
    (
        91,
        "SET a = if_not_exists(:s, b)",
        "Operator or function requires a document path; operator or function: if_not_exists",
    ),
    (93, "SET a = list_append(list_append(a, :l), :l)", MISPLACED + "list_append"),
    (93, "SET a = b + list_append(a, :l)", MISPLACED + "list_append"),
    (97, "SET " + ",".join(f"a{i}=a+b" for i in range(301)), TOO_MANY),
    (98, "SET a = " + "b" * 4089, "Expression size has exceeded the maximum allowed size;"),
    (99, "SET a = :s, a.b = :s", OVERLAP.format("[a]", "[a, b]")),
    (99, "SET a.b.c = :s REMOVE a", OVERLAP.format("[a, b, c]", "[a]")),
    (100, "SET a.b = :s, a[0] = :s", CONFLICT.format("[a, b]", "[a, [0]]")),
    (
        101,
        "SET a = :s SET b = :s",
        'The "SET" section can only be used once in an update expression;',
    ),
    (
        101,
        "REMOVE a ADD b :n remove c",
        'The "REMOVE" section can only be used once in an update expression;',
    ),
    (102, "REMOVE " + ".".join(["a"] * 40), TOO_DEEP + "40"),
]


@rows("wording", [CURRENT, OLDER])
@rows(("number", "expression", "text"), UPDATES)
def test_texts_about_updates(number, expression, text, wording):
    values = used(expression, TYPED)
    assert refused(None, values, wording, update=expression) == f"Invalid UpdateExpression: {text}"


LONG_NAMES = {
    "s": "STRING",
    "n": "NUMBER",
    "b": "BINARY",
    "bool": "BOOL",
    "null": "NULL",
    "l": "LIST",
    "m": "MAP",
}


# 90: ADD takes numbers and sets, DELETE takes sets. The type set that is told is that of ADD.
# Source: measured by users, September 2026.
@rows("section", ["ADD", "DELETE"])
@rows("kind", LONG_NAMES)
def test_types_of_what_is_added_and_deleted(section, kind):
    if (section, kind) == ("ADD", "n"):
        return
    text = (
        "Invalid UpdateExpression: Incorrect operand type for operator or function; "
        f"operator: {section}, operand type: {LONG_NAMES[kind]}, typeSet: ALLOWED_FOR_ADD_OPERAND"
    )
    request = {"values": {f":{kind}": TYPED[f":{kind}"]}, "update": f"{section} a.b :{kind}"}
    assert refused(**request, wording=OLDER) == text
    assert refused(**request) == text


@rows(
    ("expression", "text"),
    [
        ("a,", 'Syntax error; token: "<EOF>", near: ","'),
        ("a b", 'Syntax error; token: "b", near: "a b"'),
        ("l[].c", 'Syntax error; token: "]", near: "[]."'),
        (":s", 'Syntax error; token: ":s", near: ":s"'),
        ("f(a)", 'Syntax error; token: "(", near: "f(a"'),
        ("ADD", 'Syntax error; token: "ADD", near: "ADD"'),
        ("a, between", 'Syntax error; token: "between", near: ", between"'),
        ("in", 'Syntax error; token: "in", near: "in"'),
        ("a, 'x y'", 'Syntax error; token: "\'", near: ", \'x"'),
        (" ", 'Syntax error; token: "<EOF>", near: " "'),
        ("#x", UNDEFINED_NAME + "#x"),
        ("a, b, a", OVERLAP.format("[a]", "[a]")),
        ("a[1], a.b", CONFLICT.format("[a, [1]]", "[a, b]")),
        ("a" * 4097, TOO_LARGE + "4097"),
        ("a" + "[0]" * 32, TOO_DEEP + "33"),
    ],
)
def test_texts_about_projections(expression, text):
    assert refused(projection=expression) == f"Invalid ProjectionExpression: {text}"
