"""Attributes of generated items: sessions of users, without an end."""

from collections.abc import Iterator
from itertools import count
from random import Random

NEVER = 4102444800


def items(random: Random) -> Iterator[tuple[str, dict]]:
    """Pairs of an entity and attributes; no two have the same key."""
    for number in count(1):
        user = f"user-{number:06}"
        for _ in range(random.randint(1, 4)):
            created = f"2026-11-{random.randint(1, 28):02}T{random.randrange(24):02}:00:00Z"
            session = {"id": f"{random.getrandbits(256):064x}", "userId": user, "created": created}
            device = random.choice(("phone", "desk", "tablet"))
            data = {"theme": random.choice(("dark", "light")), "cart": "x" * random.randrange(600)}
            yield "Session", {**session, "expires": NEVER, "device": device, "data": data}
        if random.random() < 0.05:
            attempts = {"login": f"{user}@example.com", "window": 5_900_000 + number}
            yield "Attempts", {**attempts, "tries": random.randint(1, 5), "expires": NEVER}
