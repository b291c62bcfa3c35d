"""Many items, and the pages in which they are read."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from botocore.client import BaseClient

from tests.api.items import answer

PAGES_MAX = 1000
BATCH = 25


def fill(client: BaseClient, table: str, items: Iterable[dict[str, Any]]) -> None:
    """Put items, as many at once as one request takes."""
    rest = iter(items)
    while batch := list(islice(rest, BATCH)):
        requests = [{"PutRequest": {"Item": item}} for item in batch]
        told = client.batch_write_item(RequestItems={table: requests})
        assert told["UnprocessedItems"] == {}


def walk(call: Callable[..., Any], /, **request: Any) -> list[dict[str, Any]]:
    """All pages, from an ExclusiveStartKey in `request` on; at least one."""
    pages = [answer(call, **request)]
    while "LastEvaluatedKey" in pages[-1]:
        assert len(pages) < PAGES_MAX, "the walk does not end"
        start = pages[-1]["LastEvaluatedKey"]
        pages.append(answer(call, **{**request, "ExclusiveStartKey": start}))
    return pages


def walked(call: Callable[..., Any], /, **request: Any) -> list[dict[str, Any]]:
    """The items of all pages."""
    return [item for page in walk(call, **request) for item in page["Items"]]


def within(pk: str, **more: Any) -> dict[str, Any]:
    """The members of a query for one partition of a table with `pk` (S)."""
    return {
        "KeyConditionExpression": "pk = :pk",
        **more,
        "ExpressionAttributeValues": {
            ":pk": {"S": pk},
            **more.get("ExpressionAttributeValues", {}),
        },
    }


def sort_keys(items: Iterable[dict[str, Any]]) -> list[Any]:
    """The contents of `sk`, whatever their type."""
    return [next(iter(item["sk"].values())) for item in items]
