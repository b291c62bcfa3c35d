"""Two faults at once: DynamoDB tells the one that it looks for first.

Source, unless said otherwise: section 0.2 for the stages; within the second and the fourth the
tests of an emulator that were run against the service, whose requests have several faults.
"""

from itertools import combinations

import pytest

from tests.api.items import NO_TABLE, SCHEMA, padding, values
from tests.api.querying import (
    BELOW_KEY,
    CALLS,
    CAPACITIES,
    CONDITION_TYPE,
    DUPLICATES,
    EMPTY_STRING,
    MISSED,
    MIXED,
    NAMES,
    NAMES_ALONE,
    NO_CONDITION,
    NO_FILTER,
    NO_INDEX,
    NO_PROJECTION,
    NO_TOTAL,
    NO_TYPE,
    OFF_RANGE,
    ON_KEY,
    OUTSIDE,
    START,
    TOO_LARGE,
    TOO_MANY_CONDITIONS,
    UNSUPPORTED,
    VALUES,
    VALUES_ALONE,
    delete,
    keyed,
    put,
    unechoed,
)
from tests.api.refusals import VALIDATION, absent, breaks, refusal, violated

K = {"S": "k"}
SYNTAX = 'Invalid {}: Syntax error; token: "=", near: "= = b"'
COMMAS = 'Invalid ProjectionExpression: Syntax error; token: ",", near: ",,b"'
EMPTY_NAMES = (VALIDATION, f"{NAMES} must not be empty")
COUNT = "Cannot specify the ProjectionExpression when choosing to get only the Count"
UNUSED = (VALIDATION, f"Value provided in {VALUES} unused in expressions: keys: {{:x}}")
NO_NAME = ("name", {"TableName": None}, violated(absent("tableName")))
NOWHERE = ("table", {"TableName": "never-made"}, NO_TABLE)
NO_SUCH_INDEX = ("index", {"IndexName": "abc"}, (VALIDATION, f"{NO_INDEX}abc"))
BAD_START = {"ExclusiveStartKey": {"pk": {}}}
BAD_PROJECTION = {"ProjectionExpression": "a,,b"}
BAD_COUNT = {"Select": "COUNT", "ProjectionExpression": "a"}

# Faults in the order in which they are told: a name, what brings it about in a request that is
# right but for it, and what is told.
QUERY = [
    NO_NAME,
    ("limit", {"Limit": 0}, violated(unechoed("Limit", "have value greater than or equal to 1"))),
    ("start's value", BAD_START, (VALIDATION, NO_TYPE)),
    ("select", BAD_COUNT, violated(COUNT)),
    ("names", {NAMES: {}}, EMPTY_NAMES),
    ("value", {VALUES: values(p={})}, (VALIDATION, NO_TYPE)),
    (
        "condition",
        {"KeyConditionExpression": "a = = b"},
        (VALIDATION, SYNTAX.format("KeyConditionExpression")),
    ),
    ("filter", {"FilterExpression": "a = = b"}, (VALIDATION, SYNTAX.format("FilterExpression"))),
    ("projection", BAD_PROJECTION, (VALIDATION, COMMAS)),
    ("unused", {VALUES: values(p=K, x=K)}, UNUSED),
    NOWHERE,
    NO_SUCH_INDEX,
    ("start's key", {"ExclusiveStartKey": {"sk": K, "a": K}}, (VALIDATION, START)),
]
SCAN = [
    NO_NAME,
    ("limit", {"Limit": 0}, violated(breaks(0, "limit", "have value greater than or equal to 1"))),
    ("start's value", BAD_START, (VALIDATION, f"{START}: {NO_TYPE}")),
    ("segment", {"Segment": 0}, (VALIDATION, NO_TOTAL)),
    ("select", BAD_COUNT, (VALIDATION, COUNT)),
    ("names", {NAMES: {}}, EMPTY_NAMES),
    (
        "value",
        {VALUES: values(p={})},
        (VALIDATION, f"{VALUES} contains invalid value: {NO_TYPE} for key :p"),
    ),
    ("filter", {"FilterExpression": "a = = b"}, (VALIDATION, SYNTAX.format("FilterExpression"))),
    ("projection", BAD_PROJECTION, (VALIDATION, COMMAS)),
    ("unused", {VALUES: values(p=K, x=K)}, UNUSED),
    NOWHERE,
    NO_SUCH_INDEX,
    ("start's key", {"ExclusiveStartKey": {"sk": K, "a": K}}, (VALIDATION, f"{START}: {SCHEMA}")),
    ("projected key", {"ProjectionExpression": "sk.a"}, (VALIDATION, f"{BELOW_KEY}sk")),
    ("filtered key", {"FilterExpression": "pk.a = :p"}, (VALIDATION, f"{BELOW_KEY}pk")),
]
RIGHT = {"Query": keyed(), "Scan": {"FilterExpression": "a = :p", VALUES: values(p=K)}}


def _pairs(faults):
    return [
        pytest.param(first, second, told, id=f"{one} before {two}")
        for (one, first, told), (two, second, _) in combinations(faults, 2)
        # A second fault in the same member hides the first; but Select stays wrong.
        if not first.keys() & second.keys() or first == BAD_COUNT
    ]


@pytest.fixture
def told(dynamodb, composite):
    """Code and text of the refusal of a request for the table `composite`."""

    def refused(operation, *members):
        request = {"TableName": composite}
        for some in members:
            request.update(some)
        sent = {name: value for name, value in request.items() if value is not None}
        return refusal(getattr(dynamodb, CALLS[operation]), **sent)

    return refused


@pytest.mark.parametrize(("first", "second", "text"), _pairs(QUERY))
def test_query(told, first, second, text):
    assert told("Query", RIGHT["Query"], first, second) == text


@pytest.mark.parametrize(("first", "second", "text"), _pairs(SCAN))
def test_scan(told, first, second, text):
    assert told("Scan", RIGHT["Scan"], first, second) == text


# That both styles are used comes after the model's constraints, and before all else.
@pytest.mark.parametrize(
    ("operation", "members", "text"),
    [
        ("Query", {"QueryFilter": {}, NAMES: {}}, ("QueryFilter", "KeyConditionExpression")),
        ("Query", {"QueryFilter": {}, **BAD_START}, ("QueryFilter", "KeyConditionExpression")),
        ("Scan", {"ScanFilter": {}, NAMES: {}}, ("ScanFilter", "FilterExpression")),
        ("Scan", {"ScanFilter": {}, **BAD_START}, ("ScanFilter", "FilterExpression")),
    ],
)
def test_styles(told, operation, members, text):
    right = RIGHT[operation]
    assert told(operation, right, members) == (VALIDATION, MIXED.format(*text))
    assert told(operation, right, members, {"TableName": None}) == violated(absent("tableName"))


# Names and values that no expression can use come before all that is looked at in them, and
# before starting keys, segments and a key condition that is missing.
@pytest.mark.parametrize(
    ("operation", "members", "text"),
    [
        ("Query", {NAMES: {}, VALUES: {}, **BAD_START}, NAMES_ALONE),
        ("Query", {VALUES: {":v": {}}, **BAD_START}, VALUES_ALONE),
        ("Query", {VALUES: {}, "ProjectionExpression": "a,,b"}, VALUES_ALONE),
        ("Query", {"FilterExpression": "a", **BAD_START}, NO_TYPE),
        ("Query", {"FilterExpression": "a", NAMES: {}, VALUES: {}}, NO_CONDITION),
        ("Query", {"Select": "SPECIFIC_ATTRIBUTES"}, NO_CONDITION),
        ("Scan", {NAMES: {}, VALUES: {}, **BAD_START, "Segment": 1}, NAMES_ALONE),
        ("Scan", {VALUES: {":v": {}}, **BAD_START, "Segment": 1}, NO_FILTER),
        ("Scan", {VALUES: {}, "ProjectionExpression": "a", "Segment": 1}, NO_FILTER),
        ("Scan", {"Segment": 1, "Select": "SPECIFIC_ATTRIBUTES"}, NO_TOTAL),
        ("Scan", {"Select": "SPECIFIC_ATTRIBUTES", "TableName": "never-made"}, NO_PROJECTION),
    ],
)
def test_presence(told, operation, members, text):
    assert told(operation, members) == (VALIDATION, text)


def _start(pk, sk):
    return {"ExclusiveStartKey": {"pk": pk, "sk": sk}}


N = {"N": "1"}
ABOVE = keyed("pk = :p AND sk > :p")


# A query against the key of its table: one attribute after the other, the starting key's before
# the condition's. Where the starting key lies comes next, what expressions may not name last.
@pytest.mark.parametrize(
    ("members", "text"),
    [
        # The partition key of the starting key goes before all conditions ...
        ({**keyed("a = :p"), **_start(N, N)}, START),
        ({**keyed("pk < :p", p=N), **_start({"S": ""}, N)}, f"{EMPTY_STRING}pk"),
        ({**keyed("a = :p AND b = :p AND c = :p"), "ExclusiveStartKey": {}}, START),
        # ... and its sort key after those on the partition key.
        ({**keyed("a = :p"), **_start(K, N)}, f"{MISSED}pk"),
        ({**keyed("pk = :p", p=N), **_start(K, N)}, CONDITION_TYPE),
        ({**keyed("pk < :p"), **_start(K, N)}, UNSUPPORTED),
        ({**keyed("pk = :p", p={"S": ""}), **_start(K, N)}, f"{EMPTY_STRING}pk"),
        ({**keyed("pk = :p AND a = :p"), **_start(K, N)}, START),
        ({**keyed("pk = :p AND sk = :n", n=N), **_start(K, N)}, START),
        # How many conditions there are goes before what they are about.
        (keyed("a = :p AND b = :p AND c = :p"), TOO_MANY_CONDITIONS.format(3, 2)),
        # Of one attribute: that it is there, its type, its operator, its value.
        (keyed("sk = :n", n=N, p=K) | {"FilterExpression": "a = :p"}, f"{MISSED}pk"),
        (keyed("pk > :p", p=N), CONDITION_TYPE),
        (keyed("pk > :p", p={"S": ""}), UNSUPPORTED),
        (keyed("pk = :p AND sk = :n", p={"S": ""}, n=N), f"{EMPTY_STRING}pk"),
        # The sort key's condition decides first where the starting key lies.
        ({**ABOVE, **_start({"S": "another"}, {"S": "a"})}, OFF_RANGE),
        ({**keyed("pk = :p AND a = :p"), **_start({"S": "another"}, K)}, f"{MISSED}sk"),
        # Then what expressions may not name: the projection before the filter.
        ({**keyed(), **_start({"S": "another"}, K), "FilterExpression": "sk = :p"}, OUTSIDE),
        ({**keyed(), **_start({"S": "another"}, K), "ProjectionExpression": "pk.a"}, OUTSIDE),
        (
            {**keyed(), "FilterExpression": "sk = :p", "ProjectionExpression": "pk.a"},
            f"{BELOW_KEY}pk",
        ),
        # Of several keys in a filter, the partition key; that it is nested makes no difference.
        ({**keyed(), "FilterExpression": "sk = :p AND pk.a = :p"}, f"{ON_KEY}pk"),
    ],
)
def test_query_against_the_key(told, members, text):
    assert told("Query", members) == (VALIDATION, text)


GET = {"Keys": [{"pk": K, "sk": K}]}
BAD_CAPACITY = {"ReturnConsumedCapacity": "x"}
CAPACITY_TEXT = breaks("x", "returnConsumedCapacity", CAPACITIES)


# The model's constraints come first and are told together, the names of tables too. Source:
# public tests that were run against the service, 2026.
def test_batch_get_constraints(told):
    items = {"b!": {"Keys": [{"pk": K}]}}
    name = (
        'Value \'{"b!":{"Keys":[{"pk":{"S":"k"}}]}}\' at \'requestItems\' failed to satisfy '
        "constraint: Map keys must satisfy constraint: [Member must have length less than or equal "
        "to 255, Member must have length greater than or equal to 3, "
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]"
    )
    request = {"TableName": None, "RequestItems": items, **BAD_CAPACITY}
    assert told("BatchGetItem", request) == violated(name, CAPACITY_TEXT)


# Writes tell the enum alone. Source: as before.
def test_batch_write_constraints(told):
    request = {"TableName": None, "RequestItems": {"b!": [put({"pk": K})]}, **BAD_CAPACITY}
    assert told("BatchWriteItem", request) == violated(CAPACITY_TEXT)


# One table after the other: its expressions, then its keys one after the other.
@pytest.mark.parametrize(
    ("items", "text"),
    [
        ({"tab": {"Keys": [{"pk": {}}], NAMES: {}}}, NAMES_ALONE),
        ({"tab": {"Keys": [{"pk": {}}], **BAD_PROJECTION}}, COMMAS),
        ({"tab": {"Keys": [{"pk": {}}]}, "tac": {**GET, **BAD_PROJECTION}}, NO_TYPE),
        ({"tab": {"Keys": [{"pk": K}, {"pk": K}, {"pk": {}}]}}, DUPLICATES),
        ({"tab": {"Keys": [{"pk": {}}, {"pk": K}, {"pk": K}]}}, NO_TYPE),
        (
            {
                "tab": {"Keys": [{"pk": {"N": str(number)}} for number in range(100)]},
                "tac": {"Keys": [{"pk": K}, {"pk": {}}]},
            },
            "Too many items requested for the BatchGetItem call",
        ),
    ],
)
def test_batch_get(told, items, text):
    assert told("BatchGetItem", {"TableName": None, "RequestItems": items}) == (VALIDATION, text)


# All of that before it is known whether there is a table; the key's schema afterwards.
def test_batch_get_and_tables(told, composite):
    bad, good = {"Keys": [{"a": K}]}, {"Keys": [{"a": K}, {"a": K}]}
    request = {"TableName": None, "RequestItems": {"never-made": bad, composite: good}}
    assert told("BatchGetItem", request) == (VALIDATION, DUPLICATES)
    request = {"TableName": None, "RequestItems": {composite: bad, "never-made": GET}}
    assert told("BatchGetItem", request) == NO_TABLE
    below = {composite: {**bad, "ProjectionExpression": "pk.a"}}
    assert told("BatchGetItem", {"TableName": None, "RequestItems": below}) == (VALIDATION, SCHEMA)


# One write after the other, then tables, then keys; duplicates are found last.
@pytest.mark.parametrize(
    ("items", "text"),
    [
        ({"tab": [put({"pk": {}}), {"PutRequest": {}}]}, None),
        ({"tab": [put({"pk": {}}), put({"pk": K, "a": padding(409_600)})]}, NO_TYPE),
        ({"tab": [put({"pk": K, "a": padding(409_600)}), put({"pk": {}})]}, TOO_LARGE),
        ({"tab": [delete({"pk": K}), delete({"pk": K}), put({"pk": {}})]}, NO_TYPE),
        ({"never-made": [delete({"pk": K}), put({"pk": {}})]}, NO_TYPE),
    ],
)
def test_batch_write(told, items, text):
    missing = violated(absent("requestItems.tab.member.2.member.putRequest.item"))
    told_of = told("BatchWriteItem", {"TableName": None, "RequestItems": items})
    assert told_of == ((VALIDATION, text) if text else missing)


# A table that there is not goes before duplicates and keys. Source: public tests that were run
# against the service, 2026.
def test_batch_write_and_tables(told, composite):
    same = [delete({"a": K}), delete({"a": K})]
    request = {"TableName": None, "RequestItems": {composite: same, "never-made": same}}
    assert told("BatchWriteItem", request) == NO_TABLE
    request = {"TableName": None, "RequestItems": {composite: same}}
    assert told("BatchWriteItem", request) == (VALIDATION, SCHEMA)
