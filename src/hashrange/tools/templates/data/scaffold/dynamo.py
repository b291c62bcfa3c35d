"""Common parts of all access patterns: a client, the table, pages, and batches."""

import json
import time
from collections.abc import Iterable
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from random import random
from typing import Any, NamedTuple

import boto3

Item = dict[str, Any]
HERE = Path(__file__).parent
WRITES_MAX = 25
READS_MAX = 100
ATTEMPTS_MAX = 8


class Page(NamedTuple):
    """Some items of a Query, and the key after which the next page begins; None at the end."""

    items: list[Item]
    next: Item | None


def local(endpoint: str = "http://127.0.0.1:8000") -> Any:
    """A client of a server for development, which takes any credentials."""
    resource = boto3.resource(
        "dynamodb",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )
    return resource.meta.client


def create_tables(db: Any) -> None:
    """Make the table for development and tests; template.yaml is for deployments."""
    for request in json.loads((HERE / "tables.json").read_text("utf-8")):
        expiry = request.pop("TimeToLiveAttribute", None)
        db.create_table(**request)
        name = request["TableName"]
        db.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        if expiry:
            enabled = {"Enabled": True, "AttributeName": expiry}
            db.update_time_to_live(TableName=name, TimeToLiveSpecification=enabled)


def put_samples(db: Any) -> None:
    """Put the items of samples.jsonl."""
    lines = (HERE / "samples.jsonl").read_text("utf-8").splitlines()
    put_all(db, "{{table}}", [json.loads(line, parse_float=Decimal) for line in lines])


def query_all(db: Any, **request: Any) -> list[Item]:
    """All items of a Query, of as many pages as it has."""
    found: list[Item] = []
    while True:
        answer = db.query(**request)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def query_page(db: Any, start: Item | None, **request: Any) -> Page:
    """One page of a Query, from its beginning or after the key that the last page gave."""
    if start is not None:
        request["ExclusiveStartKey"] = start
    answer = db.query(**request)
    return Page(answer["Items"], answer.get("LastEvaluatedKey"))


def put_all(db: Any, table: str, items: Iterable[Item]) -> None:
    """Put items in batches. They replace others with the same keys; a retry changes nothing."""
    write_all(db, table, [{"PutRequest": {"Item": item}} for item in items])


def delete_all(db: Any, table: str, keys: Iterable[Item]) -> None:
    """Delete items in batches."""
    write_all(db, table, [{"DeleteRequest": {"Key": key}} for key in keys])


def write_all(db: Any, table: str, requests: list[Item]) -> None:
    """Send puts and deletes in batches, and again what DynamoDB could not process."""
    for begin in range(0, len(requests), WRITES_MAX):
        left = {table: requests[begin : begin + WRITES_MAX]}
        for attempt in range(ATTEMPTS_MAX):
            left = db.batch_write_item(RequestItems=left)["UnprocessedItems"]
            if not left:
                break
            time.sleep(random() * 0.05 * 2**attempt)
        else:
            raise TimeoutError(f"{len(left[table])} items could not be written")


def get_all(db: Any, table: str, keys: list[Item]) -> list[Item]:
    """The items with these keys, in no order; keys without an item are left out."""
    found: list[Item] = []
    for begin in range(0, len(keys), READS_MAX):
        left: dict[str, Any] = {table: {"Keys": keys[begin : begin + READS_MAX]}}
        for attempt in range(ATTEMPTS_MAX):
            answer = db.batch_get_item(RequestItems=left)
            found += answer["Responses"].get(table, [])
            left = answer["UnprocessedKeys"]
            if not left:
                break
            time.sleep(random() * 0.05 * 2**attempt)
        else:
            raise TimeoutError(f"{len(left[table]['Keys'])} items could not be read")
    return found


def transact(db: Any, actions: list[Item]) -> list[str]:
    """Send a transaction, again if another one had the same items.

    The result is empty if it was done; if a condition refused it, it has the codes of all actions,
    in order. boto3 adds a ClientRequestToken, so that its own retries do nothing twice.
    """
    for attempt in range(ATTEMPTS_MAX):
        try:
            db.transact_write_items(TransactItems=actions)
        except db.exceptions.TransactionCanceledException as error:
            codes = [each["Code"] for each in error.response["CancellationReasons"]]
            if "ConditionalCheckFailed" in codes:
                return codes
            if "TransactionConflict" not in codes:
                raise
            time.sleep(random() * 0.05 * 2**attempt)
        else:
            return []
    raise TimeoutError("other transactions were always first")


def shard_of(text: str, count: int) -> int:
    """A number from 0 to count - 1, always the same one of a text."""
    return int.from_bytes(sha256(text.encode()).digest()[:4], "big") % count


def keys_of(found: Item | Page | list[Item] | None) -> list[str]:
    """The primary keys of items, as text."""
    if found is None:
        return []
    items = found.items if isinstance(found, Page) else found
    schema = json.loads((HERE / "tables.json").read_text("utf-8"))[0]["KeySchema"]
    names = [each["AttributeName"] for each in schema]
    rows = [items] if isinstance(items, dict) else items
    return ["/".join(str(item[name]) for name in names) for item in rows]


def show(title: str, found: Any) -> None:
    """Print a value, or the primary keys of what was found."""
    match found:
        case bool():
            text = "yes" if found else "no"
        case str() | int() | Decimal():
            text = str(found)
        case _:
            text = ", ".join(keys_of(found)) or "nothing"
    print(f"{title}: {text}")
