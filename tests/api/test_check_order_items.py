"""Two faults at once: DynamoDB tells the one that it looks for first.

Source, unless said otherwise: section 0.2 for the stages, and within the second the tests of an
emulator that were run against the service, whose requests have several faults.
"""

import json
from contextlib import contextmanager

import pytest

from tests.api.items import FAILED, INVALID, NO_TABLE, SCHEMA, padding, values
from tests.api.refusals import VALIDATION, absent, breaks, refusal, violated

NAMES, VALUES = "ExpressionAttributeNames", "ExpressionAttributeValues"
KEY = {"pk": {"S": "k"}, "sk": {"S": "k"}}
CALLS = {
    "GetItem": "get_item",
    "PutItem": "put_item",
    "UpdateItem": "update_item",
    "DeleteItem": "delete_item",
}

# The faults, each with what brings it about, named as in the catalogue.
NO_NAME = {"TableName": None}
NOWHERE = {"TableName": "never-made"}
BAD_RETURN_VALUES = {"ReturnValues": "x"}
BAD_CAPACITY = {"ReturnConsumedCapacity": "x"}
BAD_METRICS = {"ReturnItemCollectionMetrics": "x"}
BAD_FAILURE = {"ReturnValuesOnConditionCheckFailure": "x"}
EXPECTED = {"Expected": {"a": {"Exists": False}}}
NAMES_EMPTY, VALUES_EMPTY = {NAMES: {}}, {VALUES: {}}
NAMES_BAD_KEY, VALUES_BAD_KEY = {NAMES: {"a": "a"}}, {VALUES: {":b": {}, "b": {"S": "a"}}}
VALUE_EMPTY = {VALUES: {":b": {}}}
BAD_CONDITION, BAD_UPDATE = {"ConditionExpression": "a = = b"}, {"UpdateExpression": "SET a"}
BAD_PROJECTION = {"ProjectionExpression": "a,,b"}
CONDITION = {"ConditionExpression": "attribute_exists(a)"}
UPDATED_NEW = {"ReturnValues": "UPDATED_NEW"}
EMPTY_KEY, EMPTY_ITEM = {"Key": {"pk": {}}}, {"Item": {"pk": {}}}
LARGE_ITEM = {"Item": {**KEY, "a": padding(409_600)}}
WRONG_KEY, WRONG_ITEM = {"Key": {"pk": {"S": "k"}}}, {"Item": {"pk": {"S": "k"}}}

ENUM = "Failed to satisfy constraint: Member must satisfy enum value set: "
RETURN_VALUES_TEXT = f"{ENUM}[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
CAPACITY_TEXT, METRICS_TEXT, FAILURE_TEXT = (
    breaks("x", path, f"satisfy enum value set: [{values}]")
    for path, values in [
        ("returnConsumedCapacity", "INDEXES, TOTAL, NONE"),
        ("returnItemCollectionMetrics", "SIZE, NONE"),
        ("returnValuesOnConditionCheckFailure", "ALL_OLD, NONE"),
    ]
)
ALONE = "can only be specified when using expressions"
EMPTY_VALUE = (
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
)
OLD_ONLY = "ReturnValues can only be ALL_OLD or NONE"
MIXED = (
    "Can not use both expression and non-expression parameters in the same request: "
    "Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}"
)
TOO_LARGE = "Item size has exceeded the maximum allowed size"


@pytest.fixture
def told(dynamodb, composite):
    """Code and text of the refusal of a request that has several faults."""

    def refused(operation, *faults):
        base = {"Item": KEY} if operation == "PutItem" else {"Key": KEY}
        request = {"TableName": composite, **base}
        for fault in faults:
            request.update(fault)
        sent = {name: value for name, value in request.items() if value is not None}
        return refusal(getattr(dynamodb, CALLS[operation]), **sent)

    return refused


def _semantic(operation, text):
    return (VALIDATION, text) if operation == "GetItem" else violated(text)


# The table's name goes before all other members. Source: A.4.
@pytest.mark.parametrize(
    ("operation", "faults"),
    [
        ("GetItem", [{"Key": None}, BAD_CAPACITY]),
        ("PutItem", [{"Item": None}, BAD_CAPACITY]),
        ("UpdateItem", [BAD_RETURN_VALUES, BAD_CAPACITY]),
        ("DeleteItem", [{"Key": None}, BAD_RETURN_VALUES]),
    ],
)
def test_table_name_goes_first(told, operation, faults):
    assert told(operation, NO_NAME, *faults) == violated(absent("tableName"))
    pattern = "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
    expected = violated(breaks("bad;name", "tableName", pattern))
    assert told(operation, {"TableName": "bad;name"}, *faults) == expected


# Several enums are told together, in this order; but UpdateItem stops at ReturnValues. Source:
# captures of the service, October 2026; where the last stands is a guess.
@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem", "DeleteItem"])
def test_several_enums(told, operation):
    faults = [BAD_FAILURE, BAD_METRICS, BAD_CAPACITY]
    texts = [CAPACITY_TEXT, METRICS_TEXT, FAILURE_TEXT]
    assert told(operation, *faults) == violated(*texts)
    if operation == "UpdateItem":
        assert told(operation, *faults, BAD_RETURN_VALUES) == violated(RETURN_VALUES_TEXT)
    else:
        texts.insert(1, RETURN_VALUES_TEXT)
        assert told(operation, *faults, BAD_RETURN_VALUES) == violated(*texts)


# Constraints of members, before what members mean together, before the table is looked for.
@pytest.mark.parametrize(
    ("operation", "faults"),
    [
        ("GetItem", [EMPTY_KEY, NOWHERE]),
        ("GetItem", [{NAMES: {"#a": "a"}}]),
        ("PutItem", [EMPTY_ITEM, NOWHERE]),
        ("PutItem", [EXPECTED, CONDITION]),
        ("UpdateItem", [BAD_UPDATE]),
        ("DeleteItem", [BAD_CONDITION]),
    ],
)
def test_constraints_go_before_meaning(told, operation, faults):
    assert told(operation, *faults, BAD_CAPACITY) == violated(CAPACITY_TEXT)


# Catalogue 70 to 72, in this order, before a fault of the item or the key.
@pytest.mark.parametrize(
    ("operation", "faults", "text"),
    [
        ("PutItem", [EXPECTED, CONDITION, NAMES_EMPTY, VALUES_EMPTY, EMPTY_ITEM], MIXED),
        ("DeleteItem", [EXPECTED, CONDITION, NAMES_EMPTY, VALUES_EMPTY, EMPTY_KEY], MIXED),
        ("UpdateItem", [EXPECTED, CONDITION, NAMES_EMPTY, VALUES_EMPTY, EMPTY_KEY], MIXED),
        ("PutItem", [NAMES_EMPTY, VALUES_EMPTY, EMPTY_ITEM], f"{NAMES} {ALONE}"),
        ("UpdateItem", [NAMES_EMPTY, VALUES_EMPTY, EMPTY_KEY], f"{NAMES} {ALONE}"),
        ("DeleteItem", [NAMES_BAD_KEY, VALUE_EMPTY, EMPTY_KEY], f"{NAMES} {ALONE}"),
        ("GetItem", [NAMES_EMPTY, EMPTY_KEY], f"{NAMES} {ALONE}"),
        ("PutItem", [VALUES_EMPTY, EMPTY_ITEM], f"{VALUES} {ALONE}"),
        ("UpdateItem", [VALUES_BAD_KEY, EMPTY_KEY], f"{VALUES} {ALONE}"),
        ("DeleteItem", [VALUE_EMPTY, EMPTY_KEY], f"{VALUES} {ALONE}"),
    ],
)
def test_presence_goes_before_values(told, operation, faults, text):
    assert told(operation, *faults, NOWHERE) == _semantic(operation, text)


# The item's and the key's values go before everything about the expressions.
@pytest.mark.parametrize(
    ("operation", "faults"),
    [
        ("PutItem", [EMPTY_ITEM, NAMES_EMPTY, VALUES_EMPTY, BAD_CONDITION]),
        ("PutItem", [EMPTY_ITEM, UPDATED_NEW]),
        ("PutItem", [{"Item": {"pk": {}, "a": padding(409_600)}}]),
        ("UpdateItem", [EMPTY_KEY, NAMES_EMPTY, VALUES_EMPTY, BAD_UPDATE]),
        ("UpdateItem", [EMPTY_KEY, VALUE_EMPTY, BAD_CONDITION]),
        ("DeleteItem", [EMPTY_KEY, VALUES_EMPTY, BAD_CONDITION]),
        ("DeleteItem", [EMPTY_KEY, UPDATED_NEW]),
        ("GetItem", [EMPTY_KEY, NAMES_EMPTY, BAD_PROJECTION]),
    ],
)
def test_values_go_before_expressions(told, operation, faults):
    assert told(operation, *faults, NOWHERE) == _semantic(operation, EMPTY_VALUE)


# Catalogue 24, before the size, before the expressions.
@pytest.mark.parametrize(
    ("operation", "faults"),
    [
        ("PutItem", [LARGE_ITEM, NAMES_EMPTY, BAD_CONDITION]),
        ("DeleteItem", [NAMES_EMPTY, BAD_CONDITION]),
    ],
)
def test_return_values_go_before_size_and_expressions(told, operation, faults):
    assert told(operation, UPDATED_NEW, *faults, NOWHERE) == violated(OLD_ONLY)


# Catalogue 44, before the expressions and before the table is looked for.
def test_size_goes_before_expressions(told):
    expected = (VALIDATION, TOO_LARGE)
    assert told("PutItem", LARGE_ITEM, NAMES_EMPTY, BAD_CONDITION, NOWHERE) == expected


# Catalogue 73 to 76, then the values, then the expressions.
@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem", "DeleteItem"])
@pytest.mark.parametrize(
    ("faults", "text"),
    [
        ([NAMES_EMPTY, VALUES_EMPTY], f"{NAMES} must not be empty"),
        ([NAMES_EMPTY, VALUES_BAD_KEY], f"{NAMES} must not be empty"),
        ([NAMES_BAD_KEY, VALUES_EMPTY], f'{NAMES} contains invalid key: Syntax error; key: "a"'),
        ([VALUES_EMPTY], f"{VALUES} must not be empty"),
        ([VALUES_BAD_KEY], f'{VALUES} contains invalid key: Syntax error; key: "b"'),
        ([VALUE_EMPTY], EMPTY_VALUE),
    ],
)
def test_placeholders_go_before_expressions(told, operation, faults, text):
    assert told(operation, *faults, BAD_CONDITION, NOWHERE) == violated(text)


# An expression's own faults, before placeholders that it does not use, names before values.
def test_unused_placeholders_go_last(told):
    spare = {NAMES: {"#a": "a"}, VALUES: {":a": {"S": "a"}}}
    syntax = 'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"'
    assert told("DeleteItem", BAD_CONDITION, spare, NOWHERE) == violated(syntax)
    unused = f"Value provided in {NAMES} unused in expressions: keys: {{#a}}"
    assert told("DeleteItem", CONDITION, spare, NOWHERE) == violated(unused)


# What can be seen without the table is told before it is looked for, and the key's fault only when
# it is known.
@pytest.mark.parametrize(
    ("operation", "fault"),
    [
        ("GetItem", WRONG_KEY),
        ("PutItem", WRONG_ITEM),
        ("UpdateItem", WRONG_KEY),
        ("DeleteItem", {"Key": {}}),
        ("UpdateItem", {"UpdateExpression": "REMOVE pk"}),
        ("GetItem", {"Key": {"pk": {"S": ""}, "sk": {"S": ""}}}),
        ("GetItem", {"ProjectionExpression": "pk.a"}),
        ("PutItem", {"ConditionExpression": "attribute_exists(pk.a)"}),
    ],
)
def test_table_is_looked_for_before_keys_are_compared(told, operation, fault):
    assert told(operation, fault, NOWHERE) == NO_TABLE


# Catalogue 50 and 51, before what is asked of paths and targets (62, 122).
@pytest.mark.parametrize(
    ("operation", "faults", "text"),
    [
        ("GetItem", [WRONG_KEY, {"ProjectionExpression": "pk.a"}], SCHEMA),
        ("DeleteItem", [WRONG_KEY, {"ConditionExpression": "attribute_exists(pk.a)"}], SCHEMA),
        ("UpdateItem", [WRONG_KEY, {"UpdateExpression": "REMOVE pk"}], SCHEMA),
        (
            "PutItem",
            [WRONG_ITEM, {"ConditionExpression": "attribute_exists(pk.a)"}],
            f"{INVALID}Missing the key sk in the item",
        ),
        (
            "UpdateItem",
            [
                {
                    "UpdateExpression": "SET sk = pk.a",
                    "ConditionExpression": "attribute_exists(pk.a)",
                }
            ],
            f"{INVALID}Cannot update attribute sk. This attribute is part of the key",
        ),
    ],
)
def test_keys_go_before_paths(told, operation, faults, text):
    assert told(operation, *faults) == (VALIDATION, text)


# A key is compared with the schema as a whole before its values are measured.
@pytest.mark.parametrize("partition", [{"S": ""}, {"S": "x" * 2049}])
def test_schema_goes_before_sizes(told, partition):
    assert told("GetItem", {"Key": {"pk": partition}}) == (VALIDATION, SCHEMA)
    assert told("DeleteItem", {"Key": {"pk": partition, "sk": {"N": "1"}}}) == (VALIDATION, SCHEMA)
    missing = (VALIDATION, f"{INVALID}Missing the key sk in the item")
    assert told("PutItem", {"Item": {"pk": partition}}) == missing


# The condition is tested before the update is applied, so that it can guard it.
def test_condition_goes_before_the_update(dynamodb, simple, pk):
    dynamodb.put_item(TableName=simple, Item={"pk": {"S": pk}, "a": {"S": "x"}})
    request = {
        "TableName": simple,
        "Key": {"pk": {"S": pk}},
        "UpdateExpression": "SET a = a + :n, b.c = :n",
        "ExpressionAttributeValues": values(n={"N": "1"}),
    }
    told = refusal(dynamodb.update_item, **request, ConditionExpression="attribute_exists(gone)")
    assert told == FAILED
    code, _ = refusal(dynamodb.update_item, **request, ConditionExpression="attribute_exists(a)")
    assert code == VALIDATION


@contextmanager
def _sending(client, operation, **members):
    """Changes what the client sends, to what no SDK would."""

    def change(params, **_):
        params["body"] = json.dumps({**json.loads(params["body"]), **members}).encode()

    event = f"before-call.dynamodb.{operation}"
    client.meta.events.register(event, change)
    try:
        yield
    finally:
        client.meta.events.unregister(event, change)


BASE64 = (
    "SerializationException",
    "Base64 encoded length is expected a multiple of 4 bytes but found: 3",
)


# Base64 is refused while a request is read, so before every constraint and every other value.
@pytest.mark.parametrize(
    ("operation", "members"),
    [
        ("PutItem", {"Item": {"pk": {"S": "k"}, "a": {"B": "abc"}}}),
        ("PutItem", {"Item": {"pk": {"N": "x"}, "a": {"L": [{"M": {"x": {"BS": ["abc"]}}}]}}}),
        ("PutItem", {"Item": {"pk": {}, "a": {"B": "abc"}}}),
        ("PutItem", {"Item": {"pk": {"N": "x"}}, VALUES: {":v": {"B": "abc"}}}),
        ("UpdateItem", {"Key": {"pk": {"B": "abc"}}, "TableName": ""}),
        ("UpdateItem", {VALUES: {":v": {"B": "abc"}}}),
        ("DeleteItem", {"Key": {"pk": {"B": "abc"}}, **EXPECTED, **CONDITION}),
        ("DeleteItem", {"Expected": {"a": {"Value": {"B": "abc"}}}}),
        ("GetItem", {"Key": {"pk": {"B": "abc"}}, **NAMES_EMPTY}),
        ("GetItem", {"Key": {"pk": {"B": "abc"}}, "ReturnConsumedCapacity": "x"}),
    ],
)
def test_base64_goes_before_validation(dynamodb, told, operation, members):
    with _sending(dynamodb, operation, **members):
        assert told(operation) == BASE64


@pytest.fixture(scope="module")
def table(new_table):
    """A table with a partition key and a sort key."""
    return new_table(sk="S")


# See differences.md.
def test_the_update_comes_before_the_condition(dynamodb, table):
    request = {"TableName": table, "Key": KEY, **BAD_UPDATE, **BAD_CONDITION}
    for _ in range(2):
        told = refusal(dynamodb.update_item, **request)
        assert told == violated('Invalid UpdateExpression: Syntax error; token: "<EOF>", near: "a"')


# An update of a key is refused whatever the item is: before its condition. See differences.md.
@pytest.mark.parametrize("name", ["pk", "sk"])
@pytest.mark.parametrize("condition", ["attribute_exists(pk)", "attribute_not_exists(pk)"])
def test_an_update_of_a_key_comes_before_the_condition(dynamodb, table, name, condition):
    request = {
        "TableName": table,
        "Key": KEY,
        "UpdateExpression": f"SET {name} = :v",
        "ConditionExpression": condition,
        VALUES: values(v={"S": "x"}),
    }
    text = f"{INVALID}Cannot update attribute {name}. This attribute is part of the key"
    for _ in range(2):
        assert refusal(dynamodb.update_item, **request) == (VALIDATION, text)
