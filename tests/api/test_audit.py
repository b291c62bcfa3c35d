"""The audit log of a real server: its records, LookupEvents, and that a kill is noticed."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from botocore.exceptions import ClientError

from hashrange.api.audit.files import files_in
from tests.api.conftest import client_of
from tests.api.tables import keyed

KEYS = {**keyed(pk="S")}
ATTEMPTS_MAX = 2000


@pytest.fixture(scope="module")
def log(start_server, tmp_path_factory):
    """A server with an audit log of the table Watched: its URL and the directory."""
    directory = tmp_path_factory.mktemp("audit") / "log"
    url = start_server(audit=directory, audit_data_events="Watched")
    client = client_of(url)
    for name in ("Watched", "Other"):
        client.create_table(TableName=name, **KEYS)
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    client.create_table(TableName="Streamed", StreamSpecification=stream, **KEYS)
    return url, directory


def records_in(directory):
    """All records; a record that is being written is left out."""
    data = b"".join((directory / file.name).read_bytes() for file in files_in(directory))
    return [json.loads(line) for line in data.split(b"\n")[:-1] if line]


def record_of(directory, request_id):
    """The record of a request, which is written soon after it was answered."""
    for _ in range(ATTEMPTS_MAX):
        for record in records_in(directory):
            if record["requestID"] == request_id:
                return record
    raise AssertionError(f"no record of {request_id}")


def refusal(call, **request):
    with pytest.raises(ClientError) as caught:
        call(**request)
    return caught.value.response


# The id of the record is the one that the client was told, so that both can be brought together.
def test_a_data_event_has_the_request_id_of_its_answer(log):
    url, directory = log
    client = client_of(url)
    item = {"pk": {"S": "k-1"}, "text": {"S": "zzsecretzz"}}
    answer = client.put_item(TableName="Watched", Item=item)
    record = record_of(directory, answer["ResponseMetadata"]["RequestId"])
    assert record["requestParameters"] == {
        "tableName": "Watched",
        "key": {"pk": "k-1"},
        "items": ["pk", "text"],
    }
    assert record["userIdentity"]["accessKeyId"] == "local"
    assert record["userIdentity"]["unverified"] is True
    assert record["eventCategory"] == "Data"
    assert "zzsecretzz" not in json.dumps(records_in(directory))


# A statement that ends within its item is refused, and its record may not fail.
def test_an_insert_that_is_cut_off_is_recorded(log):
    url, directory = log
    error = refusal(client_of(url).execute_statement, Statement="INSERT INTO Watched VALUE {")
    assert error["Error"]["Code"] == "ValidationException"
    record = record_of(directory, error["ResponseMetadata"]["RequestId"])
    assert record["requestParameters"]["statement"] == "INSERT INTO Watched VALUE {"


# The table has a stream, which is no resource of management events.
def test_the_record_of_a_change_of_a_table(log):
    url, directory = log
    answer = client_of(url).update_table(TableName="Streamed", DeletionProtectionEnabled=False)
    record = record_of(directory, answer["ResponseMetadata"]["RequestId"])
    assert [each["type"] for each in record["resources"]] == ["AWS::DynamoDB::Table"]
    shown = record["responseElements"]["tableDescription"]
    created = answer["TableDescription"]["CreationDateTime"].astimezone(UTC)
    assert shown["creationDateTime"] == f"{created:%Y-%m-%dT%H:%M:%SZ}"


def test_refused_requests_are_recorded(log):
    url, directory = log
    request = {
        "TableName": "Watched",
        "Item": {"pk": {"S": "k-2"}},
        "ConditionExpression": "attribute_exists(pk)",
    }
    error = refusal(client_of(url).put_item, **request)
    record = record_of(directory, error["ResponseMetadata"]["RequestId"])
    assert record["errorCode"] == "ConditionalCheckFailedException"
    assert record["errorMessage"] == "The conditional request failed"


def test_tables_that_are_not_selected_have_no_data_events(log):
    url, directory = log
    client = client_of(url)
    unseen = client.put_item(TableName="Other", Item={"pk": {"S": "unseen"}})
    seen = client.get_item(TableName="Watched", Key={"pk": {"S": "unseen"}})
    record_of(directory, seen["ResponseMetadata"]["RequestId"])
    ids = {record["requestID"] for record in records_in(directory)}
    assert unseen["ResponseMetadata"]["RequestId"] not in ids


def test_a_request_that_cannot_be_read_is_recorded_as_a_refusal(log):
    url, directory = log
    error = refusal(client_of(url).update_table, TableName="Watched", DeletionProtectionEnabled="x")
    record = record_of(directory, error["ResponseMetadata"]["RequestId"])
    assert record["errorCode"] == "SerializationException"


def cloudtrail(url):
    return client_of(url, "cloudtrail")


def found(url, **request):
    pages = cloudtrail(url).get_paginator("lookup_events").paginate(**request)
    return [event for page in pages for event in page["Events"]]


def test_lookup_events_finds_management_events(log):
    url, directory = log
    answer = client_of(url).update_table(TableName="Other", DeletionProtectionEnabled=False)
    answer_id = answer["ResponseMetadata"]["RequestId"]
    record_of(directory, answer_id)
    attribute = {"AttributeKey": "EventName", "AttributeValue": "UpdateTable"}
    events = found(url, LookupAttributes=[attribute])
    (event,) = [each for each in events if answer_id in each["CloudTrailEvent"]]
    assert event["EventName"] == "UpdateTable"
    assert event["EventSource"] == "dynamodb.amazonaws.com"
    assert event["ReadOnly"] == "false"
    assert event["AccessKeyId"] == event["Username"] == "local"
    assert event["Resources"] == [{"ResourceType": "AWS::DynamoDB::Table", "ResourceName": "Other"}]
    assert abs(event["EventTime"] - datetime.now(UTC)) < timedelta(minutes=5)
    whole = json.loads(event["CloudTrailEvent"])
    assert whole["requestID"] == answer["ResponseMetadata"]["RequestId"]
    assert whole["eventID"] == event["EventId"]


@pytest.mark.parametrize(
    ("key", "value", "count"),
    [
        ("ResourceName", "Watched", 1),
        ("ResourceType", "AWS::DynamoDB::Table", 3),
        ("Username", "local", 3),
        ("AccessKeyId", "local", 3),
        ("ReadOnly", "false", 3),
        ("EventSource", "dynamodb.amazonaws.com", 3),
        ("EventName", "DeleteTable", 0),
    ],
)
def test_lookup_attributes(log, key, value, count):
    url, _ = log
    events = found(url, LookupAttributes=[{"AttributeKey": key, "AttributeValue": value}])
    names = [event["EventName"] for event in events if event["EventName"] == "CreateTable"]
    assert len(names) == count


# Events of backups name other resources than their records. Source: measured by users, September
# 2026.
def test_the_resources_of_a_restore(log):
    url, directory = log
    client = client_of(url)
    made = client.create_backup(TableName="Other", BackupName="backup")
    backup = made["BackupDetails"]["BackupArn"][:-1] + "-"
    restore = {"TargetTableName": "Restored", "BackupArn": backup}
    answer = refusal(client.restore_table_from_backup, **restore)
    record = record_of(directory, answer["ResponseMetadata"]["RequestId"])
    assert "resources" not in record
    for name in (backup, "Restored"):
        attribute = {"AttributeKey": "ResourceName", "AttributeValue": name}
        events = found(url, LookupAttributes=[attribute])
        assert [event["EventName"] for event in events] == ["RestoreTableFromBackup"]
        assert [each["ResourceName"] for each in events[0]["Resources"]] == [backup, "Restored"]
    attribute = {"AttributeKey": "EventName", "AttributeValue": "CreateBackup"}
    (event,) = found(url, LookupAttributes=[attribute])
    assert event["Resources"] == []


def test_pages_of_lookup_events(log):
    url, _ = log
    attribute = {"AttributeKey": "EventName", "AttributeValue": "CreateTable"}
    whole = found(url, LookupAttributes=[attribute])
    paged = found(url, LookupAttributes=[attribute], PaginationConfig={"PageSize": 1})
    assert [event["EventId"] for event in paged] == [event["EventId"] for event in whole]
    assert [event["EventTime"] for event in whole] == sorted(
        (event["EventTime"] for event in whole), reverse=True
    )


def test_times_of_lookup_events(log):
    url, _ = log
    now = datetime.now(UTC)
    attribute = {"AttributeKey": "EventName", "AttributeValue": "CreateTable"}
    hour = timedelta(hours=1)
    assert found(url, LookupAttributes=[attribute], EndTime=now - hour) == []
    later = {"StartTime": now + hour, "EndTime": now + 2 * hour}
    assert found(url, LookupAttributes=[attribute], **later) == []
    assert found(url, LookupAttributes=[attribute], StartTime=now - hour, EndTime=now + hour)
    # Without an end, it is now.
    with pytest.raises(ClientError) as error:
        found(url, LookupAttributes=[attribute], StartTime=now + hour)
    assert error.value.response["Error"]["Code"] == "InvalidTimeRangeException"


TWO = [{"AttributeKey": "EventName", "AttributeValue": "x"}] * 2


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"MaxResults": 0}, "InvalidMaxResultsException"),
        ({"MaxResults": 51}, "InvalidMaxResultsException"),
        ({"StartTime": 20, "EndTime": 10}, "InvalidTimeRangeException"),
        ({"LookupAttributes": TWO}, "InvalidLookupAttributesException"),
        (
            {"LookupAttributes": [{"AttributeKey": "Nope", "AttributeValue": "x"}]},
            "InvalidLookupAttributesException",
        ),
        (
            {"LookupAttributes": [{"AttributeKey": "EventId", "AttributeValue": ""}]},
            "InvalidLookupAttributesException",
        ),
        ({"NextToken": "nope"}, "InvalidNextTokenException"),
        ({"NextToken": "00"}, "InvalidNextTokenException"),
        ({"EventCategory": "insight"}, "InvalidEventCategoryException"),
        ({"MaxResults": "many"}, "SerializationException"),
    ],
)
def test_lookup_events_refuses(log, request_, code):
    url, _ = log
    error = refusal(cloudtrail(url).lookup_events, **request_)
    assert error["Error"]["Code"] == code
    assert error["ResponseMetadata"]["HTTPStatusCode"] == 400


def test_a_token_is_only_good_for_its_request(log):
    url, _ = log
    token = cloudtrail(url).lookup_events(MaxResults=1)["NextToken"]
    attribute = {"AttributeKey": "EventName", "AttributeValue": "CreateTable"}
    error = refusal(cloudtrail(url).lookup_events, LookupAttributes=[attribute], NextToken=token)
    assert error["Error"]["Code"] == "InvalidNextTokenException"


def test_other_operations_of_cloudtrail_are_unknown(log):
    url, _ = log
    error = refusal(cloudtrail(url).describe_trails)
    assert error["Error"]["Code"] == "UnknownOperationException"


# Lookups are management events themselves, as on AWS.
def test_lookups_are_recorded(log):
    url, directory = log
    answer = cloudtrail(url).lookup_events(MaxResults=1)
    record = record_of(directory, answer["ResponseMetadata"]["RequestId"])
    assert record["eventSource"] == "cloudtrail.amazonaws.com"
    assert record["requestParameters"] == {"maxResults": 1}
