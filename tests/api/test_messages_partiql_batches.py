"""Texts of several PartiQL statements, by their numbers in the catalogue.

T stands for the table's name.
"""

import pytest

from tests.api.items import error_of
from tests.api.refusals import VALIDATION, breaks, refusal, violated
from tests.api.statements import KEY, NOT_WELL_FORMED, responses, statement_table

TRANSACTION = "Validation failed in TransactStatements[0]: "
FEW = "have length greater than or equal to 1"


@pytest.fixture(scope="module")
def table(new_table):
    return statement_table(new_table)


@pytest.mark.parametrize(
    ("number", "statements", "text"),
    [
        (
            259,
            [f"UPDATE T SET a = 1 WHERE {KEY} RETURNING ALL NEW *"],
            TRANSACTION + "RETURNING clause is not supported in ExecuteTransaction.",
        ),
        (
            260,
            ["SELECT * FROM T.\"global\" WHERE g = 'a'"],
            TRANSACTION + "Reads on indices are not supported within transactions.",
        ),
        *[
            (
                261,
                [f"SELECT * FROM T WHERE {condition}"],
                TRANSACTION + "Select statements within ExecuteTransaction must specify the "
                "primary key in the where clause.",
            )
            for condition in (f"{KEY} AND flag = 1", "pk = 'a'", f"{KEY} AND pk = 'b'")
        ],
        *[
            (
                262,
                [f"EXISTS(SELECT * FROM T WHERE {condition})"],
                TRANSACTION + "EXISTS() must contain a single item read with additional condition",
            )
            for condition in (KEY, "pk IN ['a'] AND sk = 'b' AND flag = 1")
        ],
        (
            263,
            [f"SELECT * FROM T WHERE {KEY}", "INSERT INTO T VALUE {'pk': 'a', 'sk': 'c'}"],
            (
                "ExecuteTransaction API does not support both read and write operations in the "
                "same request."
            ),
        ),
        (231, ["SELECT * FROM T WHERE"], TRANSACTION + NOT_WELL_FORMED + "Unexpected term"),
        (
            201,
            [f"SELECT * FROM T WHERE {KEY}", "SELECT a FROM T WHERE sk = 'b' AND pk = 'a'"],
            "Transaction request cannot include multiple operations on one item",
        ),
    ],
)
def test_transactions(dynamodb, table, number, statements, text):
    sent = [{"Statement": each.replace(" T", f' "{table}"')} for each in statements]
    told = refusal(dynamodb.execute_transaction, TransactStatements=sent)
    assert told == (VALIDATION, text)


@pytest.mark.parametrize(
    ("number", "statements", "text"),
    [
        (
            265,
            [f"SELECT * FROM T WHERE {KEY}", "INSERT INTO T VALUE {'pk': 'a', 'sk': 'c'}"],
            "Read and write requests together in the same batch is not supported.",
        ),
        (
            26,
            [f"SELECT * FROM T WHERE {KEY}", f"SELECT a FROM T WHERE {KEY}"],
            "Provided list of item keys contains duplicates",
        ),
    ],
)
def test_batches(dynamodb, table, number, statements, text):
    sent = [{"Statement": each.replace(" T", f' "{table}"')} for each in statements]
    told = refusal(dynamodb.batch_execute_statement, Statements=sent)
    assert told == (VALIDATION, text)


@pytest.mark.parametrize(
    ("number", "condition"),
    [(264, "pk = 'a'"), (264, f"{KEY} AND flag = 1"), (264, f"{KEY} AND pk = 'b'")],
)
def test_members_of_batches(dynamodb, table, number, condition):
    (told,) = responses(dynamodb, f'SELECT * FROM "{table}" WHERE {condition}')
    text = (
        "Select statements within BatchExecuteStatement must specify the primary key in the "
        "where clause."
    )
    assert told == {"Error": {"Code": "ValidationError", "Message": text}}


@pytest.mark.parametrize(
    ("number", "statement"),
    [
        (269, "INSERT INTO T VALUE {'pk': 'twice', 'sk': 'b'}"),
        (286, "INSERT INTO T VALUE {'pk': 'twice', 'sk': 'b', 'a': 1}"),
    ],
)
def test_duplicates(dynamodb, table, number, statement):
    sent = statement.replace(" T", f' "{table}"')
    dynamodb.put_item(TableName=table, Item={"pk": {"S": "twice"}, "sk": {"S": "b"}})
    assert error_of(dynamodb.execute_statement, Statement=sent)["Error"] == {
        "Code": "DuplicateItemException",
        "Message": "Duplicate primary key exists in table",
    }


@pytest.mark.parametrize(
    ("number", "call", "member"),
    [
        (22, "batch_execute_statement", "Statements"),
        (22, "execute_transaction", "TransactStatements"),
    ],
)
def test_no_statements(dynamodb, number, call, member):
    path = member[0].lower() + member[1:]
    told = refusal(getattr(dynamodb, call), **{member: []})
    assert told == violated(breaks("[]", path, FEW))
