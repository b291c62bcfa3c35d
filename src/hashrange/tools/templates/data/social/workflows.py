"""Workflows of more than one plain request: publishing, the feed, likes and their number."""

from collections import Counter
from typing import Any

from dynamo import Item, put_all, shard_of, show
from patterns import (
    TABLE,
    add_likes_to_a_post,
    feed_entry_item,
    feed_of_a_user,
    followed_celebrities,
    followers_of_a_user,
    posts_of_a_user,
    profile_of_a_user,
    put_a_like,
    put_a_post,
)

SHARDS = 16
EXCERPT = 140


def publish(db: Any, post: Item, expires: int) -> int:
    """Put a post and push it into the feeds of the followers; their number.

    Args:
        db: the client.
        post: `author`, `postId` that begins with the time, and `text`.
        expires: the second after which the entries of feeds go.
    """
    put_a_post(db, {"likes": 0, **post})
    profile = profile_of_a_user(db, post["author"])
    if profile is None or profile["celebrity"]:
        return 0
    entry = {"postId": post["postId"], "writer": post["author"], "expires": expires}
    entry["excerpt"] = post["text"][:EXCERPT]
    pushed, start = 0, None
    while True:  # let a worker of the stream do this: the author need not wait
        page = followers_of_a_user(db, post["author"], start=start)
        readers = [each["follower"] for each in page.items]
        put_all(db, TABLE, [feed_entry_item({"reader": each, **entry}) for each in readers])
        pushed += len(readers)
        if page.next is None:
            return pushed
        start = page.next


def feed(db: Any, user_id: str, limit: int) -> list[Item]:
    """Posts pushed to a user and posts of celebrities, the newest first."""
    found = feed_of_a_user(db, user_id, limit).items
    for edge in followed_celebrities(db, user_id):
        found += posts_of_a_user(db, edge["followee"], limit).items
    return sorted(found, key=lambda each: each["postId"], reverse=True)[:limit]


def like(db: Any, author: str, post_id: str, fan: str) -> bool:
    """Like a post; False if the fan has done so already."""
    part = shard_of(fan, SHARDS)
    try:
        put_a_like(db, {"liked": post_id, "part": part, "fan": fan, "likedAuthor": author})
    except db.exceptions.ConditionalCheckFailedException:
        return False
    return True


def count_likes(db: Any, records: list[Item]) -> int:
    """Add the new likes among records of the stream to their posts; the number of updates.

    Args:
        db: the client.
        records: a batch, as a trigger or GetRecords gives them.
    """
    likes: Counter[tuple[str, str]] = Counter()
    for record in records:
        image = record["dynamodb"].get("NewImage", {})
        if record["eventName"] == "INSERT" and "liked" in image:
            likes[image["likedAuthor"]["S"], image["liked"]["S"]] += 1
    for (author, post_id), number in likes.items():
        add_likes_to_a_post(db, author, post_id, number)
    return len(likes)


def demo(db: Any) -> None:
    """Run each workflow once."""
    post = {"author": "ada", "postId": "20261122T0900-p4", "text": "A new one"}
    show("Feeds with the post", publish(db, post, 4102444800))
    star = {"author": "star", "postId": "20261122T1000-p5", "text": "Thank you"}
    show("Feeds with a post of a celebrity", publish(db, star, 4102444800))
    show("Feed", feed(db, "bob", 10))
    show("Like", like(db, "ada", post["postId"], "bob"))
    show("Like again", like(db, "ada", post["postId"], "bob"))
    image = {"liked": {"S": post["postId"]}, "likedAuthor": {"S": "ada"}}
    record = {"eventName": "INSERT", "dynamodb": {"NewImage": image}}
    show("Posts with new likes", count_likes(db, [record, record]))
