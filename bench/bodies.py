"""The bodies of the benchmark's requests, and the items that they write.

Every item has 250 bytes as DynamoDB counts them: names and values.
"""

from collections.abc import Callable
from typing import Final

from bench.asking import Answer

KEYS: Final = 5_000
BATCH: Final = 25
BATCH_READ: Final = 100
PAGE: Final = 100
"""Items in each of the PARTITIONS that queries and scans read."""
PARTITIONS: Final = 50
ACTIONS: Final = 4
"""Items of a transaction."""
ITEM_BYTES: Final = 250
TABLE: Final = "Bench"
VALUE: Final = "v" * (ITEM_BYTES - len("p" + "p-00000001" + "s" + "s-000001" + "n" + "00" + "v"))


def key_of(number: int) -> Answer:
    return {"p": {"S": f"p-{number:08}"}, "s": {"S": "s-000001"}}


def item_of(number: int) -> Answer:
    return {**key_of(number), "n": {"N": "0"}, "v": {"S": VALUE}}


def turned(number: int) -> Answer:
    turn, key = divmod(number, KEYS)
    return {**item_of(key), "n": {"N": str(turn)}}


def get(number: int) -> Answer:
    return {"TableName": TABLE, "Key": key_of(number)}


def update(number: int) -> Answer:
    return {
        "TableName": TABLE,
        "Key": key_of(number),
        "UpdateExpression": "SET #n = #n + :one",
        "ConditionExpression": "attribute_exists(p) AND #n >= :zero",
        "ExpressionAttributeNames": {"#n": "n"},
        "ExpressionAttributeValues": {":one": {"N": "1"}, ":zero": {"N": "0"}},
        "ReturnValues": "UPDATED_NEW",
    }


def query(number: int) -> Answer:
    return {
        "TableName": TABLE,
        "KeyConditionExpression": "p = :p",
        "ExpressionAttributeValues": {":p": {"S": f"p-{number:08}"}},
    }


def query_page(limit: int) -> Callable[[int], Answer]:
    def body(number: int) -> Answer:
        return {
            "TableName": TABLE,
            "KeyConditionExpression": "p = :p",
            "ExpressionAttributeValues": {":p": page_key(number, 0)["p"]},
            "Limit": limit,
        }

    return body


def page_key(number: int, each: int) -> Answer:
    return {"p": {"S": f"q-{number % PARTITIONS:08}"}, "s": {"S": f"s-{each:06}"}}


def scan(number: int) -> Answer:
    del number
    return {"TableName": TABLE, "Limit": PAGE}


def batch_get(number: int) -> Answer:
    keys = [key_of((number + each) % KEYS) for each in range(BATCH_READ)]
    return {"RequestItems": {TABLE: {"Keys": keys}}}


def batch(number: int, table: str = TABLE) -> Answer:
    turn, key = divmod(number, KEYS)
    items = [turned((key + each) % KEYS + turn * KEYS) for each in range(BATCH)]
    return {"RequestItems": {table: [{"PutRequest": {"Item": item}} for item in items]}}


def transaction(number: int) -> Answer:
    """Puts of items that no other request has: transactions that meet are refused."""
    puts = [{"TableName": TABLE, "Item": acted(number, each)} for each in range(ACTIONS)]
    return {"TransactItems": [{"Put": put} for put in puts]}


def transaction_with_token(number: int) -> Answer:
    """The same with a token, which SDKs send with each transaction."""
    return {**transaction(number), "ClientRequestToken": f"token-{number}"}


def mixed_transaction(number: int) -> Answer:
    """A new item, an update, a check and a delete, each with a condition, and a token."""
    named: Answer = {"TableName": TABLE}
    absent: Answer = {**named, "ConditionExpression": "attribute_not_exists(p)"}
    return {
        "TransactItems": [
            {"Put": {**absent, "Item": {**item_of(number), "s": {"S": "t-new"}}}},
            {
                "Update": {
                    **named,
                    "Key": key_of(number),
                    "UpdateExpression": "SET n = n + :one",
                    "ConditionExpression": "n >= :zero",
                    "ExpressionAttributeValues": {":one": {"N": "1"}, ":zero": {"N": "0"}},
                }
            },
            {"ConditionCheck": {**absent, "Key": {**key_of(number), "s": {"S": "t-none"}}}},
            {"Delete": {**named, "Key": {**key_of(number), "s": {"S": "t-old"}}}},
        ],
        "ClientRequestToken": f"mixed-{number}",
    }


def acted(number: int, each: int) -> Answer:
    return {**turned(number), "s": {"S": f"t-{each:06}"}}


def select(number: int) -> Answer:
    """A SELECT of one item, with parameters."""
    statement = f'SELECT * FROM "{TABLE}" WHERE p = ? AND s = ?'
    return {"Statement": statement, "Parameters": [*key_of(number).values()]}


def select_literal(number: int) -> Answer:
    """The same with another literal in each request: a statement that nobody has seen."""
    partition, sort = [value["S"] for value in key_of(number).values()]
    return {"Statement": f"SELECT * FROM \"{TABLE}\" WHERE p = '{partition}' AND s = '{sort}'"}


def inserted(number: int) -> Answer:
    return {**item_of(number), "s": {"S": "s-inserted"}}


def insert(number: int) -> Answer:
    statement = f"INSERT INTO \"{TABLE}\" VALUE {{'p': ?, 's': ?, 'n': ?, 'v': ?}}"
    return {"Statement": statement, "Parameters": [*inserted(number).values()]}


def inserted_literal(number: int) -> Answer:
    return {**item_of(number), "s": {"S": "s-literal"}}


def insert_literal(number: int) -> Answer:
    item = inserted_literal(number)
    members = ", ".join(f"'{name}': '{value['S']}'" for name, value in item.items() if name != "n")
    return {"Statement": f"INSERT INTO \"{TABLE}\" VALUE {{{members}, 'n': 0}}"}
