"""Readers of streams, as clients write them: page by page, parents before their children."""

from collections.abc import Iterator
from typing import Any

from botocore.client import BaseClient

VIEW_TYPES = ("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES")


def streaming(view_type: str = "NEW_AND_OLD_IMAGES") -> dict[str, Any]:
    """The member that gives a table a stream."""
    return {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": view_type}}


def arn_of(dynamodb: BaseClient, table: str) -> str:
    """The stream of a table that was enabled last."""
    return dynamodb.describe_table(TableName=table)["Table"]["LatestStreamArn"]


def shards_of(client: BaseClient, arn: str, page: int = 100) -> list[dict[str, Any]]:
    """All shards, in the order in which they are listed."""
    shards: list[dict[str, Any]] = []
    start: dict[str, str] = {}
    while True:
        answer = client.describe_stream(StreamArn=arn, Limit=page, **start)["StreamDescription"]
        shards += answer["Shards"]
        if "LastEvaluatedShardId" not in answer:
            return shards
        start = {"ExclusiveStartShardId": answer["LastEvaluatedShardId"]}


def iterator_of(
    client: BaseClient, arn: str, shard: str, kind: str = "TRIM_HORIZON", **place: Any
) -> str:
    """A place in a shard."""
    answer = client.get_shard_iterator(
        StreamArn=arn, ShardId=shard, ShardIteratorType=kind, **place
    )
    return answer["ShardIterator"]


def records_from(client: BaseClient, iterator: str, limit: int = 1000) -> list[dict[str, Any]]:
    """Records up to the end of a closed shard, or as far as an open one goes now."""
    return [record for page in pages_from(client, iterator, limit) for record in page]


def pages_from(client: BaseClient, iterator: str | None, limit: int = 1000) -> Iterator[list]:
    while iterator is not None:
        answer = client.get_records(ShardIterator=iterator, Limit=limit)
        assert len(answer["Records"]) <= limit
        if not answer["Records"] and "NextShardIterator" in answer:
            return
        yield answer["Records"]
        iterator = answer.get("NextShardIterator")


def changes_of(client: BaseClient, arn: str, page: int = 1000) -> list[dict[str, Any]]:
    """All records of a stream; those of a parent before those of its children."""
    shards = {shard["ShardId"]: shard for shard in shards_of(client, arn)}
    read: list[str] = []
    records: list[dict[str, Any]] = []

    def read_shard(shard_id: str) -> None:
        parent = shards[shard_id].get("ParentShardId")
        if parent in shards and parent not in read:
            read_shard(parent)
        records.extend(records_from(client, iterator_of(client, arn, shard_id), page))
        read.append(shard_id)

    for shard_id in shards:
        if shard_id not in read:
            read_shard(shard_id)
    return records


def key_of(record: dict[str, Any]) -> str:
    """The key of a record as text, to tell items apart."""
    return repr(sorted(record["dynamodb"]["Keys"].items()))


def replayed(records: list[dict[str, Any]]) -> dict[str, Any]:
    """What an empty table becomes by the records of a stream of both images.

    Each record must go on from the one before it.
    """
    items: dict[str, Any] = {}
    numbers: dict[str, int] = {}
    for record in records:
        key, change = key_of(record), record["dynamodb"]
        assert items.get(key) == change.get("OldImage"), record
        number = int(change["SequenceNumber"])
        assert number > numbers.get(key, -1), "sequence numbers of an item grow"
        numbers[key] = number
        if "NewImage" in change:
            items[key] = change["NewImage"]
        else:
            del items[key]
    assert len({record["eventID"] for record in records}) == len(records)
    return items


class Consumer:
    """A reader with checkpoints, as the Kinesis adapter is one: it may stop and go on anywhere.

    It holds each record against what it knows of the item.
    """

    def __init__(self, arn: str) -> None:
        self.arn = arn
        self.items: dict[str, Any] = {}
        self.checkpoints: dict[str, str] = {}
        self.records = 0

    def catch_up(self, client: BaseClient, limit: int = 1000) -> dict[str, Any]:
        """Read what is new; the items as they are after it."""
        for shard in shards_of(client, self.arn):
            shard_id = shard["ShardId"]
            seen = self.checkpoints.get(shard_id)
            if seen is None:
                iterator = iterator_of(client, self.arn, shard_id)
            else:
                place = {"SequenceNumber": seen}
                iterator = iterator_of(client, self.arn, shard_id, "AFTER_SEQUENCE_NUMBER", **place)
            for page in pages_from(client, iterator, limit):
                for record in page:
                    self._apply(record)
                    self.checkpoints[shard_id] = record["dynamodb"]["SequenceNumber"]
        return self.items

    def _apply(self, record: dict[str, Any]) -> None:
        key, change = key_of(record), record["dynamodb"]
        assert self.items.get(key) == change.get("OldImage"), record
        self.records += 1
        if "NewImage" in change:
            self.items[key] = change["NewImage"]
        else:
            del self.items[key]
