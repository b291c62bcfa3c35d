"""Texts of BatchGetItem and BatchWriteItem, by their numbers in the catalogue.

And those about values, in the words of both layers of validation: the current one speaks for
BatchGetItem and Query, the older one for BatchWriteItem and Scan (A.4).
"""

import json
from contextlib import contextmanager

import pytest

from tests.api.items import INVALID, SCHEMA, padding, values
from tests.api.querying import (
    BELOW_KEY,
    CAPACITIES,
    DUPLICATES,
    EMPTY_BINARY,
    EMPTY_STRING,
    HASH_SIZE,
    MANY_TYPES,
    MIXED,
    NAMES,
    NAMES_ALONE,
    NO_TYPE,
    RANGE_SIZE,
    START,
    TOO_LARGE,
    VALUES,
    delete,
    keyed,
    put,
    unechoed,
)
from tests.api.refusals import NOT_FOUND, VALIDATION, absent, breaks, brief, refusal, violated

NAME_RULES = (
    "Map keys must satisfy constraint: [Member must have length less than or equal to 255, "
    "Member must have length greater than or equal to 3, "
    "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]"
)
LIST_RULES = (
    "Map value must satisfy constraint: [Member must have length less than or equal to 25, "
    "Member must have length greater than or equal to 1]"
)
AT_LEAST_1 = "have length greater than or equal to 1"
REQUIRED = "The requestItems parameter is required for BatchWriteItem"
PROJECTION = "Invalid ProjectionExpression: "
K = {"S": "k"}
KEY = {"pk": K}


def keys(count):
    return [{"pk": {"S": str(number)}} for number in range(count)]


def puts(count):
    return [put(key) for key in keys(count)]


def nested(levels):
    """A value of so many levels."""
    return {"L": [nested(levels - 1)]} if levels > 1 else K


@contextmanager
def sending(client, operation, body):
    """Sends that body instead of what the client would."""

    def change(params, **_):
        params["body"] = json.dumps(body).encode()

    event = f"before-call.dynamodb.{operation}"
    client.meta.events.register(event, change)
    try:
        yield
    finally:
        client.meta.events.unregister(event, change)


@pytest.fixture
def get(dynamodb):
    """Code and text of what BatchGetItem refuses these RequestItems for."""
    return lambda items: refusal(dynamodb.batch_get_item, RequestItems=items)


@pytest.fixture
def write(dynamodb):
    """Code and text of what BatchWriteItem refuses these RequestItems for."""
    return lambda items: refusal(dynamodb.batch_write_item, RequestItems=items)


# The model's constraints on what is read, in the words of the current layer where it has some.
@pytest.mark.parametrize(
    ("number", "items", "text"),
    [
        (8, {"tab": {}}, absent("requestItems.tab.member.keys")),
        (13, {}, unechoed("RequestItems", AT_LEAST_1)),
        (14, {"tab": {"Keys": []}}, unechoed("RequestItems.tab.member.Keys", AT_LEAST_1)),
        (
            14,
            {"tab": {"Keys": keys(101)}},
            unechoed("RequestItems.tab.member.Keys", "have length less than or equal to 100"),
        ),
        (
            18,
            {"bad!name": {"Keys": [KEY]}},
            (
                'Value \'{"bad!name":{"Keys":[{"pk":{"S":"k"}}]}}\' at \'requestItems\' '
                f"failed to satisfy constraint: {NAME_RULES}"
            ),
        ),
    ],
    ids=brief,
)
def test_constraints_on_reads(get, number, items, text):
    assert get(items) == violated(text)


# The model's constraints on what is written. Members are told with their place in the list.
@pytest.mark.parametrize(
    ("number", "items", "text"),
    [
        (
            8,
            {"tab": [{"PutRequest": {}}]},
            absent("requestItems.tab.member.1.member.putRequest.item"),
        ),
        (
            8,
            {"tab": [put(KEY), {"DeleteRequest": {}}]},
            absent("requestItems.tab.member.2.member.deleteRequest.key"),
        ),
        (
            16,
            {"tab": []},
            f"Value '{{tab=[]}}' at 'requestItems' failed to satisfy constraint: {LIST_RULES}",
        ),
    ],
    ids=brief,
)
def test_constraints_on_writes(write, number, items, text):
    assert write(items) == violated(text)


# Catalogue 16 and 18: the request is shown as Java prints it, with all members of its values.
@pytest.mark.parametrize(
    ("number", "name", "count", "rules"), [(16, "tab", 26, LIST_RULES), (18, "b!", 1, NAME_RULES)]
)
def test_request_is_shown(write, number, name, count, rules):
    writes = puts(count)
    absent_members = "sS=null, nS=null, bS=null, m=null, l=null, nULL=null, bOOL=null"
    shown = ", ".join(
        "WriteRequest(putRequest=PutRequest(item={pk=AttributeValue("
        f"s={each['PutRequest']['Item']['pk']['S']}, n=null, b=null, {absent_members})}}, "
        "workloadProfileName=null), deleteRequest=null)"
        for each in writes
    )
    told = write({name: writes})
    assert told == violated(
        f"Value '{{{name}=[{shown}]}}' at 'requestItems' failed to satisfy constraint: {rules}"
    )


# No RequestItems at all is what no SDK sends. Catalogue 8 and 13.
def test_no_request_items(dynamodb, get, write):
    with sending(dynamodb, "BatchGetItem", {}):
        assert get({}) == violated(absent("requestItems"))
    with sending(dynamodb, "BatchWriteItem", {}):
        assert write({}) == (VALIDATION, REQUIRED)


# Enums show the value on both layers. Source: public tests that were run against the service.
@pytest.mark.parametrize("operation", ["batch_get_item", "batch_write_item"])
def test_return_consumed_capacity(dynamodb, operation):
    items = {"tab": {"Keys": [KEY]} if operation == "batch_get_item" else [put(KEY)]}
    call = getattr(dynamodb, operation)
    told = refusal(call, RequestItems=items, ReturnConsumedCapacity="x")
    assert told == violated(breaks("x", "returnConsumedCapacity", CAPACITIES))


# Enums of the older layer are told together, in this order. Source: as before.
def test_enums_of_writes(dynamodb):
    told = refusal(
        dynamodb.batch_write_item,
        RequestItems={"tab": [put(KEY)]},
        ReturnConsumedCapacity="x",
        ReturnItemCollectionMetrics="y",
    )
    assert told == violated(
        breaks("x", "returnConsumedCapacity", CAPACITIES),
        breaks("y", "returnItemCollectionMetrics", "satisfy enum value set: [SIZE, NONE]"),
    )


# Never enveloped: reads that are too many, or the same twice. The order of a key's attributes
# makes no difference.
@pytest.mark.parametrize(
    ("number", "items", "text"),
    [
        (
            15,
            {"tab": {"Keys": keys(50)}, "tac": {"Keys": keys(51)}},
            "Too many items requested for the BatchGetItem call",
        ),
        (26, {"tab": {"Keys": [{"pk": K, "sk": K}, {"sk": K, "pk": K}]}}, DUPLICATES),
    ],
    ids=brief,
)
def test_reads_as_a_whole(get, number, items, text):
    assert get(items) == (VALIDATION, text)


# Never enveloped: writes that are none, too many, or not one thing each; and one that is too large.
@pytest.mark.parametrize(
    ("number", "items", "text"),
    [
        (13, {}, REQUIRED),
        (
            17,
            {"tab": puts(12), "tac": puts(14)},
            "Too many items requested for the BatchWriteItem call",
        ),
        (31, {"tab": [{}]}, MANY_TYPES),
        (31, {"tab": [{**put(KEY), **delete(KEY)}]}, MANY_TYPES),
        (44, {"tab": [put({**KEY, "a": padding(409_600)})]}, TOO_LARGE),
    ],
    ids=brief,
)
def test_writes_as_a_whole(write, number, items, text):
    assert write(items) == (VALIDATION, text)


# Values, in the words of both layers. The older one says of an expression's value that it is one
# (78), and of most of a starting key's (131); the current one does not.
@pytest.mark.parametrize(
    ("number", "value", "current", "older"),
    [
        (30, {}, NO_TYPE, None),
        (31, {"S": "a", "N": "1"}, MANY_TYPES, None),
        (32, {"SS": []}, f"{INVALID}An string set  may not be empty", None),
        (33, {"NS": []}, f"{INVALID}An number set  may not be empty", None),
        (34, {"BS": []}, f"{INVALID}Binary sets should not be empty", None),
        (
            35,
            {"SS": ["b", "a", "b"]},
            f'{INVALID}Input collection ["a", "b", "b"] contains duplicates.',
            f"{INVALID}Input collection [b, a, b] contains duplicates.",
        ),
        (
            36,
            {"BS": [b"\xff", b"\x00", b"\x00"]},
            f'{INVALID}Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.',
            f"{INVALID}Input collection [/w==, AA==, AA==]of type BS contains duplicates.",
        ),
        (
            37,
            {"NS": ["2", "1", "2.0"]},
            f"{INVALID}Input collection contains duplicates.",
            "Input collection contains duplicates",
        ),
        (
            38,
            {"NULL": False},
            f"{INVALID}Null attribute value types must have the value of true",
            None,
        ),
        (39, {"N": "abc"}, "The parameter cannot be converted to a numeric value: abc", None),
        (
            39,
            {"N": ""},
            "The parameter cannot be converted to a numeric value: ",
            "The parameter cannot be converted to a numeric value",
        ),
        (
            41,
            {"N": "1e2147483647"},
            (
                "Number overflow. "
                "Attempting to store a number with magnitude larger than supported range"
            ),
            (
                "Number underflow. "
                "Attempting to store a number with magnitude smaller than supported range"
            ),
        ),
        (
            43,
            nested(33),
            (
                "Nesting Levels have exceeded supported limits: "
                "Attributes in the item have nested levels beyond supported limit"
            ),
            None,
        ),
    ],
    ids=brief,
)
def test_values(dynamodb, get, write, number, value, current, older):
    older = older or current
    assert get({"tab": {"Keys": [{"pk": value}]}}) == (VALIDATION, current)
    for writes in put({**KEY, "a": value}), delete({"pk": value}):
        assert write({"tab": [writes]}) == (VALIDATION, older)

    query = {"TableName": "tab", **keyed(v=value), "FilterExpression": "a = :v"}
    assert refusal(dynamodb.query, **query) == (VALIDATION, current)
    query = {"TableName": "tab", **keyed(), "ExclusiveStartKey": {"a": value}}
    assert refusal(dynamodb.query, **query) == (VALIDATION, current)

    # Values of expressions may be nested one level deeper in the older layer.
    compared = nested(34) if number == 43 else value
    scan = {"TableName": "tab", "FilterExpression": "a = :v", VALUES: values(v=compared)}
    text = f"{VALUES} contains invalid value: {older} for key :v"
    assert refusal(dynamodb.scan, **scan) == (VALIDATION, text)
    scan = {"TableName": "tab", "ExclusiveStartKey": {"a": value}}
    text = f"{START}: {older}" if number in {30, 31, 32, 34, 38, 43} else older
    assert refusal(dynamodb.scan, **scan) == (VALIDATION, text)


# Keys against the schema: what they must have, what they must not be, and how long.
@pytest.mark.parametrize(
    ("number", "key", "text"),
    [
        (50, {"pk": K}, SCHEMA),
        (50, {"pk": K, "sk": K, "a": K}, SCHEMA),
        (50, {"pk": K, "sk": {"N": "1"}}, SCHEMA),
        (50, {"pk": {"BOOL": True}, "sk": K}, SCHEMA),
        (54, {"pk": {"S": ""}, "sk": K}, f"{EMPTY_STRING}pk"),
        (54, {"pk": K, "sk": {"S": ""}}, f"{EMPTY_STRING}sk"),
        (55, {"pk": padding(2049), "sk": K}, HASH_SIZE),
        (56, {"pk": K, "sk": padding(1025)}, RANGE_SIZE),
    ],
    ids=brief,
)
def test_keys(get, write, composite, number, key, text):
    assert get({composite: {"Keys": [key]}}) == (VALIDATION, text)
    assert write({composite: [delete(key)]}) == (VALIDATION, text)
    if len(key) == 2:  # a put may have more than its key
        assert write({composite: [put({**key, "b": K})]}) == (VALIDATION, text)


# Catalogue 54 and 55, of binary keys.
@pytest.mark.parametrize(
    ("content", "text"), [(b"", f"{EMPTY_BINARY}pk"), (b"x" * 2049, HASH_SIZE)]
)
def test_binary_keys(get, write, new_table, content, text):
    table, key = new_table(pk="B"), {"pk": {"B": content}}
    assert get({table: {"Keys": [key]}}) == (VALIDATION, text)
    for writes in put(key), delete(key):
        assert write({table: [writes]}) == (VALIDATION, text)


# A put without one of the key's attributes is told as a key that does not match. Catalogue 50.
def test_put_without_its_key(write, composite):
    assert write({composite: [put({"pk": K, "b": K})]}) == (VALIDATION, SCHEMA)


# Each table has a projection of its own, whose placeholders are its own too.
@pytest.mark.parametrize(
    ("number", "part", "text"),
    [
        (
            70,
            {"AttributesToGet": ["a"], "ProjectionExpression": "a"},
            MIXED.format("AttributesToGet", "ProjectionExpression"),
        ),
        (71, {NAMES: {"#a": "a"}}, NAMES_ALONE),
        (73, {NAMES: {}, "ProjectionExpression": "a"}, f"{NAMES} must not be empty"),
        (
            79,
            {NAMES: {"#a": "a"}, "ProjectionExpression": "a"},
            f"Value provided in {NAMES} unused in expressions: keys: {{#a}}",
        ),
        (81, {"ProjectionExpression": ""}, f"{PROJECTION}The expression can not be empty;"),
        (
            99,
            {NAMES: {"#a": "a", "#b": "a"}, "ProjectionExpression": "#a, #b"},
            (
                f"{PROJECTION}Two document paths overlap with each other; must remove or rewrite "
                "one of these paths; path one: [a], path two: [a]"
            ),
        ),
        (122, {"ProjectionExpression": "a, pk.a"}, f"{BELOW_KEY}pk"),
    ],
    ids=brief,
)
def test_projections(get, simple, composite, number, part, text):
    items = {composite: {"Keys": [{"pk": K, "sk": K}]}, simple: {"Keys": [KEY], **part}}
    assert get(items) == (VALIDATION, text)


# Catalogue 154.
def test_table_that_there_is_not(get, write):
    told = (NOT_FOUND, "Requested resource not found")
    assert get({"never-made": {"Keys": [KEY]}}) == told
    assert write({"never-made": [put(KEY)]}) == told
