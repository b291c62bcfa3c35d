"""Records of management events, and of denials: answers, times, resources and codes.

Source: records of the service, measured by users, September 2026.
"""

import json

import pytest

from tests.unit.api.audit.requests import Recording, error


@pytest.fixture(scope="module")
def recording():
    return Recording()


def test_a_management_event_has_its_answer(recording):
    body = {"TableName": "Music", "ProvisionedThroughput": {"ReadCapacityUnits": 25}}
    answer = (
        b'{"TableDescription": {"TableName": "Music", "SSEDescription": {"Status": "ENABLED"}}}'
    )
    event = recording.record("UpdateTable", body, answer=answer)
    assert event.request_parameters == {
        "tableName": "Music",
        "provisionedThroughput": {"readCapacityUnits": 25},
    }
    assert event.response_elements == {
        "tableDescription": {"tableName": "Music", "sSEDescription": {"status": "ENABLED"}}
    }
    assert event.management_event
    assert event.event_category == "Management"
    reading = recording.record("DescribeTable", {"TableName": "Music"}, answer=answer)
    assert reading.read_only
    assert reading.response_elements is None


def test_times_of_management_events_are_texts(recording):
    created = {"TableName": "Music", "CreationDateTime": 1789653548.64, "ItemCount": 0}
    answer = json.dumps({"TableDescription": created}).encode()
    event = recording.record("UpdateTable", {"TableName": "Music"}, answer=answer)
    assert event.response_elements["tableDescription"] == {
        "tableName": "Music",
        "creationDateTime": "2026-09-17T13:59:08Z",
        "itemCount": 0,
    }
    for name, seconds in (("ExportTime", 1e308), ("TimeRangeLowerBound", -(10**400))):
        parameters = recording.record("ListBackups", {name: seconds}).request_parameters
        assert set(parameters.values()) <= {"9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"}


# Of the three only the restore to a point in time names its tables, the new one first.
def test_backups_have_no_answers_in_records(recording):
    backup = "arn:aws:dynamodb:us-west-2:123456789012:table/Music/backup/01"
    answer = b'{"BackupDetails": {"BackupName": "b"}}'

    def tables(operation, body):
        event = recording.record(operation, body, answer=answer)
        assert event.response_elements is None
        return [each.arn.rpartition("/")[2] for each in event.resources]

    assert tables("CreateBackup", {"TableName": "Music"}) == ["Music"]
    assert tables("DeleteBackup", {"BackupArn": backup}) == []
    from_backup = {"BackupArn": backup, "TargetTableName": "New"}
    assert tables("RestoreTableFromBackup", from_backup) == []
    to_time = {"SourceTableName": "Music", "TargetTableName": "New"}
    assert tables("RestoreTableToPointInTime", to_time) == ["New", "Music"]


@pytest.mark.parametrize("operation", ["GetItem", "DeleteTable"])
def test_the_code_of_a_denial(recording, operation):
    answer = error("AccessDeniedException", "User: u is not authorized to perform: a")
    event = recording.record(operation, {"TableName": "Music"}, status=400, answer=answer)
    assert event.error_code == "AccessDenied"
    assert event.error_message == "User: u is not authorized to perform: a"
