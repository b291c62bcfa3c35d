"""Attributes of generated items: channels with members and messages, without an end."""

from collections.abc import Iterator
from itertools import count
from random import Random

TEXTS = ("Hello", "Yes", "No", "Where are you?", "Look at this", "Tomorrow then", "Thanks")


def items(random: Random) -> Iterator[tuple[str, dict]]:
    """Pairs of an entity and attributes; no two have the same key."""
    for number in count(1):
        channel, month = f"channel-{number:06}", "2026-11"
        members = sorted(
            {f"user-{random.randrange(10_000):05}" for _ in range(random.randint(2, 9))}
        )
        ids = sorted(
            f"202611{random.randint(1, 28):02}T{random.randrange(24):02}0000Z-m{each}"
            for each in range(random.randint(1, 40))
        )
        channel_only = {"channelId": channel}
        head = {**channel_only, "title": f"Channel {number}", "firstMonth": month}
        yield "Channel", {**head, "newest": ids[-1]}
        for member in members:
            yield "Member", {**channel_only, "memberId": member, "lastRead": random.choice(ids)}
        for each in ids:
            message = {**channel_only, "month": month, "messageId": each}
            author = random.choice(members)
            yield "Message", {**message, "author": author, "text": random.choice(TEXTS)}
            if random.random() < 0.2:
                yield "Reaction", {**message, "reader": random.choice(members), "sign": "like"}
