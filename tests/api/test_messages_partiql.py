"""Texts of PartiQL statements as they are read, by their numbers in the catalogue.

T stands for the table's name.
"""

import pytest

from tests.api.refusals import VALIDATION, refusal
from tests.api.statements import KEY, NOT_WELL_FORMED, statement_table, update, where

STAR_BESIDE_COLUMNS = (
    "Other expressions may not be present in the select list when '*' is used without dot notation."
)


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
        (238, "UPDATE T-1 SET a = 1", "Expected data manipulation"),
        (239, "SELECT * FROM T WHERE pk = 1e2147483648", ""),
        (239, "SELECT * FROM T WHERE pk = 1e99999999999", ""),
        (239, "SELECT * FROM T WHERE pk = 1.5e-2147483647", ""),
        (239, "SELECT * FROM T WHERE pk = 1 # note", ""),
        (239, "SELECT * FROM T WHERE pk = 1 /* note", ""),
        (239, "SELECT * FROM T WHERE pk = 'open", ""),
        (239, "SELECT * FROM T WHERE pk = 1e", ""),
    ],
)
def test_syntax(dynamodb, table, number, statement, detail):
    sent = statement.replace(" T", f' "{table}"')
    assert refusal(dynamodb.execute_statement, Statement=sent) == (
        VALIDATION,
        NOT_WELL_FORMED + detail,
    )


# Texts of the reference implementation of PartiQL, whose texts those above are as well. Users met
# the first two on the service.
@pytest.mark.parametrize(
    ("statement", "detail"),
    [
        ("INSERT INTO T (key, a) VALUES (?, ?)", "Unexpected keyword"),
        ("SELECT * FROM (T WHERE pk = 'a'", "Expected RIGHT_PAREN"),
        ("INSERT INTO T (a, b) VALUES (?, ?)", "Unexpected token after expression"),
        ("INSERT T VALUE {'pk': 'a'}", "Unexpected keyword"),
        ("INSERT INTO T VALUES 1", "Expected LEFT_PAREN for row value constructor"),
        ("INSERT INTO T VALUE {'pk' 'a'}", "Expected COLON"),
        ("INSERT INTO T VALUE {'pk': 'a'", "Expected RIGHT_CURLY"),
        ("INSERT INTO T VALUE {'pk': ['a'}", "Expected RIGHT_BRACKET"),
        ("INSERT INTO T VALUE {'pk': <<'a'}", "Expected RIGHT_DOUBLE_ANGLE_BRACKET"),
        ("INSERT INTO T VALUE {} RETURNING ALL OLD * a", "Unexpected token after expression"),
        ("SELECT * WHERE pk = 'a'", "Expected FROM after SELECT list"),
        ("SELECT a b c FROM T", "Expected FROM after SELECT list"),
        ("SELECT FROM T", "Expected data manipulation"),
        *[
            (f"SELECT {columns} FROM T", STAR_BESIDE_COLUMNS)
            for columns in ("*, a", "a, *", "*, *")
        ],
        ("SELECT COUNT() FROM T", "Aggregate functions are always unary"),
        ("SELECT SUM(a, b) FROM T", "Aggregate functions are always unary"),
        ("SELECT MAX(*) FROM T", "max(*) is not allowed"),
        ("SELECT * FROM T WHERE Begins_with(*)", "Begins_with(*) is not allowed"),
        ("SELECT * FROM T AS", "Expected identifier for AS-alias"),
        ("SELECT * FROM T AT 1", "Expected identifier for AT-alias"),
        ("SELECT * FROM T BY", "Expected identifier for BY-alias"),
        # What is not supported is told of statements that can be read.
        ("SELECT * FROM T t WHERE", "Unexpected term"),
        ("SELECT DISTINCT a FROM T WHERE", "Unexpected term"),
        ("SELECT * FROM T, 1 WHERE", "Unexpected term"),
        ("SELECT * FROM T LIMIT", "Unexpected term"),
        ("SELECT * FROM T WHERE a IN (1", "Expected RIGHT_PAREN"),
        ("SELECT * FROM T WHERE begins_with(a 'x')", "Expected RIGHT_PAREN"),
        ("SELECT * FROM T WHERE a[0 = 1", "Expected RIGHT_BRACKET"),
        ("SELECT * FROM T WHERE a BETWEEN 1 OR 2", "Expected AND keyword"),
        ("SELECT * FROM T WHERE a BETWEEN 1 AND", "Expected expression after AND"),
        ("SELECT * FROM T WHERE a BETWEEN 1 AND;", "Expected expression after AND"),
        ("SELECT * FROM T WHERE *", "Unexpected term"),
        ("SELECT * FROM T WHERE AS = 1", "Unexpected term"),
        ("SELECT * FROM T WHERE a = 1foo", "Unexpected token after expression"),
        ("SELECT * FROM T WHERE a = 1_000", "Unexpected token after expression"),
        ("SELECT * FROM T ORDER pk", "Expected BY"),
        (
            "SELECT * FROM T; SELECT * FROM T",
            "Unexpected token after semicolon. (Only one query is allowed.)",
        ),
        ("DELETE T WHERE pk = 'a'", "Expected FROM after DELETE"),
        ("UPDATE T SET a 1", "Expected '='"),
        ("UPDATE T SET a.* = 1", "Invalid path dot component for simple path"),
        *[
            (
                f"UPDATE T SET a = 1 RETURNING {returning}",
                "Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.",
            )
            for returning in ("*", "ALL", "ALL *", "OLD *", 'ALL "OLD" *')
        ],
        # Names of types are keywords, and name attributes in double quotes only.
        ("SELECT list FROM T", "Unexpected keyword"),
        ("SELECT * FROM T WHERE string = 'a'", "Unexpected keyword"),
        ("UPDATE T SET struct = 1", "Expected identifier for simple path"),
        ("SELECT m.symbol FROM T", "Invalid path dot component"),
    ],
)
def test_syntax_of_the_reference_implementation(dynamodb, table, statement, detail):
    sent = statement.replace(" T", f' "{table}"')
    assert refusal(dynamodb.execute_statement, Statement=sent) == (
        VALIDATION,
        NOT_WELL_FORMED + detail,
    )


# Neither these words nor others in double quotes are keywords.
@pytest.mark.parametrize("name", ["leading", "trailing", "both", '"list"', '"size"', "year"])
def test_names_that_are_no_keywords(dynamodb, table, name):
    statement = f'SELECT {name} FROM "{table}" WHERE {KEY} AND {name} = 1'
    assert dynamodb.execute_statement(Statement=statement)["Items"] == []


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
        (248, update("ss = set_add(ss)"), "set_add", "SET_ADD must have exactly two arguments at "),
        (
            None,
            "SELECT a[-1] FROM T",
            "1]",
            "List index is not within the allowable range; index: [-1] at ",
        ),
        (
            None,
            "SELECT a[2147483648] FROM T",
            "2147483648]",
            "List index is not within the allowable range; index: [2147483648] at ",
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
