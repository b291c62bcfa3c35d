"""What LookupEvents names beside an event. Source: measured by users, September 2026."""

import pytest

from hashrange.api.audit.lookup import named_resources
from tests.unit.api.audit.requests import Recording, error

BACKUP = "arn:aws:dynamodb:us-west-2:123456789012:table/Music/backup/01"
TABLE = "AWS::DynamoDB::Table"


@pytest.fixture(scope="module")
def recording():
    return Recording()


# A restore names its backup, as if that were a table, and the name of the new table.
@pytest.mark.parametrize(
    ("operation", "body", "names"),
    [
        ("CreateBackup", {"TableName": "Music", "BackupName": "b"}, []),
        ("ListBackups", {"TableName": "Music"}, []),
        ("DescribeBackup", {"BackupArn": BACKUP}, []),
        ("DeleteBackup", {"BackupArn": BACKUP}, []),
        ("DescribeContinuousBackups", {"TableName": "Music"}, []),
        ("UpdateContinuousBackups", {"TableName": "Music"}, ["Music"]),
        (
            "RestoreTableFromBackup",
            {"TargetTableName": "New", "BackupArn": BACKUP},
            [BACKUP, "New"],
        ),
        ("RestoreTableToPointInTime", {"SourceTableName": "Music", "TargetTableName": "New"}, []),
        ("CreateGlobalTable", {"GlobalTableName": "Music"}, []),
        ("DescribeTable", {"TableName": "Music"}, ["Music"]),
    ],
)
def test_names(recording, operation, body, names):
    named = named_resources(recording.record(operation, body))
    assert list(named) == [(TABLE, name) for name in names]


def test_parameters_that_are_none(recording):
    for body in (b"", b"[]", {"TableName": 1}, {"TableName": ["x"]}):
        assert list(named_resources(recording.record("UpdateContinuousBackups", body))) == []


# The record of an UpdateContinuousBackups that is not valid has no resources.
@pytest.mark.parametrize(
    ("code", "arns"), [("ValidationException", []), ("TableNotFoundException", ["Music"])]
)
def test_what_is_refused(recording, code, arns):
    answer = error(code, "1 validation error detected: …")
    body = {"TableName": "Music"}
    event = recording.record("UpdateContinuousBackups", body, status=400, answer=answer)
    assert [each.arn.rpartition("/")[2] for each in event.resources] == arns
    assert list(named_resources(event)) == [(TABLE, "Music")]
