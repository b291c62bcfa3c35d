"""Starting keys of indexes, which have the index's key and the table's: what is checked when.

Source: another emulator's tests, recorded from the service.
"""

import pytest

from tests.api.indexes import attributes, index_of, projected, schema
from tests.api.items import INVALID, SCHEMA, values
from tests.api.querying import ON_KEY, OUTSIDE, START, UNSUPPORTED, VALUES
from tests.api.refusals import VALIDATION, refusal

A, B, N = {"S": "a"}, {"S": "b"}, {"N": "1"}
KEY = {"pk": A, "sk": A}
SELECT_ALL = (
    f"{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index by-g "
    "because its projection type is not ALL"
)
PARTITIONS = {"by-s": "pk", "by-g": "g", "by-gn": "g"}


@pytest.fixture(scope="module")
def table(new_table):
    return new_table(
        AttributeDefinitions=attributes(pk="S", sk="S", s="S", g="S", n="N"),
        KeySchema=schema("pk", sort=("sk",)),
        GlobalSecondaryIndexes=[
            index_of("by-g", "g", **projected("KEYS_ONLY")),
            index_of("by-gn", "g", sort=("n",), **projected("ALL")),
        ],
        LocalSecondaryIndexes=[index_of("by-s", "pk", sort=("s",), **projected("ALL"))],
    )


@pytest.fixture
def queried(dynamodb, table):
    """The refusal of a query of a partition of an index."""

    def queried(index, start, operator="=", **members):
        request = {
            "IndexName": index,
            "KeyConditionExpression": f"{PARTITIONS[index]} {operator} :v",
            VALUES: values(v=A),
            "ExclusiveStartKey": start,
        }
        return refusal(dynamodb.query, TableName=table, **request, **members)

    return queried


@pytest.fixture
def scanned(dynamodb, table):
    """The refusal of a scan of an index."""

    def scanned(index, start, **members):
        request = {"IndexName": index, "ExclusiveStartKey": start, **members}
        return refusal(dynamodb.scan, TableName=table, **request)

    return scanned


# As many attributes as the key has, then those of the index in order, then those of the table.
# Only of the last there is a reason behind the text.
@pytest.mark.parametrize(
    ("index", "start", "text"),
    [
        ("by-s", KEY, START),
        ("by-s", {**KEY, "s": A, "a": A}, START),
        ("by-s", {**KEY, "a": A}, START),
        ("by-s", {"pk": N, "a": A, "b": A}, START),
        ("by-s", {"pk": A, "sk": N, "s": N}, START),
        ("by-s", {"pk": A, "sk": N, "s": A}, f"{START}: {SCHEMA}"),
        ("by-g", {}, START),
        ("by-g", {"g": N}, START),
        ("by-g", {**KEY, "a": A}, START),
        ("by-g", {**KEY, "g": N, "a": A}, START),
        ("by-g", {"g": N, "a": A, "b": A}, START),
        ("by-g", {"g": A, "a": A, "b": A}, f"{START}: {SCHEMA}"),
        ("by-g", {"g": A, "pk": N, "sk": A}, f"{START}: {SCHEMA}"),
        ("by-g", {"g": A, "pk": A, "sk": N}, f"{START}: {SCHEMA}"),
        ("by-gn", {**KEY, "g": A}, START),
        ("by-gn", {"g": N, "n": A, "pk": N, "sk": N}, START),
        ("by-gn", {"g": A, "n": A, "pk": N, "sk": N}, START),
        ("by-gn", {"g": A, "n": N, "pk": A, "b": A}, f"{START}: {SCHEMA}"),
    ],
)
def test_parts_of_the_key(queried, scanned, index, start, text):
    assert queried(index, start) == (VALIDATION, text)
    assert scanned(index, start) == (VALIDATION, text)


# The table's key is checked after the conditions, and before where the starting key lies.
def test_the_tables_key_and_conditions(queried):
    start = {"g": B, "pk": N, "sk": A}
    assert queried("by-g", start, "<") == (VALIDATION, UNSUPPORTED)
    assert queried("by-g", start) == (VALIDATION, f"{START}: {SCHEMA}")
    assert queried("by-g", {**start, "pk": A}) == (VALIDATION, OUTSIDE)


# All attributes of an index that lacks some: a scan refuses them between the two keys, both
# operations before they look at paths below keys.
@pytest.mark.parametrize(
    ("start", "text"),
    [
        ({"g": N, "pk": A, "sk": A}, START),
        ({"g": A, "pk": N, "sk": A}, SELECT_ALL),
        ({"g": A, "pk": A, "sk": A}, SELECT_ALL),
    ],
)
def test_all_attributes_of_a_scan(scanned, start, text):
    below = {"FilterExpression": "attribute_exists(pk.a)"}
    told = scanned("by-g", start, Select="ALL_ATTRIBUTES", **below)
    assert told == (VALIDATION, text)


@pytest.mark.parametrize(
    ("start", "condition", "text"),
    [
        ({"g": B, "pk": A, "sk": A}, "pk.a = :v", OUTSIDE),
        ({"g": A, "pk": A, "sk": A}, "g = :v", f"{ON_KEY}g"),
        ({"g": A, "pk": A, "sk": A}, "pk.a = :v", SELECT_ALL),
    ],
)
def test_all_attributes_of_a_query(queried, start, condition, text):
    told = queried("by-g", start, Select="ALL_ATTRIBUTES", FilterExpression=condition)
    assert told == (VALIDATION, text)
