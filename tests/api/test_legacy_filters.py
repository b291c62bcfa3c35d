"""QueryFilter, ScanFilter and ConditionalOperator: filters of pages, from before expressions.

What each operator means is held against a model in the unit tests.
"""

import pytest

from tests.api.items import INVALID, answer
from tests.api.legacy import (
    COMPARISONS,
    COUNT,
    MIXED,
    NO_CONDITIONS,
    ONE_CONDITION,
    OPERATORS_CURRENT,
    OPERATORS_OLDER,
    REVERSED,
    TYPE,
    TYPES_DIFFER,
    compared,
    equal,
)
from tests.api.querying import NAMES_ALONE, NO_FILTER, NO_SEGMENT, NO_TYPE
from tests.api.refusals import VALIDATION, absent, breaks, refusal, violated

A, ONE = {"S": "a"}, {"N": "1"}
ITEMS = {
    "1": {"s": {"S": "apple"}, "n": {"N": "1"}, "t": {"SS": ["x", "y"]}, "ok": {"BOOL": True}},
    "2": {"s": {"S": "banana"}, "n": {"N": "2"}, "ok": {"BOOL": False}},
    "3": {"s": {"S": "cherry"}, "n": {"N": "10"}, "t": {"SS": ["y"]}},
    "4": {"n": {"S": "2"}, "l": {"L": [A]}},
}


@pytest.fixture(scope="module")
def table(dynamodb, new_table):
    """One partition with `ITEMS`, and no others."""
    name = new_table(sk="S")
    for sort, attributes in ITEMS.items():
        item = {"pk": {"S": "k"}, "sk": {"S": sort}, **attributes}
        dynamodb.put_item(TableName=name, Item=item)
    return name


@pytest.fixture(params=["Query", "Scan"])
def page(request, dynamodb, table):
    """A page of one operation, as a function of filter entries and further members."""

    def send(entries, **more):
        if request.param == "Query":
            members = {"KeyConditions": equal(pk={"S": "k"}), "QueryFilter": entries}
            return answer(dynamodb.query, TableName=table, **members, **more)
        return answer(dynamodb.scan, TableName=table, ScanFilter=entries, **more)

    return send


# The filter comes after the items are read, and they are counted.
@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ({}, "1234"),
        ({"ok": compared("EQ", {"BOOL": True})}, "1"),
        ({"l": compared("EQ", {"L": [A]})}, "4"),
        ({"n": compared("NE", {"N": "2"})}, "134"),
        ({"none": compared("NE", A)}, "1234"),
        ({"n": compared("LT", {"N": "10"})}, "12"),
        ({"n": compared("GE", {"N": "2.0"})}, "23"),
        ({"s": compared("BETWEEN", {"S": "b"}, {"S": "cherry"})}, "23"),
        ({"s": compared("IN", {"S": "apple"}, {"S": "cherry"})}, "13"),
        ({"s": compared("BEGINS_WITH", {"S": "ba"})}, "2"),
        ({"t": compared("CONTAINS", {"S": "x"})}, "1"),
        ({"t": compared("NOT_CONTAINS", {"S": "x"})}, "3"),
        ({"s": compared("CONTAINS", {"S": "an"})}, "2"),
        ({"s": compared("NULL")}, "4"),
        ({"s": {"ComparisonOperator": "NOT_NULL"}}, "123"),
        ({"n": compared("GT", ONE), "t": compared("NOT_NULL")}, "3"),
    ],
    ids=str,
)
def test_filters(page, entries, found):
    told = page(entries)
    assert "".join(item["sk"]["S"] for item in told["Items"]) == found
    assert (told["Count"], told["ScannedCount"]) == (len(found), 4)


@pytest.mark.parametrize(("operator", "found"), [("AND", "2"), ("OR", "123")])
def test_conditional_operator(page, operator, found):
    entries = {"n": compared("LE", {"N": "2"}), "s": compared("GE", {"S": "b"})}
    told = page(entries, ConditionalOperator=operator)
    assert "".join(item["sk"]["S"] for item in told["Items"]) == found


# Pages end by what is read, not by what is found.
def test_limit_counts_what_is_read(page):
    told = page({"s": compared("EQ", {"S": "cherry"})}, Limit=2)
    assert (told["Count"], told["ScannedCount"], told["Items"]) == (0, 2, [])
    assert told["LastEvaluatedKey"] == {"pk": {"S": "k"}, "sk": {"S": "2"}}


# With AttributesToGet: filtered by what is not answered.
def test_filter_on_what_is_not_projected(page):
    told = page({"n": compared("EQ", ONE)}, AttributesToGet=["s"])
    assert told["Items"] == [{"s": {"S": "apple"}}]


# A scan's filter may name the key, a query's not. Catalogue 121, with a beginning of its own.
@pytest.mark.parametrize("name", ["pk", "sk"])
def test_filter_on_the_key(dynamodb, table, name):
    entries = {"s": compared("NOT_NULL"), name: compared("NE", {"S": "1"})}
    told = answer(dynamodb.scan, TableName=table, ScanFilter=entries)
    assert told["Count"] == (3 if name == "pk" else 2)
    request = {"TableName": table, "KeyConditions": equal(pk={"S": "k"}), "QueryFilter": entries}
    text = f"QueryFilter can only contain non-primary key attributes: Primary key attribute: {name}"
    assert refusal(dynamodb.query, **request) == (VALIDATION, text)


@pytest.fixture
def refused(dynamodb):
    """Code and text of what a request is refused for; the table is looked for later."""

    def send(operation, **members):
        renamed = {"Filter": f"{operation}Filter"}
        sent = {renamed.get(name, name): each for name, each in members.items()}
        call = {"Query": dynamodb.query, "Scan": dynamodb.scan}[operation]
        return refusal(call, TableName="never-made", **sent)

    return send


BOTH = ["Query", "Scan"]


# Catalogue 216 to 219, the same in both layers.
@pytest.mark.parametrize("operation", BOTH)
@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (compared("EQ"), COUNT.format("EQ")),
        ({"ComparisonOperator": "LE"}, COUNT.format("LE")),
        (compared("NE", A, A), COUNT.format("NE")),
        (compared("IN"), COUNT.format("IN")),
        (compared("NULL", A), COUNT.format("NULL")),
        (compared("IN", A, ONE), TYPES_DIFFER),
        (compared("LT", {"BOOL": True}), TYPE.format("LT", "BOOL")),
        (compared("IN", {"L": []}), TYPE.format("IN", "L")),
        (compared("CONTAINS", {"M": {}}), TYPE.format("CONTAINS", "M")),
        (compared("NOT_CONTAINS", {"SS": ["a"]}), TYPE.format("NOT_CONTAINS", "SS")),
        (compared("BEGINS_WITH", ONE), TYPE.format("BEGINS_WITH", "N")),
        (compared("BETWEEN", {"NULL": True}, {"NULL": True}), TYPE.format("BETWEEN", "NULL")),
        (compared("BETWEEN", {"N": "10"}, {"N": "9"}), REVERSED),
        # Values come first, all of them.
        (compared("EQ", A, {}), NO_TYPE),
    ],
    ids=str,
)
def test_malformed_entries(refused, operation, entry, text):
    entries = {"a": entry, "b": compared("NULL")}
    assert refused(operation, Filter=entries) == (VALIDATION, text)


# Values in the words of each layer, and never wrapped. Source: A.4.
@pytest.mark.parametrize(
    ("operation", "text"),
    [
        ("Query", f'{INVALID}Input collection ["a", "b", "b"] contains duplicates.'),
        ("Scan", f"{INVALID}Input collection [b, a, b] contains duplicates."),
    ],
)
def test_values(refused, operation, text):
    entries = equal(a={"SS": ["b", "a", "b"]})
    assert refused(operation, Filter=entries) == (VALIDATION, text)


@pytest.mark.parametrize("operation", BOTH)
def test_operators_of_the_model(refused, operation):
    path = {"Query": "queryFilter", "Scan": "scanFilter"}[operation]
    path = f"{path}.a.member.comparisonOperator"
    told = refused(operation, Filter={"a": compared("DOG", A)})
    assert told == violated(breaks("DOG", path, COMPARISONS))
    told = refused(operation, Filter={"a": {"AttributeValueList": [A]}})
    assert told == violated(absent(path))


# Catalogue 226 and 227; before it is seen that there is no key condition.
@pytest.mark.parametrize("operation", BOTH)
@pytest.mark.parametrize("conditional_operator", ["AND", "OR"])
def test_conditional_operator_needs_conditions(refused, operation, conditional_operator):
    members = {"ConditionalOperator": conditional_operator}
    assert refused(operation, **members) == (VALIDATION, NO_CONDITIONS)
    assert refused(operation, **members, Filter={}) == (VALIDATION, NO_CONDITIONS)
    assert refused(operation, **members, AttributesToGet=["a", "b"]) == (VALIDATION, NO_CONDITIONS)
    assert refused(operation, **members, Filter=equal(a=A)) == (VALIDATION, ONE_CONDITION)


# Key conditions are none that an operator could combine.
def test_key_conditions_do_not_count(refused):
    conditions = equal(pk={"S": "k"}, sk=A)
    told = refused("Query", KeyConditions=conditions, ConditionalOperator="AND")
    assert told == (VALIDATION, NO_CONDITIONS)


# Catalogue 25: Query tells it bare and before all else, Scan in the older words with the rest.
def test_unknown_conditional_operator(refused):
    members = {"ConditionalOperator": "XOR", "Filter": {"a": compared("NULL")}, "Select": "BOGUS"}
    assert refused("Query", **members) == (VALIDATION, OPERATORS_CURRENT)
    select = (
        "satisfy enum value set: "
        "[SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"
    )
    told = refused("Scan", **members)
    assert told == violated(breaks("BOGUS", "select", select), OPERATORS_OLDER)


NAMES = {"ExpressionAttributeNames": {"#a": "a"}}
VALUES = {"ExpressionAttributeValues": {":a": A}}
TWICE = {"AttributesToGet": ["a", "a"]}


# IN of a ScanFilter takes more than a hundred values, those of other parameters do not. Source: a
# public suite that passes on the service. That there is an end to it is a limit of our own.
def test_many_arguments_of_in(dynamodb, table):
    def members(count):
        return {
            "s": compared(
                "IN", *({"S": f"{number}"} for number in range(count - 1)), {"S": "apple"}
            )
        }

    found = answer(dynamodb.scan, TableName=table, ScanFilter=members(101))
    assert [item["sk"]["S"] for item in found["Items"]] == ["1"]
    found = answer(dynamodb.scan, TableName=table, ScanFilter=members(30_000))
    assert found["Count"] == 1
    told = refusal(dynamodb.scan, TableName=table, ScanFilter=members(30_001))
    text = "hashrange does not support filters with more than 30000 arguments"
    assert told == (VALIDATION, text)
    query = {"TableName": table, "KeyConditions": equal(pk={"S": "k"})}
    told = refusal(dynamodb.query, **query, QueryFilter=members(101))
    assert told == (VALIDATION, COUNT.format("IN"))
    expected = {"TableName": table, "Item": {"pk": A, "sk": A}, "Expected": members(101)}
    assert refusal(dynamodb.put_item, **expected) == violated(COUNT.format("IN"))


REPEATED = f"{INVALID}Duplicate value in attribute name: a"
DEEP = {"S": "leaf"}
for _ in range(40):
    DEEP = {"M": {"n": DEEP}}
NESTING = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)


# Of two faults the one that each layer tells. Sources: public tests against the service.
@pytest.mark.parametrize(
    ("operation", "members", "text"),
    [
        (
            "Query",
            {"Filter": {}, "ConditionalOperator": "AND", "FilterExpression": ""},
            MIXED.format("QueryFilter, ConditionalOperator", "FilterExpression"),
        ),
        (
            "Scan",
            {"Filter": {}, "ConditionalOperator": "AND", "ProjectionExpression": ""},
            MIXED.format("ScanFilter, ConditionalOperator", "ProjectionExpression"),
        ),
        ("Query", {"Filter": {"a": compared("EQ")}, **NAMES}, NAMES_ALONE),
        ("Scan", {"ConditionalOperator": "OR", "Filter": equal(a=A), **NAMES}, NAMES_ALONE),
        ("Scan", {"Filter": {"a": compared("EQ")}, **VALUES}, NO_FILTER),
        # One condition, with a value that is too deep.
        ("Query", {"ConditionalOperator": "AND", "Filter": equal(a=DEEP)}, ONE_CONDITION),
        ("Scan", {"ConditionalOperator": "AND", "Filter": equal(a=DEEP)}, NESTING),
        ("Query", {"Filter": {"a": compared("EQ")}, **TWICE}, COUNT.format("EQ")),
        ("Scan", {"Filter": {"a": compared("EQ")}, **TWICE}, REPEATED),
        ("Query", {**TWICE, "ExclusiveStartKey": {"pk": {}}}, REPEATED),
        (
            "Scan",
            {"Filter": {"a": compared("EQ")}, "ExclusiveStartKey": {"pk": {}}},
            COUNT.format("EQ"),
        ),
        ("Scan", {"Filter": {"a": compared("EQ")}, "TotalSegments": 2}, COUNT.format("EQ")),
        ("Scan", {"Filter": equal(a=A), "TotalSegments": 2}, NO_SEGMENT),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_order_of_checks(refused, operation, members, text):
    assert refused(operation, **members) == (VALIDATION, text)
