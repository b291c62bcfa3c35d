"""Texts of Query and Scan about keys: key conditions and starting keys, by catalogue number."""

from base64 import b64encode

import pytest

from tests.api.items import SCHEMA, padding
from tests.api.querying import (
    CONDITION_TYPE,
    EMPTY_BINARY,
    EMPTY_STRING,
    HASH_SIZE,
    MISSED,
    NO_CONDITION,
    OFF_RANGE,
    ONE_ROW,
    OUTSIDE,
    RANGE_SIZE,
    SINGLE_ROW,
    START,
    TOO_MANY_CONDITIONS,
    UNSUPPORTED,
    keyed,
)
from tests.api.refusals import VALIDATION, brief, refusal

INVALID_CONDITION = "Invalid KeyConditionExpression: "
IN_CONDITION = f"{INVALID_CONDITION}Invalid condition in KeyConditionExpression: "
OPERATOR = f"{INVALID_CONDITION}Invalid operator used in KeyConditionExpression: "
K, M = {"S": "k"}, {"S": "m"}
"""The partition that is queried, and a sort key that conditions name."""


@pytest.fixture(scope="module")
def tables(simple, composite, numbered, new_table):
    """Tables by the types of their keys."""
    return {"S": simple, "SS": composite, "SN": numbered, "BB": new_table(pk="B", sk="B")}


@pytest.fixture
def told(dynamodb, tables):
    """The text of the ValidationException that a request is refused with."""

    def refused(operation, table, members):
        code, text = refusal(getattr(dynamodb, operation), TableName=tables[table], **members)
        assert code == VALIDATION
        return text

    return refused


# What no key condition may be, whatever the table.
@pytest.mark.parametrize(
    ("number", "members", "text"),
    [
        (110, {}, NO_CONDITION),
        (
            114,
            keyed("pk = :p AND sk > :p AND sk < :p"),
            f"{INVALID_CONDITION}KeyConditionExpressions must only contain one condition per key",
        ),
        (116, keyed("pk = :p OR sk = :p"), f"{OPERATOR}OR"),
        (116, keyed("NOT pk = :p"), f"{OPERATOR}NOT"),
        (116, keyed("pk = :p AND sk IN (:p)"), f"{OPERATOR}IN"),
        (116, keyed("pk = :p AND sk <> :p"), f"{OPERATOR}<>"),
        (116, keyed("pk = :p AND contains(sk, :p)"), f"{OPERATOR}contains"),
        (116, keyed("pk = :p AND attribute_exists(sk)"), f"{OPERATOR}attribute_exists"),
        (
            117,
            keyed("pk = :p AND size(sk) > :v", v={"N": "1"}),
            f"{INVALID_CONDITION}KeyConditionExpressions cannot contain nested operations",
        ),
        (
            118,
            keyed("pk = :p AND sk.a = :p"),
            (
                f"{INVALID_CONDITION}KeyConditionExpressions cannot have conditions on nested "
                "attributes"
            ),
        ),
        (
            119,
            keyed("pk = :p AND :p BETWEEN sk AND sk"),
            f"{IN_CONDITION}BETWEEN operator must have the key attribute as its first operand",
        ),
        (119, keyed("pk = :p AND :p = :q", q=K), f"{IN_CONDITION}No key attribute specified"),
        (
            119,
            keyed("pk = :p AND sk = pk"),
            f"{IN_CONDITION}Multiple attribute names used in one condition",
        ),
    ],
    ids=brief,
)
def test_key_conditions_of_any_table(told, number, members, text):
    assert told("query", "SS", members) == text


# What a key condition may not be of a table with such a key.
@pytest.mark.parametrize(
    ("number", "table", "members", "text"),
    [
        (111, "SS", keyed("sk = :p"), f"{MISSED}pk"),
        (111, "SS", keyed("a = :p"), f"{MISSED}pk"),
        (111, "SS", keyed("pk = :p AND a = :p"), f"{MISSED}sk"),
        (111, "SS", keyed("a = :p AND sk = :p"), f"{MISSED}pk"),
        (112, "S", keyed("pk < :p"), UNSUPPORTED),
        (112, "SS", keyed("begins_with(pk, :p)"), UNSUPPORTED),
        (112, "SS", keyed("pk BETWEEN :p AND :p"), UNSUPPORTED),
        (112, "SS", keyed(":p >= pk AND sk = :p"), UNSUPPORTED),
        (113, "S", keyed(p={"N": "1"}), CONDITION_TYPE),
        (113, "SS", keyed("pk = :p AND sk > :v", v={"B": b"a"}), CONDITION_TYPE),
        (113, "SN", keyed("pk = :p AND begins_with(sk, :p)"), CONDITION_TYPE),
        (113, "SN", keyed("pk = :p AND sk = :v", v={"BOOL": True}), CONDITION_TYPE),
        (115, "SS", keyed("pk = :p AND sk > :p AND a = :p"), TOO_MANY_CONDITIONS.format(3, 2)),
        (115, "S", keyed("pk = :p AND sk > :p"), TOO_MANY_CONDITIONS.format(2, 1)),
    ],
    ids=brief,
)
def test_key_conditions_of_a_table(told, number, table, members, text):
    assert told("query", table, members) == text


# Starting keys of queries. What is no key of the table is told in two ways, as by the service:
# other attributes as 131, other types as 50.
@pytest.mark.parametrize(
    ("number", "table", "start", "text"),
    [
        (131, "SS", {}, START),
        (131, "SS", {"pk": K}, START),
        (131, "SS", {"pk": K, "a": K}, START),
        (131, "SS", {"a": K, "sk": K}, START),
        (131, "SS", {"pk": K, "sk": K, "a": K}, START),
        (131, "S", {"a": K}, START),
        (131, "S", {"pk": K, "sk": K}, START),
        (131, "S", {"pk": {"N": "1"}}, START),
        (131, "S", {"pk": {"L": []}}, START),
        (131, "SS", {"pk": {"B": b"k"}, "sk": K}, START),
        (131, "SS", {"pk": K, "sk": {"N": "1"}}, START),
        (54, "SS", {"pk": {"S": ""}, "sk": K}, f"{EMPTY_STRING}pk"),
        (54, "SS", {"pk": K, "sk": {"S": ""}}, f"{EMPTY_STRING}sk"),
        (55, "SS", {"pk": padding(2049), "sk": K}, HASH_SIZE),
        (56, "SS", {"pk": K, "sk": padding(1025)}, RANGE_SIZE),
        (132, "SS", {"pk": M, "sk": K}, OUTSIDE),
        (132, "S", {"pk": M}, OUTSIDE),
        (132, "S", {"pk": K}, SINGLE_ROW.format("{S:k}")),
    ],
    ids=brief,
)
@pytest.mark.parametrize("forward", [True, False])
def test_starting_keys_of_queries(told, number, table, start, text, forward):
    request = {**keyed(), "ExclusiveStartKey": start, "ScanIndexForward": forward}
    assert told("query", table, request) == text


# Where a starting key lies, with a condition on the sort key. Catalogue 132. That the key of any
# other partition is told to be of a single row, if its sort key meets the condition, is what the
# service says.
@pytest.mark.parametrize(
    ("condition", "pk", "sk", "text"),
    [
        ("sk > :m", "k", "m", OFF_RANGE),
        ("sk >= :m", "k", "a", OFF_RANGE),
        ("sk < :m", "k", "m", OFF_RANGE),
        ("sk <= :m", "k", "n", OFF_RANGE),
        ("sk BETWEEN :m AND :m", "k", "mm", OFF_RANGE),
        ("begins_with(sk, :m)", "k", "n", OFF_RANGE),
        ("sk = :m", "k", "n", OFF_RANGE),
        ("sk > :m", "another", "m", OFF_RANGE),
        ("sk = :m", "k", "m", ONE_ROW),
        ("sk < :m", "another", "a", ONE_ROW),
        ("begins_with(sk, :m)", "another", "mm", ONE_ROW),
    ],
)
@pytest.mark.parametrize("forward", [True, False])
def test_starting_keys_and_sort_conditions(told, condition, pk, sk, text, forward):
    request = {
        **keyed(f"pk = :p AND {condition}", m=M),
        "ExclusiveStartKey": {"pk": {"S": pk}, "sk": {"S": sk}},
        "ScanIndexForward": forward,
    }
    assert told("query", "SS", request) == text


# Starting keys of scans: with the reason. Catalogue 131.
@pytest.mark.parametrize(
    ("table", "start", "reason"),
    [
        ("S", {}, SCHEMA),
        ("SS", {}, SCHEMA),
        ("S", {"a": K}, SCHEMA),
        ("S", {"pk": {"N": "1"}}, SCHEMA),
        ("S", {"pk": K, "sk": K}, SCHEMA),
        ("SS", {"pk": K}, SCHEMA),
        ("SS", {"pk": K, "sk": {"B": b"k"}}, SCHEMA),
        ("SS", {"pk": K, "a": K}, SCHEMA),
        ("SS", {"pk": {"S": ""}, "sk": K}, f"{EMPTY_STRING}pk"),
        ("BB", {"pk": {"B": b"k"}, "sk": {"B": b""}}, f"{EMPTY_BINARY}sk"),
        ("BB", {"pk": {"B": b"x" * 2049}, "sk": {"B": b"k"}}, HASH_SIZE),
        ("SS", {"pk": K, "sk": padding(1025)}, RANGE_SIZE),
    ],
    ids=brief,
)
def test_starting_keys_of_scans(told, table, start, reason):
    assert told("scan", table, {"ExclusiveStartKey": start}) == f"{START}: {reason}"


# The value that a query of a table without sort key would go on after is shown as it is compared.
@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("S", {"S": "a b"}, "{S:a b}"),
        ("N", {"N": "1.50"}, "{N:1.5}"),
        ("B", {"B": b"a"}, "{B:YQ==}"),
    ],
)
def test_starting_key_of_a_single_row(dynamodb, new_table, kind, value, shown):
    request = {**keyed(p=value), "ExclusiveStartKey": {"pk": value}}
    told = refusal(dynamodb.query, TableName=new_table(pk=kind), **request)
    assert told == (VALIDATION, SINGLE_ROW.format(shown))


# Bad base64 cannot be decoded, so it is told before everything that is checked afterwards.
# Source: C.7.
@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_bad_base64_in_a_starting_key(dynamodb, simple, operation):
    def spoil(params, **_):
        params["body"] = params["body"].replace(b64encode(b"k"), b"abc")

    event = f"before-call.dynamodb.{operation}"
    dynamodb.meta.events.register(event, spoil)
    try:
        told = refusal(
            getattr(dynamodb, operation.lower()),
            TableName=simple,
            ExclusiveStartKey={"pk": {"B": b"k"}},
            Select="SPECIFIC_ATTRIBUTES",
        )
    finally:
        dynamodb.meta.events.unregister(event, spoil)
    text = "Base64 encoded length is expected a multiple of 4 bytes but found: 3"
    assert told == ("SerializationException", text)
