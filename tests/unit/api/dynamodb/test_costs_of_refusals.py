"""What a refused write costs, by the item it looked at: no answer tells of it, but metrics do."""

import pytest

from hashrange.errors import Fault
from tests.unit.api.dynamodb.still_server import StillServer

KEY = {"pk": {"S": "p"}}
NEVER = {"ConditionExpression": "attribute_exists(never)"}
LEGACY = {"Expected": {"never": {"Exists": True, "Value": {"S": "x"}}}}
UPDATE = {
    "Key": KEY,
    "UpdateExpression": "SET b = :b",
    "ExpressionAttributeValues": {":b": KEY["pk"]},
}
LARGER = {**KEY, "a": {"S": "x" * 5000}}


@pytest.fixture
def server():
    made = StillServer(transient_ms=0)
    made.create(BillingMode="PAY_PER_REQUEST")
    yield made
    made.end()


# The item that there is counts, not what would have been written: at least one unit.
@pytest.mark.parametrize(("size", "cost"), [(None, 1.0), (1024, 1.0), (1025, 2.0), (3000, 3.0)])
@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("PutItem", {"Item": LARGER, **NEVER}),
        ("PutItem", {"Item": LARGER, **LEGACY}),
        ("DeleteItem", {"Key": KEY, **NEVER}),
        ("DeleteItem", {"Key": KEY, **LEGACY}),
        ("UpdateItem", {**UPDATE, **NEVER}),
    ],
)
def test_failed_conditions(server, operation, request_, size, cost):
    if size is not None:
        padding = "x" * (size - len("pk" + "p" + "a"))
        server.call("PutItem", Item={**KEY, "a": {"S": padding}})
    server.spent.clear()
    assert server.refused(operation, **request_)[0] is Fault.CONDITION_FAILED
    assert [(each.write_units, each.read_units) for each in server.spent] == [(cost, 0.0)]


# What is refused before an item is looked at costs nothing.
@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("PutItem", {"Item": {"sk": {"S": "x"}}}),
        ("PutItem", {"Item": KEY, "ConditionExpression": "a = "}),
        ("UpdateItem", {**UPDATE, "UpdateExpression": "SET pk = :b"}),
        ("GetItem", {"Key": {}}),
        ("Query", {"KeyConditionExpression": "pk = pk"}),
    ],
)
def test_invalid_requests(server, operation, request_):
    assert server.refused(operation, **request_)[0] is Fault.VALIDATION
    assert server.spent == []
