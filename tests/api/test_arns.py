"""A member TableName takes the table's ARN too."""

import pytest

from tests.api.conftest import client_of
from tests.api.refusals import NOT_FOUND, VALIDATION, refusal, table_request

FOREIGN = "arn:aws:dynamodb:eu-central-1:123456789012:table/{}"


@pytest.fixture
def table(dynamodb, new_table):
    return dynamodb.describe_table(TableName=new_table())["Table"]


# Every member TableName. Source: the API Reference.
def test_operations_on_tables_take_an_arn(dynamodb, table):
    arn = table["TableArn"]
    assert dynamodb.describe_table(TableName=arn)["Table"] == table
    assert "TimeToLiveDescription" in dynamodb.describe_time_to_live(TableName=arn)
    answer = dynamodb.describe_continuous_backups(TableName=arn)
    assert "ContinuousBackupsDescription" in answer
    updated = dynamodb.update_table(TableName=arn, TableClass="STANDARD")["TableDescription"]
    assert updated["TableName"] == table["TableName"]
    dynamodb.get_waiter("table_exists").wait(TableName=arn)
    deleted = dynamodb.delete_table(TableName=arn)["TableDescription"]
    assert deleted["TableArn"] == arn


# The new table's name is the name in the ARN; its region and account are those of the caller.
def test_table_is_created_by_arn(dynamodb):
    request = table_request(TableName=FOREIGN.format("made-by-arn"))
    table = dynamodb.create_table(**request)["TableDescription"]
    assert table["TableName"] == "made-by-arn"
    assert table["TableArn"].startswith("arn:aws:dynamodb:us-east-1:")
    dynamodb.get_waiter("table_exists").wait(TableName="made-by-arn")
    dynamodb.delete_table(TableName="made-by-arn")


# What was sent is what ConsumedCapacity names. Measured.
def test_operations_on_items_take_an_arn_and_echo_it(dynamodb, table):
    arn, key = table["TableArn"], {"pk": {"S": "k"}}
    total = {"TableName": arn, "ReturnConsumedCapacity": "TOTAL"}
    for answer in (
        dynamodb.put_item(Item=key, **total),
        dynamodb.get_item(Key=key, **total),
        dynamodb.update_item(Key=key, **total),
        dynamodb.scan(**total),
        dynamodb.delete_item(Key=key, **total),
    ):
        assert answer["ConsumedCapacity"]["TableName"] == arn


# A batch answers under the names that were sent. Measured.
def test_batches_take_an_arn_and_echo_it(dynamodb, table):
    arn, key = table["TableArn"], {"pk": {"S": "k"}}
    dynamodb.batch_write_item(RequestItems={arn: [{"PutRequest": {"Item": key}}]})
    answer = dynamodb.batch_get_item(RequestItems={arn: {"Keys": [key]}})
    assert answer["Responses"] == {arn: [key]}


# One namespace for all: whatever region and account an ARN names, its table's name decides.
def test_arn_of_another_account(dynamodb, table):
    name = table["TableName"]
    assert dynamodb.describe_table(TableName=FOREIGN.format(name))["Table"] == table


# A table's ARN shows who made it: an access key of twelve digits names an account.
def test_arn_shows_account_and_region_of_the_creator(dynamodb, endpoint):
    caller = client_of(endpoint, region_name="eu-central-1", aws_access_key_id="123456789012")
    table = caller.create_table(**table_request(TableName="made-elsewhere"))["TableDescription"]
    assert table["TableArn"] == FOREIGN.format("made-elsewhere")
    caller.get_waiter("table_exists").wait(TableName="made-elsewhere")
    seen = dynamodb.describe_table(TableName="made-elsewhere")["Table"]
    assert seen["TableArn"] == table["TableArn"]
    dynamodb.delete_table(TableName="made-elsewhere")


# The two halves of the API have different words for a table that is not there. Catalogue 153, 154.
def test_arn_of_no_table(dynamodb):
    arn = FOREIGN.format("no-such-table")
    told = refusal(dynamodb.describe_table, TableName=arn)
    assert told == (NOT_FOUND, "Requested resource not found: Table: no-such-table not found")
    told = refusal(dynamodb.get_item, TableName=arn, Key={"pk": {"S": "k"}})
    assert told == (NOT_FOUND, "Requested resource not found")


# Told of operations on tables and on items alike. Source: measured by users, October 2026.
@pytest.mark.parametrize(
    ("arn", "fault"),
    [
        ("arn:aws:dynamodb:us_east 1:000000000000:table/some-table", "AWS region"),
        ("arn:azure:dynamodb:us-east-1:000000000000:table/some-table", "AWS partition"),
        ("arn:aws:dynamodb:us-east-1:000000000000:tabel/some-table", "resource type"),
    ],
)
def test_part_of_an_arn_is_wrong(dynamodb, arn, fault):
    text = f"1 validation error detected: Invalid {fault} in '{arn}'"
    assert refusal(dynamodb.describe_table, TableName=arn) == (VALIDATION, text)
    told = refusal(dynamodb.get_item, TableName=arn, Key={"pk": {"S": "k"}})
    assert told == (VALIDATION, text)


# Indexes and streams are no tables, and half an ARN is none.
@pytest.mark.parametrize(
    "arn",
    [
        "arn:aws:dynamodb:us-east-1:000000000000:table/some-table/index/some-index",
        "arn:aws:dynamodb:us-east-1:000000000000:table/ab",
        "arn:aws:dynamodb:us-east-1:0:table/some-table",
        "arn:aws:dynamodb:us-east-1",
    ],
)
def test_arn_is_of_no_table(dynamodb, arn):
    code, text = refusal(dynamodb.describe_table, TableName=arn)
    assert code == VALIDATION
    assert arn in text
