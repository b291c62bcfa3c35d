"""Attributes of generated items: users who post, follow and like, without an end."""

from collections.abc import Iterator
from itertools import count
from random import Random

from dynamo import shard_of

TEXTS = ("Hello", "Good morning", "Look at this", "What a day", "Again", "New photo")
NEVER = 4102444800


def items(random: Random) -> Iterator[tuple[str, dict]]:
    """Pairs of an entity and attributes; no two have the same key."""
    for number in count(1):
        user, famous = f"user-{number:06}", number % 500 == 0
        followers = 1_000_000 if famous else random.randint(0, 300)
        profile = {"userId": user, "name": f"User {number}", "followers": followers}
        yield "Profile", {**profile, "celebrity": famous}
        known = [f"user-{each:06}" for each in range(max(1, number - 20), number)]
        for followee in random.sample(known, min(len(known), random.randint(0, 8))):
            edge = {"follower": user, "followee": followee}
            pulled = int(followee[-6:]) % 500 == 0
            yield "Follow", {**edge, "pulledBy": user} if pulled else edge
        for each in range(random.randint(0, 3)):
            time = f"202611{random.randint(1, 28):02}T{random.randrange(24):02}00"
            post, text = f"{time}-p{number}.{each}", random.choice(TEXTS)
            yield "Post", {"author": user, "postId": post, "text": text, "likes": 0}
            for reader in random.sample(known, min(len(known), 3)):
                entry = {"reader": reader, "postId": post, "writer": user, "excerpt": text}
                yield "FeedEntry", {**entry, "expires": NEVER}
                like = {"liked": post, "part": shard_of(reader, 16), "fan": reader}
                yield "Like", {**like, "likedAuthor": user}
