"""KeyConditions: what Query had before KeyConditionExpression."""

import pytest

from tests.api.items import INVALID, NO_TABLE, answer, values
from tests.api.legacy import (
    COMPARISONS,
    COUNT,
    ENVELOPE,
    REVERSED,
    TYPE,
    TYPES_DIFFER,
    compared,
    equal,
)
from tests.api.querying import (
    CONDITION_TYPE,
    EMPTY_STRING,
    MISSED,
    NO_CONDITION,
    NO_PROJECTION,
    OFF_RANGE,
    TOO_MANY_CONDITIONS,
    UNSUPPORTED,
)
from tests.api.refusals import VALIDATION, absent, breaks, refusal, violated

A, ONE = {"S": "a"}, {"N": "1"}
LENGTH = "Conditions can be of length 1 or 2 only"
UNINDEXABLE = "Attempted conditional constraint is not an indexable operation"
TEXTS = ["a", "ab", "abc", "b", "\uffff", "\U00010000"]
"""In the order of their UTF-8."""


def _items(dynamodb, table, pk, kind, contents):
    """Puts items with these sort keys; gives what lists those of an answer."""
    for number, content in enumerate(contents):
        item = {"pk": {"S": pk}, "sk": {kind: content}, "a": {"N": str(number)}}
        dynamodb.put_item(TableName=table, Item=item)

    def found(condition=None, **more):
        entries = equal(pk={"S": pk}) | ({"sk": condition} if condition else {})
        told = answer(dynamodb.query, TableName=table, KeyConditions=entries, **more)
        assert told["Count"] == len(told["Items"])
        return [item["sk"][kind] for item in told["Items"]]

    return found


@pytest.fixture
def texts(dynamodb, composite, pk):
    """Sort keys that a condition selects among `TEXTS`."""
    return _items(dynamodb, composite, pk, "S", reversed(TEXTS))


# Only the partition.
def test_partition(texts):
    assert texts() == TEXTS
    assert texts(ScanIndexForward=False) == TEXTS[::-1]


# Each operator that a range of keys can answer.
@pytest.mark.parametrize(
    ("operator", "operands", "found"),
    [
        ("EQ", ["ab"], TEXTS[1:2]),
        ("EQ", ["none"], []),
        ("LT", ["abc"], TEXTS[:2]),
        ("LE", ["abc"], TEXTS[:3]),
        ("GT", ["abc"], TEXTS[3:]),
        ("GE", ["abc"], TEXTS[2:]),
        ("GT", ["\uffff"], TEXTS[5:]),
        ("BEGINS_WITH", ["ab"], TEXTS[1:3]),
        ("BETWEEN", ["ab", "b"], TEXTS[1:4]),
        ("BETWEEN", ["ab", "ab"], TEXTS[1:2]),
    ],
)
def test_sort_key(texts, operator, operands, found):
    assert texts(compared(operator, *({"S": operand} for operand in operands))) == found


def test_numbers_are_compared_as_numbers(dynamodb, numbered, pk):
    numbers = _items(dynamodb, numbered, pk, "N", ["10", "-1", "9", "1.5"])
    assert numbers() == ["-1", "1.5", "9", "10"]
    assert numbers(compared("GE", {"N": "9.0"})) == ["9", "10"]
    assert numbers(compared("BETWEEN", {"N": "-1"}, {"N": "9"})) == ["-1", "1.5", "9"]


def test_binary(dynamodb, new_table, pk):
    keys = [b"\x7f", b"\x80", b"\xff", b"\xff\xff"]
    binaries = _items(dynamodb, new_table(sk="B"), pk, "B", keys)
    assert binaries(compared("LT", {"B": b"\x80"})) == keys[:1]
    assert binaries(compared("BEGINS_WITH", {"B": b"\xff"})) == keys[2:]


# In whichever order they are sent.
def test_order_of_conditions(dynamodb, composite, pk):
    _items(dynamodb, composite, pk, "S", TEXTS)
    conditions = {"sk": compared("LE", {"S": "ab"}), **equal(pk={"S": pk})}
    told = answer(dynamodb.query, TableName=composite, KeyConditions=conditions)
    assert [item["sk"]["S"] for item in told["Items"]] == TEXTS[:2]


# A table without a sort key: a query is a get.
def test_table_without_sort_key(dynamodb, simple, pk):
    item = {"pk": {"S": pk}, "a": A}
    dynamodb.put_item(TableName=simple, Item=item)
    told = answer(dynamodb.query, TableName=simple, KeyConditions=equal(pk={"S": pk}))
    assert told == {"Count": 1, "ScannedCount": 1, "Items": [item]}


# Pages go on where they ended, in both directions.
@pytest.mark.parametrize("forward", [True, False])
def test_pages(dynamodb, composite, pk, forward):
    _items(dynamodb, composite, pk, "S", TEXTS)
    conditions = {**equal(pk={"S": pk}), "sk": compared("GE", {"S": "ab"})}
    request = {"TableName": composite, "KeyConditions": conditions, "ScanIndexForward": forward}
    pages, start = [], {}
    for _ in range(len(TEXTS)):
        told = answer(dynamodb.query, Limit=2, **request, **start)
        pages.append([item["sk"]["S"] for item in told["Items"]])
        if "LastEvaluatedKey" not in told:
            break
        start = {"ExclusiveStartKey": told["LastEvaluatedKey"]}
    found = [content for page in pages for content in page]
    assert found == (TEXTS[1:] if forward else TEXTS[:0:-1])
    assert len(pages) == 3


# The one legacy parameter that goes with expressions. Source: E.6.
def test_with_expressions(dynamodb, composite, pk):
    _items(dynamodb, composite, pk, "S", TEXTS)
    told = answer(
        dynamodb.query,
        TableName=composite,
        KeyConditions=equal(pk={"S": pk}),
        FilterExpression="a >= :a",
        ProjectionExpression="#a",
        ExpressionAttributeNames={"#a": "a"},
        ExpressionAttributeValues=values(a={"N": "4"}),
    )
    assert told == {"Count": 2, "ScannedCount": 6, "Items": [{"a": {"N": "4"}}, {"a": {"N": "5"}}]}


def test_count(dynamodb, composite, pk):
    _items(dynamodb, composite, pk, "S", TEXTS)
    request = {"TableName": composite, "KeyConditions": equal(pk={"S": pk}), "Select": "COUNT"}
    assert answer(dynamodb.query, **request) == {"Count": 6, "ScannedCount": 6}


@pytest.fixture
def refused(dynamodb, composite):
    """Code and text of what KeyConditions are refused for."""

    def send(conditions, **more):
        request = {"TableName": composite, "KeyConditions": conditions, **more}
        return refusal(dynamodb.query, **request)

    return send


IS_K = equal(pk={"S": "k"})


# What can be said without the table: so also of one that there is not.
@pytest.mark.parametrize("table", [{}, {"TableName": "never-made"}])
@pytest.mark.parametrize(
    ("number", "conditions", "text"),
    [
        (223, {}, LENGTH),
        (223, {**IS_K, "sk": compared("NULL"), "x": compared("NULL")}, LENGTH),
        (216, {"pk": compared("EQ")}, COUNT.format("EQ")),
        (216, {"pk": {"ComparisonOperator": "EQ"}}, COUNT.format("EQ")),
        (216, {"pk": compared("EQ", A, A)}, COUNT.format("EQ")),
        (216, {**IS_K, "sk": compared("BETWEEN", A)}, COUNT.format("BETWEEN")),
        (216, {**IS_K, "sk": compared("NOT_NULL", A)}, COUNT.format("NOT_NULL")),
        (217, {**IS_K, "sk": compared("BETWEEN", A, ONE)}, TYPES_DIFFER),
        (218, {**IS_K, "sk": compared("BETWEEN", {"S": "b"}, A)}, REVERSED),
        (219, {**IS_K, "sk": compared("BEGINS_WITH", ONE)}, TYPE.format("BEGINS_WITH", "N")),
        (219, {**IS_K, "sk": compared("LT", {"BOOL": True})}, TYPE.format("LT", "BOOL")),
        (39, equal(pk={"N": "x"}), "The parameter cannot be converted to a numeric value: x"),
        (
            35,
            equal(pk={"SS": ["a", "a"]}),
            f'{INVALID}Input collection ["a", "a"] contains duplicates.',
        ),
        # The arguments of all come before their number. Source: public tests against the service.
        (
            216,
            {"a": compared("EQ"), "b": compared("NULL"), "c": compared("NULL")},
            COUNT.format("EQ"),
        ),
    ],
    ids=str,
)
def test_malformed_conditions(refused, table, number, conditions, text):
    assert refused(conditions, **table) == (VALIDATION, text)


# What only the schema can say, and the order in which it says it.
@pytest.mark.parametrize(
    ("number", "conditions", "text"),
    [
        (111, {"sk": compared("EQ", A)}, f"{MISSED}pk"),
        (111, {"a": compared("NULL")}, f"{MISSED}pk"),
        (111, {**IS_K, "a": compared("EQ", A)}, f"{MISSED}sk"),
        (111, {**IS_K, "a": compared("NULL")}, f"{MISSED}sk"),
        *((224, {"pk": compared(operator)}, UNINDEXABLE) for operator in ["NULL", "NOT_NULL"]),
        *(
            (224, {**IS_K, "sk": compared(operator, A)}, UNINDEXABLE)
            for operator in ["NE", "CONTAINS", "NOT_CONTAINS", "IN"]
        ),
        # Before the type is compared, and that before the operator.
        (224, {"pk": compared("NE", ONE)}, UNINDEXABLE),
        (113, {"pk": compared("LT", ONE)}, CONDITION_TYPE),
        (113, equal(pk={"BOOL": True}), CONDITION_TYPE),
        (113, {**IS_K, "sk": compared("EQ", ONE)}, CONDITION_TYPE),
        *(
            (112, {"pk": compared(operator, A)}, UNSUPPORTED)
            for operator in ["LE", "LT", "GE", "GT", "BEGINS_WITH"]
        ),
        (112, {"pk": compared("BETWEEN", A, A)}, UNSUPPORTED),
        (54, equal(pk={"S": ""}), f"{EMPTY_STRING}pk"),
        # One attribute of the key after the other.
        (112, {"sk": compared("NULL"), "pk": compared("LT", A)}, UNSUPPORTED),
    ],
    ids=str,
)
def test_conditions_that_do_not_fit(refused, number, conditions, text):
    assert refused(conditions) == (VALIDATION, text)
    assert refused(conditions, TableName="never-made") == NO_TABLE


# Catalogue 115: as for an expression.
def test_more_conditions_than_key_attributes(dynamodb, simple):
    told = refusal(dynamodb.query, TableName=simple, KeyConditions={**IS_K, **equal(a=A)})
    assert told == (VALIDATION, TOO_MANY_CONDITIONS.format(2, 1))


# Catalogue 132.
def test_starting_key_must_fit(refused):
    start = {"pk": {"S": "k"}, "sk": A}
    conditions = {**IS_K, "sk": compared("GT", A)}
    assert refused(conditions, ExclusiveStartKey=start) == (VALIDATION, OFF_RANGE)


# Operators are of the model, which is told in its own words, as for Select.
def test_operators_of_the_model(refused):
    path = "keyConditions.pk.member.comparisonOperator"
    assert refused({"pk": compared("eq", A)}) == violated(breaks("eq", path, COMPARISONS))
    assert refused({"pk": {"AttributeValueList": [A]}}) == violated(absent(path))


# Catalogue 110, after ExclusiveStartKey's values and before Select.
def test_no_conditions_at_all(dynamodb, composite):
    told = refusal(dynamodb.query, TableName=composite, Select="SPECIFIC_ATTRIBUTES")
    assert told == (VALIDATION, NO_CONDITION)
    told = refusal(dynamodb.query, TableName=composite, QueryFilter=equal(a=A))
    assert told == (VALIDATION, NO_CONDITION)


# Expressions are looked at first, and Select before them. Sources: public tests, E.6.
@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({"FilterExpression": ""}, "Invalid FilterExpression: The expression can not be empty;"),
        (
            {"ExclusiveStartKey": {"pk": {}}},
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        ({"Select": "SPECIFIC_ATTRIBUTES"}, f"{ENVELOPE}{NO_PROJECTION}"),
    ],
)
def test_order_of_checks(refused, members, text):
    assert refused({"pk": compared("EQ")}, **members) == (VALIDATION, text)
