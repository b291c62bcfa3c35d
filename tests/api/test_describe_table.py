"""DescribeTable."""

import uuid

import pytest

from tests.api.refusals import breaks, refusal, table_request, violated

AT_LEAST_3 = "have length greater than or equal to 3"
PATTERN = "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"


def describe(dynamodb, name):
    return dynamodb.describe_table(TableName=name)["Table"]


# What CreateTable said stays true, but for the status; what it did not know yet is added. Measured
# by users, 2026.
def test_table_is_described_as_it_was_created(dynamodb):
    name = f"described-{uuid.uuid4()}"
    created = dynamodb.create_table(**table_request(TableName=name))["TableDescription"]
    dynamodb.get_waiter("table_exists").wait(TableName=name)
    switched = {"LastUpdateToPayPerRequestDateTime": created["CreationDateTime"]}
    assert describe(dynamodb, name) == {
        **created,
        "TableStatus": "ACTIVE",
        "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST", **switched},
        "WarmThroughput": {
            "ReadUnitsPerSecond": 12000,
            "WriteUnitsPerSecond": 4000,
            "Status": "ACTIVE",
        },
    }
    dynamodb.delete_table(TableName=name)


# Members appear only when they are set: there are no empty lists of indexes, no stream, no
# encryption. Source: the API's model.
@pytest.mark.parametrize(
    ("changes", "more"),
    [
        ({}, {"BillingModeSummary"}),
        (
            {
                "BillingMode": "PROVISIONED",
                "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
            },
            set(),
        ),
        ({"TableClass": "STANDARD"}, {"BillingModeSummary", "TableClassSummary"}),
        (
            {"OnDemandThroughput": {"MaxReadRequestUnits": 1}},
            {"BillingModeSummary", "OnDemandThroughput"},
        ),
    ],
)
def test_members_that_are_not_set_are_absent(dynamodb, new_table, changes, more):
    assert set(describe(dynamodb, new_table(**changes))) == more | {
        "AttributeDefinitions",
        "TableName",
        "KeySchema",
        "TableStatus",
        "CreationDateTime",
        "ProvisionedThroughput",
        "TableSizeBytes",
        "ItemCount",
        "TableArn",
        "TableId",
        "DeletionProtectionEnabled",
        "WarmThroughput",
    }


# The service refreshes both every six hours, here they are exact: name and value of "pk" and "v"
# are 2 + 3 + 1 + 4 bytes. Source: Developer Guide, item sizes.
def test_items_and_bytes_are_counted(dynamodb, new_table):
    name = new_table()
    dynamodb.put_item(TableName=name, Item={"pk": {"S": "one"}, "v": {"S": "more"}})
    dynamodb.put_item(TableName=name, Item={"pk": {"S": "two"}})
    table = describe(dynamodb, name)
    assert (table["ItemCount"], table["TableSizeBytes"]) == (2, 10 + 5)
    dynamodb.put_item(TableName=name, Item={"pk": {"S": "one"}})
    table = describe(dynamodb, name)
    assert (table["ItemCount"], table["TableSizeBytes"]) == (2, 5 + 5)
    dynamodb.delete_item(TableName=name, Key={"pk": {"S": "one"}})
    dynamodb.delete_item(TableName=name, Key={"pk": {"S": "never there"}})
    table = describe(dynamodb, name)
    assert (table["ItemCount"], table["TableSizeBytes"]) == (1, 5)


# The model's words, all at once. Measured by users, October 2026.
@pytest.mark.parametrize(
    ("name", "constraints"),
    [
        ("", [AT_LEAST_3, PATTERN]),
        ("ab", [AT_LEAST_3]),
        ("a" * 256, ["have length less than or equal to 255"]),
        ("a;", [AT_LEAST_3, PATTERN]),
    ],
)
def test_name_is_too_short_or_too_long(dynamodb, name, constraints):
    told = refusal(dynamodb.describe_table, TableName=name)
    assert told == violated(*(breaks(name, "tableName", each) for each in constraints))
