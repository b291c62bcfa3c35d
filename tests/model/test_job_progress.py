"""Jobs tell how far they have come while they are done."""

import asyncio

import pytest

from hashrange.background.backup_jobs import backup_jobs
from hashrange.background.export_jobs import export_jobs
from hashrange.background.index_jobs import index_jobs
from hashrange.background.tasks import Pacer
from hashrange.tables.jobs.transfers import BULK_JOBS, IMPORTS
from tests.api.indexes import index_of, projected
from tests.model import test_import_jobs as import_jobs
from tests.model.test_export_jobs import FullBucket, OneBucket
from tests.unit.api.dynamodb.still_server import StillServer
from tests.unit.background.still_turns import job_context

ITEMS = 600
BY_N = index_of("by-n", "n", **projected("KEYS_ONLY"))


class Looking:
    """An engine that notes how far all jobs are, at each of its calls."""

    def __init__(self, engine):
        self._engine = engine
        self.key_bytes_max = engine.key_bytes_max
        self.seconds = 0
        self.pacer = Pacer(self.monotonic_ns, lambda: 0)
        self.seen = []

    def monotonic_ns(self):
        self.seconds += 1
        return self.seconds * 10**9

    async def _noted(self, call):
        self.seen += self.pacer.jobs.states()
        return await call

    def read(self, keys, **rest):
        return self._noted(self._engine.read(keys, **rest))

    def scan(self, start, end, **rest):
        return self._noted(self._engine.scan(start, end, **rest))

    def write(self, keys, decide, **rest):
        return self._noted(self._engine.write(keys, decide, **rest))

    def assert_told(self, kind, table, name=""):
        """The one job that was done, which came from the beginning to the end in many steps."""
        assert {(each.kind, each.table, each.name) for each in self.seen} == {(kind, table, name)}
        shares = [each.share for each in self.seen if each.share is not None]
        assert shares == sorted(shares)
        assert any(0 < share < 1 for share in shares)
        assert all(0 <= share <= 1 for share in shares)
        assert any(each.seconds_left for each in self.seen)
        assert self.pacer.jobs.states() == []
        self.seen.clear()


@pytest.fixture
def server():
    server = StillServer(wrap=Looking)
    server.create(BillingMode="PAY_PER_REQUEST")
    for number in range(ITEMS):
        item = {"pk": {"S": f"p{number}"}, "n": {"N": str(number % 7)}}
        server.call("PutItem", Item=item)
    yield server
    server.end()


def test_backups_and_restores(server):
    looking = server.wrapped
    arn = server.perform("CreateBackup", BackupName="night")["BackupArn"]
    jobs = backup_jobs(job_context(server.store, server.catalog, looking.pacer))
    server.run(jobs.work())
    looking.assert_told("backup", "a-table", "night")
    server.perform("RestoreTableFromBackup", TargetTableName="b-table", BackupArn=arn)
    server.run(jobs.work())
    looking.assert_told("restore", "b-table")


def test_indexes(server):
    looking = server.wrapped
    server.update(
        AttributeDefinitions=[{"AttributeName": "n", "AttributeType": "N"}],
        GlobalSecondaryIndexUpdates=[{"Create": BY_N}],
    )
    server.run(index_jobs(looking, server.catalog, looking.pacer).work())
    looking.assert_told("index", "a-table")


def test_exports(server, tmp_path):
    looking = server.wrapped
    server.call(
        "UpdateContinuousBackups",
        PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
    )
    table = server.describe()["TableArn"]
    made = server.perform("ExportTableToPointInTime", TableArn=table, S3Bucket="exports")
    jobs = export_jobs(
        job_context(server.store, server.catalog, looking.pacer),
        OneBucket(FullBucket(tmp_path, ITEMS), tmp_path),
    )
    server.run(jobs.work())
    looking.assert_told("export", "a-table", made["ExportArn"].rpartition("/")[2])


@pytest.mark.parametrize("kind", ["import", "bulk"])
def test_imports_and_bulk_operations(kind, tmp_path):
    async def run():
        life = import_jobs.Life(tmp_path, 1)
        life.put_objects(refused=0)
        rows = IMPORTS if kind == "import" else BULK_JOBS
        await (import_jobs.begun if kind == "import" else import_jobs.begun_bulk)(life)
        looking = Looking(life.engine)
        await life.jobs(rows, looking, looking.pacer).work()
        looking.assert_told(kind, import_jobs.NAME, "1" if kind == "bulk" else "")

    asyncio.run(run())
