"""AttributesToGet: projections of reads, from before ProjectionExpression."""

import pytest

from tests.api.items import INVALID, answer
from tests.api.legacy import ENVELOPE, equal
from tests.api.querying import DUPLICATES, MIXED, NO_PROJECTION, unechoed
from tests.api.refusals import VALIDATION, breaks, refusal, violated

ITEM = {"a": {"S": "x"}, "b": {"N": "1"}, "m": {"M": {"k": {"S": "y"}}}, "a.b": {"NULL": True}}
READS = ["GetItem", "BatchGetItem", "Query", "Scan"]
MIXED_READ = MIXED.format("AttributesToGet", "ProjectionExpression")


@pytest.fixture(scope="module")
def table(dynamodb, new_table):
    """One item, under the key "k", with the attributes of `ITEM`."""
    name = new_table()
    dynamodb.put_item(TableName=name, Item={"pk": {"S": "k"}, **ITEM})
    return name


def _request(operation, table, attributes, **more):
    key = {"pk": {"S": "k"}}
    own = {**more, **({} if attributes is None else {"AttributesToGet": attributes})}
    return {
        "GetItem": {"TableName": table, "Key": key, **own},
        "BatchGetItem": {"RequestItems": {table: {"Keys": [key], **own}}},
        "Query": {"TableName": table, "KeyConditions": equal(pk={"S": "k"}), **own},
        "Scan": {"TableName": table, **own},
    }[operation]


def _call(dynamodb, operation):
    return {
        "GetItem": dynamodb.get_item,
        "BatchGetItem": dynamodb.batch_get_item,
        "Query": dynamodb.query,
        "Scan": dynamodb.scan,
    }[operation]


@pytest.fixture(params=READS)
def read(request, dynamodb, table):
    """The item as one operation answers it, with these attributes."""

    def send(*attributes):
        operation = request.param
        told = answer(_call(dynamodb, operation), **_request(operation, table, list(attributes)))
        if operation == "GetItem":
            return told["Item"]
        (item,) = told["Items"] if "Items" in told else told["Responses"][table]
        return item

    return send


# Top-level attributes, those that there are; the key only where it is asked for. Source: E.6.
@pytest.mark.parametrize(
    ("attributes", "found"),
    [
        (["a"], ["a"]),
        (["m", "none", "pk"], ["m", "pk"]),
        # No path into a map.
        (["a.b"], ["a.b"]),
        (["m.k"], []),
        (["none"], []),
        ([f"a{number}" for number in range(254)] + ["b"], ["b"]),
    ],
    ids=lambda names: ",".join(names[:3]),
)
def test_attributes(read, attributes, found):
    whole = {"pk": {"S": "k"}, **ITEM}
    assert read(*attributes) == {name: whole[name] for name in found}


# There is no item to take attributes of.
def test_no_item(dynamodb, table, pk):
    request = {"TableName": table, "Key": {"pk": {"S": pk}}, "AttributesToGet": ["a"]}
    assert answer(dynamodb.get_item, **request) == {}


# What is read is charged, not what is answered.
def test_cost_is_that_of_the_item(dynamodb, simple, pk):
    key = {"pk": {"S": pk}}
    dynamodb.put_item(TableName=simple, Item={**key, "a": {"S": "x" * 9000}, "b": {"N": "1"}})
    request = {"TableName": simple, "Key": key, "ReturnConsumedCapacity": "TOTAL"}
    told = answer(dynamodb.get_item, AttributesToGet=["b"], **request)
    assert (told["Item"], told["ConsumedCapacity"]["CapacityUnits"]) == ({"b": {"N": "1"}}, 1.5)


# Each table of a batch has its own.
def test_tables_of_a_batch(dynamodb, table, simple, pk):
    dynamodb.put_item(TableName=simple, Item={"pk": {"S": pk}, "a": {"N": "2"}})
    parts = {
        table: {"Keys": [{"pk": {"S": "k"}}], "AttributesToGet": ["a", "b"]},
        simple: {"Keys": [{"pk": {"S": pk}}]},
    }
    told = answer(dynamodb.batch_get_item, RequestItems=parts)
    assert told["Responses"] == {
        table: [{"a": {"S": "x"}, "b": {"N": "1"}}],
        simple: [{"pk": {"S": pk}, "a": {"N": "2"}}],
    }


@pytest.fixture
def refused(dynamodb, table):
    """Code and text of what a read is refused for."""

    def send(operation, attributes, **more):
        request = _request(operation, table, attributes, **more)
        return refusal(_call(dynamodb, operation), **request)

    return send


# Bare everywhere.
@pytest.mark.parametrize(
    ("number", "operation"),
    [(225, "GetItem"), (225, "BatchGetItem"), (225, "Query"), (225, "Scan")],
)
def test_duplicates(refused, number, operation):
    text = f"{INVALID}Duplicate value in attribute name: b"
    assert refused(operation, ["a", "b", "c", "b", "a"]) == (VALIDATION, text)


# In the words of each layer (A.4).
@pytest.mark.parametrize(
    ("number", "attributes", "constraint"),
    [
        (9, [], "have length greater than or equal to 1"),
        (9, ["a"] * 256, "have length less than or equal to 255"),
    ],
)
def test_number_of_attributes(refused, table, number, attributes, constraint):
    current = violated(unechoed("AttributesToGet", constraint))
    assert refused("GetItem", attributes) == current
    assert refused("Query", attributes) == current
    path = f"RequestItems.{table}.member.AttributesToGet"
    assert refused("BatchGetItem", attributes) == violated(unechoed(path, constraint))
    shown = f"[{', '.join(attributes)}]"
    assert refused("Scan", attributes) == violated(breaks(shown, "attributesToGet", constraint))


# Catalogue 70.
@pytest.mark.parametrize("operation", READS)
def test_styles_are_not_mixed(refused, operation):
    told = refused(operation, ["a", "a"], ProjectionExpression="")
    assert told == (VALIDATION, MIXED_READ)


# In a batch not even at different tables. Source: public tests against the service.
def test_styles_are_not_mixed_over_tables(dynamodb, table, simple):
    keys = [{"pk": {"S": "k"}}]
    parts = {
        simple: {"Keys": keys, "ProjectionExpression": "a"},
        table: {"Keys": keys, "AttributesToGet": ["a"]},
    }
    assert refusal(dynamodb.batch_get_item, RequestItems=parts) == (VALIDATION, MIXED_READ)


# Catalogue 125 and 126 of both projections; Query envelopes them.
@pytest.mark.parametrize(("operation", "prefix"), [("Query", ENVELOPE), ("Scan", "")])
@pytest.mark.parametrize(
    ("select", "wanted"),
    [
        ("ALL_ATTRIBUTES", "ALL_ATTRIBUTES"),
        ("ALL_PROJECTED_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"),
        ("COUNT", "only the Count"),
    ],
)
def test_select(refused, operation, prefix, select, wanted):
    text = f"{prefix}Cannot specify the AttributesToGet when choosing to get {wanted}"
    assert refused(operation, ["a"], Select=select) == (VALIDATION, text)


@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_select_of_specific_attributes(dynamodb, table, refused, operation):
    request = _request(operation, table, ["a"], Select="SPECIFIC_ATTRIBUTES")
    told = answer(_call(dynamodb, operation), **request)
    assert told["Items"] == [{"a": {"S": "x"}}]
    told = refused(operation, None, Select="SPECIFIC_ATTRIBUTES")
    assert told[1].endswith(NO_PROJECTION)


# Keys are looked at first. Source: public tests against the service.
@pytest.mark.parametrize(
    ("operation", "members", "text"),
    [
        (
            "GetItem",
            {"Key": {"pk": {"N": "x"}}},
            "The parameter cannot be converted to a numeric value: x",
        ),
        ("BatchGetItem", {"Keys": [{"pk": {"S": "k"}}] * 2}, DUPLICATES),
        (
            "GetItem",
            {"ExpressionAttributeNames": {"#a": "a"}},
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
    ],
)
def test_order_of_checks(refused, operation, members, text):
    assert refused(operation, ["a", "a"], **members) == (VALIDATION, text)


# Faults of the names come before the key is compared with the schema.
def test_before_the_schema(refused):
    text = f"{INVALID}Duplicate value in attribute name: a"
    assert refused("GetItem", ["a", "a"], Key={"no": {"S": "k"}}) == (VALIDATION, text)
