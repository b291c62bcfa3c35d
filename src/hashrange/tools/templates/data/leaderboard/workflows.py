"""Workflows of more than one plain request: submitting, the top of all shards, and ranks."""

from typing import Any

from dynamo import Item, shard_of, show
from patterns import TABLE, best_item, count_a_player_in_a_bucket, higher_buckets, top_of_a_shard

SHARDS = 10
BUCKET = 1000
ASSIGNED = (
    *("score = :score", "secondsLeft = :left", "board = :board", "#shard = :shard"),
    *("playerId = :player", "#name = :name"),
)


def submit(db: Any, player: Item, board: str, score: int, seconds_left: int) -> bool:
    """Keep a score if it is the player's best on the board; False if it is not.

    Args:
        db: the client.
        player: `playerId` and `name`.
        board: the game and the season.
        score: zero or more.
        seconds_left: of the season.
    """
    best = best_item({"board": board, **player})
    try:
        before = db.update_item(
            TableName=TABLE,
            Key={"pk": best["pk"], "sk": best["sk"]},
            UpdateExpression=f"SET {', '.join(ASSIGNED)}",
            ConditionExpression="attribute_not_exists(score) OR score < :score",
            ExpressionAttributeNames={"#shard": "shard", "#name": "name"},
            ExpressionAttributeValues={
                ":score": score,
                ":left": seconds_left,
                ":board": board,
                ":shard": shard_of(player["playerId"], SHARDS),
                ":player": player["playerId"],
                ":name": player["name"],
            },
            ReturnValues="UPDATED_OLD",
        ).get("Attributes", {})
    except db.exceptions.ConditionalCheckFailedException:
        return False
    _count(db, board, before.get("score"), score)
    return True


def _count(db: Any, board: str, before: int | None, after: int) -> None:
    """Move a player from one bucket of the histogram to another."""
    new = floor_of(after)
    if before is not None and floor_of(before) == new:
        return
    count_a_player_in_a_bucket(db, board, new)
    if before is not None:
        db.update_item(
            TableName=TABLE,
            Key={"pk": f"HISTOGRAM#{board}", "sk": f"{floor_of(before):0>10}"},
            UpdateExpression="ADD players :less",
            ExpressionAttributeValues={":less": -1},
        )


def floor_of(score: int) -> int:
    """The lowest score of the bucket of a score."""
    return int(score) // BUCKET * BUCKET


def top(db: Any, board: str, count: int) -> list[Item]:
    """The best of a board, merged from all shards; send the queries at the same time."""
    pages = [top_of_a_shard(db, board, shard, limit=count) for shard in range(SHARDS)]
    merged = [each for page in pages for each in page.items]
    merged.sort(key=lambda each: (-each["score"], -each["secondsLeft"], each["playerId"]))
    return merged[:count]


def rank(db: Any, board: str, score: int) -> int:
    """One more than the number of players with a higher score."""
    floor = floor_of(score)
    higher = sum(int(each["players"]) for each in higher_buckets(db, board, f"{floor:0>10}"))
    return (
        1
        + higher
        + sum(_higher_in_bucket(db, board, shard, score, floor) for shard in range(SHARDS))
    )


def _higher_in_bucket(db: Any, board: str, shard: int, score: int, floor: int) -> int:
    low, high = score + 1, floor + BUCKET - 1
    if low > high:
        return 0
    condition = "board = :board AND #shard = :shard AND score BETWEEN :low AND :high"
    request: Item = {
        "TableName": TABLE,
        "IndexName": "Top",
        "Select": "COUNT",
        "KeyConditionExpression": condition,
        "ExpressionAttributeNames": {"#shard": "shard"},
        "ExpressionAttributeValues": {
            ":board": board,
            ":shard": shard,
            ":low": low,
            ":high": high,
        },
    }
    found = 0
    while True:
        answer = db.query(**request)
        found += answer["Count"]
        if "LastEvaluatedKey" not in answer:
            return found
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def demo(db: Any) -> None:
    """Run each workflow once."""
    board, dee = "chess-2026w47", {"playerId": "dee", "name": "Dee"}
    show("Submit", submit(db, dee, board, 2950, 500))
    show("Submit less", submit(db, dee, board, 100, 400))
    show("Top", ", ".join(each["name"] for each in top(db, board, 2)))
    show("Rank of 2900", rank(db, board, 2900))
    show("Rank of 1200", rank(db, board, 1200))
