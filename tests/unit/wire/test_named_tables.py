"""Names of tables for a log line: those that are there, and nothing that could forge a line."""

from hypothesis import given
from hypothesis import strategies as st

from hashrange.wire.answers import named_tables
from tests.rows import rows


@rows(
    ("body", "names"),
    [
        (b'{"TableName": "Orders", "Key": {"p": {"S": "x"}}}', "Orders"),
        (
            b'{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/T"}',
            "arn:aws:dynamodb:us-east-1:000000000000:table/T",
        ),
        (b'{"RequestItems": {"B": {"Keys": []}, "A": [{"PutRequest": {}}]}}', "B,A"),
        (
            b'{"TransactItems": [{"Put": {"TableName": "A"}}, {"Get": {"TableName": "B"}}, {}]}',
            "A,B",
        ),
        (
            b'{"RequestItems": {"a1": 1, "a2": 1, "a3": 1, "a4": 1, "a5": 1, "a6": 1}}',
            "a1,a2,a3,a4,a5",
        ),
        (b'{"TableName": "a\\nWARNING forged"}', ""),
        (b'{"TableName": 7}', ""),
        (b"{}", ""),
        (b"", ""),
        (b"\xff", ""),
        (b'{"TableName": "\xff"}', ""),
        (b"[" * 100_000, ""),
    ],
)
def test_names_are_found(body, names):
    assert named_tables(body) == names


@given(st.binary(max_size=200))
def test_any_body_gives_one_harmless_word(body):
    assert not set(named_tables(body)) & set("\n\r\t \x1b=")
