"""The text of collections that are full, by its number in the catalogue."""

import pytest

from tests.api.conftest import client_of
from tests.api.refusals import refusal
from tests.api.test_item_collections import key_of, kilobytes, new_table


@pytest.fixture(scope="module")
def full(start_server):
    """A client of a server whose collections may have 1 MB, and a table with one that is full."""
    client = client_of(start_server(item_collection_mb_max=1))
    table = new_table(client)
    for sk in "abcde":
        client.put_item(TableName=table, Item={**key_of(sk), "body": kilobytes(200)})
    return client, table


@pytest.mark.parametrize(
    ("number", "operation", "request_"),
    [
        (285, "put_item", {"Item": {**key_of("f"), "body": kilobytes(50)}}),
        (
            285,
            "update_item",
            {
                "Key": key_of("g"),
                "UpdateExpression": "SET body = :b",
                "ExpressionAttributeValues": {":b": kilobytes(50)},
            },
        ),
    ],
    ids=["285-PutItem", "285-UpdateItem"],
)
def test_collection_is_full(full, number, operation, request_):
    client, table = full
    assert refusal(getattr(client, operation), TableName=table, **request_) == (
        "ItemCollectionSizeLimitExceededException",
        "Collection size exceeded.",
    )
