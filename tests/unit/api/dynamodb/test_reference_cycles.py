"""Requests leave no cycles of references."""

import pytest

from hashrange.errors import DynamoError
from tests.unit.api.dynamodb.still_server import StillServer
from tests.unit.garbage import no_garbage

KEY = {"pk": {"S": "a"}}
ABSENT = "attribute_not_exists(pk)"
OTHER = {":v": {"S": "other"}}
PUT = {"TableName": "a-table", "Item": KEY, "ConditionExpression": ABSENT}
SELECT = {"Statement": "SELECT * FROM \"a-table\" WHERE pk = 'a'"}
INSERT = {"Statement": "INSERT INTO \"a-table\" VALUE {'pk': 'a'}"}
REQUESTS = {
    "GetItem": {"Key": KEY},
    "PutItem": {"Item": {**KEY, "v": {"S": "w"}}},
    "Query": {"KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": OTHER},
    "Scan": {},
}
REFUSED = {
    "condition of a put": ("PutItem", PUT),
    "condition of an update": (
        "UpdateItem",
        {
            "Key": KEY,
            "UpdateExpression": "SET v = :v",
            "ConditionExpression": "v = :v",
            "ExpressionAttributeValues": OTHER,
        },
    ),
    "condition of a delete": ("DeleteItem", {"Key": KEY, "ConditionExpression": ABSENT}),
    "path of an update": (
        "UpdateItem",
        {"Key": KEY, "UpdateExpression": "SET m.x = :v", "ExpressionAttributeValues": OTHER},
    ),
    "size of an update": (
        "UpdateItem",
        {
            "Key": KEY,
            "UpdateExpression": "SET w = :v",
            "ExpressionAttributeValues": {":v": {"S": "x" * 409_600}},
        },
    ),
    "key of a put": ("PutItem", {"Item": {"other": {"S": "a"}}}),
    "condition that is none": ("PutItem", {**PUT, "ConditionExpression": "pk"}),
    "limit of a scan": ("Scan", {"Limit": 0}),
    "table of a get": ("GetItem", {"TableName": "no-table", "Key": KEY}),
    "statement": ("ExecuteStatement", INSERT),
    "statement that cannot be read": ("ExecuteStatement", {"Statement": "SELECT (1"}),
    "clause of a statement": (
        "ExecuteStatement",
        {"Statement": "SELECT * FROM \"a-table\" WHERE pk = 'a' LIMIT 5"},
    ),
    "transaction": ("TransactWriteItems", {"TransactItems": [{"Put": PUT}]}),
    "keys of a transaction": (
        "TransactGetItems",
        {"TransactItems": [{"Get": {"TableName": "a-table", "Key": {"other": {"S": "a"}}}}]},
    ),
    "types of a transaction": (
        "TransactWriteItems",
        {"TransactItems": [{"Delete": {"TableName": "a-table", "Key": {"pk": {"N": "1"}}}}]},
    ),
    "batch of reads and writes": (
        "BatchExecuteStatement",
        {"Statements": [SELECT, INSERT, {"Statement": "no statement"}]},
    ),
    "transaction of statements": ("ExecuteTransaction", {"TransactStatements": [INSERT]}),
}


@pytest.fixture(scope="module")
def server():
    server = StillServer()
    server.create(BillingMode="PAY_PER_REQUEST")
    server.call("PutItem", Item={**KEY, "v": {"S": "v"}})
    yield server
    server.end()


def refusals(server, operation, request):
    """How many of some requests are refused; they leave no garbage."""

    async def refused():
        try:
            await server.performed(operation, **request)
        except DynamoError:
            return 1
        return 0

    server.run(refused())  # what is made once
    with no_garbage():
        return sum(server.run(refused()) for _ in range(5))


@pytest.mark.parametrize("operation", REQUESTS)
def test_requests(operation, server):
    assert refusals(server, operation, REQUESTS[operation]) == 0


@pytest.mark.parametrize("case", REFUSED)
def test_refused_requests(case, server):
    assert refusals(server, *REFUSED[case]) == 5


def test_statements_of_a_batch_that_are_refused(server):
    batch = {"Statements": [INSERT, {"Statement": "no statement"}]}
    assert refusals(server, "BatchExecuteStatement", batch) == 0
