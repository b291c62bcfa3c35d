"""DeleteTable."""

import pytest

from tests.api.indexes import attributes, index_of
from tests.api.refusals import NOT_FOUND, VALIDATION, refusal, table_request


def gone(dynamodb, name):
    dynamodb.delete_table(TableName=name)
    dynamodb.get_waiter("table_not_exists").wait(TableName=name)


def made_anew(dynamodb, name, **changes):
    dynamodb.create_table(**table_request(TableName=name, **changes))
    dynamodb.get_waiter("table_exists").wait(TableName=name)


# The answer says less than DescribeTable: nothing of keys, indexes, warm throughput and the date.
# Source: an answer of the service that another emulator recorded.
@pytest.mark.parametrize(
    ("changes", "more"),
    [
        ({}, {"BillingModeSummary"}),
        (
            {
                "BillingMode": "PROVISIONED",
                "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2},
            },
            set(),
        ),
    ],
)
def test_answer_describes_the_table(dynamodb, new_table, changes, more):
    units = {key: value for key, value in changes.items() if key == "ProvisionedThroughput"}
    name = new_table(
        sk="S",
        AttributeDefinitions=attributes(pk="S", sk="S", a="S"),
        LocalSecondaryIndexes=[index_of("local", "pk", sort=("a",))],
        GlobalSecondaryIndexes=[index_of("global", "a", **units)],
        **changes,
    )
    before = dynamodb.describe_table(TableName=name)["Table"]
    deleted = dynamodb.delete_table(TableName=name)["TableDescription"]
    members = {
        "TableName",
        "TableStatus",
        "ProvisionedThroughput",
        "TableSizeBytes",
        "ItemCount",
        "TableArn",
        "TableId",
        "DeletionProtectionEnabled",
        *more,
    }
    kept = {member: before[member] for member in members}
    assert deleted == {**kept, "TableStatus": "DELETING"}
    if more:
        assert "LastUpdateToPayPerRequestDateTime" in deleted["BillingModeSummary"]


# Catalogue 153.
def test_table_is_gone(dynamodb, new_table):
    name = new_table()
    gone(dynamodb, name)
    text = f"Requested resource not found: Table: {name} not found"
    assert refusal(dynamodb.describe_table, TableName=name) == (NOT_FOUND, text)
    assert refusal(dynamodb.delete_table, TableName=name) == (NOT_FOUND, text)


# Catalogue 154: operations on items do not name the table. One that was used before is in the
# server's memory, and must not be answered from there.
def test_items_are_gone_at_once(dynamodb, new_table):
    name, key = new_table(), {"pk": {"S": "k"}}
    dynamodb.put_item(TableName=name, Item=key)
    assert dynamodb.get_item(TableName=name, Key=key)["Item"] == key
    gone(dynamodb, name)
    told = (NOT_FOUND, "Requested resource not found")
    assert refusal(dynamodb.get_item, TableName=name, Key=key) == told
    assert refusal(dynamodb.put_item, TableName=name, Item=key) == told
    assert refusal(dynamodb.scan, TableName=name) == told


# A new table of the same name has nothing of the old one: items, counts, tags, protection.
def test_name_can_be_used_again(dynamodb, new_table):
    name, key = new_table(Tags=[{"Key": "a", "Value": "b"}]), {"pk": {"S": "k"}}
    dynamodb.put_item(TableName=name, Item=key)
    gone(dynamodb, name)
    made_anew(dynamodb, name)
    assert "Item" not in dynamodb.get_item(TableName=name, Key=key)
    assert dynamodb.scan(TableName=name)["Items"] == []
    table = dynamodb.describe_table(TableName=name)["Table"]
    assert (table["ItemCount"], table["TableSizeBytes"]) == (0, 0)
    assert dynamodb.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"] == []


# The key of the new table counts, not that of the old one which a server may still know.
def test_new_table_has_a_key_of_its_own(dynamodb, new_table):
    name = new_table()
    dynamodb.put_item(TableName=name, Item={"pk": {"S": "k"}})
    gone(dynamodb, name)
    definitions = [{"AttributeName": "other", "AttributeType": "N"}]
    schema = [{"AttributeName": "other", "KeyType": "HASH"}]
    made_anew(dynamodb, name, AttributeDefinitions=definitions, KeySchema=schema)
    dynamodb.put_item(TableName=name, Item={"other": {"N": "1"}})
    code, text = refusal(dynamodb.put_item, TableName=name, Item={"pk": {"S": "k"}})
    assert code == VALIDATION
    assert text.endswith("Missing the key other in the item")


# Catalogue 150; what is protected is untouched, and can be deleted once it no longer is.
def test_protected_table_is_not_deleted(dynamodb, new_table):
    name = new_table(DeletionProtectionEnabled=True)
    text = (
        "Resource cannot be deleted as it is currently protected against deletion. "
        "Disable deletion protection first."
    )
    assert refusal(dynamodb.delete_table, TableName=name) == (VALIDATION, text)
    assert dynamodb.describe_table(TableName=name)["Table"]["TableStatus"] == "ACTIVE"
    dynamodb.update_table(TableName=name, DeletionProtectionEnabled=False)
    dynamodb.get_waiter("table_exists").wait(TableName=name)
    gone(dynamodb, name)
