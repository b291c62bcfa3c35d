"""The rows of the benchmark: request bodies, and proof that they do what they say.

Every item has 250 bytes as DynamoDB counts them: names and values.
"""

import http.client
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

KEYS: Final = 5_000
BATCH: Final = 25
ACTIONS: Final = 4
"""Of a transaction."""
ITEM_BYTES: Final = 250
_TABLE: Final = "Bench"
_STREAMED: Final = "Streamed"
_VALUE: Final = "v" * (ITEM_BYTES - len("p" + "p-00000001" + "s" + "s-000001" + "n" + "00" + "v"))

Answer = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One kind of request.

    `body` makes the request for a key from 0 to KEYS - 1; `proof` raises AssertionError if the
    answer to it is not what the row claims to measure.
    """

    name: str
    target: str
    body: Callable[[int], Answer]
    proof: Callable[[int, Answer], None]


def _key(number: int) -> Answer:
    return {"p": {"S": f"p-{number:08}"}, "s": {"S": "s-000001"}}


def _item(number: int) -> Answer:
    return {**_key(number), "n": {"N": "0"}, "v": {"S": _VALUE}}


def _put(number: int) -> Answer:
    return {"TableName": _TABLE, "Item": _item(number)}


def _put_streamed(number: int) -> Answer:
    """Two items in turn under each key, so that every put is a change."""
    key, turn = divmod(number, 2)
    return {"TableName": _STREAMED, "Item": {**_item(key), "n": {"N": str(turn)}}}


def _get(number: int) -> Answer:
    return {"TableName": _TABLE, "Key": _key(number)}


def _update(number: int) -> Answer:
    return {
        "TableName": _TABLE,
        "Key": _key(number),
        "UpdateExpression": "SET #n = #n + :one",
        "ConditionExpression": "attribute_exists(p) AND #n >= :zero",
        "ExpressionAttributeNames": {"#n": "n"},
        "ExpressionAttributeValues": {":one": {"N": "1"}, ":zero": {"N": "0"}},
        "ReturnValues": "UPDATED_NEW",
    }


def _query(number: int) -> Answer:
    return {
        "TableName": _TABLE,
        "KeyConditionExpression": "p = :p",
        "ExpressionAttributeValues": {":p": {"S": f"p-{number:08}"}},
    }


def _batch(number: int) -> Answer:
    puts = [{"PutRequest": {"Item": _item((number + each) % KEYS)}} for each in range(BATCH)]
    return {"RequestItems": {_TABLE: puts}}


def _transaction(number: int) -> Answer:
    """Puts of items that no other request has: transactions that meet are refused."""
    items = [{**_item(number), "s": {"S": f"t-{each:06}"}} for each in range(ACTIONS)]
    return {"TransactItems": [{"Put": {"TableName": _TABLE, "Item": item}} for item in items]}


def _is_empty(number: int, answer: Answer) -> None:
    del number
    assert answer == {}, answer


def _is_item(number: int, answer: Answer) -> None:
    assert answer == {"Item": _item(number)}, answer


def _is_counted(number: int, answer: Answer) -> None:
    del number
    count = int(answer["Attributes"]["n"]["N"])
    assert count >= 1, answer
    assert answer == {"Attributes": {"n": {"N": str(count)}}}, answer


def _is_page(number: int, answer: Answer) -> None:
    assert answer["Count"] == answer["ScannedCount"] == 1, answer
    (item,) = answer["Items"]
    assert item["p"] == _key(number)["p"], answer
    assert item["v"] == {"S": _VALUE}, answer


def _is_processed(number: int, answer: Answer) -> None:
    del number
    assert answer == {"UnprocessedItems": {}}, answer


# In this order: what is got and updated was put before.
ROWS: Final = (
    Row(name="put", target="PutItem", body=_put, proof=_is_empty),
    Row(name="put, streamed", target="PutItem", body=_put_streamed, proof=_is_empty),
    Row(name="get", target="GetItem", body=_get, proof=_is_item),
    Row(name="update, condition", target="UpdateItem", body=_update, proof=_is_counted),
    Row(name="query, 1 item", target="Query", body=_query, proof=_is_page),
    Row(name="batch write of 25", target="BatchWriteItem", body=_batch, proof=_is_processed),
    Row(name="transact of 4", target="TransactWriteItems", body=_transaction, proof=_is_empty),
)


def bodies(row: Row) -> list[bytes]:
    """The request of each key once, in an order that is random but always the same."""
    numbers = list(range(KEYS))
    random.Random(row.name).shuffle(numbers)
    return [encoded(row.body(number)) for number in numbers]


def encoded(body: Answer) -> bytes:
    """As the AWS SDKs write it."""
    return json.dumps(body).encode()


def headers(target: str) -> dict[str, str]:
    """What an SDK sends that matters to a server; the signature only looks like one."""
    return {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": f"DynamoDB_20120810.{target}",
        "X-Amz-Date": "20260101T000000Z",
        "Authorization": (
            "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, "
            f"SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature={'0' * 64}"
        ),
    }


def ask(port: int, target: str, body: Answer) -> Answer:
    """One request, which must be answered with 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", "/", encoded(body), headers(target))
        answer = connection.getresponse()
        text = answer.read()
    finally:
        connection.close()
    assert answer.status == http.HTTPStatus.OK, (answer.status, text)
    return json.loads(text)


def prepare(port: int) -> None:
    """The tables, and every item once."""
    table = {
        "TableName": _TABLE,
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
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    ask(port, "CreateTable", table)
    ask(port, "CreateTable", {**table, "TableName": _STREAMED, "StreamSpecification": stream})
    for first in range(0, KEYS, 25):
        puts = [{"PutRequest": {"Item": _item(number)}} for number in range(first, first + 25)]
        answer = ask(port, "BatchWriteItem", {"RequestItems": {_TABLE: puts}})
        assert answer["UnprocessedItems"] == {}, answer


def prove(port: int, row: Row) -> None:
    """A few requests of the row, with answers that only right work can give."""
    for number in (0, KEYS // 2, KEYS - 1):
        if row.body is _put:
            ask(port, "DeleteItem", {"TableName": _TABLE, "Key": _key(number)})
        row.proof(number, ask(port, row.target, row.body(number)))
        if row.body is _put:
            _is_item(number, ask(port, "GetItem", _get(number)))
