"""Workflows of more than one plain request: sending, reading backwards, and the inbox."""

from contextlib import suppress
from typing import Any

from dynamo import Item, get_all, show
from patterns import (
    TABLE,
    channels_of_a_member,
    messages_of_a_month,
    put_a_message,
)


def send(db: Any, message: Item) -> bool:
    """Put a message and note it in its channel; False if it was there already.

    Args:
        db: the client.
        message: `channelId`, `messageId`, `author` and `text`. The id begins with the time, as
            `20261120T090000Z-`, and is the same in each retry.
    """
    message_id = message["messageId"]
    month = f"{message_id[:4]}-{message_id[4:6]}"
    try:
        put_a_message(db, {**message, "month": month})
        is_new = True
    except db.exceptions.ConditionalCheckFailedException:
        is_new = False
    # Also in a retry: the first call may have ended between the two writes.
    with suppress(db.exceptions.ConditionalCheckFailedException):  # a newer one is noted
        db.update_item(
            TableName=TABLE,
            Key={"pk": f"CHANNEL#{message['channelId']}", "sk": "CHANNEL"},
            UpdateExpression="SET newest = :id",
            ConditionExpression="newest < :id",
            ExpressionAttributeValues={":id": message_id},
        )
    return is_new


def before(month: str) -> str:
    """The month before one, as `2026-11`."""
    year, number = int(month[:4]), int(month[5:])
    return f"{year - 1}-12" if number == 1 else f"{year}-{number - 1:02}"


def history(db: Any, channel: Item, month: str, limit: int) -> list[Item]:
    """The newest messages with their reactions, from a month backwards to the first."""
    found: list[Item] = []
    while month >= channel["firstMonth"] and len(found) < limit:
        found += messages_of_a_month(db, channel["channelId"], month, limit - len(found)).items
        month = before(month)
    return found


def inbox(db: Any, member_id: str) -> list[Item]:
    """The channels of a member, the most recent first, with `unread`."""
    read = {each["channelId"]: each["lastRead"] for each in channels_of_a_member(db, member_id)}
    keys = [{"pk": f"CHANNEL#{each}", "sk": "CHANNEL"} for each in read]
    channels = get_all(db, TABLE, keys)
    for each in channels:
        each["unread"] = each["newest"] > read[each["channelId"]]
    return sorted(channels, key=lambda each: each["newest"], reverse=True)


def demo(db: Any) -> None:
    """Run each workflow once."""
    message = {
        "channelId": "fun",
        "messageId": "20261121T100000Z-m5",
        "author": "bob",
        "text": "Ha",
    }
    show("Send", send(db, message))
    show("Send it again", send(db, message))
    channels = inbox(db, "ada")
    show("Inbox", channels)
    show("Unread", sum(each["unread"] for each in channels))
    show("History", history(db, channels[1], "2026-11", 10))
