"""What operators and consumers do to a table while clients use it: each changes one thing."""

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.simulation.clients import KEYS, TABLE, Body, Call, version_of
from tests.simulation.loop import passes
from tests.simulation.server import EPOCH_MS, LostError

SECOND_INDEX = "by-group-again"
STREAMS = "DynamoDBStreams_20120810."
_ONE_MOMENT_SECONDS = 0.001
_PATIENCE = 20
"""How often a restore is tried: a backup is made first, and the past must be past."""


@dataclass
class Restore:
    """A table that was restored, and the call whose moment its items show."""

    table: str
    call: Call


@dataclass
class Operator:
    """Sends requests until they are answered, and remembers what the judges need.

    Args:
        ask: sends a request to one of the servers.
        now: the world's clock.
        random: draws pauses and moments.
        history: of all clients.
    """

    ask: Callable[[str, Body], Any]
    now: Callable[[], float]
    random: Random
    history: list[Call]
    restores: list[Restore] = field(default_factory=list)
    consumed: dict[str, list[str]] = field(default_factory=dict)
    """Sequence numbers that a consumer was given, by shard."""

    async def asked(self, target: str, body: Body) -> Body | None:
        """The answer; None if the request was refused, failed or was lost."""
        try:
            status, answer = await self.ask(target, body)
        except LostError:
            return None
        return answer if status == 200 else None

    async def insisted(self, target: str, body: Body) -> Body:
        """The answer, however often the request fails."""
        while True:
            answer = await self.asked(target, body)
            if answer is not None:
                return answer
            await passes(0.2)

    async def pause(self, longest: float = 1.0) -> None:
        """Let some time go by."""
        await passes(self.random.random() * longest)


async def rebuilding_an_index(operator: Operator) -> None:
    """An index comes, goes, and comes again, also before it is built."""
    attributes = [{"AttributeName": "group", "AttributeType": "S"}]
    create = {
        "IndexName": SECOND_INDEX,
        "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    for change in ({"Create": create}, {"Delete": {"IndexName": SECOND_INDEX}}, {"Create": create}):
        body = {
            "TableName": TABLE,
            "AttributeDefinitions": attributes,
            "GlobalSecondaryIndexUpdates": [change],
        }
        wanted = "Create" in change
        while await _is_there(operator) != wanted:
            await operator.asked("UpdateTable", body)
            await operator.pause()
        await operator.pause(2.0)


async def _is_there(operator: Operator) -> bool:
    table = (await operator.insisted("DescribeTable", {"TableName": TABLE}))["Table"]
    names = [each["IndexName"] for each in table.get("GlobalSecondaryIndexes", ())]
    return SECOND_INDEX in names


async def making_a_table_again(operator: Operator) -> None:
    """Another table comes and goes under one name, with items in it."""
    name = "scratch"
    create = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    }
    for number in range(4):
        await operator.asked("CreateTable", create)
        for key in range(5):
            item = {"pk": {"S": f"{number}-{key}"}}
            await operator.asked("PutItem", {"TableName": name, "Item": item})
        await operator.asked("DeleteTable", {"TableName": name})
        await operator.pause(0.5)


async def backing_up(operator: Operator) -> None:
    """Backups show the table at one moment of their call; they are restored to new tables."""
    for number in range(2):
        await operator.pause()
        called = operator.now()
        body = {"TableName": TABLE, "BackupName": f"backup-{number}"}
        answer = await operator.asked("CreateBackup", body)
        if answer is None:
            continue
        call = Call("backup", called, operator.now())
        name = f"from-backup-{number}"
        arn = answer["BackupDetails"]["BackupArn"]
        await _restored(operator, "RestoreTableFromBackup", name, call, BackupArn=arn)


async def restoring_the_past(operator: Operator) -> None:
    """A restore to a moment of the past has all that was written before, and nothing after."""
    for number in range(3):
        await operator.pause()
        ms = int((operator.now() - operator.random.random() / 2) * 1000)
        moment = {"RestoreDateTime": (EPOCH_MS + ms) / 1000, "SourceTableName": TABLE}
        call = Call("past", ms / 1000, ms / 1000 + _ONE_MOMENT_SECONDS)
        name = f"from-the-past-{number}"
        await _restored(operator, "RestoreTableToPointInTime", name, call, **moment)


async def _restored(operator: Operator, target: str, name: str, call: Call, **body: Any) -> None:
    for _ in range(_PATIENCE):
        answer = await operator.asked(target, {"TargetTableName": name, **body})
        if answer is not None:
            operator.restores.append(Restore(name, call))
            return
        await operator.pause()


async def consuming(operator: Operator) -> None:
    """Reads the stream from its beginning, and goes on after each failure where it was."""
    while True:
        after = {shard: numbers[-1] for shard, numbers in operator.consumed.items()}
        async for shard, record in records_of(operator.asked, after):
            number = record["dynamodb"]["SequenceNumber"]
            operator.consumed.setdefault(shard, []).append(number)
        await operator.pause(2.0)


async def records_of(
    asked: Callable[[str, Body], Coroutine[Any, Any, Body | None]], after: Mapping[str, str]
) -> AsyncIterator[tuple[str, Body]]:
    """The records of the stream with their shards, parents before children; ends at a failure.

    `after` has the sequence numbers that are known already, by shard.
    """
    listed = await asked(f"{STREAMS}ListStreams", {"TableName": TABLE})
    if not listed or not listed["Streams"]:
        return
    arn = {"StreamArn": listed["Streams"][0]["StreamArn"]}
    described = await asked(f"{STREAMS}DescribeStream", arn)
    # Shards are named in the order in which they began.
    for shard in described["StreamDescription"]["Shards"] if described else ():
        name = shard["ShardId"]
        kind = "AFTER_SEQUENCE_NUMBER" if name in after else "TRIM_HORIZON"
        number = {"SequenceNumber": after[name]} if name in after else {}
        start = {**arn, "ShardId": name, "ShardIteratorType": kind, **number}
        given = await asked(f"{STREAMS}GetShardIterator", start)
        at = given and given["ShardIterator"]
        while at is not None:
            page = await asked(f"{STREAMS}GetRecords", {"ShardIterator": at})
            if page is None:
                return
            for record in page["Records"]:
                yield name, record
            at = page.get("NextShardIterator") if page["Records"] else None


async def items_of_restores(operator: Operator) -> None:
    """Write down what each restored table shows as a read of its call's moment."""
    for restore in operator.restores:
        described = await operator.insisted("DescribeTable", {"TableName": restore.table})
        assert described["Table"]["TableStatus"] == "ACTIVE", f"{restore.table} is never ready"
        read = {"TableName": restore.table, "ConsistentRead": True}
        found = {
            item["pk"]["S"]: version_of(item)
            for item in (await operator.insisted("Scan", read))["Items"]
        }
        restore.call.took_effect = True
        restore.call.reads = {key: found.get(key) for key in KEYS}
        operator.history.append(restore.call)


TASKS = (rebuilding_an_index, making_a_table_again, backing_up, restoring_the_past, consuming)
