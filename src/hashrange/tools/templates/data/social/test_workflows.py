"""Feeds: pushed and pulled; likes: once, and counted."""

import patterns
import workflows

NEVER = 4102444800


def post(author, post_id):
    return {"author": author, "postId": post_id, "text": "Hi"}


def test_a_post_is_in_the_feeds_of_the_followers(db):
    assert workflows.publish(db, post("ada", "20261122T0900-p4"), NEVER) == 2
    newest = [workflows.feed(db, user, 1)[0]["postId"] for user in ("bob", "cem")]
    assert newest == ["20261122T0900-p4"] * 2
    assert workflows.feed(db, "ada", 1) == []


def test_posts_of_celebrities_are_pulled(db):
    assert workflows.publish(db, post("star", "20261122T0900-p4"), NEVER) == 0
    found = workflows.feed(db, "bob", 10)
    ids = [each["postId"][-2:] for each in found]
    assert ids == ["p4", "p2", "p1"]
    assert workflows.feed(db, "cem", 10) == []


def test_a_fan_likes_once(db):
    likes = [workflows.like(db, "ada", "20261121T0900-p3", fan) for fan in ("bob", "cem", "bob")]
    assert likes == [True, True, False]


def test_likes_are_added_once_a_batch(db):
    image = {"liked": {"S": "20261121T0900-p3"}, "likedAuthor": {"S": "ada"}}
    batch = [{"eventName": "INSERT", "dynamodb": {"NewImage": image}}] * 5
    other = {"eventName": "INSERT", "dynamodb": {"NewImage": {"pk": {"S": "USER#ada"}}}}
    removed = {"eventName": "REMOVE", "dynamodb": {"OldImage": image}}
    assert workflows.count_likes(db, [*batch, other, removed]) == 1
    assert patterns.posts_of_a_user(db, "ada").items[0]["likes"] == 5
