"""ClientRequestToken: a transaction that is sent again is done once. Source of all: J.1."""

import uuid

import pytest

from tests.api.items import answer, padding, stored, values
from tests.api.refusals import refusal
from tests.api.transactions import check, delete, put, reasons, update

MISMATCH = (
    "IdempotentParameterMismatchException",
    (
        "Specified idempotent token was used with different request parameters within the "
        "idempotency window"
    ),
)
ONE = values(one={"N": "1"})


@pytest.fixture
def token():
    return str(uuid.uuid4())


@pytest.fixture
def count(dynamodb, simple, key):
    """Counts once up, with a token; what is answered."""

    def transact(token, **request):
        action = update(simple, key, "ADD n :one", ExpressionAttributeValues=ONE)
        request = {"TransactItems": [action], "ClientRequestToken": token, **request}
        return answer(dynamodb.transact_write_items, **request)

    return transact


def test_sent_again(dynamodb, simple, key, count, token):
    for _ in range(3):
        assert count(token) == {}
    assert stored(dynamodb, simple, key) == {**key, "n": {"N": "1"}}
    count(str(uuid.uuid4()))
    assert stored(dynamodb, simple, key) == {**key, "n": {"N": "2"}}


# boto3 makes a token of its own where there is none: another one for each call.
def test_without_token(dynamodb, simple, key):
    action = update(simple, key, "ADD n :one", ExpressionAttributeValues=ONE)
    for _ in range(2):
        dynamodb.transact_write_items(TransactItems=[action])
    assert stored(dynamodb, simple, key) == {**key, "n": {"N": "2"}}


# What is to be told of it is part of the request; NONE is as nothing said.
# Source of this and the next: captures of the service, September 2026.
@pytest.mark.parametrize(
    "option", [{"ReturnConsumedCapacity": "TOTAL"}, {"ReturnItemCollectionMetrics": "SIZE"}]
)
def test_sent_again_and_asked_for_more(dynamodb, simple, key, count, token, option):
    assert count(token) == {}
    action = update(simple, key, "ADD n :one", ExpressionAttributeValues=ONE)
    request = {"TransactItems": [action], "ClientRequestToken": token, **option}
    assert refusal(dynamodb.transact_write_items, **request) == MISMATCH
    assert count(token, **dict.fromkeys(option, "NONE")) == {}


@pytest.mark.parametrize("number", ["1.0", "1e0", "01", "+1"])
def test_same_number(dynamodb, simple, key, token, number):
    def transact(one):
        written = put(simple, {**key, "n": {"N": one}})
        asked = check(
            simple,
            {"pk": {"S": key["pk"]["S"] + "-"}},
            "attribute_not_exists(pk) OR n = :n",
            ExpressionAttributeValues={":n": {"N": one}},
            ReturnValuesOnConditionCheckFailure="NONE",
        )
        request = {"TransactItems": [written, asked], "ClientRequestToken": token}
        return answer(dynamodb.transact_write_items, **request)

    assert transact("1") == transact(number) == {}


def test_same_statement(dynamodb, simple, key, token):
    def execute(statement, number, **options):
        member = {"Statement": statement, "Parameters": [key["pk"], {"N": number}], **options}
        request = {"TransactStatements": [member], "ClientRequestToken": token}
        return answer(dynamodb.execute_transaction, **request)

    statement = f"INSERT INTO \"{simple}\" VALUE {{'pk': ?, 'n': ?}}"
    assert execute(statement, "1") == {"Responses": []}
    assert execute(statement + " ", "1.0") == {"Responses": []}
    none = {"ReturnValuesOnConditionCheckFailure": "NONE"}
    assert execute(statement, "+1", **none) == {"Responses": []}


# It reads what the transaction wrote then, or removed; what is stored by now does not matter.
# Source: measured by users, August 2026.
@pytest.mark.parametrize(
    ("actions", "written", "again"),
    [
        (lambda table, large, small: [put(table, {**large, "a": {"S": "x"}})], 18.0, 6.0),
        (lambda table, large, small: [delete(table, large)], 18.0, 6.0),
        (lambda table, large, small: [delete(table, large), put(table, small)], 20.0, 8.0),
        (
            lambda table, large, small: [
                put(table, small),
                check(table, large, "attribute_exists(pk)"),
            ],
            20.0,
            8.0,
        ),
    ],
)
def test_cost_of_what_is_sent_again(dynamodb, simple, key, token, actions, written, again):
    large, small = key, {"pk": {"S": key["pk"]["S"] + "-"}}
    dynamodb.put_item(TableName=simple, Item={**large, "a": padding(9000)})
    request = {
        "TransactItems": actions(simple, large, small),
        "ClientRequestToken": token,
        "ReturnConsumedCapacity": "TOTAL",
    }
    for kind, units in (("Write", written), ("Read", again), ("Read", again)):
        (told,) = dynamodb.transact_write_items(**request)["ConsumedCapacity"]
        assert told == {"TableName": simple, "CapacityUnits": units, f"{kind}CapacityUnits": units}
        dynamodb.delete_item(TableName=simple, Key=large)


# Anything else is another request, and does nothing.
@pytest.mark.parametrize(
    "other",
    [
        lambda table, key: [put(table, {**key, "a": {"S": "y"}})],
        lambda table, key: [put(table, key)],
        lambda table, key: [
            put(table, {**key, "a": {"S": "x"}}, ConditionExpression="attribute_exists(pk)")
        ],
        lambda table, key: [
            put(table, {**key, "a": {"S": "x"}}),
            check(table, {"pk": {"S": "another"}}, "attribute_not_exists(pk)"),
        ],
    ],
)
def test_another_request(dynamodb, simple, key, token, other):
    item = {**key, "a": {"S": "x"}}
    dynamodb.transact_write_items(TransactItems=[put(simple, item)], ClientRequestToken=token)
    request = {"TransactItems": other(simple, key), "ClientRequestToken": token}
    assert refusal(dynamodb.transact_write_items, **request) == MISMATCH
    assert stored(dynamodb, simple, key) == item


# The members of an item have no order: a program that sends them in another has sent the same.
def test_order_of_attributes(dynamodb, simple, key, token):
    item = {**key, "a": {"S": "x"}, "b": {"M": {"c": {"N": "1"}, "d": {"N": "2"}}}}
    turned = {**dict(reversed(item.items())), "b": {"M": {"d": {"N": "2"}, "c": {"N": "1"}}}}
    for each in (item, turned):
        request = {"TransactItems": [put(simple, each)], "ClientRequestToken": token}
        assert answer(dynamodb.transact_write_items, **request) == {}


# A token of the longest kind, and in other letters.
def test_any_token(dynamodb, simple, key, count):
    for token in ("x" * 36, "é" * 36, " ", ":", "\N{GRINNING FACE}"):
        count(token + "" if len(token) == 36 else token)
        count(token)
    assert stored(dynamodb, simple, key) == {**key, "n": {"N": "5"}}


# A transaction that was cancelled may be tried again, and may then be done.
def test_cancelled_and_sent_again(dynamodb, simple, key, token):
    action = put(simple, {**key, "a": {"S": "x"}}, ConditionExpression="attribute_exists(pk)")
    for _ in range(2):
        reasons(dynamodb.transact_write_items, action, ClientRequestToken=token)
    dynamodb.put_item(TableName=simple, Item=key)
    request = {"TransactItems": [action], "ClientRequestToken": token}
    for _ in range(2):
        assert answer(dynamodb.transact_write_items, **request) == {}
    assert stored(dynamodb, simple, key) == {**key, "a": {"S": "x"}}


# But not another one with its token. Source of this and the next: captures of the service,
# September 2026.
def test_cancelled_and_another_request(dynamodb, simple, key, token):
    item = {**key, "a": {"S": "x"}}
    action = put(simple, item, ConditionExpression="attribute_exists(pk)")
    reasons(dynamodb.transact_write_items, action, ClientRequestToken=token)
    other = {"TransactItems": [put(simple, item)], "ClientRequestToken": token}
    for _ in range(2):
        assert refusal(dynamodb.transact_write_items, **other) == MISMATCH
    dynamodb.put_item(TableName=simple, Item=key)
    request = {"TransactItems": [action], "ClientRequestToken": token}
    assert answer(dynamodb.transact_write_items, **request) == {}
    assert refusal(dynamodb.transact_write_items, **other) == MISMATCH


def test_cancelled_and_another_statement(dynamodb, simple, key, token):
    def request(pk):
        statement = f"INSERT INTO \"{simple}\" VALUE {{'pk': ?}}"
        member = {"Statement": statement, "Parameters": [pk]}
        return {"TransactStatements": [member], "ClientRequestToken": token}

    dynamodb.put_item(TableName=simple, Item=key)
    code, _ = refusal(dynamodb.execute_transaction, **request(key["pk"]))
    assert code == "TransactionCanceledException"
    another = request({"S": key["pk"]["S"] + "-"})
    for _ in range(2):
        assert refusal(dynamodb.execute_transaction, **another) == MISMATCH
    dynamodb.delete_item(TableName=simple, Key=key)
    for _ in range(2):
        assert answer(dynamodb.execute_transaction, **request(key["pk"])) == {"Responses": []}


# A request that is refused leaves no token.
def test_refused_and_another_request(dynamodb, simple, key, count, token):
    request = {"TransactItems": [update(simple, key, "SET")], "ClientRequestToken": token}
    code, _ = refusal(dynamodb.transact_write_items, **request)
    assert code == "ValidationException"
    assert count(token) == {}


# A condition that would fail by now is not asked again.
def test_conditions_are_not_asked_again(dynamodb, simple, key, token):
    action = put(simple, key, ConditionExpression="attribute_not_exists(pk)")
    for _ in range(2):
        request = {"TransactItems": [action], "ClientRequestToken": token}
        assert answer(dynamodb.transact_write_items, **request) == {}


# G.1: the first time costs what it writes, the next what it reads.
def test_capacity_of_the_second_time(dynamodb, simple, key, token):
    item = {**key, "a": padding(1500)}
    request = {
        "TransactItems": [put(simple, item)],
        "ClientRequestToken": token,
        "ReturnConsumedCapacity": "INDEXES",
    }
    first = dynamodb.transact_write_items(**request)["ConsumedCapacity"]
    second = dynamodb.transact_write_items(**request)["ConsumedCapacity"]
    assert first == [told(simple, "WriteCapacityUnits", 4.0)]
    assert second == [told(simple, "ReadCapacityUnits", 2.0)]


def told(table, kind, units):
    each = {"CapacityUnits": units, kind: units}
    return {"TableName": table, **each, "Table": each}
