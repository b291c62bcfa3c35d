"""Two clients, one of them through DAX: what it sees, and what it does not see yet."""

import msgspec
import pytest

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.dax.cache.caches import Caches, Lifetimes
from hashrange.dax.cached.rows import cached_rows, refresh_rows
from hashrange.model.operations import OPERATION_FACTS
from tests.unit.api.dynamodb.still_server import CALLER, StillServer

KEY = {"pk": {"S": "a"}}
OLD, NEW = {**KEY, "v": {"N": "1"}}, {**KEY, "v": {"N": "2"}}
BY_PK = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}}
SET = {"UpdateExpression": "SET v = :v", "ExpressionAttributeValues": {":v": {"N": "2"}}}


def test_rows_are_those_of_dax():
    rows = cached_rows(Caches(1_000_000, Lifetimes()), lambda: 0, lambda _caller, _request: None)
    served = {name for name, facts in OPERATION_FACTS.items() if facts.dax_metric is not None}
    assert rows.keys() == served
    assert {name for name in served if rows[name] is OPERATIONS[name]} == {"TransactGetItems"}


class Dax:
    """A client of a cluster in front of the server; refreshes are done on demand."""

    def __init__(self, server, lifetimes=None):
        self.server = server
        self.caches = Caches(1_000_000, lifetimes or Lifetimes())
        self.waiting = []
        self.rows = cached_rows(
            self.caches, server.now_ms, lambda caller, request: self.waiting.append(request)
        )

    def call(self, operation, **request):
        typed = msgspec.convert(request, OPERATIONS[operation].request)
        return self.perform(operation, typed, self.rows)

    def perform(self, operation, typed, rows):
        self.server.spent.clear()
        performer = self.server.pipeline.performer(operation, CALLER, rows)
        return msgspec.json.decode(msgspec.json.encode(self.server.run(performer(typed))))

    def refresh(self):
        """Do what is to be done in the background; the read units that it consumed."""
        rows = refresh_rows(self.caches, self.server.now_ms)
        for request in self.waiting:
            self.perform("TransactGetItems", request, rows)
        self.waiting.clear()
        return sum(each.read_units for each in self.server.spent)

    def get(self, key=KEY, **more):
        answer = self.call("GetItem", TableName="a-table", Key=key, **more)
        return answer.get("Item")

    def put(self, item, **more):
        return self.call("PutItem", TableName="a-table", Item=item, **more)

    def update(self, **more):
        return self.call("UpdateItem", TableName="a-table", Key=KEY, **more)

    def delete(self):
        return self.call("DeleteItem", TableName="a-table", Key=KEY)

    def query(self, **more):
        return self.call("Query", TableName="a-table", **BY_PK, **more)["Items"]

    def scan(self, **more):
        return self.call("Scan", TableName="a-table", **more)["Items"]

    def units(self):
        """The read units of the last call."""
        return sum(each.read_units for each in self.server.spent)


@pytest.fixture
def server():
    server = StillServer()
    server.create(BillingMode="PAY_PER_REQUEST")
    yield server
    server.end()


@pytest.fixture
def dax(server):
    return Dax(server)


def test_a_hit_consumes_nothing(server, dax):
    server.call("PutItem", Item=OLD)
    capacity = {"ReturnConsumedCapacity": "TOTAL", "TableName": "a-table", "Key": KEY}
    assert dax.call("GetItem", **capacity)["ConsumedCapacity"]["CapacityUnits"] == 0.5
    assert dax.call("GetItem", **capacity) == {"Item": OLD}
    assert dax.units() == 0


def test_a_strongly_consistent_read_passes_by_and_leaves_the_cache_as_it_is(server, dax):
    server.call("PutItem", Item=OLD)
    dax.get()
    server.call("PutItem", Item=NEW)
    assert dax.get(ConsistentRead=True) == NEW
    assert dax.get() == OLD
    transacted = dax.call(
        "TransactGetItems", TransactItems=[{"Get": {"TableName": "a-table", "Key": KEY}}]
    )
    assert transacted["Responses"] == [{"Item": NEW}]
    assert dax.get() == OLD


def test_a_projection_is_of_the_whole_item_in_the_cache(server, dax):
    server.call("PutItem", Item=OLD)
    projected = {"ProjectionExpression": "v"}
    assert dax.get(**projected) == {"v": {"N": "1"}}
    assert (dax.get(), dax.units()) == (OLD, 0)
    server.call("PutItem", Item=NEW)
    assert dax.get(**projected) == {"v": {"N": "1"}}


def test_pages_are_kept_by_all_their_parameters(server, dax):
    dax.put(OLD)
    dax.query()
    dax.put(NEW)
    assert dax.query(Limit=7) == [NEW]
    assert dax.query(ScanIndexForward=False) == [NEW]
    assert dax.query(ReturnConsumedCapacity="TOTAL") == [OLD]
    assert dax.scan() == [NEW]


def test_pages_do_not_fill_the_item_cache(server, dax):
    server.call("PutItem", Item=OLD)
    dax.query()
    server.call("PutItem", Item=NEW)
    assert dax.get() == NEW


def test_a_batch_serves_each_key_by_itself(server, dax):
    other = {"pk": {"S": "b"}}
    server.call("PutItem", Item=OLD)
    dax.get()
    server.call("PutItem", Item=NEW)
    server.call("PutItem", Item=other)
    gets = {"RequestItems": {"a-table": {"Keys": [KEY, other, {"pk": {"S": "c"}}]}}}
    found = dax.call("BatchGetItem", **gets)["Responses"]["a-table"]
    assert sorted(found, key=lambda item: item["pk"]["S"]) == [OLD, other]
    assert dax.units() == 1.0
    found = dax.call("BatchGetItem", **gets)["Responses"]["a-table"]
    assert sorted(found, key=lambda item: item["pk"]["S"]) == [OLD, other]
    assert dax.units() == 0
    consistent = {"RequestItems": {"a-table": {"Keys": [KEY], "ConsistentRead": True}}}
    assert dax.call("BatchGetItem", **consistent)["Responses"]["a-table"] == [NEW]
    assert dax.get() == OLD


def test_a_batch_of_writes_is_seen_at_once(server, dax):
    dax.put(OLD)
    writes = [
        {"DeleteRequest": {"Key": KEY}},
        {"PutRequest": {"Item": {"pk": {"S": "b"}, "v": {"N": "3"}}}},
    ]
    dax.call("BatchWriteItem", RequestItems={"a-table": writes})
    assert (dax.get(), dax.units()) == (None, 0)
    assert (dax.get({"pk": {"S": "b"}})["v"], dax.units()) == ({"N": "3"}, 0)


def test_what_a_transaction_wrote_is_read_in_the_background_and_charged(server, dax):
    dax.put(OLD)
    put = {"Put": {"TableName": "a-table", "Item": NEW}}
    check = {
        "ConditionCheck": {
            "TableName": "a-table",
            "Key": {"pk": {"S": "b"}},
            "ConditionExpression": "attribute_not_exists(pk)",
        }
    }
    dax.call("TransactWriteItems", TransactItems=[put, check])
    assert dax.refresh() == 2
    assert (dax.get(), dax.units()) == (NEW, 0)
    # Without the refresh no old entry is left.
    dax.call("TransactWriteItems", TransactItems=[{"Delete": {"TableName": "a-table", "Key": KEY}}])
    assert dax.get() is None
