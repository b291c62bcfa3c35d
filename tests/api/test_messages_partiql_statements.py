"""Texts of PartiQL statements about tables and keys, by their numbers in the catalogue.

T stands for the table's name.
"""

import pytest

from tests.api.items import INVALID
from tests.api.refusals import VALIDATION, refusal
from tests.api.statements import KEY, parameters, statement_table, update, where

OPERAND = "Incorrect operand type for operator or function; operator or function: "
UNDER = " under root"
OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
UNDERFLOW = (
    "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)
DIGITS = "Attempting to store more than 38 significant digits in a Number"


NO_MEMBERS = (
    "IN operator must have a left hand argument of type Variable Reference and right hand argument "
    "of type Seq with at least one member"
)


@pytest.fixture(scope="module")
def table(new_table):
    return statement_table(new_table)


# Source of those without a number: measured by users, September 2026.
@pytest.mark.parametrize(
    ("number", "statement", "text"),
    [
        (40, f"SELECT * FROM T WHERE pk = {'1' * 39}", DIGITS + UNDER),
        (41, "SELECT * FROM T WHERE pk = 1e126", OVERFLOW + UNDER),
        (41, "INSERT INTO T VALUE {'pk': 'a', 'm': {'x': 1e126}}", OVERFLOW + UNDER + ".x"),
        (41, "INSERT INTO T VALUE {'pk': 'a', 'l': [1, 1e126]}", OVERFLOW + UNDER + "[1]"),
        (42, update("a = 1e-131"), UNDERFLOW + UNDER),
        (240, "SELECT * FROM T t WHERE pk = 'a'", "Aliasing is not supported"),
        (240, "SELECT * FROM T AS t WHERE pk = 'a'", "Aliasing is not supported"),
        (240, "UPDATE T t SET a = 3 WHERE pk = 'a'", "Aliasing is not supported"),
        (240, "DELETE FROM T t WHERE pk = 'a'", "Aliasing is not supported"),
        (241, "x IS INT4", "Unsupported operation: IsType"),
        (241, "x IS DOUBLE PRECISION", "Unsupported operation: IsType"),
        (241, "INSERT INTO T VALUES ('a', 1), ('b', 2)", "Unsupported operation: Insert"),
        (241, "INSERT INTO T <<{'pk': 'a'}>>", "Unsupported operation: Insert"),
        (245, update("ss = set_add(ss, <<>>)"), "Empty bags are not supported"),
        (
            249,
            "UPDATE T SET a = 1 WHERE pk = 'a'",
            "Where clause does not contain a mandatory equality on all key attributes",
        ),
        (
            249,
            "FROM T REMOVE a",
            "Where clause does not contain a mandatory equality on all key attributes",
        ),
        *[
            (
                250,
                f"SELECT * FROM T WHERE {condition}",
                "Overlapping conditions with range keys are not supported in where clause",
            )
            for condition in (
                "pk = 'a' AND x = '1' OR pk = 'a' AND sk = '2'",
                "pk IN ['a', 'a']",
                "pk = 'a' AND (sk > '0' OR sk < '5')",
                "pk = 'a' AND (sk = '1' OR flag = 'two')",
            )
        ],
        (251, "SELECT * FROM \"\" WHERE pk = 'a'", "Path component cannot be an empty string"),
        (251, "SELECT * FROM T.\"\" WHERE pk = 'a'", "Path component cannot be an empty string"),
        (
            252,
            'SELECT * FROM T."global"."more"',
            "A path may contain at most 2 components in the FROM clause",
        ),
        (253, 'SELECT * FROM T."none"', "The table does not have the specified index"),
        (
            255,
            "SELECT n, p, m FROM T.\"global\" WHERE g = 'a'",
            INVALID + "Global secondary index global does not project [n, m]",
        ),
        *[
            (
                256,
                f'SELECT pk FROM T."{index}" WHERE {condition}',
                (
                    f"{INVALID}Secondary index {index} does not project one or more filter "
                    f"attributes: [{names}]"
                ),
            )
            for index, condition, names in (
                ("global", "g = 'a' AND n = 1", "n"),
                ("global", "g = 'a' AND b = '1' AND (a = '2' OR p = '3')", "a, b"),
                ("global", "g = 'a' AND (zz = '1' OR aa = '2' OR mm = '3')", "zz, aa, mm"),
                ("global", "g IN ['a', 'b'] AND n IS MISSING", "n"),
                ("global", "(g = 'b' AND u = 1) OR (g = 'q' AND v = 1)", "v"),
                ("global", "(g = 'q' AND u = 1) OR (g = 'b' AND v = 1)", "u"),
                ("local", "pk = 'a' AND l BETWEEN 'b' AND 'c' AND n = 1", "n"),
            )
        ],
        *[
            (
                257,
                statement,
                (
                    "PartiQL statements cannot be executed on tables with multi-attribute HASH "
                    "keys or multi-attribute RANGE keys."
                ),
            )
            for statement in (
                "SELECT * FROM T.\"several\" WHERE g = 'a'",
                'SELECT COUNT(*) FROM T."several"',
            )
        ],
        *[
            (
                258,
                f"DELETE FROM T WHERE {KEY} RETURNING {returning} *",
                (
                    f"Invalid returning clause: RETURNING {returning} *. Only RETURNING ALL OLD * "
                    "is allowed in DELETE statements."
                ),
            )
            for returning in ("MODIFIED OLD", "ALL NEW", "MODIFIED NEW")
        ],
        (270, where("a < true"), OPERAND + "<, operand type: BOOL"),
        (270, where("attribute_exists(a) > false"), OPERAND + ">, operand type: BOOL"),
        (270, where("a BETWEEN [1] AND 2"), OPERAND + "BETWEEN, operand type: L"),
        (270, where("attribute_type(a, 1)"), OPERAND + "attribute_type, operand type: N"),
        (
            96,
            where("attribute_type(a, 'X')"),
            (
                "Invalid attribute type name found; type: X, "
                "valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}"
            ),
        ),
        (270, update("n = 'a' + 1"), OPERAND + "+, operand type: S"),
        (270, update("n = n - NULL"), OPERAND + "-, operand type: NULL"),
        (270, update("n = 1 + (n - 'a')"), OPERAND + "-, operand type: S"),
        (
            272,
            update("n = -n"),
            (
                "Incorrect number of operands for operator or function; operator or function: -, "
                "number of operands: 1"
            ),
        ),
        (None, update("n = n + 1 * 2"), "Unsupported operator in Update Expression. Operator: *"),
        (
            271,
            where("attribute_exists('a')"),
            "Operator or function requires a document path; operator or function: attribute_exists",
        ),
        (
            272,
            where("attribute_exists()"),
            (
                "Incorrect number of operands for operator or function; operator or function: "
                "attribute_exists, number of operands: 0"
            ),
        ),
        (
            273,
            "SELECT * FROM T WHERE pk = ?",
            "Number of parameters in request and statement don't match.",
        ),
        (
            274,
            "SELECT * FROM T ORDER BY sk",
            "Must have WHERE clause in the statement when using ORDER BY clause.",
        ),
        (275, "SELECT * FROM T LIMIT 5", "Unsupported clause: LIMIT"),
        (275, "SELECT DISTINCT a FROM T", "Unsupported clause: DISTINCT"),
        (275, "SELECT DISTINCT a FROM T LIMIT 5", "Unsupported clause: DISTINCT"),
        (
            None,
            "SELECT * FROM T, U WHERE pk = 'a'",
            "Only select from a single table or index is supported.",
        ),
        (None, "SELECT * FROM [1]", "Unexpected from source"),
        (275, "SELECT * FROM T WHERE a", "Unsupported token in expression: Id"),
        (
            None,
            "SELECT * FROM T WHERE pk = 'a' ORDER BY total",
            "Attribute total in ORDER BY clause must be part of the primary key",
        ),
        (
            None,
            "SELECT * FROM T WHERE pk > 'a' ORDER BY sk",
            (
                "Must have at least one non-optional hash key condition in WHERE clause when using "
                "ORDER BY clause."
            ),
        ),
        (
            None,
            "SELECT * FROM T WHERE pk IN ['a', 'b'] ORDER BY sk",
            (
                "Must have hash key in ORDER BY clause when more than one hash key condition "
                "specified in WHERE clause."
            ),
        ),
        (
            None,
            "SELECT * FROM T WHERE pk = 1 OR pk = 'a'",
            "Key attribute's data type should match its data type in table's schema: Key pk",
        ),
        (
            None,
            "SELECT * FROM T WHERE pk = [1]",
            "Key value must be of type S, N, or B. Key name: pk, Key type: L",
        ),
        (
            None,
            f"SELECT * FROM T WHERE pk IN [{', '.join(str(n) for n in range(51))}]",
            "Too many decomposed read operations for a given query.",
        ),
        (
            None,
            where(f"a IN [{', '.join(str(n) for n in range(101))}]"),
            "The IN operator is provided with too many operands; number of operands: 101",
        ),
        (
            None,
            f"UPDATE T SET a = 1 WHERE {KEY} AND pk = 'b'",
            (
                "Multiple conditions on same key pk. Only single item Update/Insert/Delete are "
                "supported"
            ),
        ),
        (
            None,
            update("d = " + "{'a':" * 32 + "1" + "}" * 32),
            "Nesting Levels have exceeded supported limits under root" + ".a" * 32,
        ),
        (
            None,
            update("ss = set_add(ss, <<'x', 'x'>>)"),
            INVALID + "Input collection [x, x] contains duplicates.",
        ),
        (
            None,
            update("ns = set_add(ns, <<2, 2.0>>)"),
            INVALID + "Input collection [2, 2.0] contains duplicates! under root",
        ),
        (None, 'UPDATE T."global" SET a = 1', "This operation is not supported on an index"),
        (None, 'DELETE FROM T."global"', "This operation is not supported on an index"),
        (
            None,
            "INSERT INTO T.\"global\" VALUE {'pk': 'a'}",
            "FROM clause may only contain a single table name in data manipulation statements",
        ),
        (None, "SELECT * FROM T WHERE pk = 'a' AND sk IN []", NO_MEMBERS),
        (None, "SELECT * FROM T WHERE pk IN []", NO_MEMBERS),
        (None, f"{update('a = 1')} AND n NOT IN []", NO_MEMBERS),
    ],
)
def test_statements(dynamodb, table, number, statement, text):
    sent = statement.replace(" T", f' "{table}"')
    assert refusal(dynamodb.execute_statement, Statement=sent) == (VALIDATION, text)


NO_TABLE = ("ResourceNotFoundException", "Requested resource not found")


# What is selected is looked at before the table, and after an index that PartiQL does not read.
@pytest.mark.parametrize(
    ("selected", "text"),
    [
        ("COUNT(*)", "Unexpected path component at 1:8:5"),
        ("attribute_exists(x)", "Unexpected path component at 1:8:16"),
        ("x, 1", "Unexpected path component at 1:11:1"),
        ("x, x", "Duplicate identifiers in select clause: x"),
        ("x", None),
    ],
)
def test_what_is_selected_of_a_missing_table(dynamodb, selected, text):
    told = NO_TABLE if text is None else (VALIDATION, text)
    for source in ('"never-made"', '"never-made"."index"'):
        for condition in ("", " WHERE pk = 'a'"):
            sent = f"SELECT {selected} FROM {source}{condition}"
            assert refusal(dynamodb.execute_statement, Statement=sent) == told
    (one,) = dynamodb.batch_execute_statement(
        Statements=[{"Statement": f"SELECT {selected} FROM \"never-made\" WHERE pk = 'a'"}]
    )["Responses"]
    assert one["Error"]["Message"] == told[1]


@pytest.mark.parametrize("table_name", ["T", "missing"])
@pytest.mark.parametrize("form", ["{}", "EXISTS({})"])
def test_what_is_selected_in_a_transaction(dynamodb, table, table_name, form):
    name = table if table_name == "T" else "never-made"
    select = f"SELECT COUNT(*) FROM \"{name}\" WHERE pk = 'a' AND sk = 'b' AND n = 1"
    statement = form.format(select)
    place = f"1:{statement.index('COUNT') + 1}:5"
    told = refusal(dynamodb.execute_transaction, TransactStatements=[{"Statement": statement}])
    text = f"Validation failed in TransactStatements[0]: Unexpected path component at {place}"
    assert told == (VALIDATION, text)


@pytest.mark.parametrize(
    ("number", "members", "text"),
    [
        (
            254,
            {"Statement": "SELECT * FROM T.\"global\" WHERE g = 'a'", "ConsistentRead": True},
            "Strongly consistent read is not supported on Global Secondary Indexes",
        ),
        (267, {"Statement": "SELECT * FROM T", "NextToken": "abc"}, "Invalid NextToken"),
        (
            268,
            {"Statement": f"DELETE FROM T WHERE {KEY}", "NextToken": "abc"},
            "NextToken is only valid on a SELECT statement",
        ),
        (
            39,
            {"Statement": "SELECT * FROM T WHERE", **parameters({"N": "1e99999999999"})},
            "The parameter cannot be converted to a numeric value: 1e99999999999",
        ),
        (
            35,
            {"Statement": "UPDATE T SET WHERE", **parameters({"SS": ["a", "a"]})},
            INVALID + "Input collection [a, a] contains duplicates.",
        ),
    ],
)
def test_members(dynamodb, table, number, members, text):
    statement = members["Statement"].replace(" T", f' "{table}"')
    told = refusal(dynamodb.execute_statement, **{**members, "Statement": statement})
    assert told == (VALIDATION, text)


# The number 266 is that of the text; the statement differs in its parameters alone.
@pytest.mark.parametrize(
    ("number", "condition", "value"),
    [(266, "pk = ?", {"S": "b"}), (266, "pk = ? AND sk > '0'", {"S": "a"})],
)
def test_a_token_of_another_request(dynamodb, table, number, condition, value):
    for sk in ("1", "2"):
        dynamodb.put_item(TableName=table, Item={"pk": {"S": "a"}, "sk": {"S": sk}})
    select = f'SELECT * FROM "{table}" WHERE '
    page = dynamodb.execute_statement(Statement=select + "pk = ?", Parameters=[{"S": "a"}], Limit=1)
    told = refusal(
        dynamodb.execute_statement,
        Statement=select + condition,
        Parameters=[value],
        NextToken=page["NextToken"],
    )
    assert told == (VALIDATION, "NextToken does not match request")
