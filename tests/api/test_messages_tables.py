"""Texts of the operations on tables, by their numbers in the catalogue; indexes have a file."""

import pytest

from tests.api.conftest import client_of
from tests.api.items import INVALID
from tests.api.refusals import (
    IN_USE,
    NOT_FOUND,
    VALIDATION,
    absent,
    breaks,
    brief,
    refusal,
    table_request,
    violated,
)

NO_NAME = "The parameter 'TableName' is required but was not present in the request"
PATTERN = "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
STILL_IN_USE = "Attempt to change a resource which is still in use: "
NOTHING = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
    "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, "
    "MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
    "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is "
    "required"
)
UNCHANGED = (
    "The provisioned throughput for the table will not change. The requested value "
    "equals the current value. Current ReadCapacityUnits provisioned for the table: 5. "
    "Requested ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the "
    "table: 5. Requested WriteCapacityUnits: 5. Refer to the Amazon DynamoDB Developer "
    "Guide for current limits and how to request higher limits."
)
OF_NAME = {
    "delete_table": {},
    "describe_table": {},
    "update_table": {"DeletionProtectionEnabled": False},
    "describe_time_to_live": {},
    "update_time_to_live": {
        "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}
    },
    "describe_continuous_backups": {},
}
"""Operations on a table that there is, and what else they need."""
PK, SK = ({"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk"))
HASH = {"AttributeName": "pk", "KeyType": "HASH"}
RANGE = {"AttributeName": "sk", "KeyType": "RANGE"}
OTHER = {"AttributeName": "x", "KeyType": "RANGE"}


def units(read, write):
    return {"ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write}}


def invalid(text):
    return VALIDATION, INVALID + text


# Names of tables that must be there. The length is told in the model's words since 2026.
@pytest.mark.parametrize("operation", OF_NAME)
@pytest.mark.parametrize(
    ("number", "name", "told"),
    [
        (5, None, (VALIDATION, NO_NAME)),
        (
            3,
            "a" * 256,
            violated(breaks("a" * 256, "tableName", "have length less than or equal to 255")),
        ),
        (4, "a;b", violated(breaks("a;b", "tableName", PATTERN))),
        (7, "ab", violated(breaks("ab", "tableName", "have length greater than or equal to 3"))),
        (153, "never-made", None),
    ],
    ids=brief,
)
def test_names_of_tables(dynamodb, operation, number, name, told):
    request = OF_NAME[operation] | ({} if name is None else {"TableName": name})
    if told is None:
        told = (NOT_FOUND, "Requested resource not found: Table: never-made not found")
        if "backups" in operation:
            told = ("TableNotFoundException", "Table not found: never-made")
    assert refusal(getattr(dynamodb, operation), **request) == told


# Catalogue 281: the operations on backups and exports have faults of their own.
@pytest.mark.parametrize(("number", "name"), [(281, "never-made")])
def test_backups_of_no_table(dynamodb, number, name):
    told = refusal(dynamodb.describe_continuous_backups, TableName=name)
    assert told == ("TableNotFoundException", f"Table not found: {name}")


@pytest.mark.parametrize(
    ("number", "request_", "told"),
    [
        (11, {"Limit": 0}, violated(breaks(0, "limit", "have value greater than or equal to 1"))),
        (
            12,
            {"Limit": 101},
            violated(breaks(101, "limit", "have value less than or equal to 100")),
        ),
    ],
    ids=brief,
)
def test_list_tables(dynamodb, number, request_, told):
    assert refusal(dynamodb.list_tables, **request_) == told


@pytest.mark.parametrize(
    ("number", "changes", "told"),
    [
        (5, {"TableName": None}, (VALIDATION, NO_NAME)),
        (
            7,
            {"TableName": "ab"},
            violated(breaks("ab", "tableName", "have length greater than or equal to 3")),
        ),
        (8, {"KeySchema": None}, violated(absent("keySchema"))),
        (8, {"AttributeDefinitions": None}, violated(absent("attributeDefinitions"))),
        (
            135,
            {"KeySchema": [RANGE], "AttributeDefinitions": [SK]},
            (VALIDATION, "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"),
        ),
        (
            136,
            {"KeySchema": [HASH, {**RANGE, "KeyType": "HASH"}], "AttributeDefinitions": [PK, SK]},
            (VALIDATION, "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"),
        ),
        (
            137,
            {"KeySchema": [HASH, RANGE]},
            (VALIDATION, "Invalid KeySchema: Some index key attribute have no definition"),
        ),
        (
            137,
            {
                "KeySchema": [HASH, {**RANGE, "AttributeName": "pk"}],
                "AttributeDefinitions": [PK, SK],
            },
            (
                VALIDATION,
                "Both the Hash Key and the Range Key element in the KeySchema have the same name",
            ),
        ),
        (
            138,
            {"AttributeDefinitions": [SK]},
            invalid(
                "Some index key attributes are not defined in AttributeDefinitions. "
                "Keys: [pk], AttributeDefinitions: [sk]"
            ),
        ),
        (
            139,
            {"AttributeDefinitions": [PK, SK]},
            invalid(
                "Number of attributes in KeySchema does not exactly match number of attributes "
                "defined in AttributeDefinitions"
            ),
        ),
        (
            140,
            {"KeySchema": [HASH, RANGE, OTHER]},
            violated(
                breaks(
                    "[KeySchemaElement(attributeName=pk, keyType=HASH), "
                    "KeySchemaElement(attributeName=sk, keyType=RANGE), "
                    "KeySchemaElement(attributeName=x, keyType=RANGE)]",
                    "keySchema",
                    "have length less than or equal to 2",
                )
            ),
        ),
        (
            147,
            units(1, 1),
            invalid(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                "BillingMode is PAY_PER_REQUEST"
            ),
        ),
        (
            147,
            {"BillingMode": "PROVISIONED"},
            invalid(
                "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode "
                "is PROVISIONED"
            ),
        ),
        (
            148,
            {"BillingMode": None, **units(1_000_000_000_001, 1)},
            (VALIDATION, "Given value 1000000000001 for ReadCapacityUnits is out of bounds"),
        ),
        (
            149,
            {"StreamSpecification": {"StreamEnabled": False, "StreamViewType": "KEYS_ONLY"}},
            invalid(
                "Table is being created with a stream disabled, "
                "UpdateViewType should not be specified"
            ),
        ),
        (
            158,
            {"BillingMode": None, **units(1, 1), "OnDemandThroughput": {"MaxReadRequestUnits": 1}},
            invalid(
                "MaxReadRequestUnits for OnDemandThroughput cannot be specified when table "
                "BillingMode is PROVISIONED."
            ),
        ),
        (
            158,
            {"OnDemandThroughput": {"MaxReadRequestUnits": 0}},
            invalid(
                "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of "
                "valid range"
            ),
        ),
    ],
    ids=brief,
)
def test_create_table(dynamodb, number, changes, told):
    assert refusal(dynamodb.create_table, **table_request(**changes)) == told


@pytest.fixture(scope="module")
def tables(new_table, dynamodb):
    """Tables by what they are."""
    found = {
        "on demand": new_table(),
        "provisioned": new_table(BillingMode="PROVISIONED", **units(5, 5)),
        "protected": new_table(DeletionProtectionEnabled=True),
    }
    yield found
    dynamodb.update_table(TableName=found["protected"], DeletionProtectionEnabled=False)


# What a table is, and a change that does not go with it.
@pytest.mark.parametrize(
    ("number", "table", "changes", "told"),
    [
        (133, "on demand", {}, (VALIDATION, NOTHING)),
        (134, "provisioned", units(5, 5), (VALIDATION, UNCHANGED)),
        (
            147,
            "on demand",
            {"BillingMode": "PROVISIONED"},
            invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED"),
        ),
        (
            147,
            "on demand",
            units(1, 1),
            invalid(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                "BillingMode is PAY_PER_REQUEST"
            ),
        ),
        (
            148,
            "provisioned",
            units(1, 1_000_000_000_001),
            (VALIDATION, "Given value 1000000000001 for WriteCapacityUnits is out of bounds"),
        ),
        (
            158,
            "provisioned",
            {"OnDemandThroughput": {"MaxWriteRequestUnits": 1}},
            invalid(
                "MaxWriteRequestUnits for OnDemandThroughput cannot be specified when the table "
                "BillingMode is PROVISIONED"
            ),
        ),
        (
            159,
            "on demand",
            {"WarmThroughput": {"ReadUnitsPerSecond": 1}},
            invalid(
                "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than current "
                "WarmThroughput, decreasing WarmThroughput is not supported"
            ),
        ),
    ],
    ids=brief,
)
def test_update_table(dynamodb, tables, number, table, changes, told):
    assert refusal(dynamodb.update_table, TableName=tables[table], **changes) == told


@pytest.mark.parametrize(
    ("number", "table", "text"),
    [
        (
            150,
            "protected",
            (
                "Resource cannot be deleted as it is currently protected against deletion. "
                "Disable deletion protection first."
            ),
        )
    ],
)
def test_delete_table(dynamodb, tables, number, table, text):
    assert refusal(dynamodb.delete_table, TableName=tables[table]) == (VALIDATION, text)


@pytest.mark.parametrize(("number", "table"), [(151, "on demand")])
def test_table_exists(dynamodb, tables, number, table):
    told = refusal(dynamodb.create_table, **table_request(TableName=tables[table]))
    assert told == (IN_USE, f"Table already exists: {tables[table]}")


# Of a table that is CREATING, on a server where that takes its time.
@pytest.mark.parametrize(
    ("number", "operation", "more"),
    [
        (152, "create_table", table_request()),
        (152, "delete_table", {}),
        (152, "update_table", {"TableClass": "STANDARD"}),
    ],
    ids=brief,
)
def test_table_is_creating(creating, number, operation, more):
    told = refusal(getattr(creating, operation), **{**more, "TableName": "creating"})
    assert told == (IN_USE, f"{STILL_IN_USE}Table is being created: creating")


@pytest.fixture(scope="module")
def creating(start_server):
    endpoint = start_server(delay_transient_statuses=True, transient_status_ms=3_600_000)
    client = client_of(endpoint)
    client.create_table(**table_request(TableName="creating"))
    return client
