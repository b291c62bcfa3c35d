"""Workflows of more than one plain request: transfers, their reversal, and sums of shards."""

from typing import Any

from dynamo import Item, get_all, query_all, shard_of, show, transact
from patterns import TABLE, entry_item, transfer_by_id, transfer_item

SHARDS = 4
ACCOUNTS = 2
"""Accounts among which the fees are divided."""
NEW = "attribute_not_exists(pk)"
SAME = ("debit", "credit", "amount", "text")


def post_a_transfer(db: Any, transfer: Item) -> str:
    """Move money from the account `debit` to `credit`.

    Args:
        db: the client.
        transfer: `transferId` of the client, `debit`, `credit`, `amount` in cents above zero,
            `text`, and `at` in ISO 8601.

    Returns:
        `posted`, also if an earlier call has posted it, `short` of money, or `no account`.

    Raises:
        ValueError: the amount is not above zero, or another transfer has this id.
    """
    return _post(db, transfer, [])


def reverse_a_transfer(db: Any, transfer_id: str, reversal_id: str, at: str) -> str:
    """Move the money of a transfer back, once; a second reversal with another id is `reversed`."""
    first = transfer_by_id(db, transfer_id)
    if first is None:
        return "no transfer"
    if first.get("reversedBy", reversal_id) != reversal_id:
        return "reversed"
    mark = {
        "TableName": TABLE,
        "Key": {"pk": first["pk"], "sk": first["sk"]},
        "UpdateExpression": "SET reversedBy = :id",
        "ConditionExpression": "attribute_not_exists(reversedBy)",
        "ExpressionAttributeValues": {":id": reversal_id},
    }
    back = {
        "transferId": reversal_id,
        "debit": first["credit"],
        "credit": first["debit"],
        "amount": first["amount"],
        "text": f"Reversal of {transfer_id}",
        "at": at,
        "reverses": transfer_id,
    }
    return _post(db, back, [{"Update": mark}])


def _post(db: Any, transfer: Item, before: list[Item]) -> str:
    amount, transfer_id = transfer["amount"], transfer["transferId"]
    if amount <= 0 or transfer["debit"] == transfer["credit"]:
        raise ValueError("a transfer moves an amount above zero between two accounts")
    place = {"day": transfer["at"][:10], "shard": shard_of(transfer_id, SHARDS)}
    actions = [
        {"Put": _new(transfer_item({**transfer, **place}))},
        {"Update": _changed(transfer["debit"], -amount)},
        {"Update": _changed(transfer["credit"], amount)},
        {"Put": _new(_entry(transfer, "debit", "credit", -amount))},
        {"Put": _new(_entry(transfer, "credit", "debit", amount))},
    ]
    codes = transact(db, [*actions, *before])
    if not codes:
        return "posted"
    failed = [number for number, code in enumerate(codes) if code == "ConditionalCheckFailed"]
    if 0 in failed:
        found = transfer_by_id(db, transfer_id) or {}
        if any(found.get(name) != transfer[name] for name in SAME):
            raise ValueError(f"{transfer_id} is the id of another transfer")
        return "posted"
    if failed[0] > 4:
        return "reversed"
    return "short" if failed[0] == 1 else "no account"


def _new(item: Item) -> Item:
    return {"TableName": TABLE, "Item": item, "ConditionExpression": NEW}


def _changed(account: str, amount: int) -> Item:
    paid = amount < 0
    allowed = "balance >= :needed OR overdraft = :yes" if paid else "attribute_exists(pk)"
    values = {":amount": amount, **({":needed": -amount, ":yes": True} if paid else {})}
    return {
        "TableName": TABLE,
        "Key": {"pk": f"ACCOUNT#{account}", "sk": "ACCOUNT"},
        "UpdateExpression": "SET balance = balance + :amount",
        "ConditionExpression": allowed,
        "ExpressionAttributeValues": values,
    }


def _entry(transfer: Item, side: str, other: str, amount: int) -> Item:
    return entry_item(
        {
            "accountId": transfer[side],
            "month": transfer["at"][:7],
            "bookedAt": transfer["at"],
            "transferId": transfer["transferId"],
            "amount": amount,
            "other": transfer[other],
            "text": transfer["text"],
        }
    )


def fee_account(transfer_id: str) -> str:
    """The account for the fee of a transfer: one of several, so that none of them is hot."""
    return f"fees-{shard_of(transfer_id, ACCOUNTS)}"


def all_fees(db: Any) -> int:
    """The sum of the accounts of fees."""
    keys = [{"pk": f"ACCOUNT#fees-{each}", "sk": "ACCOUNT"} for each in range(ACCOUNTS)]
    return sum(int(each["balance"]) for each in get_all(db, TABLE, keys))


def volume_of_a_day(db: Any, day: str) -> int:
    """The cents that were moved on a day, over all shards of the index."""
    return sum(
        int(each["amount"])
        for shard in range(SHARDS)
        for each in query_all(
            db,
            TableName=TABLE,
            IndexName="Daily",
            KeyConditionExpression="#day = :day AND #shard = :shard",
            ExpressionAttributeNames={"#day": "day", "#shard": "shard"},
            ExpressionAttributeValues={":day": day, ":shard": shard},
        )
    )


def demo(db: Any) -> None:
    """Run each workflow once."""
    lunch = {"transferId": "t-9", "debit": "ada", "credit": "bob", "amount": 1250}
    lunch |= {"text": "Books", "at": "2026-11-22T09:00:00.000Z"}
    show("Post a transfer", post_a_transfer(db, lunch))
    show("Post it again", post_a_transfer(db, lunch))
    show(
        "More than there is", post_a_transfer(db, {**lunch, "transferId": "t-10", "amount": 10**9})
    )
    fee = {**lunch, "transferId": "f-9", "credit": fee_account("t-9"), "amount": 5, "text": "Fee"}
    show("Its fee", post_a_transfer(db, fee))
    show("All fees", all_fees(db))
    at = "2026-11-22T10:00:00.000Z"
    show("Reverse it", reverse_a_transfer(db, "t-9", "r-9", at))
    show("Reverse it by another id", reverse_a_transfer(db, "t-9", "r-10", at))
    show("Moved on that day", volume_of_a_day(db, "2026-11-22"))
