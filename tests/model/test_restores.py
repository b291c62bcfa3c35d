"""Restores to random times of random histories: each has the items of its time.

Requests write items alone, in batches and in transactions, some fail before or after they took
effect, items expire, indexes, streams and time to live come and go, the log is rolled, and the
process begins anew. What the items were after each step is the model.
"""

import contextlib
import random
from bisect import bisect_right

import pytest

from hashrange.background.backup_jobs import backup_jobs
from hashrange.background.log_maintenance import LogMaintenance, StreamRules
from hashrange.errors import DynamoError, Fault
from hashrange.storage.engine import StorageError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items.images import image_from
from hashrange.tables.keys import keyspace
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.store import Store
from tests.api.indexes import index_of
from tests.effort import effort
from tests.model.test_backup_jobs import Brittle
from tests.unit.api.dynamodb.still_server import TABLE, StillServer
from tests.unit.background.still_turns import job_context, unhurried
from tests.unit.tables.definitions import HOUR_MS

NAME = TABLE["TableName"]
HISTORIES = effort(12, 60)
STEPS = 120
RESTORES = 5
ITEMS = 20
TIME_TO_LIVE = "expires"
RULES = StreamRules(shard_ms=HOUR_MS // 4, retention_ms=HOUR_MS)
INDEX = index_of("by-g", "g")
DECLARED = [*TABLE["AttributeDefinitions"], {"AttributeName": "g", "AttributeType": "S"}]
EXISTS = {Fault.RESOURCE_IN_USE, Fault.TABLE_EXISTS, Fault.TABLE_IN_USE}


class History(StillServer):
    """A table with point-in-time recovery, and what its items were after each step."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        super().__init__(transient_ms=0, wrap=lambda engine: Brittle(engine, self.rng))
        self.times, self.states = [], []
        self.refused_total = self.failed_total = 0

    def begin(self):
        self.surely("CreateTable", **{**TABLE, "BillingMode": "PAY_PER_REQUEST"})
        enabled = {"PointInTimeRecoveryEnabled": True}
        self.surely("UpdateContinuousBackups", PointInTimeRecoverySpecification=enabled)
        self.note()

    def surely(self, operation, **request):
        """Ask again until the storage does not fail."""
        while True:
            try:
                return self.call(operation, **request)
            except StorageError:
                continue  # bound: one in five fails
            except DynamoError as error:
                if error.fault in EXISTS:  # an answer was lost
                    return None
                raise

    def heal(self):
        """The storage does not fail any more."""
        self.wrapped = self.engine
        self.restart()

    async def opened(self, name):
        return await Catalog(self.engine).open(name)

    async def items(self, name):
        opened = await self.opened(name)
        rows = keyspace.items_range(opened.number)
        pairs = await self.engine.scan(*rows, limit=10_000, bytes_max=10**9)
        return [image_from(value).item() for _, value in pairs]

    def note(self):
        self.times.append(self.time_ms)
        self.states.append(self.run(self.items(NAME)))

    def at(self, time_ms):
        """The items after all steps up to a time."""
        return self.states[bisect_right(self.times, time_ms) - 1]

    def item(self):
        item = {"pk": {"S": str(self.rng.randrange(ITEMS))}, "n": {"N": str(self.rng.random())}}
        if self.rng.random() < 0.6:
            item["g"] = {"S": self.rng.choice("ab")}
        if self.rng.random() < 0.4:
            seconds = self.time_ms // 1000 + self.rng.randint(-60, 60)
            item[TIME_TO_LIVE] = {"N": str(seconds)}
        return item

    def put(self):
        self.call("PutItem", Item=self.item())

    def delete(self):
        self.call("DeleteItem", Key={"pk": self.item()["pk"]})

    def update(self):
        self.call(
            "UpdateItem",
            Key={"pk": self.item()["pk"]},
            UpdateExpression="ADD hits :one",
            ConditionExpression="attribute_exists(pk)",
            ExpressionAttributeValues={":one": {"N": "1"}},
        )

    def batch(self):
        items = {item["pk"]["S"]: item for item in (self.item() for _ in range(4))}
        self.call(
            "BatchWriteItem",
            RequestItems={NAME: [{"PutRequest": {"Item": item}} for item in items.values()]},
        )

    def transact(self):
        items = {item["pk"]["S"]: item for item in (self.item() for _ in range(4))}
        actions = [
            {"Put": {"TableName": NAME, "Item": item}}
            if self.rng.random() < 0.7
            else {"Delete": {"TableName": NAME, "Key": {"pk": item["pk"]}}}
            for item in items.values()
        ]
        self.call("TransactWriteItems", TransactItems=actions)

    def change_indexes(self):
        if self.rng.random() < 0.5:
            self.call(
                "UpdateTable",
                AttributeDefinitions=DECLARED,
                GlobalSecondaryIndexUpdates=[{"Create": INDEX}],
            )
        else:
            self.call(
                "UpdateTable", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-g"}}]
            )

    def change_stream(self):
        on = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
        chosen = self.rng.choice([on, {"StreamEnabled": False}])
        self.call("UpdateTable", StreamSpecification=chosen)

    def change_time_to_live(self):
        enabled = {"Enabled": self.rng.random() < 0.7, "AttributeName": TIME_TO_LIVE}
        self.call("UpdateTimeToLive", TimeToLiveSpecification=enabled)

    def roll(self):
        upkeep = LogMaintenance(self.store, self.catalog, RULES, pacer=unhurried())
        self.run(upkeep.sweep())

    def pass_time(self):
        self.later(self.rng.choice([1, 20, 1000, 30_000, HOUR_MS]))

    def step(self):
        work = [
            *[self.put, self.delete, self.update, self.batch, self.transact] * 4,
            *[self.expire, self.index, self.roll, self.pass_time, self.restart] * 2,
            *[self.change_indexes, self.change_stream, self.change_time_to_live],
        ]
        self.later(self.rng.randint(0, 3))
        try:
            self.rng.choice(work)()
        except StorageError:
            self.failed_total += 1
        except DynamoError:
            self.refused_total += 1
        self.note()

    def restore(self, number, time_ms):
        """Restore to a time with interruptions, while the table is written; the items then."""
        name = f"restored-{number}"
        request = {
            "SourceTableName": NAME,
            "TargetTableName": name,
            "RestoreDateTime": time_ms / 1000,
        }
        self.surely("RestoreTableToPointInTime", **request)
        for _ in range(500):
            engine = Brittle(self.engine, self.rng)
            jobs = backup_jobs(job_context(Store(engine, self), Catalog(engine), page_rows=3))
            with contextlib.suppress(StorageError):
                self.run(jobs.work())
            if self.run(self.opened(name)).table.restore is None:
                return self.run(self.items(name))
            self.step()
        raise AssertionError(f"{name} is never restored")


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_a_restored_table_has_the_items_of_any_time(seed):
    history = History(seed)
    with contextlib.ExitStack() as stack:
        stack.callback(history.end)
        history.begin()
        for _ in range(STEPS):
            history.step()
        for number in range(RESTORES):
            # The last write of a moment belongs to it.
            between = history.rng.randint(history.times[0], history.times[-1])
            time_ms = history.rng.choice([between, history.rng.choice(history.times)])
            expected = history.at(time_ms)
            assert history.restore(number, time_ms) == expected
        history.heal()
        history.index()
        assert history.run(findings(history.engine)) == []
        assert history.failed_total > 0
