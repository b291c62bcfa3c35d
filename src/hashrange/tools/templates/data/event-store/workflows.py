"""Workflows of more than one plain request: appending, loading and replaying."""

from collections.abc import Iterator
from typing import Any

from dynamo import Item, get_all, shard_of, show, transact
from patterns import (
    TABLE,
    events_after_a_version,
    events_of_a_shard_and_day,
    events_of_a_stream,
    newest_snapshot,
)

SHARDS = 8
EVENTS_MAX = 100


def append(db: Any, stream: str, after: int, events: list[Item], recorded: str) -> bool:
    """Add events to a stream.

    Args:
        db: the client.
        stream: the name of the stream.
        after: the version that the decision was based on; 0 for a new stream.
        events: `kind` and `body` of each.
        recorded: the time in ISO 8601.

    Returns:
        False if another writer was first: load again, and decide again.
    """
    if not 0 < len(events) <= EVENTS_MAX:
        raise ValueError(f"1 to {EVENTS_MAX} events are appended at once")
    place = {"recorded": recorded, "day": recorded[:10], "shard": shard_of(stream, SHARDS)}
    puts = [
        {
            "TableName": TABLE,
            "Item": {"stream": stream, "version": version, **event, **place},
            "ConditionExpression": "attribute_not_exists(version)",
        }
        for version, event in enumerate(events, after + 1)
    ]
    return not transact(db, [{"Put": put} for put in puts])


def load(db: Any, stream: str) -> tuple[Item | None, list[Item]]:
    """The newest snapshot of a stream, if there is one, and the events after it."""
    snapshots = newest_snapshot(db, stream).items
    if not snapshots:
        return None, events_of_a_stream(db, stream)
    return snapshots[0], events_after_a_version(db, stream, int(snapshots[0]["version"]))


def replay(db: Any, day: str, shard: int, after: str, kinds: set[str]) -> Iterator[Item]:
    """The events of some kinds of a shard and a day after a time, in order."""
    start: Item | None = None
    while True:
        page = events_of_a_shard_and_day(db, day, shard, after, start=start)
        wanted = [each for each in page.items if each["kind"] in kinds]
        keys = [{"stream": each["stream"], "version": each["version"]} for each in wanted]
        found = get_all(db, TABLE, keys)
        yield from sorted(found, key=lambda each: (each["recorded"], each["version"]))
        if page.next is None:
            return
        start = page.next


def advance(db: Any, projection: str, shard: int, position: str) -> bool:
    """Move the checkpoint of a projection forward; False if it is there or further already."""
    try:
        db.update_item(
            TableName=TABLE,
            Key={"stream": f"PROJECTION#{projection}", "version": shard},
            UpdateExpression="SET #position = :position",
            ConditionExpression="attribute_not_exists(#position) OR #position < :position",
            ExpressionAttributeNames={"#position": "position"},
            ExpressionAttributeValues={":position": position},
        )
    except db.exceptions.ConditionalCheckFailedException:
        return False
    return True


def demo(db: Any) -> None:
    """Run each workflow once."""
    recorded = "2026-11-20T10:00:00.000Z"
    events = [{"kind": "Removed", "body": {"sku": "tent-2"}}, {"kind": "Paid", "body": {}}]
    show("Append after version 3", append(db, "cart-1", 3, events, recorded))
    show("Append after version 3 again", append(db, "cart-1", 3, events, recorded))
    snapshot, found = load(db, "cart-1")
    show("Snapshot", snapshot)
    show("Events after it", found)
    shard = shard_of("cart-1", SHARDS)
    show("Replay", list(replay(db, "2026-11-20", shard, "2026-11-20T09:30", {"Paid"})))
    show("Advance", advance(db, "sales", shard, recorded))
    show("Advance again", advance(db, "sales", shard, recorded))
