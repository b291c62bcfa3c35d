"""ARNs, and tables named by them."""

import pytest

from hashrange.wire.arns import Arn, index_arn, parsed, stream_arn, table_name_of, table_of
from tests.rows import rows
from tests.unit.refusals import refusal

TABLE = "arn:aws:dynamodb:us-east-1:123456789012:table/Music"
LABEL = "2026-11-21T10:20:30.456"
FORMAT = (
    "1 validation error detected: Value '{}' at 'tableName' failed to satisfy constraint: "
    "Valid ARN format is 'arn:<awsPartition>:<vendor>:<region>:<subscriber>:"
    "resourceType/resourceName', where Resource name must have length less than or equal to "
    "255, Resource name must have length greater than or equal to 3, Resource name must "
    "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
)


def test_arns_are_parsed():
    table = Arn("us-east-1", "123456789012", "Music")
    assert parsed(TABLE) == table_of(TABLE) == table
    assert parsed(index_arn(TABLE, "ByYear")) == Arn(
        "us-east-1", "123456789012", "Music", index="ByYear"
    )
    assert parsed(stream_arn(TABLE, LABEL)) == Arn(
        "us-east-1", "123456789012", "Music", label=LABEL
    )


@pytest.mark.parametrize("name", ["Music", "", "arn", "foo:bar", "ARN:aws", "x" * 1000])
def test_plain_names_are_not_looked_at(name):
    assert table_name_of(name) == name


@rows(
    "arn",
    [
        "arn:",
        "arn:aws:dynamodb",
        "arn:aws:dynamodb:us-east-1:123456789012",
        "arn:aws:s3:us-east-1:123456789012:table/Music",
        "arn:aws:dynamodb:us-east-1:12345678901:table/Music",
        "arn:aws:dynamodb:us-east-1:1234567890123:table/Music",
        "arn:aws:dynamodb:us-east-1:" + "\N{ARABIC-INDIC DIGIT ONE}" * 12 + ":table/Music",
        "arn:aws:dynamodb:us-east-1:123456789012:table/",
        "arn:aws:dynamodb:us-east-1:123456789012:table/ab",
        "arn:aws:dynamodb:us-east-1:123456789012:table/" + "a" * 256,
        "arn:aws:dynamodb:us-east-1:123456789012:table/Müsic",
        TABLE + "\n",
        TABLE + "/",
        TABLE + "/index/ByYear",
        TABLE + "/stream/" + LABEL,
    ],
)
def test_malformed_arns_as_table_names(arn):
    assert refusal(table_name_of, arn) == FORMAT.format(arn)


@pytest.mark.parametrize(
    ("arn", "text"),
    [
        ("arn:aws:dynamodb::123456789012:table/Music", "Invalid AWS region in '{}'"),
        ("arn:aws:dynamodb:us east:123456789012:table/Music", "Invalid AWS region in '{}'"),
        (f"arn:aws:dynamodb:{'a' * 64}:123456789012:table/Music", "Invalid AWS region in '{}'"),
        ("arn::dynamodb:us-east-1:123456789012:table/Music", "Invalid AWS partition in '{}'"),
        ("arn:sth:dynamodb:us-east-1:123456789012:table/Music", "Invalid AWS partition in '{}'"),
        ("arn:aws:dynamodb:us-east-1:123456789012:stream/Music", "Invalid resource type in '{}'"),
        ("arn:aws:dynamodb:us-east-1:123456789012:", "Invalid resource type in '{}'"),
    ],
)
def test_arns_that_name_no_table(arn, text):
    assert refusal(table_name_of, arn) == "1 validation error detected: " + text.format(arn)


def test_huge_arns_are_not_echoed_whole():
    assert len(refusal(table_name_of, "arn:" + "x" * 1_000_000)) < 2000


@rows(
    "arn",
    [
        "",
        "Music",
        "table/Music/index/ByYear",
        TABLE + "/",
        TABLE + "/index",
        TABLE + "/index/",
        TABLE + "/index/ab",
        TABLE + "/index/ByYear/",
        TABLE + "/stream/today",
        TABLE + "/stream/" + LABEL + "\n",
        TABLE + "/backup/01489173575360-b308cd7d",
        "arn:aws:dynamodb:us-east-1:1:table/Music/index/ByYear",
    ],
)
def test_other_arns_are_none_of_these(arn):
    assert parsed(arn) is None
