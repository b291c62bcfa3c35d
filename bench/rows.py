"""The rows of the benchmark: requests, and checks of their answers."""

import dataclasses
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bench import bodies
from bench.asking import Answer, Ask, Sent, encoded

_STREAMED: Final = "Streamed"
_RECOVERABLE: Final = "Recoverable"
_INDEXED: Final = "Indexed"
_BOTH: Final = "IndexedAndStreamed"
_SCHEMA: Final = {
    "AttributeDefinitions": [
        {"AttributeName": "p", "AttributeType": "S"},
        {"AttributeName": "s", "AttributeType": "S"},
    ],
    "KeySchema": [
        {"AttributeName": "p", "KeyType": "HASH"},
        {"AttributeName": "s", "KeyType": "RANGE"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
_STREAM: Final = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
_INDEXES: Final = [
    {
        "IndexName": "BySort",
        "KeySchema": [
            {"AttributeName": "s", "KeyType": "HASH"},
            {"AttributeName": "p", "KeyType": "RANGE"},
        ],
        "Projection": {"ProjectionType": "ALL"},
    }
]
_WARM_UNITS: Final = 40_000
_ACTIVE_LOOKS: Final = 100
TURN: Final = 500
"""Requests between the two turns of a key: transactions of one key that meet are refused, and wrk
leaves some out while it connects. All numbers of keys are multiples of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One kind of request.

    `body` makes the request for a key from 0 to KEYS - 1; `proof` raises AssertionError if the
    answer to it is not what the row claims to measure. `requests` is how many are made before
    they are repeated: few of those that are large. `written` is an item that is there afterwards,
    with the name of its table. Of what `is_turned` each request has two items in turn, those of a
    key and of that key plus KEYS: SQLite writes nothing for a row that stays as it is, and syncs
    nothing then. What `is_fresh` is sent once only: each request makes an item, or has a text,
    that is new.
    """

    name: str
    target: str
    body: Callable[[int], Answer]
    proof: Callable[[int, Answer], None]
    requests: int = bodies.KEYS
    is_turned: bool = False
    is_fresh: bool = False
    written: Callable[[int], tuple[str, Answer]] | None = None


def _is_selected(number: int, answer: Answer) -> None:
    (item,) = answer["Items"]
    assert item == {**bodies.item_of(number), "n": item["n"]}, answer


def _is_inserted(number: int, answer: Answer) -> None:
    del number
    assert answer == {"Items": []}, answer


def _is_put(number: int, answer: Answer) -> None:
    del number
    assert "Attributes" not in answer, answer


def _is_item(number: int, answer: Answer) -> None:
    # Whichever of its turns it was put in last.
    assert answer == {"Item": {**bodies.item_of(number), "n": answer["Item"]["n"]}}, answer


def _is_counted(number: int, answer: Answer) -> None:
    del number
    count = int(answer["Attributes"]["n"]["N"])
    assert count >= 1, answer
    assert answer["Attributes"] == {"n": {"N": str(count)}}, answer


def _is_page(number: int, answer: Answer) -> None:
    assert answer["Count"] == answer["ScannedCount"] == 1, answer
    (item,) = answer["Items"]
    assert item["p"] == bodies.key_of(number)["p"], answer
    assert item["v"] == {"S": bodies.VALUE}, answer


def _is_page_of(count: int) -> Callable[[int, Answer], None]:
    def proof(number: int, answer: Answer) -> None:
        assert answer["Count"] == answer["ScannedCount"] == count, answer["Count"]
        keys = [{"p": item["p"], "s": item["s"]} for item in answer["Items"]]
        assert keys == [bodies.page_key(number, each) for each in range(count)], keys
        assert all(item["v"] == {"S": bodies.VALUE} for item in answer["Items"]), answer

    return proof


def _is_scanned(number: int, answer: Answer) -> None:
    del number
    assert answer["Count"] == answer["ScannedCount"] == bodies.PAGE, answer["Count"]
    keys = {(item["p"]["S"], item["s"]["S"]) for item in answer["Items"]}
    assert len(keys) == bodies.PAGE, keys
    last = answer["Items"][-1]
    assert answer["LastEvaluatedKey"] == {"p": last["p"], "s": last["s"]}, answer


def _are_items(number: int, answer: Answer) -> None:
    found = {item["p"]["S"] for item in answer["Responses"][bodies.TABLE]}
    assert found == {
        bodies.key_of((number + each) % bodies.KEYS)["p"]["S"] for each in range(bodies.BATCH_READ)
    }, found
    assert not answer.get("UnprocessedKeys"), answer


def _is_processed(number: int, answer: Answer) -> None:
    del number
    assert not answer["UnprocessedItems"], answer


def _put_row(name: str, table: str) -> Row:
    return Row(
        name=name,
        target="PutItem",
        body=lambda number: {"TableName": table, "Item": bodies.turned(number)},
        proof=_is_put,
        is_turned=True,
        written=lambda number: (table, bodies.item_of(number)),
    )


PUT: Final = _put_row("put", bodies.TABLE)
PUT_STREAMED: Final = _put_row("put, streamed", _STREAMED)
PUT_RECOVERABLE: Final = _put_row("put, recoverable", _RECOVERABLE)
PUT_INDEXED: Final = _put_row("put, index", _INDEXED)
PUT_BOTH: Final = _put_row("put, index and stream", _BOTH)
GET: Final = Row(name="get", target="GetItem", body=bodies.get, proof=_is_item)
UPDATE: Final = Row(
    name="update, condition", target="UpdateItem", body=bodies.update, proof=_is_counted
)
QUERY: Final = Row(name="query, 1 item", target="Query", body=bodies.query, proof=_is_page)
QUERY_10: Final = Row(
    name="query, 10 items", target="Query", body=bodies.query_page(10), proof=_is_page_of(10)
)
QUERY_100: Final = Row(
    name="query, 100 items",
    target="Query",
    body=bodies.query_page(bodies.PAGE),
    proof=_is_page_of(bodies.PAGE),
)
SCAN: Final = Row(
    name="scan, 100 items", target="Scan", body=bodies.scan, proof=_is_scanned, requests=1
)
BATCH_GET: Final = Row(
    name="batch get of 100",
    target="BatchGetItem",
    body=bodies.batch_get,
    proof=_are_items,
    requests=500,
)


def _batch_row(name: str, table: str) -> Row:
    return Row(
        name=name,
        target="BatchWriteItem",
        body=lambda number: bodies.batch(number, table),
        proof=_is_processed,
        requests=500,
        is_turned=True,
        written=lambda number: (table, bodies.item_of((number + bodies.BATCH - 1) % bodies.KEYS)),
    )


BATCH_WRITE: Final = _batch_row("batch write of 25", bodies.TABLE)
BATCH_WRITE_BOTH: Final = _batch_row("batch, index and stream", _BOTH)
TRANSACT: Final = Row(
    name="transact of 4",
    target="TransactWriteItems",
    body=bodies.transaction,
    proof=_is_put,
    is_turned=True,
    written=lambda number: (bodies.TABLE, bodies.acted(number, bodies.ACTIONS - 1)),
)

TRANSACT_TOKEN: Final = Row(
    name="transact of 4, token",
    target="TransactWriteItems",
    body=bodies.transaction_with_token,
    proof=_is_put,
    is_fresh=True,
    written=lambda number: (bodies.TABLE, bodies.acted(number, bodies.ACTIONS - 1)),
)
TRANSACT_MIXED: Final = Row(
    name="transact, conditions",
    target="TransactWriteItems",
    body=bodies.mixed_transaction,
    proof=_is_put,
    is_fresh=True,
)

SELECT: Final = Row(
    name="select", target="ExecuteStatement", body=bodies.select, proof=_is_selected
)
SELECT_LITERAL: Final = Row(
    name="select, new literals",
    target="ExecuteStatement",
    body=bodies.select_literal,
    proof=_is_selected,
    is_fresh=True,
)
INSERT: Final = Row(
    name="insert",
    target="ExecuteStatement",
    body=bodies.insert,
    proof=_is_inserted,
    is_fresh=True,
    written=lambda number: (bodies.TABLE, bodies.inserted(number)),
)
INSERT_LITERAL: Final = Row(
    name="insert, new literals",
    target="ExecuteStatement",
    body=bodies.insert_literal,
    proof=_is_inserted,
    is_fresh=True,
    written=lambda number: (bodies.TABLE, bodies.inserted_literal(number)),
)

# In this order: what is got and updated was put before.
PUTS: Final = (PUT, PUT_STREAMED, PUT_RECOVERABLE)
ROWS: Final = (*PUTS, GET, SELECT, SELECT_LITERAL, UPDATE, QUERY, BATCH_WRITE, TRANSACT)

# On other servers: one whose data are encrypted, and one that throttles.
ENCRYPTED_ROWS: Final = tuple(
    dataclasses.replace(row, name=f"{row.name}, encrypted") for row in (PUT, GET)
)
THROTTLED_ROWS: Final = tuple(
    dataclasses.replace(row, name=f"{row.name.partition(',')[0]}, throttled")
    for row in (PUT, GET, UPDATE, QUERY)
)


def requests(row: Row) -> list[Sent]:
    """The request of each key once, or in each turn, in an order that is always the same."""
    numbers = list(range(bodies.KEYS))
    random.Random(row.name).shuffle(numbers)
    numbers = numbers[: row.requests]
    if row.is_turned:
        firsts = range(0, len(numbers), TURN)
        numbers = [
            turn * bodies.KEYS + number
            for first in firsts
            for turn in range(2)
            for number in numbers[first : first + TURN]
        ]
    return [Sent(row.target, encoded(row.body(number))) for number in numbers]


def prepare(ask: Ask, *, warm: bool = False) -> None:
    """A table, and every item once; a warm table serves as many requests as any can."""
    units = {"ReadUnitsPerSecond": _WARM_UNITS, "WriteUnitsPerSecond": _WARM_UNITS}
    create(
        ask, {**_SCHEMA, "TableName": bodies.TABLE, **({"WarmThroughput": units} if warm else {})}
    )
    items = [bodies.item_of(number) for number in range(bodies.KEYS)]
    for number in range(bodies.PARTITIONS):
        items += [
            {**bodies.item_of(0), **bodies.page_key(number, each)} for each in range(bodies.PAGE)
        ]
    for first in range(0, len(items), bodies.BATCH):
        puts = [{"PutRequest": {"Item": item}} for item in items[first : first + bodies.BATCH]]
        answer = ask("BatchWriteItem", {"RequestItems": {bodies.TABLE: puts}})
        assert not answer.get("UnprocessedItems"), answer


def prepare_stream(ask: Ask) -> None:
    """An empty table with a stream."""
    create(ask, {**_SCHEMA, "TableName": _STREAMED, "StreamSpecification": _STREAM})
    described = ask("DescribeTable", {"TableName": _STREAMED})["Table"]
    assert described.get("LatestStreamArn"), "the table has no stream"


def prepare_recovery(ask: Ask) -> None:
    """An empty table with point-in-time recovery."""
    create(ask, {**_SCHEMA, "TableName": _RECOVERABLE})
    recovery = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    ask("UpdateContinuousBackups", {"TableName": _RECOVERABLE, **recovery})


def prepare_indexes(ask: Ask) -> None:
    """Empty tables with an index of whole items, one of them with a stream too."""
    indexed = {**_SCHEMA, "GlobalSecondaryIndexes": _INDEXES}
    create(ask, {**indexed, "TableName": _INDEXED})
    create(ask, {**indexed, "TableName": _BOTH, "StreamSpecification": _STREAM})


def create(ask: Ask, request: Answer) -> None:
    """Create a table and wait until it can be used."""
    ask("CreateTable", request)
    for _ in range(_ACTIVE_LOOKS):
        described = ask("DescribeTable", {"TableName": request["TableName"]})["Table"]
        if described["TableStatus"] == "ACTIVE":
            return
        time.sleep(0.1)
    raise AssertionError(f"the table stays {described['TableStatus']}")


def prove(ask: Ask, row: Row) -> None:
    """Send a few requests of the row and check their answers."""
    for number in (0, bodies.KEYS // 2, bodies.KEYS - 1):
        table, item = (bodies.TABLE, {}) if row.written is None else row.written(number)
        key = {name: item[name] for name in ("p", "s") if item}
        if item:
            ask("DeleteItem", {"TableName": table, "Key": key})
        row.proof(number, ask(row.target, row.body(number)))
        if item:
            found = ask("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True})
            assert found["Item"] == item, found
        if item and row.is_fresh:
            ask("DeleteItem", {"TableName": table, "Key": key})
