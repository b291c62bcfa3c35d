"""Attributes of generated items: streams of carts with their events, without an end."""

from collections.abc import Iterator
from itertools import count
from random import Random

from dynamo import shard_of

KINDS = ("Added", "Removed", "Moved", "Paid", "Sent")


def items(random: Random) -> Iterator[tuple[str, dict]]:
    """Pairs of an entity and attributes; no two have the same key."""
    for number in count(1):
        stream, events = f"cart-{number:07}", random.randint(1, 30)
        day = f"2026-11-{random.randint(1, 28):02}"
        for version in range(1, events + 1):
            recorded = f"{day}T10:{version:02}:00.000Z"
            event = {"stream": stream, "version": version, "kind": random.choice(KINDS)}
            body = {"sku": f"sku-{random.randrange(1000)}", "note": "x" * random.randrange(400)}
            place = {"recorded": recorded, "day": day, "shard": shard_of(stream, 8)}
            yield "Event", {**event, "body": body, **place}
        if events > 20:
            lines = [f"sku-{random.randrange(1000)}" for _ in range(5)]
            yield "Snapshot", {"aggregate": stream, "version": 20, "state": {"lines": lines}}
