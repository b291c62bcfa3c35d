"""Tokens of transactions over time: known for ten minutes, then forgotten, and then removed."""

import logging
from types import SimpleNamespace

import msgspec
import pytest

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import Caller
from hashrange.background.expirer import PAUSE_SECONDS, TOKENS_LOOK_SECONDS, TokenSweeper
from hashrange.errors import Fault
from hashrange.observe.metrics import Metrics
from hashrange.storage.engine import Changes, StorageError
from hashrange.tables.keys import system_keys
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.tokens import forget_page
from tests.unit.api.dynamodb.still_server import TABLE, StillServer
from tests.unit.tables.definitions import NOON_MS

MINUTE_MS = 60 * 1000
KNOWN_MS = 10 * MINUTE_MS
PAGE = 250
KEY = {"pk": {"S": "a"}}
COUNT = {
    "Update": {
        "TableName": "a-table",
        "Key": KEY,
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
}


class Server(StillServer):
    """Counts with tokens."""

    def __init__(self):
        super().__init__(transient_ms=0)
        self.create(BillingMode="PAY_PER_REQUEST")
        self.time_ms = NOON_MS

    def count(self, token="token", **request):
        request = {"TransactItems": [COUNT], "ClientRequestToken": token, **request}
        return self.call("TransactWriteItems", **request)

    def counted(self):
        return int(self.call("GetItem", Key=KEY)["Item"]["n"]["N"])

    def tokens(self):
        start, end = system_keys.tokens_range()
        pairs = self.run(self.engine.scan(start, end, limit=10_000, bytes_max=10**8))
        return [key.rpartition(b":")[2].decode() for key, _ in pairs]

    def forget(self):
        """Pages until there is no more."""
        pages = 1
        while self.run(forget_page(self.engine, self.time_ms)):
            pages += 1
        return pages


@pytest.fixture
def server():
    made = Server()
    yield made
    assert made.run(findings(made.engine)) == []
    made.end()


# Ten minutes from when it was complete, whenever that was.
@pytest.mark.parametrize("begun_ms", [0, 1, MINUTE_MS, KNOWN_MS - 1, KNOWN_MS])
def test_known_for_ten_minutes(server, begun_ms):
    server.later(begun_ms)
    server.count()
    server.later(KNOWN_MS - 1)
    server.count()
    assert server.counted() == 1
    server.later(1)
    server.count()
    assert server.counted() == 2
    # It is complete anew, and known for as long again.
    server.later(KNOWN_MS - 1)
    server.count()
    assert server.counted() == 2


# Once it is forgotten it may stand for anything.
def test_forgotten(server):
    server.count()
    other = {"TransactItems": [{"Delete": {"TableName": "a-table", "Key": KEY}}]}
    server.later(KNOWN_MS - 1)
    fault, _ = server.refused("TransactWriteItems", ClientRequestToken="token", **other)
    assert fault is Fault.IDEMPOTENT_PARAMETER_MISMATCH
    server.later(1)
    server.count(**other)
    assert "Item" not in server.call("GetItem", Key=KEY)


# A clock that is set back, or another server's that is behind, must not do a thing twice.
@pytest.mark.parametrize("behind_ms", [1, MINUTE_MS, KNOWN_MS])
def test_a_clock_that_is_behind(server, behind_ms):
    server.count()
    server.later(-behind_ms)
    server.count()
    assert server.counted() == 1


# What is swept is what nobody can ask for any more: each token is looked for until then.
def test_swept_when_it_is_old(server):
    for minute in range(60):
        server.count(f"{minute:02}")
        server.forget()
        known = {f"{each:02}" for each in range(max(0, minute - 10), minute + 1)}
        assert known <= set(server.tokens())
        server.later(MINUTE_MS)
    assert len(server.tokens()) <= 40
    assert server.counted() == 60
    server.later(4 * KNOWN_MS)
    server.forget()
    assert server.tokens() == []


# Page by page, so that requests come between, and a stop in between loses nothing.
def test_swept_in_pages(server):
    for number in range(2 * PAGE + 1):
        server.count(str(number))
    server.later(4 * KNOWN_MS)
    server.count("new")
    assert server.run(forget_page(server.engine, server.time_ms)) is True
    assert len(server.tokens()) == PAGE + 2
    assert server.forget() == 2
    assert server.tokens() == ["new"]
    assert server.forget() == 1


# What is due when a test has moved the clock goes at once, and not a page a pass.
def test_drained_sweeper_leaves_no_page(server):
    for number in range(2 * PAGE + 1):
        server.count(str(number))
    server.later(4 * KNOWN_MS)
    server.run(TokenSweeper(server.engine, server.now_ms).drain())
    assert server.tokens() == []


# A cancelled transaction leaves its token for ten minutes, from when it was cancelled first.
def test_cancelled(server):
    check = {"TableName": "a-table", "Key": KEY, "ConditionExpression": "attribute_exists(pk)"}
    cancelled = {"TransactItems": [{"ConditionCheck": check}], "ClientRequestToken": "token"}
    other = {"TransactItems": [COUNT], "ClientRequestToken": "token"}
    for _ in range(3):
        fault, _ = server.refused("TransactWriteItems", **cancelled)
        assert fault is Fault.TRANSACTION_CANCELLED
        fault, _ = server.refused("TransactWriteItems", **other)
        assert fault is Fault.IDEMPOTENT_PARAMETER_MISMATCH
        server.later(KNOWN_MS // 3)
    assert server.tokens() == ["token"]
    server.later(1)
    server.count()
    server.count()
    assert server.counted() == 1
    server.later(4 * KNOWN_MS)
    server.forget()
    assert server.tokens() == []


# It is done once, in whichever period of ten minutes it was cancelled before.
@pytest.mark.parametrize("later_ms", [0, MINUTE_MS, KNOWN_MS - 1])
def test_cancelled_and_then_done(server, later_ms):
    server.time_ms += MINUTE_MS * 3
    put = {"TableName": "a-table", "Item": KEY, "ConditionExpression": "attribute_exists(pk)"}
    request = {"TransactItems": [{"Put": put}], "ClientRequestToken": "token"}
    server.refused("TransactWriteItems", **request)
    server.later(later_ms)
    server.call("PutItem", Item={**KEY, "n": {"N": "1"}})
    server.call("TransactWriteItems", **request)
    server.call("PutItem", Item={**KEY, "n": {"N": "1"}})
    server.later(KNOWN_MS - 1)
    server.call("TransactWriteItems", **request)
    assert server.counted() == 1


# It rests between two pages, longer when there is no more, and does not end with a failure.
def test_sweeper(server, caplog):
    for number in range(PAGE + 1):
        server.count(str(number))
    server.later(4 * KNOWN_MS)
    sweeper = TokenSweeper(server.engine, server.now_ms)

    async def failing(*_, **__):
        raise StorageError("the disk is on fire")

    with caplog.at_level(logging.WARNING):
        broken = TokenSweeper(SimpleNamespace(scan=failing), server.now_ms)
        assert server.run(broken.sweep()) == TOKENS_LOOK_SECONDS
    assert "removing old client tokens failed" in caplog.text
    assert server.run(sweeper.sweep()) == PAUSE_SECONDS
    assert server.run(sweeper.sweep()) == TOKENS_LOOK_SECONDS
    assert server.tokens() == []


# An earlier version of the server stored no sizes: the present ones stand for them.
def test_token_without_sizes(server):
    server.count(ReturnConsumedCapacity="TOTAL")
    key = system_keys.token_key(NOON_MS // KNOWN_MS, ":token")
    (row,) = server.run(server.engine.read([key]))
    old = b"\x01" + row[1:25]
    server.run(server.engine.write([key], lambda _: Changes(answer=None, puts={key: old})))
    server.call("PutItem", Item={**KEY, "n": {"N": "1"}, "a": {"S": "x" * 5000}})
    told = server.count(ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]
    assert [each["ReadCapacityUnits"] for each in told] == [4.0]
    assert server.counted() == 1


# `hashrange verify` reads tokens too: what cannot be read there would fail a request.
@pytest.mark.parametrize(
    "row",
    [
        b"",
        *(
            bytes([form]) + bytes(rest)
            for form, rest in ((1, 23), (1, 28), (2, 24), (2, 27), (3, 23), (3, 28), (4, 28))
        ),
    ],
)
def test_verified(server, row):
    server.count()
    key = system_keys.token_key(3, ":spoilt")
    server.run(server.engine.write([key], lambda _: Changes(answer=None, puts={key: row})))
    (finding,) = server.run(findings(server.engine))
    assert finding == f"catalog: the token at {key.hex()} cannot be read"
    server.run(server.engine.write([key], lambda _: Changes(answer=None, deletes=[key])))


# In namespaces of their own two accounts may use one token.
def test_namespaces(server):
    pipeline = Pipeline(server.store, server.catalog, Metrics().consumed, separate=True)

    def call(operation, account, **request):
        typed = msgspec.convert(request, OPERATIONS[operation].request)
        caller = Caller(account, "us-east-1", "localhost")
        return server.run(pipeline.perform(operation, typed, caller))

    for account in ("111111111111", "222222222222"):
        call("CreateTable", account, **TABLE, BillingMode="PAY_PER_REQUEST")
        put = {"Put": {"TableName": "a-table", "Item": {**KEY, "by": {"S": account}}}}
        request = {"TransactItems": [put], "ClientRequestToken": "token"}
        for _ in range(2):
            call("TransactWriteItems", account, **request)
        found = call("GetItem", account, TableName="a-table", Key=KEY)
        assert msgspec.json.decode(msgspec.json.encode(found))["Item"]["by"] == {"S": account}
