"""What tables and indexes with scalable targets consume, each by itself."""

import pytest

from hashrange.api.admission.consumption import ScaledUnits
from hashrange.api.steps.unit_counting import UnitCounting
from tests.api.indexes import attributes, index_of, units
from tests.unit.api.admission.throttled_server import ThrottledServer
from tests.unit.api.dynamodb.still_server import StillServer

TABLE, INDEX = ("", ("a-table",)), ("", ("a-table", "by_g"))
DEFINITION = {
    "AttributeDefinitions": attributes(pk="S", g="S"),
    "GlobalSecondaryIndexes": [index_of("by_g", "g", **units(50, 50))],
    **units(50, 50),
}
QUERY = {
    "IndexName": "by_g",
    "KeyConditionExpression": "g = :g",
    "ExpressionAttributeValues": {":g": {"S": "x"}},
}


@pytest.fixture(params=[StillServer, ThrottledServer])
def server(request):
    """A server that admits all, and one that throttles."""
    made = request.param()
    made.create(**DEFINITION)
    made.scaled = ScaledUnits()
    counting = UnitCounting(made.scaled, made.pipeline.limit)
    counting.stand_before(made.pipeline.admission)
    made.counting = counting
    yield made
    made.end()


def put(server, pk, **more):
    server.call("PutItem", Item={"pk": {"S": pk}, **more})


def test_units_of_an_index_are_its_own(server):
    server.scaled.follow({TABLE, INDEX})
    put(server, "a", g={"S": "x"})
    put(server, "b")
    server.call("Query", **QUERY)
    server.call("GetItem", Key={"pk": {"S": "a"}}, ConsistentRead=True)
    assert server.scaled.totals == {TABLE: (1.0, 2.0), INDEX: (0.5, 1.0)}


def test_batches_transactions_and_statements_count(server):
    server.scaled.follow({TABLE, INDEX})
    item = {"pk": {"S": "a"}, "g": {"S": "x"}}
    server.call("BatchWriteItem", RequestItems={"a-table": [{"PutRequest": {"Item": item}}]})
    server.call(
        "TransactWriteItems",
        TransactItems=[{"Delete": {"TableName": "a-table", "Key": {"pk": {"S": "a"}}}}],
    )
    text = "INSERT INTO \"a-table\" VALUE {'pk': 'p', 'g': 'x'}"
    server.call("ExecuteStatement", Statement=text)
    server.call("BatchExecuteStatement", Statements=[{"Statement": text.replace("'p'", "'q'")}])
    assert server.scaled.totals == {TABLE: (0.0, 5.0), INDEX: (0.0, 4.0)}


# Without targets the pipeline does not know of it; a table that is not scaled is not counted.
def test_only_what_is_followed_is_counted(server):
    before = server.pipeline.admission
    put(server, "a", g={"S": "x"})
    assert server.pipeline.admission is before
    server.scaled.follow({TABLE})
    assert server.pipeline.admission is server.counting
    put(server, "a", g={"S": "y"})
    assert server.scaled.totals == {TABLE: (0.0, 1.0)}
    server.scaled.follow(set())
    put(server, "a", g={"S": "z"})
    assert (server.pipeline.admission, server.scaled.totals) == (before, {})


def test_namespaces_are_apart():
    counted = ScaledUnits()
    mine, other = (f"{account}:us-east-1" for account in ("111111111111", "222222222222"))
    counted.follow({(mine, ("t",))})
    (key,) = counted.tables
    counted.count(key, None, 1.0, 2.0)
    counted.count(key.replace(b"1111", b"2222"), None, 1.0, 2.0)
    assert counted.totals == {(mine, ("t",)): (1.0, 2.0)}
    assert (other, ("t",)) not in counted.totals
