"""What is answered to who loses to other servers at each try, and that nothing came of it.

An engine loses on purpose; what the others do meanwhile is done through another pipeline.
"""

import msgspec
import pytest

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.requests.pipeline import Pipeline
from hashrange.errors import DynamoError, Fault
from hashrange.observe.metrics import Metrics
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.store import Store
from tests.api.transactions import CONFLICT, NONE, check, get, put
from tests.engines.losing import LosingEngine, nothing
from tests.unit.api.dynamodb.still_server import CALLER, StillServer
from tests.unit.api.dynamodb.test_transact_conflicts import told

T = "a-table"
A, B, C = ({"pk": {"S": letter}} for letter in "abc")
HOT = (
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically "
    "scaling your table or index so please try again shortly. If exceptions persist, check if you "
    "have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
    "bp-partition-key-design.html"
)


class Server(StillServer):
    """A server on one table with the item A, whose writes lose once `losing` says to whom."""

    def __init__(self):
        super().__init__(transient_ms=0, wrap=LosingEngine)
        self.create(BillingMode="PAY_PER_REQUEST")
        self.call("PutItem", Item=A)
        self.losing = self.store.engine
        self._others = Pipeline(Store(self.engine, self), Catalog(self.engine), Metrics().consumed)

    async def others_put(self, key, count):
        request = {"TableName": T, "Item": {**key, "n": {"N": str(next(count))}}}
        typed = msgspec.convert(request, OPERATIONS["PutItem"].request)
        await self._others.perform("PutItem", typed, CALLER)

    def reasons(self, operation, *actions, **request):
        with pytest.raises(DynamoError) as refused:
            self.call(operation, TransactItems=actions, **request)
        assert refused.value.fault is Fault.TRANSACTION_CANCELLED
        reasons = [told(reason) for reason in refused.value.members["CancellationReasons"]]
        return [
            {name: value for name, value in reason.items() if value is not None}
            for reason in reasons
        ]


@pytest.fixture
def server():
    made = Server()
    yield made
    assert made.run(findings(made.engine)) == []
    made.end()


# SDKs try these again by themselves, with growing pauses; nothing has happened.
@pytest.mark.parametrize(
    ("number", "operation", "request_", "text"),
    [
        (283, "PutItem", {"Item": B}, HOT),
        (283, "UpdateItem", {"Key": A, "UpdateExpression": "SET n = pk"}, HOT),
        (283, "DeleteItem", {"Key": A}, HOT),
        (283, "BatchWriteItem", {"RequestItems": {T: [{"PutRequest": {"Item": B}}]}}, HOT),
        (None, "UpdateTable", {"DeletionProtectionEnabled": True}, "Rate exceeded"),
        (None, "DeleteTable", {}, "Rate exceeded"),
    ],
)
def test_what_loses_is_throttled(server, number, operation, request_, text):
    server.losing.others = nothing
    refused = server.refused(operation, **request_)
    assert refused == (Fault.THROTTLED, text)
    server.losing.others = None
    assert server.call("Scan")["Items"] == [A]
    assert not server.describe()["DeletionProtectionEnabled"]


# What is known of the reasons: the items that others changed between the tries.
def test_a_transaction_names_the_items_that_it_lost(server):
    count = iter(range(100))
    server.losing.others = lambda: server.others_put(B, count)
    reasons = server.reasons(
        "TransactWriteItems", put(T, A), put(T, B), check(T, C, "attribute_not_exists(pk)")
    )
    assert reasons == [NONE, CONFLICT, NONE]
    server.losing.others = None
    assert server.call("GetItem", Key=A)["Item"] == A


# Something else was in its way: any of them may be it.
def test_a_transaction_that_lost_it_knows_not_what(server):
    server.losing.others = nothing
    assert server.reasons("TransactWriteItems", put(T, A), put(T, B)) == [CONFLICT, CONFLICT]


def test_a_transaction_that_reads_is_cancelled_alike(server):
    server.losing.loses_reads = True
    assert server.reasons("TransactGetItems", get(T, A), get(T, B)) == [CONFLICT, CONFLICT]


# A cancelled transaction leaves no token, and its items are free: sent again, it is done.
def test_sent_again_it_is_done_once(server):
    server.losing.others = nothing
    for _ in range(2):
        server.reasons("TransactWriteItems", put(T, B), ClientRequestToken="token")
    server.losing.others = None
    for _ in range(2):
        server.call("TransactWriteItems", TransactItems=[put(T, B)], ClientRequestToken="token")
    assert len(server.call("Scan")["Items"]) == 2
    assert server.store.in_flight == {}
