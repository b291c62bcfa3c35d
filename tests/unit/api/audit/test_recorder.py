"""Records of requests, by value, and what may not be there.

Source: records of the service, measured by users, September 2026, which differ from the examples of
the Developer Guide in the names of members; else these examples.
"""

import json

import msgspec
import pytest

from hashrange.access.policies.decisions import Subject
from hashrange.access.policies.principals import Principal
from hashrange.api.audit.events import encoded
from hashrange.api.steps.operation import Caller, Connection
from hashrange.limits.access import AUDIT_MEMBER_BYTES_MAX
from tests.unit.api.audit.requests import Recording, error

KEY = {"Artist": {"S": "No One You Know"}, "SongTitle": {"S": "Call Me Today"}}
PLAIN_KEY = {"Artist": "No One You Know", "SongTitle": "Call Me Today"}
ROLE = "arn:aws:iam::444455556666:role/admin-role"
SESSION = Principal(
    type="AssumedRole",
    arn="arn:aws:sts::111122223333:assumed-role/users/bob",
    account="111122223333",
    issuer=ROLE,
    user_id="AKIAI44QH8DHBEXAMPLE:bob",
    token_issued="2015-05-28T18:06:01Z",
    has_mfa=False,
)
BOB = Caller(
    "111122223333",
    "us-west-2",
    "localhost",
    Subject(SESSION),
    Connection("192.0.2.0", True, "aws-cli/1.15.64", "AKIAIOSFODNN7EXAMPLE"),
)


@pytest.fixture(scope="module")
def recording():
    return Recording()


# The whole record of the guide's example "PutItem (successful)", and in what ours is more.
def test_the_record_of_a_put(recording):
    item = {**KEY, "AlbumTitle": {"S": "secret"}}
    body = {"TableName": "Music", "Item": item, "ReturnConsumedCapacity": "TOTAL"}
    event = recording.record("PutItem", body, BOB)
    assert json.loads(encoded(event)) == {
        "eventVersion": "1.11",
        "userIdentity": {
            "type": "AssumedRole",
            "principalId": "AKIAI44QH8DHBEXAMPLE:bob",
            "arn": "arn:aws:sts::111122223333:assumed-role/users/bob",
            "accountId": "111122223333",
            "accessKeyId": "AKIAIOSFODNN7EXAMPLE",
            "sessionContext": {
                "sessionIssuer": {
                    "type": "Role",
                    "principalId": "AKIAI44QH8DHBEXAMPLE",
                    "arn": ROLE,
                    "accountId": "111122223333",
                    "userName": "admin-role",
                },
                "attributes": {"creationDate": "2015-05-28T18:06:01Z", "mfaAuthenticated": "false"},
            },
        },
        "eventTime": "2019-01-19T15:41:54Z",
        "eventSource": "dynamodb.amazonaws.com",
        "eventName": "PutItem",
        "awsRegion": "us-west-2",
        "sourceIPAddress": "192.0.2.0",
        "userAgent": "aws-cli/1.15.64",
        "requestParameters": {
            "tableName": "Music",
            "key": PLAIN_KEY,
            "items": ["Artist", "SongTitle", "AlbumTitle"],
            "returnConsumedCapacity": "TOTAL",
        },
        "responseElements": None,
        "requestID": "4KBNVRGD25RG1KEO9UT4V3FQDJVV4KQN",
        "eventID": event.event_id,
        "readOnly": False,
        "resources": [
            {
                "accountId": "123456789012",
                "type": "AWS::DynamoDB::Table",
                "ARN": "arn:aws:dynamodb:us-west-2:123456789012:table/Music",
            }
        ],
        "eventType": "AwsApiCall",
        "apiVersion": "2012-08-10",
        "managementEvent": False,
        "recipientAccountId": "111122223333",
        "sharedEventID": event.shared_event_id,
        "eventCategory": "Data",
    }


# The owner of the table has a record of its own, with an id of its own.
def test_two_accounts_share_an_event(recording):
    first = recording.record("PutItem", {"TableName": "Music", "Item": KEY}, BOB)
    ours, theirs = recording.events
    assert ours == first
    assert [ours.recipient_account, theirs.recipient_account] == ["111122223333", "123456789012"]
    assert ours.shared_event_id == theirs.shared_event_id
    assert ours.event_id != theirs.event_id


def test_a_caller_who_was_not_verified_is_marked(recording):
    event = recording.record("GetItem", {"TableName": "Music", "Key": KEY})
    assert len(recording.events) == 1
    assert event.user_identity == {
        "type": "Unknown",
        "principalId": "111122223333",
        "accountId": "111122223333",
        "accessKeyId": "111122223333",
        "unverified": True,
    }


def test_a_refused_update(recording):
    body = {
        "TableName": "Music",
        "Key": KEY,
        "UpdateExpression": "SET #Y = :y, #AT = :t",
        "ExpressionAttributeNames": {"#Y": "Year", "#AT": "AlbumTitle"},
        "ExpressionAttributeValues": {":y": {"N": "1999"}, ":t": {"S": "secret"}},
        "ConditionExpression": "attribute_not_exists(#Y)",
        "ReturnConsumedCapacity": "TOTAL",
    }
    answer = error("ConditionalCheckFailedException", "The conditional request failed")
    event = recording.record("UpdateItem", body, status=400, answer=answer)
    assert event.error_code == "ConditionalCheckFailedException"
    assert event.error_message == "The conditional request failed"
    assert event.request_parameters == {
        "tableName": "Music",
        "key": PLAIN_KEY,
        "conditionExpression": "attribute_not_exists(#Y)",
        "updateExpression": "SET #Y = :y, #AT = :t",
        "expressionAttributeNames": {"#Y": "Year", "#AT": "AlbumTitle"},
        "returnConsumedCapacity": "TOTAL",
    }


def test_a_transaction(recording):
    put = {"TableName": "Music", "Item": {**KEY, "AlbumTitle": {"S": "secret"}}}
    check = {"TableName": "Music", "Key": KEY, "ConditionExpression": "#P between :lo and :hi"}
    body = {"TransactItems": [{"Put": put}, {"ConditionCheck": check}]}
    event = recording.record("TransactWriteItems", body)
    assert event.request_parameters == {
        "requestItems": [
            {
                "operation": "Put",
                "tableName": "Music",
                "key": PLAIN_KEY,
                "items": ["Artist", "SongTitle", "AlbumTitle"],
            },
            {
                "operation": "ConditionCheck",
                "tableName": "Music",
                "key": PLAIN_KEY,
                "conditionExpression": "#P between :lo and :hi",
            },
        ]
    }


@pytest.mark.parametrize(
    ("operation", "body", "parameters"),
    [
        (
            "Query",
            {
                "TableName": "Music",
                "KeyConditionExpression": "#a = :a AND begins_with(SongTitle, :s)",
                "FilterExpression": "Album = :f",
                "ExpressionAttributeNames": {"#a": "Artist"},
                "ExpressionAttributeValues": {
                    ":a": {"S": "A"},
                    ":s": {"S": "secret"},
                    ":f": {"S": "secret"},
                },
                "ExclusiveStartKey": {**KEY, "Album": {"S": "secret"}},
                "Limit": 5,
            },
            {
                "tableName": "Music",
                "key": {"Artist": "A"},
                "keyConditionExpression": "#a = :a AND begins_with(SongTitle, :s)",
                "filterExpression": "Album = :f",
                "exclusiveStartKey": PLAIN_KEY,
                "expressionAttributeNames": {"#a": "Artist"},
                "limit": 5,
            },
        ),
        (
            "PutItem",
            {"TableName": "Music", "Item": KEY, "Expected": {"Album": {"Value": {"S": "secret"}}}},
            {
                "tableName": "Music",
                "key": PLAIN_KEY,
                "items": ["Artist", "SongTitle"],
                "expected": ["Album"],
            },
        ),
        (
            "BatchWriteItem",
            {
                "RequestItems": {
                    "Music": [
                        {"PutRequest": {"Item": {**KEY, "Album": {"S": "secret"}}}},
                        {"DeleteRequest": {"Key": KEY}},
                    ]
                }
            },
            {
                "requestItems": [
                    {
                        "operation": "Put",
                        "tableName": "Music",
                        "key": PLAIN_KEY,
                        "items": ["Artist", "SongTitle", "Album"],
                    },
                    {"operation": "Delete", "tableName": "Music", "key": PLAIN_KEY},
                ]
            },
        ),
        (
            "BatchGetItem",
            {"RequestItems": {"Music": {"Keys": [KEY], "ProjectionExpression": "Album"}}},
            {
                "requestItems": [
                    {"tableName": "Music", "keys": [PLAIN_KEY], "projectionExpression": "Album"}
                ]
            },
        ),
        (
            "BatchExecuteStatement",
            {
                "Statements": [
                    {
                        "Statement": "UPDATE Music SET Album = ? WHERE Artist = 'A'",
                        "Parameters": [{"S": "secret"}],
                    }
                ]
            },
            {
                "requestItems": [
                    {
                        "statement": "UPDATE Music SET Album = ? WHERE Artist = 'A'",
                        "tableName": "Music",
                        "key": {"Artist": "A"},
                    }
                ],
                "returnConsumedCapacity": "NONE",
            },
        ),
        ("Scan", {"TableName": "Music"}, {"tableName": "Music", "consistentRead": False}),
        (
            "Scan",
            {"TableName": "Music", "ConsistentRead": True},
            {"tableName": "Music", "consistentRead": True},
        ),
        (
            "ExecuteStatement",
            {"Statement": "SELECT * FROM Music", "ConsistentRead": True},
            {"statement": "SELECT * FROM Music"},
        ),
        (
            "DeleteItem",
            {"TableName": "Music", "Key": KEY, "ReturnValues": "ALL_OLD"},
            {"tableName": "Music", "key": PLAIN_KEY, "returnValue": "ALL_OLD"},
        ),
        # What is no expression, as people write it before they know of placeholders.
        (
            "UpdateItem",
            {"TableName": "Music", "Key": KEY, "UpdateExpression": "SET Album = 'secret'"},
            {"tableName": "Music", "key": PLAIN_KEY, "updateExpression": "***(Redacted)"},
        ),
        # Of a table that is not there nobody knows what the keys are.
        ("GetItem", {"TableName": "Other", "Key": KEY}, {"tableName": "Other"}),
        # A key of another type is no key.
        (
            "GetItem",
            {"TableName": "Music", "Key": {"Artist": {"M": {"x": {"S": "secret"}}}}},
            {"tableName": "Music", "key": {"Artist": "***(Redacted)"}},
        ),
        (
            "GetItem",
            {"TableName": "Music", "Key": {"Artist": {"NULL": "secret"}}},
            {"tableName": "Music", "key": {"Artist": "***(Redacted)"}},
        ),
        (
            "GetRecords",
            {"ShardIterator": "arn:aws:dynamodb:eu-west-1:1:table/Music/stream/2|1|AAAA"},
            {"shardIterator": "arn:aws:dynamodb:eu-west-1:1:table/Music/stream/2|1|AAAA"},
        ),
        ("PutItem", b'{"TableName": 5}', None),
        ("PutItem", b"[" * 100_000, None),
        ("PutItem", b"\xff", None),
    ],
)
def test_parameters_of_data_events(recording, operation, body, parameters):
    event = recording.record(operation, body)
    assert event.request_parameters == parameters
    assert b"secret" not in encoded(event)


def test_parameters_that_are_too_large_are_left_out(recording):
    names = {f"#{number}": "n" * 250 for number in range(AUDIT_MEMBER_BYTES_MAX // 250)}
    body = {"TableName": "Music", "Key": KEY, "ExpressionAttributeNames": names}
    parameters = recording.record("GetItem", body).request_parameters
    assert parameters["omitted"] is True
    assert parameters["reason"] == "requestParametersTooLarge"


def test_data_events_are_selected_by_table():
    recording = Recording(frozenset({"Music"}))
    arn = "arn:aws:dynamodb:us-west-2:123456789012:table/Music"
    assert recording.record("GetItem", {"TableName": "Music", "Key": KEY}) is not None
    assert recording.record("GetItem", {"TableName": arn, "Key": KEY}) is not None
    assert recording.record("GetItem", {"TableName": "Other", "Key": KEY}) is None
    assert recording.record("ExecuteStatement", {"Statement": "SELECT * FROM Music"}) is not None
    assert recording.record("ExecuteStatement", {"Statement": "SELECT * FROM Other"}) is None
    assert recording.record("DescribeTable", {"TableName": "Other"}) is not None
    nothing = Recording(frozenset())
    assert nothing.record("GetItem", {"TableName": "Music", "Key": KEY}) is None
    assert nothing.record("ListTables", {}) is not None


# ValidationException and SerializationException quote what was sent.
@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("A value provided cannot be converted into a number: sec", "***(Redacted)"),
        ("The provided key element does not match the schema", None),
    ],
)
def test_a_text_that_echoes_a_value_is_redacted(recording, message, shown):
    body = {"TableName": "Music", "Item": {"Artist": {"S": "A!"}, "Album": {"N": "sec"}}}
    answer = error("ValidationException", message)
    event = recording.record("PutItem", body, status=400, answer=answer)
    assert event.error_message == (shown or message)


def test_identities():
    def identity(**members):
        principal = Principal(account="111122223333", **members)
        caller = msgspec.structs.replace(BOB, subject=Subject(principal))
        return Recording().record("ListTables", {}, caller).user_identity

    assert identity(type="User", arn="arn:u", user_id="AIDA", user_name="alice") == {
        "type": "IAMUser",
        "principalId": "AIDA",
        "arn": "arn:u",
        "accountId": "111122223333",
        "accessKeyId": "AKIAIOSFODNN7EXAMPLE",
        "userName": "alice",
    }
    root = identity(type="Account", arn="arn:aws:iam::111122223333:root")
    assert (root["type"], root["principalId"]) == ("Root", "111122223333")
    service = identity(type="Service", arn="replication.dynamodb.amazonaws.com")
    assert service == {"type": "AWSService", "invokedBy": "replication.dynamodb.amazonaws.com"}
