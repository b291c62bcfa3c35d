"""Prepared statements: constants, conditions as values, and statements that differ in literals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.errors import DynamoError, Fault
from hashrange.expressions.partiql.prepared import prepared
from hashrange.expressions.partiql.templates import outline_of, pieces_of, template_of
from hashrange.expressions.program import condition_of
from tests.rows import rows
from tests.unit.expressions.partiql.grammar import parameters, question_marks, statements


def constants(text, *values):
    return prepared(text, values).constants(values)


def holds(condition, item, *values):
    statement = prepared(f"SELECT * FROM t WHERE {condition}", values)
    found = condition_of(statement.condition, statement.constants(values))
    return found.holds(item)


def test_constants_are_in_the_order_of_the_text():
    found = constants("SELECT * FROM t WHERE a = 'x' AND b = ? AND c = 1.0", {"S": "y"})
    assert found == ({"S": "x"}, {"S": "y"}, {"N": "1"})
    statement = prepared("SELECT * FROM t WHERE a = ? AND b = ?", ({"S": "x"}, {"N": "1"}))
    assert statement.is_plain
    assert statement.constants(({"S": "q"}, {"N": "2"})) == ({"S": "q"}, {"N": "2"})


ITEM = {"a": {"N": "1"}, "yes": {"BOOL": True}, "off": {"BOOL": False}}


# A condition is a value: true or false.
@rows("left", [True, False])
@rows(
    ("other", "value"),
    [
        ("true", True),
        ("false", False),
        ("yes", True),
        ("off", False),
        ("a", None),
        ("nope", None),
        ("1", None),
        ("'true'", None),
        ("MISSING", None),
        ("attribute_exists(a)", True),
        ("attribute_exists(nope)", False),
        ("?", True),
    ],
)
@rows("is_first", [True, False])
def test_comparisons_of_conditions(left, other, value, is_first):
    condition = "a = 1" if left else "a = 2"
    sides = (f"({condition})", other) if is_first else (other, f"({condition})")
    values = ({"BOOL": True},) if other == "?" else ()
    assert holds(" = ".join(sides), ITEM, *values) == (left is value)
    assert holds(" <> ".join(sides), ITEM, *values) == (left is not value)
    assert holds(f"NOT {sides[0]} = {sides[1]}", ITEM, *values) == (left is not value)


# Written out, each comparison doubles what it compares: that has an end.
def test_comparisons_of_comparisons_have_an_end():
    condition = "a = 1"
    for _ in range(20):
        condition = f"({condition}) = yes"
    with pytest.raises(DynamoError) as error:
        prepared(f"SELECT * FROM t WHERE {condition}", ())
    assert "too many operators" in error.value.message


def test_parameters_are_counted():
    for values in ((), ({"S": "a"}, {"S": "b"})):
        with pytest.raises(DynamoError):
            prepared("SELECT * FROM t WHERE a = ?", values)


@pytest.mark.parametrize(
    ("text", "free", "fixed"),
    [
        ("SELECT * FROM \"t-1\" WHERE a = 'x' AND b = 12", ["'x'", "12"], []),
        ("INSERT INTO t VALUE {'pk': 'x', 'n': 1}", ["'x'", "1"], ["'pk'", "'n'"]),
        ("UPDATE t SET l[3] = 'x', m = {'a': 'b'} WHERE a = -2", ["'x'"], ["3", "'a'", "'b'", "2"]),
        ("SELECT * FROM t1 WHERE a.x2 = 'y' -- 'z'", ["'y'"], ["'z'"]),
        ("SELECT * FROM t WHERE a IN ['x', 'y'] AND b = <<1>>", ["'x'", "'y'"], ["1"]),
    ],
)
def test_which_literals_are_free(text, free, fixed):
    pieces = pieces_of(text)
    assert "".join(pieces) == text
    template = template_of(prepared(text, ()), pieces, 0)
    assert [pieces[place] for place in template.free] == free
    assert [piece for _, piece in template.fixed] == fixed


def test_statements_without_literals_have_no_template():
    text = 'SELECT * FROM "t" WHERE a = ?'
    assert template_of(prepared(text, ({"S": "a"},)), pieces_of(text), 1) is None


def outcome(text, values):
    try:
        statement = prepared(text, values)
        return statement, statement.constants(values)
    except DynamoError as error:
        return error.fault, error.message


def alike(statement):
    """Everything of a statement but where its constants come from."""
    members = (
        "verb",
        "table",
        "index",
        "kinds",
        "condition",
        "columns",
        "order",
        "item",
        "actions",
    )
    return [getattr(statement, member) for member in members]


def filled_in(statement, values):
    """The constants of a statement, or why it has none."""
    try:
        return statement.constants(values)
    except DynamoError as error:
        return error


# A statement that is filled in is what it would be if it were read.
@given(statements, st.lists(parameters, max_size=6), st.data())
def test_filled_statements_are_what_they_say(text, values, data):
    values = tuple(values[: question_marks(text)])
    found = outcome(text, values)
    if found[0] is Fault.VALIDATION:
        return
    pieces = pieces_of(text)
    template = template_of(found[0], pieces, len(values))
    if template is None:
        return
    others = list(pieces)
    for place in range(1, len(pieces), 2):
        choices = ["'z'", "'it''s'", "'a'"] if pieces[place][0] == "'" else ["7", "1.50", "3e0"]
        if pieces[place][0] != '"':
            others[place] = data.draw(st.sampled_from([pieces[place], *choices]))
    other = "".join(others)
    assert outline_of(pieces_of(other)) == outline_of(pieces)
    literals = template.literals(pieces_of(other))
    read = outcome(other, values)
    if literals is None:
        return
    filled = filled_in(template.statement, (*values, *literals))
    if isinstance(filled, DynamoError):
        assert read == (filled.fault, filled.message)
    else:
        assert alike(template.statement) == alike(read[0])
        assert filled == read[1]
