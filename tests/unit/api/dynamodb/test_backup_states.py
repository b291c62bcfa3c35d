"""Backups and restores before the background has done anything: what is refused meanwhile."""

import pytest

from hashrange.background.backup_jobs import backup_jobs
from hashrange.errors import DynamoError, Fault
from hashrange.storage.engine import NO_FENCES, STAMP_BYTES
from tests.unit.api.dynamodb.still_server import TABLE, StillServer
from tests.unit.background.still_turns import job_context

T = "a-table"
ON = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
POLICY = (
    '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:GetItem",'
    ' "Principal": {"AWS": "111111111111"},'
    ' "Resource": "arn:aws:dynamodb:us-east-1:000000000000:table/target"}]}'
)


@pytest.fixture
def server():
    server = StillServer(transient_ms=0)
    server.create(BillingMode="PAY_PER_REQUEST")
    for number in range(5):
        done(server, "PutItem", {"TableName": T, "Item": {"pk": {"S": str(number)}}})
    yield server
    server.end()


def done(server, operation, request):
    """The answer of an operation that may have no table."""
    return server.call(operation, **request)


def fault(server, operation, **request):
    with pytest.raises(DynamoError) as refused:
        done(server, operation, request)
    return refused.value.fault


def work(server):
    jobs = backup_jobs(job_context(server.store, server.catalog))
    server.run(jobs.work())


def test_a_backup_that_is_being_made(server):
    told = done(server, "CreateBackup", {"TableName": T, "BackupName": "one"})
    arn = told["BackupDetails"]["BackupArn"]
    found = done(server, "DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    assert found["BackupDetails"]["BackupStatus"] == "CREATING"
    assert fault(server, "DeleteTable", TableName=T) is Fault.RESOURCE_IN_USE
    assert fault(server, "DeleteBackup", BackupArn=arn) is Fault.BACKUP_IN_USE
    restore = {"BackupArn": arn, "TargetTableName": "target"}
    assert fault(server, "RestoreTableFromBackup", **restore) is Fault.BACKUP_IN_USE
    work(server)
    done(server, "DeleteTable", {"TableName": T})
    done(server, "DeleteBackup", {"BackupArn": arn})


# A backup feeds one restore at a time; the target is not there for other operations, except for
# those on backups. Source of faults and texts: measurements of the service by users, September and
# October 2026.
def test_a_table_that_is_being_restored(server):
    arn = done(server, "CreateBackup", {"TableName": T, "BackupName": "one"})["BackupDetails"][
        "BackupArn"
    ]
    work(server)
    restore = {"BackupArn": arn, "TargetTableName": "target"}
    done(server, "RestoreTableFromBackup", restore)
    assert fault(server, "RestoreTableFromBackup", **restore) is Fault.TABLE_IN_USE
    other = {**restore, "TargetTableName": "other"}
    assert fault(server, "RestoreTableFromBackup", **other) is Fault.BACKUP_IN_USE
    assert fault(server, "DeleteBackup", BackupArn=arn) is Fault.BACKUP_IN_USE
    name = {"TableName": "target"}
    assert done(server, "DescribeTable", name)["Table"]["TableStatus"] == "CREATING"
    assert fault(server, "DeleteTable", **name) is Fault.RESOURCE_IN_USE
    assert fault(server, "GetItem", **name, Key={"pk": {"S": "1"}}) is Fault.RESOURCE_NOT_FOUND
    assert fault(server, "Scan", **name) is Fault.RESOURCE_NOT_FOUND
    assert fault(server, "CreateBackup", **name, BackupName="two") is Fault.BACKUPS_UNAVAILABLE
    assert fault(server, "UpdateContinuousBackups", **name, **ON) is Fault.BACKUPS_UNAVAILABLE
    told = done(server, "DescribeContinuousBackups", name)["ContinuousBackupsDescription"]
    assert told == {
        "ContinuousBackupsStatus": "DISABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
    }
    not_found = (Fault.RESOURCE_NOT_FOUND, "Requested resource not found: Table: target not found")
    assert server.refused("UpdateTable", **name, DeletionProtectionEnabled=True) == not_found
    assert server.refused("DescribeTimeToLive", **name) == not_found
    expiry = {"Enabled": True, "AttributeName": "x"}
    assert server.refused("UpdateTimeToLive", **name, TimeToLiveSpecification=expiry) == not_found
    resource = "arn:aws:dynamodb:us-east-1:000000000000:table/target"
    for more in ({"Policy": POLICY}, {}):
        operation = "PutResourcePolicy" if more else "DeleteResourcePolicy"
        assert server.refused(operation, ResourceArn=resource, **more) == not_found
    told = server.refused("CreateTable", **{**TABLE, **name}, BillingMode="PAY_PER_REQUEST")
    assert told == (Fault.RESOURCE_IN_USE, "Table is being used: target")
    work(server)
    assert done(server, "Scan", name)["Count"] == 5
    done(server, "RestoreTableFromBackup", other)


def test_the_source_of_a_restore_cannot_be_deleted_meanwhile(server):
    done(server, "UpdateContinuousBackups", {"TableName": T, **ON})
    done(
        server,
        "RestoreTableToPointInTime",
        {"SourceTableName": T, "TargetTableName": "target", "UseLatestRestorableTime": True},
    )
    assert fault(server, "DeleteTable", TableName=T) is Fault.RESOURCE_IN_USE
    work(server)
    assert done(server, "Scan", {"TableName": "target"})["Count"] == 5
    done(server, "DeleteTable", {"TableName": T})


def test_backups_of_deleted_tables_expire(server):
    done(server, "UpdateContinuousBackups", {"TableName": T, **ON})
    done(server, "DeleteTable", {"TableName": T})
    listed = {"BackupType": "SYSTEM"}
    assert len(done(server, "ListBackups", listed)["BackupSummaries"]) == 1
    work(server)
    assert len(done(server, "ListBackups", listed)["BackupSummaries"]) == 1
    server.time_ms += 35 * 24 * 60 * 60 * 1000
    work(server)
    assert done(server, "ListBackups", listed)["BackupSummaries"] == []


# boto3 sends times only; other clients send any number.
@pytest.mark.parametrize("seconds", [1e300, -1e300, 1e12, -1e12])
def test_a_time_beyond_all_dates_is_refused(server, seconds):
    done(server, "UpdateContinuousBackups", {"TableName": T, **ON})
    restore = {"SourceTableName": T, "TargetTableName": "target", "RestoreDateTime": seconds}
    found = fault(server, "RestoreTableToPointInTime", **restore)
    assert found is Fault.INVALID_RESTORE_TIME


class Lasting:
    """An engine whose commits take five milliseconds of the server's time."""

    def __init__(self, engine):
        self.engine, self.server = engine, None
        self.read, self.scan, self.key_bytes_max = engine.read, engine.scan, engine.key_bytes_max

    async def write(self, keys, decide, *, fences=NO_FENCES):
        if self.server is not None:
            self.server.later(5)
        return await self.engine.write(keys, decide, fences=fences)


# What others commit before that has no records: a state of then would have later items.
def test_the_history_begins_when_the_change_is_committed():
    engines = []

    def wrap(engine):
        engines.append(Lasting(engine))
        return engines[0]

    server = StillServer(transient_ms=0, wrap=wrap)
    server.create(BillingMode="PAY_PER_REQUEST")
    begun_ms, engines[0].server = server.time_ms, server
    told = server.perform("UpdateContinuousBackups", **ON)["PointInTimeRecoveryDescription"]
    assert told["EarliestRestorableDateTime"] * 1000 == begun_ms + 5
    server.end()


class Counting:
    """An engine that counts the bytes of keys and values: of items, and of records of changes."""

    def __init__(self, engine):
        self.engine, self.item_bytes, self.history_bytes = engine, 0, 0
        self.read, self.scan, self.key_bytes_max = engine.read, engine.scan, engine.key_bytes_max

    async def write(self, keys, decide, *, fences=NO_FENCES):
        def counted(stored):
            changes = decide(stored)
            rows = [len(key) + len(value) for key, value in changes.puts.items()]
            records = [len(log) + 8 + STAMP_BYTES + len(value) for log, value in changes.appends]
            self.item_bytes += sum(rows)
            self.history_bytes += sum(records)
            return changes

        return await self.engine.write(keys, counted, fences=fences)


# An image is in the history before the next change; that of a new item also after the change that
# made it.
@pytest.mark.parametrize("value_bytes", [0, 250, 4096])
def test_the_history_costs_at_most_twice_the_bytes_written(value_bytes):
    engines = []

    def wrap(engine):
        engines.append(Counting(engine))
        return engines[0]

    server = StillServer(transient_ms=0, wrap=wrap)
    server.create(BillingMode="PAY_PER_REQUEST")
    server.call("UpdateContinuousBackups", **ON)
    (counted,) = engines
    counted.item_bytes = counted.history_bytes = 0
    for number in range(60):
        key = {"pk": {"S": f"key-{number % 7}"}}
        if number % 10 == 9:
            server.call("DeleteItem", Key=key)
        else:
            item = {**key, "n": {"N": str(number)}, "v": {"S": "v" * value_bytes}}
            server.call("PutItem", Item=item)
    assert 0 < counted.history_bytes <= 2 * counted.item_bytes
    server.end()
