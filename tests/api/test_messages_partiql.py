"""Texts of PartiQL statements as they are read, by their numbers in the catalogue.

T stands for the table's name.
"""

import pytest

from tests.api.refusals import VALIDATION, refusal
from tests.api.statements import KEY, NOT_WELL_FORMED, statement_table, update, where


@pytest.fixture(scope="module")
def table(new_table):
    return statement_table(new_table)


def place(statement, token, length):
    """Where a token stands: `1:column:length`, which counts the table's name as it is sent."""
    return f"1:{statement.index(token) + 1}:{length}"


@pytest.mark.parametrize(
    ("number", "statement", "detail"),
    [
        (230, "SELECT * FROM T WHERE pk = 'a' foo", "Unexpected token after expression"),
        (230, "SELECT * FROM T WHERE pk = 1 e5", "Unexpected token after expression"),
        (230, "INSERT INTO T VALUE {'pk': 'a'} foo", "Unexpected token after expression"),
        (230, "INSERT INTO T t VALUE {'pk': 'a'}", "Unexpected token after expression"),
        (230, f"UPDATE T SET a = 9 WHERE {KEY} foo", "Unexpected token after expression"),
        (230, f"DELETE FROM T WHERE {KEY} ORDER BY pk", "Unexpected token after expression"),
        (230, "SELECT * FROM T ORDER BY pk WHERE pk = 1", "Unexpected token after expression"),
        (230, "SELECT * FROM T WHERE pk = 1)", "Unexpected token after expression"),
        (230, f"FROM T SET c = 1 WHERE {KEY}", "Unexpected token after expression"),
        (231, "SELECT * FROM T WHERE", "Unexpected term"),
        (231, "SELECT * FROM T WHERE;", "Unexpected term"),
        (231, "SELECT * FROM T WHERE NOT", "Unexpected term"),
        (231, "SELECT * FROM T WHERE (", "Unexpected term"),
        (231, "SELECT * FROM", "Unexpected term"),
        (
            232,
            "SELECT * FROM T WHERE pk = 'a' AND",
            "Missing right-hand side expression of infix operator",
        ),
        (
            232,
            "SELECT * FROM T WHERE pk = 'a' OR",
            "Missing right-hand side expression of infix operator",
        ),
        (233, "SELECT * FROM T WHERE ORDER BY pk", "Unexpected keyword"),
        (234, "SELECT * FROM T WHERE IS NULL", "Unexpected operator"),
        (234, "SELECT * FROM T WHERE pk = LIKE", "Unexpected operator"),
        (235, where("x IS FOO"), "Expected type name"),
        (236, "DELETE FROM", "Expected identifier for simple path"),
        (236, "DELETE FROM;", "Expected identifier for simple path"),
        (236, "DELETE FROM WHERE pk = 'a'", "Expected identifier for simple path"),
        (237, where("attribute_exists(m.inner)"), "Invalid path dot component"),
        (238, f"SLECT * FROM T WHERE {KEY}", "Expected data manipulation"),
        (239, "SELECT * FROM T WHERE pk = 1e2147483648", ""),
        (239, "SELECT * FROM T WHERE pk = 1e99999999999", ""),
        (239, "SELECT * FROM T WHERE pk = 1.5e-2147483647", ""),
        (239, "SELECT * FROM T WHERE pk = 1 # note", ""),
        (239, "SELECT * FROM T WHERE pk = 1 /* note", ""),
        (239, "SELECT * FROM T WHERE pk = 'open", ""),
    ],
)
def test_syntax(dynamodb, table, number, statement, detail):
    sent = statement.replace(" T", f' "{table}"')
    assert refusal(dynamodb.execute_statement, Statement=sent) == (
        VALIDATION,
        NOT_WELL_FORMED + detail,
    )


# The place of a token is told by its line, column and length.
@pytest.mark.parametrize(
    ("number", "statement", "token", "text"),
    [
        (242, where("EXISTS(ss)"), "EXISTS", "Unrecognized function: exists at "),
        (242, where("set_add(ss, <<'x'>>) = ss"), "set_add", "Unrecognized function: set_add at "),
        (
            243,
            "SELECT attribute_exists(ss) FROM T",
            "attribute_exists",
            "Unexpected path component at ",
        ),
        (243, "SELECT COUNT(*) FROM T", "COUNT", "Unexpected path component at "),
        (
            244,
            "INSERT INTO T VALUE {'pk': 'a', 'ss': set_add(<<'a'>>, <<'b'>>)}",
            "set_add",
            "Unsupported data type: set_add under key root at ",
        ),
        (
            246,
            update("t = set_add(ss, <<'x'>>)"),
            "set_add",
            "The first argument to SET_ADD must equal the assignment value at ",
        ),
        (
            246,
            update("t = set_delete(ss, <<'x'>>)"),
            "set_delete",
            "The first argument to SET_DELETE must equal the assignment value at ",
        ),
        (
            247,
            update("qq = set_add(qq, 'x')"),
            "qq,",
            "The second argument to SET_ADD must be a value with type SET at ",
        ),
        (
            248,
            update("ss = set_add(ss)"),
            "set_add",
            "SET_ADD must have exactly two arguments at ",
        ),
        (
            None,
            "SELECT a[-1] FROM T",
            "1]",
            "List index is not within the allowable range; index: [-1] at ",
        ),
    ],
)
def test_places(dynamodb, table, number, statement, token, text):
    sent = statement.replace(" T", f' "{table}"')
    length = len(token.rstrip(",]"))
    told = refusal(dynamodb.execute_statement, Statement=sent)
    assert told == (VALIDATION, text + place(sent, token, length))


def test_a_place_on_another_line(dynamodb, table):
    sent = f'UPDATE "{table}"\nSET band = set_add("band", \'x\')\nWHERE {KEY}'
    text = "The second argument to SET_ADD must be a value with type SET at 2:20:6"
    assert refusal(dynamodb.execute_statement, Statement=sent) == (VALIDATION, text)
