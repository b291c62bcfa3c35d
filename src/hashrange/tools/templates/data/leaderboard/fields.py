"""Attributes of generated items: players with their best scores, without an end."""

from collections.abc import Iterator
from itertools import count
from random import Random

from dynamo import shard_of

BOARDS = tuple(f"{game}-2026w{week}" for game in ("chess", "race") for week in (46, 47))
COUNTRIES = ("DE", "FR", "GB", "IN", "US")


def items(random: Random) -> Iterator[tuple[str, dict]]:
    """Pairs of an entity and attributes; no two have the same key."""
    for board in BOARDS:
        for floor in range(0, 10_000, 1000):
            yield "Bucket", {"game": board, "floor": floor, "players": random.randint(0, 50)}
    for number in count(1):
        player, name = f"player-{number:06}", f"Player {number}"
        head = {"playerId": player, "name": name}
        yield "Player", {**head, "country": random.choice(COUNTRIES)}
        for board in random.sample(BOARDS, random.randint(1, 3)):
            score, left = int(random.triangular(0, 9999, 2000)), random.randrange(604_800)
            best = {**head, "board": board, "score": score, "secondsLeft": left}
            yield "Best", {**best, "shard": shard_of(player, 10)}
