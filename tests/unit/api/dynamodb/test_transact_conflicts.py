"""What meets a transaction that is not durable yet: refused where DynamoDB refuses, and only there.

A gate holds the transaction's write, so that each kind of meeting happens for certain.
"""

import asyncio

import pytest

from hashrange.errors import DynamoError, Fault
from hashrange.messages.items.operations import conflict, in_progress
from hashrange.storage.engine import StorageError
from hashrange.tables.verifying.verify import findings
from tests.api.transactions import CONFLICT, NONE, check, delete, get, put, update
from tests.engines.gate import GateEngine
from tests.pace import loop_until
from tests.unit.api.dynamodb.still_server import StillServer

T = "a-table"
A, B, C = ({"pk": {"S": letter}} for letter in "abc")
OLD, NEW = {"n": {"N": "1"}}, {"n": {"N": "2"}}


class Server(StillServer):
    """A server on one table with the item A, of which a write can be held."""

    def __init__(self):
        super().__init__(transient_ms=0)
        self.create(BillingMode="PAY_PER_REQUEST")
        self.call("PutItem", Item={**A, **OLD})
        self.gate = self.store.engine = GateEngine(self.engine)

    def held(self, operation, **request):
        """An operation whose write waits; later ones do not. The task, and what lets it go."""
        self.gate.close()
        task = self._loop.create_task(self.performed(operation, **request))
        self.run(self.arrived(self.gate.waiting + 1))
        return task, self.gate.let_pass()

    async def arrived(self, number):
        await loop_until(lambda: self.gate.waiting == number)

    def transact(self, *actions, **request):
        return self.call("TransactWriteItems", TransactItems=actions, **request)

    def reasons(self, operation, *actions, **request):
        with pytest.raises(DynamoError) as refused:
            self.call(operation, TransactItems=actions, **request)
        assert refused.value.fault is Fault.TRANSACTION_CANCELLED
        return [
            {name: value for name, value in told(reason).items() if value is not None}
            for reason in refused.value.members["CancellationReasons"]
        ]

    def conflicts(self):
        """The count of the metric TransactionConflict."""
        return sum(each.conflicts for each in self.spent)

    def items(self):
        return {item["pk"]["S"]: item for item in self.call("Scan")["Items"]}


def told(reason):
    return {"Code": reason.code, "Message": reason.message, "Item": reason.item}


@pytest.fixture
def server():
    made = Server()
    yield made
    assert made.store.in_flight == {}
    assert made.run(findings(made.engine)) == []
    made.end()


@pytest.fixture
def let_go(server):
    """A transaction is about to write A and to check B; ends it, which must go well."""
    task, release = server.held(
        "TransactWriteItems",
        TransactItems=[put(T, {**A, **NEW}), check(T, B, "attribute_not_exists(pk)")],
    )

    def done():
        release()
        assert server.run(task) == {}
        assert server.items()["a"] == {**A, **NEW}

    yield done
    if not task.done():
        done()


# J.4, catalogue 206: single writes on its items are refused, on those that it only checks too, and
# no others.
@pytest.mark.parametrize(
    ("operation", "members"),
    [
        ("PutItem", lambda key: {"Item": key}),
        ("DeleteItem", lambda key: {"Key": key}),
        ("UpdateItem", lambda key: {"Key": key, "UpdateExpression": "SET x = pk"}),
    ],
)
def test_single_writes(server, let_go, operation, members):
    for key in (A, B):
        for condition in ({}, {"ConditionExpression": "attribute_exists(gone)"}):
            told = server.refused(operation, **members(key), **condition)
            assert told == (Fault.TRANSACTION_CONFLICT, conflict())
    assert server.call(operation, **members(C)) == {}
    assert server.items()["a"] == {**A, **OLD}
    let_go()
    assert server.call(operation, **members(A)) == {}


# J.4: what a batch cannot do it gives back, as it was sent; the rest is done.
def test_batches(server, let_go):
    writes = [
        {"PutRequest": {"Item": {**A, "n": {"N": "03"}}}},
        {"PutRequest": {"Item": C}},
        {"DeleteRequest": {"Key": B}},
    ]
    asked = {"ReturnConsumedCapacity": "TOTAL"}
    told = server.call("BatchWriteItem", RequestItems={T: writes}, **asked)
    assert told == {
        "UnprocessedItems": {T: [writes[0], writes[2]]},
        "ConsumedCapacity": [{"TableName": T, "CapacityUnits": 1.0}],
    }
    assert server.items() == {"a": {**A, **OLD}, "c": C}
    told = server.call("BatchWriteItem", RequestItems={T: [writes[0]]})
    assert told == {"UnprocessedItems": {T: [writes[0]]}}
    let_go()
    told = server.call("BatchWriteItem", RequestItems={T: writes})
    assert told == {"UnprocessedItems": {}}
    assert server.items() == {"a": {**A, "n": {"N": "3"}}, "c": C}


# J.4: reads never meet it, and see what there was before.
def test_reads(server, let_go):
    assert server.call("GetItem", Key=A) == {"Item": {**A, **OLD}}
    told = server.call("BatchGetItem", RequestItems={T: {"Keys": [A, B]}})
    assert told["Responses"] == {T: [{**A, **OLD}]}
    query = {"KeyConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": A["pk"]}}
    assert server.call("Query", **query)["Items"] == [{**A, **OLD}]
    assert server.items() == {"a": {**A, **OLD}}
    let_go()


# A transaction of reads meets what is written, not what is only checked.
def test_transactions_of_reads(server, let_go):
    told = server.reasons("TransactGetItems", get(T, C), get(T, A), get(T, B))
    assert told == [NONE, CONFLICT, NONE]
    assert server.conflicts() == 1
    spent = len(server.spent)
    told = server.call("TransactGetItems", TransactItems=[get(T, C), get(T, B)])
    assert told == {"Responses": [{}, {}]}
    assert len(server.spent) == spent + 1
    let_go()
    told = server.call("TransactGetItems", TransactItems=[get(T, A)])
    assert told == {"Responses": [{"Item": {**A, **NEW}}]}


# A transaction of writes meets both; each action says whether it has met it.
@pytest.mark.parametrize(
    "action",
    [
        put,
        delete,
        lambda table, key: update(table, key, "SET x = pk"),
        lambda table, key: check(table, key, "attribute_exists(gone)"),
    ],
)
def test_transactions_of_writes(server, let_go, action):
    told = server.reasons("TransactWriteItems", action(T, C), action(T, A), action(T, B))
    assert told == [NONE, CONFLICT, CONFLICT]
    assert server.conflicts() == 2
    assert server.items() == {"a": {**A, **OLD}}
    let_go()


# Transactions that have no item in common do not meet.
def test_transactions_side_by_side(server, let_go):
    assert server.transact(put(T, C)) == {}
    first, release_first = server.held("TransactWriteItems", TransactItems=[delete(T, C)])
    assert server.reasons("TransactWriteItems", put(T, C)) == [CONFLICT]
    release_first()
    server.run(first)
    assert server.reasons("TransactWriteItems", put(T, A)) == [CONFLICT]
    let_go()


# Single writes do not meet each other, nor does a transaction meet one that came before it.
def test_single_writes_queue(server):
    write, release = server.held("PutItem", Item={**A, **NEW})
    server.call("UpdateItem", Key=A, UpdateExpression="SET x = pk")
    assert server.transact(delete(T, A)) == {}
    release()
    server.run(write)
    assert server.items() == {"a": {**A, **NEW}}


# J.1, catalogue 205: a token of a transaction that runs is told so, whatever it is sent with.
def test_token_that_runs(server):
    request = {"TransactItems": [put(T, C)], "ClientRequestToken": "token"}
    running, release = server.held("TransactWriteItems", **request)
    expected = (Fault.TRANSACTION_IN_PROGRESS, in_progress())
    assert server.refused("TransactWriteItems", **request) == expected
    other = {**request, "TransactItems": [put(T, B)]}
    assert server.refused("TransactWriteItems", **other) == expected
    assert server.transact(put(T, B), ClientRequestToken="another") == {}
    release()
    assert server.run(running) == {}
    assert server.call("TransactWriteItems", **request) == {}


# Who has been done is told so, though another transaction is at the item by now.
def test_done_before_the_other_came(server):
    request = {
        "TransactItems": [put(T, {**A, "x": {"S": "x" * 5000}})],
        "ClientRequestToken": "token",
        "ReturnConsumedCapacity": "TOTAL",
    }
    server.call("TransactWriteItems", **request)
    server.call("PutItem", Item=A)
    other, release = server.held("TransactWriteItems", TransactItems=[put(T, {**A, **NEW})])
    (told,) = server.perform("TransactWriteItems", **request)
    assert told["ReadCapacityUnits"] == 4.0
    request["TransactItems"] = [put(T, {**A, **OLD})]
    refused = server.refused("TransactWriteItems", **request)
    assert refused[0] is Fault.IDEMPOTENT_PARAMETER_MISMATCH
    release()
    server.run(other)
    assert server.items() == {"a": {**A, **NEW}}


# However a transaction ends, its items are free again.
def test_items_are_free_afterwards(server):
    assert server.reasons("TransactWriteItems", check(T, A, "attribute_exists(gone)")) != []
    assert server.store.in_flight == {}

    async def failing(*_, **__):
        raise StorageError("the disk is on fire")

    write, server.gate.write = server.gate.write, failing
    with pytest.raises(StorageError):
        server.transact(put(T, A), ClientRequestToken="token")
    server.gate.write = write
    assert server.store.in_flight == {}
    task, release = server.held("TransactWriteItems", TransactItems=[put(T, {**A, **NEW})])
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        server.run(task)
    release()
    assert server.store.in_flight == {}
    server.call("PutItem", Item=C)


# A table that changes meanwhile is planned with anew.
def test_a_table_that_changes(server):
    task, release = server.held("TransactWriteItems", TransactItems=[put(T, {**A, **NEW})])
    server.update(DeletionProtectionEnabled=True)
    release()
    assert server.run(task) == {}
    assert server.items() == {"a": {**A, **NEW}}
    server.update(DeletionProtectionEnabled=False)


# A conflict costs nothing that could be known; what it would write stays away.
def test_a_conflict_is_not_charged(server, let_go):
    spent = len(server.spent)
    server.reasons("TransactWriteItems", put(T, A), put(T, C))
    assert [each for each in server.spent[spent:] if each.write_units] == []
    assert "c" not in server.items()
