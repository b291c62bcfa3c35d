"""Point-in-time recovery: each state since it was enabled can be restored.

Texts and behaviour, where no other source is given: measurements by users, October 2026.
"""

import uuid
from datetime import UTC, timedelta

import pytest

from tests.api.backups import fill, restored, values
from tests.api.refusals import VALIDATION, refusal

ON = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
OFF = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False}}


def name():
    return f"r-{uuid.uuid4()}"


def recovery(client, table):
    found = client.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    return found["PointInTimeRecoveryDescription"]


def enabled(client, table, **more):
    specification = {**ON["PointInTimeRecoverySpecification"], **more}
    told = client.update_continuous_backups(
        TableName=table, PointInTimeRecoverySpecification=specification
    )
    return told["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]


def later(client, table, time):
    """The latest restorable time, once it is later than `time`."""
    while (found := recovery(client, table)["LatestRestorableDateTime"]) <= time:
        pass
    return found


def test_it_is_enabled_changed_and_disabled(dynamodb, new_table):
    table = new_table()
    assert recovery(dynamodb, table) == {"PointInTimeRecoveryStatus": "DISABLED"}
    told = enabled(dynamodb, table)
    assert told["PointInTimeRecoveryStatus"] == "ENABLED"
    assert told["RecoveryPeriodInDays"] == 35
    assert told["EarliestRestorableDateTime"] <= told["LatestRestorableDateTime"]
    shorter = enabled(dynamodb, table, RecoveryPeriodInDays=1)
    assert shorter["RecoveryPeriodInDays"] == 1
    assert shorter["EarliestRestorableDateTime"] == told["EarliestRestorableDateTime"]
    # Without a period the one that is set stays.
    assert enabled(dynamodb, table)["RecoveryPeriodInDays"] == 1
    dynamodb.update_continuous_backups(TableName=table, **OFF)
    assert recovery(dynamodb, table) == {"PointInTimeRecoveryStatus": "DISABLED"}
    later_on = enabled(dynamodb, table)
    assert later_on["EarliestRestorableDateTime"] > told["EarliestRestorableDateTime"]


def test_each_state_can_be_restored(dynamodb, new_table):
    table = new_table()
    fill(dynamodb, table, range(300), 0)
    times = [enabled(dynamodb, table)["EarliestRestorableDateTime"]]
    states = [values(dynamodb, table)]
    for turn in (1, 2, 3):
        times[-1] = later(dynamodb, table, times[-1])
        later(dynamodb, table, times[-1])
        fill(dynamodb, table, range(turn * 50, turn * 100), turn)
        dynamodb.delete_item(TableName=table, Key={"pk": {"S": f"k{turn}"}})
        puts = [
            {"Put": {"TableName": table, "Item": {"pk": {"S": f"t{each}"}, "n": {"N": str(turn)}}}}
            for each in range(5)
        ]
        dynamodb.transact_write_items(TransactItems=puts)
        times.append(recovery(dynamodb, table)["LatestRestorableDateTime"])
        states.append(values(dynamodb, table))
    for time, state in zip(times, states, strict=True):
        target = name()
        told = dynamodb.restore_table_to_point_in_time(
            SourceTableName=table, TargetTableName=target, RestoreDateTime=time
        )
        summary = told["TableDescription"]["RestoreSummary"]
        assert summary["RestoreDateTime"] == time
        assert "SourceBackupArn" not in summary
        restored(dynamodb, target)
        assert values(dynamodb, target) == state


def test_the_latest_state_by_the_arn_of_the_table(dynamodb, new_table):
    table, target = new_table(), name()
    enabled(dynamodb, table)
    fill(dynamodb, table, range(20), 7)
    arn = dynamodb.describe_table(TableName=table)["Table"]["TableArn"]
    dynamodb.restore_table_to_point_in_time(
        SourceTableArn=arn, TargetTableName=target, UseLatestRestorableTime=True
    )
    restored(dynamodb, target)
    assert values(dynamodb, target) == {f"k{number}": "7" for number in range(20)}
    assert recovery(dynamodb, target) == {"PointInTimeRecoveryStatus": "DISABLED"}


def test_a_deleted_table_leaves_a_backup(dynamodb, new_table):
    table, target = new_table(), name()
    enabled(dynamodb, table)
    fill(dynamodb, table, range(40), 1)
    dynamodb.delete_table(TableName=table)
    assert dynamodb.list_backups(TableName=table)["BackupSummaries"] == []
    (found,) = dynamodb.list_backups(TableName=table, BackupType="SYSTEM")["BackupSummaries"]
    assert found["BackupName"] == f"{table}$DeletedTableBackup"
    assert found["BackupArn"].endswith("-00000000")
    days = found["BackupExpiryDateTime"] - found["BackupCreationDateTime"]
    assert days == timedelta(days=35)
    arn = found["BackupArn"]
    code, text = refusal(dynamodb.delete_backup, BackupArn=arn)
    assert code == VALIDATION
    told = f"Invalid Request: User is not allowed to delete the system backup with arn {arn}. It "
    assert text.startswith(told)
    dynamodb.restore_table_from_backup(TargetTableName=target, BackupArn=arn)
    restored(dynamodb, target)
    assert len(values(dynamodb, target)) == 40


def test_a_table_without_recovery_leaves_none(dynamodb, new_table):
    table = new_table()
    enabled(dynamodb, table)
    dynamodb.update_continuous_backups(TableName=table, **OFF)
    dynamodb.delete_table(TableName=table)
    assert dynamodb.list_backups(TableName=table, BackupType="ALL")["BackupSummaries"] == []


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (
            {"SourceTableName": "abc", "SourceTableArn": "arn:aws:dynamodb:us-east-1:0:table/abc"},
            "Must provide exactly one of: sourceTableArn, sourceTableName",
        ),
        ({}, "The parameter 'TableName' is required but was not present in the request"),
        (
            {"SourceTableName": "abc", "UseLatestRestorableTime": True, "RestoreDateTime": 1},
            (
                "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set "
                "for point-in-time restore request. Please specify either RestoreDateTime time or "
                "UseLatestRestorableTime"
            ),
        ),
        (
            {"SourceTableName": "abc", "UseLatestRestorableTime": False},
            (
                "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be "
                "specified, but not both"
            ),
        ),
        (
            {"SourceTableArn": "arn:aws:s3:::x", "UseLatestRestorableTime": True},
            "sourceTableArn is not a valid ARN",
        ),
    ],
)
def test_invalid_requests(dynamodb, request_, told):
    restore = dynamodb.restore_table_to_point_in_time
    assert refusal(restore, TargetTableName=name(), **request_) == (VALIDATION, told)


def test_what_cannot_be_restored(dynamodb, new_table):
    table, restore = new_table(), dynamodb.restore_table_to_point_in_time
    latest = {"UseLatestRestorableTime": True}
    assert refusal(restore, SourceTableName="never-made", TargetTableName=name(), **latest) == (
        "TableNotFoundException",
        "Table not found: never-made",
    )
    assert refusal(restore, SourceTableName=table, TargetTableName=name(), **latest) == (
        "PointInTimeRecoveryUnavailableException",
        f"Point in time recovery is not enabled for table '{table}'",
    )
    since = enabled(dynamodb, table)["EarliestRestorableDateTime"]
    for time in (since - timedelta(seconds=2), since + timedelta(days=1)):
        code, text = refusal(
            restore, SourceTableName=table, TargetTableName=name(), RestoreDateTime=time
        )
        assert code == "InvalidRestoreTimeException"
        told = time.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
        assert text.startswith(f"RestoreDateTime '{told.removesuffix('.000')}Z' must be within ")
        assert text.endswith(f"Z' for table '{table}'")
    assert refusal(restore, SourceTableName=table, TargetTableName=table, **latest) == (
        "TableAlreadyExistsException",
        f"Table already exists: {table}",
    )


def test_days_are_of_enabled_recovery_only(dynamodb, new_table):
    table = new_table()
    days = {"PointInTimeRecoveryEnabled": False, "RecoveryPeriodInDays": 3}
    told = refusal(
        dynamodb.update_continuous_backups, TableName=table, PointInTimeRecoverySpecification=days
    )
    assert told == (
        VALIDATION,
        (
            "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time "
            "recovery."
        ),
    )
