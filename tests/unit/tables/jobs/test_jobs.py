"""Jobs of all kinds as data, of what is stored and of what the process that does them knows."""

import pytest

from hashrange.background.backup_jobs import backup_jobs
from hashrange.background.export_jobs import export_jobs
from hashrange.backups.objects.buckets import Buckets
from hashrange.model.namespaces import namespace_prefix
from hashrange.observe.snapshot import JobState
from hashrange.tables.jobs.jobs import jobs
from tests.api.indexes import index_of, projected
from tests.unit.api.dynamodb.still_server import CALLER, StillServer
from tests.unit.background.still_turns import job_context
from tests.unit.tables.definitions import NOON_MS

BY_N = index_of("by-n", "n", **projected("KEYS_ONLY"))
RECOVERY = {"PointInTimeRecoveryEnabled": True}


@pytest.fixture
def server():
    server = StillServer()
    server.create(BillingMode="PAY_PER_REQUEST")
    server.call("UpdateContinuousBackups", PointInTimeRecoverySpecification=RECOVERY)
    yield server
    server.end()


def listed(server, *live, **options):
    return server.run(jobs(server.engine, live, **options))


def work(server, made, *more):
    server.run(made(job_context(server.store, server.catalog), *more).work())


def export(server):
    table = server.describe()["TableArn"]
    return server.perform("ExportTableToPointInTime", TableArn=table, S3Bucket="exports")


def test_nothing_is_done(server):
    assert listed(server) == []


def test_an_export_goes_on_and_fails(server):
    arn = export(server)["ExportArn"]
    name = arn.rpartition("/")[2]
    (job,) = listed(server, JobState("export", "a-table", name, 0.25, 7.0))
    assert (job.kind, job.name, job.arn, job.table) == ("export", name, arn, "a-table")
    assert (job.account, job.region) == (CALLER.account, CALLER.region)
    assert (job.state, job.progress, job.seconds_left) == ("IN_PROGRESS", 0.25, 7.0)
    assert (job.begun_ms, job.ended_ms) == (server.time_ms, None)
    assert not job.may_cancel
    (other,) = listed(server, JobState("export", "a-table", "another", 0.5, None))
    assert other.progress is None
    work(server, export_jobs, Buckets((), new_id=server.new_uuid))
    (ended,) = listed(server)
    assert (ended.state, ended.progress, ended.ended_ms) == ("FAILED", None, server.time_ms)
    assert "exports" in ended.failure


def test_a_backup_and_a_restore_of_it(server):
    arn = server.perform("CreateBackup", BackupName="night")["BackupArn"]
    (job,) = listed(server, JobState("backup", "a-table", "night", 0.5, None))
    assert (job.kind, job.name, job.arn) == ("backup", "night", arn)
    assert (job.state, job.progress) == ("CREATING", 0.5)
    work(server, backup_jobs)
    assert listed(server) == []
    server.perform("RestoreTableFromBackup", TargetTableName="b-table", BackupArn=arn)
    (job,) = listed(server, JobState("restore", "b-table", "", 0.1, None))
    assert (job.kind, job.name, job.arn, job.table) == ("restore", "", None, "b-table")
    assert (job.state, job.progress, job.begun_ms) == ("CREATING", 0.1, server.time_ms)


def test_indexes_are_built_and_removed(server):
    create = {"Create": BY_N}
    attributes = [{"AttributeName": "n", "AttributeType": "N"}]
    server.update(AttributeDefinitions=attributes, GlobalSecondaryIndexUpdates=[create])
    (job,) = listed(server, JobState("index", "a-table", "", 0.5, None))
    assert (job.kind, job.name, job.state) == ("index", "by-n", "CREATING")
    assert (job.progress, job.begun_ms) == (0.5, server.time_ms)
    expiry = {"AttributeName": "end", "Enabled": True}
    server.call("UpdateTimeToLive", TimeToLiveSpecification=expiry)
    # The process works on the first of them.
    both = listed(server, JobState("index", "a-table", "", 0.5, None))
    assert {(each.name, each.progress) for each in both} == {("by-n", 0.5), ("", None)}
    server.index()
    assert listed(server) == []
    server.later(1000)
    server.update(GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-n"}}])
    (job,) = listed(server)
    assert (job.name, job.state, job.begun_ms) == ("by-n", "DELETING", None)


def test_a_bulk_operation_may_be_cancelled(server):
    arn = server.perform(
        "StartBulkPutItems",
        InputS3Configuration={"S3Bucket": "in", "InputFormat": "DYNAMODB_JSON"},
        OutputS3Configuration={"S3Bucket": "out", "OutputType": ["ERROR"]},
    )["BulkOperationArn"]
    name = arn.rpartition("/")[2]
    (job,) = listed(server, JobState("bulk", "a-table", name, 0.5, 1.0))
    assert (job.kind, job.arn, job.state, job.progress) == ("bulk", arn, "IN_PROGRESS", 0.5)
    assert job.may_cancel
    server.call("CancelBulkOperation", BulkOperationArn=arn)
    (job,) = listed(server)
    assert (job.state, job.may_cancel) == ("CANCELLING", False)


def test_those_that_ended_last_are_listed_behind_those_that_go_on(server):
    for _ in range(3):
        export(server)
        work(server, export_jobs, Buckets((), new_id=server.new_uuid))
        server.later(1000)
    export(server)
    found = listed(server, ended_max=2)
    assert [each.state for each in found] == ["IN_PROGRESS", "FAILED", "FAILED"]
    assert [each.begun_ms - NOON_MS for each in found] == sorted(
        (each.begun_ms - NOON_MS for each in found), reverse=True
    )


def test_jobs_of_other_namespaces_are_not_listed(server):
    export(server)
    assert listed(server, prefix=namespace_prefix(CALLER.account, CALLER.region)) == []
