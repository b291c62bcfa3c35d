"""Statements that are read: what they say, and that any text is refused in DynamoDB's own words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.errors import DynamoError, Fault
from hashrange.expressions.partiql import syntax
from hashrange.expressions.partiql.statement_parser import parsed
from hashrange.expressions.partiql.tokens import Kind, place, scanned
from tests.rows import rows
from tests.unit.expressions.partiql.grammar import statements


def refused(text):
    with pytest.raises(DynamoError) as error:
        parsed(text)
    assert error.value.fault is Fault.VALIDATION
    return error.value.message


def fault_of(text):
    """The fault that a text is refused with, if it is."""
    try:
        assert parsed(text).parameters >= 0
    except DynamoError as error:
        return error.fault
    return None


def condition(text):
    return parsed(f"SELECT * FROM t WHERE {text}").statement.where


def shown(node):
    """An expression in full parentheses."""
    match node:
        case syntax.Logical(operator=operator, operands=operands):
            text = f"({f' {operator} '.join(map(shown, operands))})"
        case syntax.Binary(operator=operator, left=left, right=right):
            text = f"({shown(left)} {operator} {shown(right)})"
        case syntax.Not(operand=operand):
            text = f"(NOT {shown(operand)})"
        case syntax.Id(elements=elements):
            text = ".".join(map(str, elements))
        case syntax.Lit(value=value):
            text = str(value)
        case syntax.Between(operand=operand, lower=lower, upper=upper):
            text = f"({shown(operand)} BETWEEN {shown(lower)} AND {shown(upper)})"
        case syntax.InCollection(operand=operand, members=members):
            text = f"({shown(operand)} IN {' '.join(map(shown, members))})"
        case syntax.IsType(operand=operand, kinds=kinds):
            text = f"({shown(operand)} IS {' '.join(kinds)})"
        case _:
            text = type(node).__name__
    return text


# What binds tighter than what: products, sums, orderings, equality, NOT, AND, OR.
@rows(
    ("text", "expected"),
    [
        ("a = 1 OR b = 2 AND c = 3", "((a = 1) OR ((b = 2) AND (c = 3)))"),
        ("a AND b AND c OR d OR e", "((a AND b AND c) OR d OR e)"),
        ("NOT a = 1 AND b", "((NOT (a = 1)) AND b)"),
        ("NOT NOT a", "(NOT (NOT a))"),
        ("NOT NOT NOT a", "(NOT a)"),
        ("a = b < c", "(a = (b < c))"),
        ("a + b * c - d = e", "(((a + (b * c)) - d) = e)"),
        ("a BETWEEN 1 AND 2 AND b", "((a BETWEEN 1 AND 2) AND b)"),
        ("a NOT BETWEEN 1 AND 2", "(NOT (a BETWEEN 1 AND 2))"),
        ("a IN [1, 2] AND b NOT IN (3)", "((a IN 1 2) AND (NOT (b IN 3)))"),
        ("a IS NOT NULL OR b IS INT", "((NOT (a IS NULL)) OR (b IS N))"),
        ("a != - - 1 AND b > -.5e1", "((a <> 1) AND (b > -.5e1))"),
        ("(a OR b) AND c", "((a OR b) AND c)"),
        ("m.\"x y\"[0]['k'] = 'it''s'", "(m.x y.0.k = it's)"),
    ],
)
def test_precedence(text, expected):
    assert shown(condition(text)) == expected


def test_parts_of_statements():
    select = parsed('SELECT a, b.c FROM "t"."i" WHERE a = ? ORDER BY a DESC, b;')
    assert select.parameters == 1
    assert select.statement.source.components == ("t", "i")
    assert [each.elements for each in select.statement.columns] == [("a",), ("b", "c")]
    assert select.statement.order == (syntax.Order("a", True), syntax.Order("b", False))
    update = parsed("UPDATE t SET a = ?, b = 2 SET c = 3 REMOVE d WHERE e = ? RETURNING ALL NEW *")
    assert [each.target.elements for each in update.statement.assignments] == [
        ("a",),
        ("b",),
        ("c",),
        ("d",),
    ]
    assert (update.parameters, update.statement.returning) == (2, "ALL NEW")
    assert parsed("EXISTS(SELECT * FROM t)").statement.exists
    assert not parsed("SELECT ALL * FROM t").statement.exists


def test_tokens_have_places():
    text = "SELECT *\n  FROM \"a\"\"b\" -- no\n/* * ** */ WHERE x='a''b'"
    tokens = scanned(text)
    assert [(token.kind, token.value) for token in tokens] == [
        (Kind.KEYWORD, "SELECT"),
        (Kind.OPERATOR, "*"),
        (Kind.KEYWORD, "FROM"),
        (Kind.QUOTED, 'a"b'),
        (Kind.KEYWORD, "WHERE"),
        (Kind.NAME, "x"),
        (Kind.OPERATOR, "="),
        (Kind.TEXT, "a'b"),
        (Kind.END, ""),
    ]
    places = [place(text, token.start, token.length) for token in tokens[:5]]
    assert places == ["1:1:6", "1:8:1", "2:3:4", "2:8:6", "3:12:5"]


# Deep and long statements end in an answer, not in Python's stack.
@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM t WHERE " + "(" * 8000,
        "SELECT * FROM t WHERE " + "NOT " * 2000 + "a",
        "SELECT * FROM t WHERE " + "NOT (" * 1500,
        "SELECT * FROM t WHERE a" + " = a" * 2000,
        "SELECT * FROM t WHERE a" + " AND a = 1" * 800,
        "SELECT * FROM t WHERE a = " + "- " * 4000,
        "SELECT * FROM t WHERE a IN " + "[" * 8000,
        "INSERT INTO t VALUE " + "{'a': " * 1300,
        "INSERT INTO t VALUE {'a': " + "<<" * 4000,
        "UPDATE t SET a" + " = size(" * 1000,
        "SELECT " + "a." * 4000 + "a FROM t WHERE '",
        "/*" * 4000,
        "'" * 8191,
        '"' * 8191,
        "SELECT * FROM t WHERE " + "x IN [y IN [" * 600,
    ],
    ids=range(15),
)
def test_extremes(text):
    assert refused(text[:8192])


def test_no_statement():
    for text in ("", " ", "-- nothing", ";"):
        assert refused(text).endswith("Unexpected term")


@given(statements)
def test_statements_are_read_or_refused(text):
    assert fault_of(text) in {None, Fault.VALIDATION}


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_any_text_is_refused(text):
    assert fault_of(text) in {None, Fault.VALIDATION}


@given(statements, st.integers(0, 200), st.integers(0, 200))
def test_cut_statements_are_read_or_refused(text, first, last):
    assert fault_of(text[:first] + text[last:]) in {None, Fault.VALIDATION}
