"""boto3's resource API has no transactions of its own: its client does, with Python's types."""

from decimal import Decimal

import pytest


@pytest.fixture
def keys(request):
    return [{"artist": request.node.name, "title": title} for title in "abcd"]


def _actions(table, keys, **tokens):
    """A put, an update on condition that there are plays enough, a delete, and a look."""
    new, changed, gone, checked = keys
    named = {"TableName": table}
    return {
        "TransactItems": [
            {"Put": named | {"Item": new | {"tags": {"x"}, "raw": b"\x00"}}},
            {
                "Update": named
                | {
                    "Key": changed,
                    "UpdateExpression": "SET plays = plays - :n",
                    "ConditionExpression": "plays >= :n",
                    "ExpressionAttributeValues": {":n": Decimal(3)},
                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                }
            },
            {"Delete": named | {"Key": gone}},
            {
                "ConditionCheck": named
                | {"Key": checked, "ConditionExpression": "attribute_exists(title)"}
            },
        ],
        **tokens,
    }


def _read(client, table, keys):
    asked = [{"Get": {"TableName": table, "Key": key}} for key in keys]
    found = client.transact_get_items(TransactItems=asked)["Responses"]
    return [answer.get("Item") for answer in found]


# All four actions are carried out, once: the token makes the second request an answer of the first.
def test_transaction(music, keys):
    client, table = music.meta.client, music.name
    for key in keys[1:]:
        music.put_item(Item=key | {"plays": 5})
    costs = [
        client.transact_write_items(
            **_actions(table, keys, ClientRequestToken="once", ReturnConsumedCapacity="TOTAL")
        )["ConsumedCapacity"]
        for _ in range(2)
    ]
    # Four actions that write twice; the answer to the same token reads them twice.
    assert [cost[0]["CapacityUnits"] for cost in costs] == [8, 8]
    assert _read(client, table, keys) == [
        keys[0] | {"tags": {"x"}, "raw": b"\x00"},
        keys[1] | {"plays": 2},
        None,
        keys[3] | {"plays": 5},
    ]
    with pytest.raises(client.exceptions.IdempotentParameterMismatchException):
        client.transact_write_items(**_actions(table, keys[::-1], ClientRequestToken="once"))


# Nothing is carried out, and there is a reason for each action, in the form of the wire.
def test_cancelled(music, keys):
    client, table = music.meta.client, music.name
    for key in keys[1:]:
        music.put_item(Item=key | {"plays": 2})
    with pytest.raises(client.exceptions.TransactionCanceledException) as refused:
        client.transact_write_items(**_actions(table, keys))
    response = refused.value.response
    assert response["Error"] == {
        "Code": "TransactionCanceledException",
        "Message": (
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            "[None, ConditionalCheckFailed, None, None]"
        ),
    }
    assert response["CancellationReasons"] == [
        {"Code": "None"},
        {
            "Code": "ConditionalCheckFailed",
            "Message": "The conditional request failed",
            "Item": {name: {"S": text} for name, text in keys[1].items()} | {"plays": {"N": "2"}},
        },
        {"Code": "None"},
        {"Code": "None"},
    ]
    kept = [None, *[key | {"plays": 2} for key in keys[1:]]]
    assert _read(client, table, keys) == kept
