"""What is promised for a time, when the clock of the machine is set: docs/operating.md has all."""

import msgspec
import pytest

from hashrange.api.dynamodb.backups.continuous_backups import restorable
from hashrange.api.steps.operation import RequestContext
from hashrange.background.backup_jobs import backup_jobs
from hashrange.background.expirer import TokenSweeper
from hashrange.background.log_maintenance import LogMaintenance, StreamRules
from hashrange.clock import BELIEVED_NS, SteadyClock
from hashrange.model.structures.dynamodb import RestoreTableToPointInTime
from hashrange.tables.writing.tokens import newest_token_ms
from tests.unit.api.dynamodb.still_server import CALLER, NO_CHOICES, StillServer
from tests.unit.background.still_turns import job_context, unhurried
from tests.unit.tables.definitions import HOUR_MS

SECOND_MS, MINUTE_MS, DAY_MS = 1000, 60_000, 24 * HOUR_MS
BELIEVED_MS = BELIEVED_NS // 10**6
STEPS_MS = (10 * SECOND_MS, 20 * MINUTE_MS, HOUR_MS, 13 * HOUR_MS)
BACK_MS = [-each for each in STEPS_MS]
ON = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
COUNT = {
    "Update": {
        "TableName": "a-table",
        "Key": {"pk": {"S": "count"}},
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
}


class SetServer(StillServer):
    """A server whose clock is set, while its monotonic clock runs on."""

    def __init__(self):
        self.set_ms = 0
        super().__init__(transient_ms=0)
        self.create(BillingMode="PAY_PER_REQUEST", StreamSpecification={
            "StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"
        })  # fmt: skip

    def monotonic_ns(self):
        return (self.time_ms - self.set_ms) * 10**6

    def restart(self):
        self.steady = SteadyClock(self)
        self.steady.seen(self.run(newest_token_ms(self.engine)))
        super().restart()

    def set(self, by_ms):
        self.set_ms += by_ms
        self.time_ms += by_ms

    def put(self, key, **more):
        self.call("PutItem", Item={"pk": {"S": key}, **more})

    def keys(self, table="a-table"):
        return {each["pk"]["S"] for each in self.call("Scan", TableName=table)["Items"]}

    def count(self):
        self.call("TransactWriteItems", TransactItems=[COUNT], ClientRequestToken="token")
        return int(self.call("GetItem", Key={"pk": {"S": "count"}})["Item"]["n"]["N"])

    def window(self):
        return self.run(self._window())

    async def _window(self):
        context = RequestContext(
            CALLER, self.store, self.catalog, 0, NO_CHOICES, {}, self.time_ms, self.new_uuid()
        )
        opened = await self.catalog.open("a-table")
        return await restorable(opened.table, context)

    def restored(self, **time):
        """The keys of a table that is restored to a time."""
        target = f"restored-{self.new_uuid()}"
        request = {"SourceTableName": "a-table", "TargetTableName": target, **time}
        typed = msgspec.convert(request, RestoreTableToPointInTime)
        self.run(self.pipeline.perform("RestoreTableToPointInTime", typed, CALLER))
        jobs = backup_jobs(job_context(self.store, self.catalog))
        self.run(jobs.work())
        return self.keys(target)


@pytest.fixture
def server():
    made = SetServer()
    yield made
    made.end()


@pytest.mark.parametrize("by_ms", BACK_MS)
def test_the_latest_state_has_all_that_was_acknowledged(server, by_ms):
    server.call("UpdateContinuousBackups", **ON)
    server.later(SECOND_MS)
    server.put("before")
    newest_ms = server.time_ms
    server.set(by_ms)
    server.put("after")
    assert server.restored(UseLatestRestorableTime=True) == {"before", "after"}
    assert server.window().latest_ms == newest_ms
    # Its time can be named, too; and that of an incremental export is behind it.
    assert server.restored(RestoreDateTime=newest_ms / 1000) == {"before", "after"}
    assert server.window().until_ms == newest_ms + 1
    server.later(-by_ms + SECOND_MS)
    assert server.window().latest_ms == server.window().until_ms == server.time_ms


def test_the_latest_state_after_the_shards_were_rolled(server):
    server.call("UpdateContinuousBackups", **ON)
    server.later(SECOND_MS)
    server.put("before")
    server.set(-3 * HOUR_MS)
    server.call("UpdateTable", StreamSpecification={"StreamEnabled": False})
    server.put("after")
    assert server.restored(UseLatestRestorableTime=True) == {"before", "after"}


# A process that begins takes a clock that is ahead as it is.
@pytest.mark.parametrize(
    ("by_ms", "is_restarted"),
    [*[(each, False) for each in (*STEPS_MS, *BACK_MS)], *[(each, True) for each in BACK_MS]],
)
def test_a_token_is_known_for_ten_minutes(server, by_ms, is_restarted):
    sweeper = TokenSweeper(server.engine, server.store.kept_ms)
    assert server.count() == 1
    server.later(5 * SECOND_MS)
    server.set(by_ms)
    if is_restarted:
        server.restart()
    server.run(sweeper.drain())
    assert server.count() == 1
    server.later(9 * MINUTE_MS)
    server.run(sweeper.drain())
    assert server.count() == 1


@pytest.mark.parametrize("by_ms", STEPS_MS)
def test_a_token_is_known_after_the_clock_was_set_forth_and_back(server, by_ms):
    server.set(by_ms)
    assert server.count() == 1
    server.later(SECOND_MS)
    server.set(-by_ms)
    assert server.count() == 1


@pytest.mark.parametrize("by_ms", STEPS_MS)
def test_nothing_expires_early(server, by_ms):
    ttl = {"Enabled": True, "AttributeName": "ttl"}
    server.call("UpdateTimeToLive", TimeToLiveSpecification=ttl)
    server.index()
    server.put("a", ttl={"N": str(server.time_ms // 1000 + 5)})
    server.set(by_ms)
    assert server.expire() == 0
    server.later(6 * SECOND_MS)
    assert server.expire() == 1


# A machine that was asleep, or whose clock was wrong before, must not keep things for ever.
def test_a_jump_forward_is_believed_after_an_hour(server):
    ttl = {"Enabled": True, "AttributeName": "ttl"}
    server.call("UpdateTimeToLive", TimeToLiveSpecification=ttl)
    server.index()
    server.put("a", ttl={"N": str((server.time_ms + DAY_MS) // 1000)})
    server.set(2 * DAY_MS)
    assert server.expire() == 0
    server.later(BELIEVED_MS)
    assert server.expire() == 1


@pytest.mark.parametrize("by_ms", [*STEPS_MS, *BACK_MS])
def test_records_of_streams_are_kept_for_a_day(server, by_ms):
    rules = StreamRules(shard_ms=4 * HOUR_MS, retention_ms=DAY_MS)
    server.put("a")
    server.later(12 * HOUR_MS)
    upkeep = LogMaintenance(server.store, server.catalog, rules, pacer=unhurried())
    server.run(upkeep.drain())
    server.set(by_ms)
    server.run(upkeep.drain())
    table = server.run(server.catalog.open("a-table")).table
    assert {each.trimmed_to for each in table.log.shards} == {1}
    server.set(-by_ms)
    server.run(upkeep.drain())
    server.later(13 * HOUR_MS)
    server.run(upkeep.drain())
    table = server.run(server.catalog.open("a-table")).table
    assert table.log.shards[0].trimmed_to > 1
