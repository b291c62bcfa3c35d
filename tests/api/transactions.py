"""Transactions in short: their actions, and what a client is told of those that were cancelled."""

from typing import Any

from tests.api.items import error_of

CONFLICT = {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}
FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
NONE = {"Code": "None"}
PAYLOAD = "Transaction payload size cannot exceed 4MB. Payload Size: "
READ_TOO_LARGE = (
    "Collection size of items exceeded, which can also be caused by the aggregate size of "
    "the items in the transaction exceeding the 4MB limit"
)
TWICE = "Transaction request cannot include multiple operations on one item"


def put(table: str, item: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"Put": {"TableName": table, "Item": item, **more}}


def delete(table: str, key: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"Delete": {"TableName": table, "Key": key, **more}}


def check(table: str, key: dict[str, Any], condition: str, **more: Any) -> dict[str, Any]:
    members = {"TableName": table, "Key": key, "ConditionExpression": condition, **more}
    return {"ConditionCheck": members}


def update(table: str, key: dict[str, Any], expression: str, **more: Any) -> dict[str, Any]:
    members = {"TableName": table, "Key": key, "UpdateExpression": expression, **more}
    return {"Update": members}


def get(table: str, key: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"Get": {"TableName": table, "Key": key, **more}}


def reasons(call: Any, /, *actions: dict[str, Any], **request: Any) -> list[dict[str, Any]]:
    """The reasons for which a transaction is cancelled, which it must be."""
    response = error_of(call, TransactItems=list(actions), **request)
    told = response["CancellationReasons"]
    codes = ", ".join(reason["Code"] for reason in told)
    assert response["Error"] == {
        "Code": "TransactionCanceledException",
        "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons "
        f"[{codes}]",
    }
    return told


def invalid(text: str) -> dict[str, str]:
    """The reason of an action that is not valid."""
    return {"Code": "ValidationError", "Message": text}
