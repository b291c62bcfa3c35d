"""UpdateTable."""

import pytest

from tests.api.refusals import NOT_FOUND, VALIDATION, absent, breaks, refusal, violated

INVALID = "One or more parameter values were invalid: "
NOTHING = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
    "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"
)
NEITHER = (
    f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode "
    "is PAY_PER_REQUEST"
)


def units(read, write):
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


@pytest.fixture
def provisioned(new_table):
    """A table with 5 read and 5 write units."""
    return new_table(BillingMode="PROVISIONED", ProvisionedThroughput=units(5, 5))


@pytest.fixture
def updated(dynamodb):
    """Updates a table; gives its description once it is ACTIVE again."""

    def update(name, **changes):
        answer = dynamodb.update_table(TableName=name, **changes)["TableDescription"]
        assert answer["TableStatus"] == "UPDATING"
        dynamodb.get_waiter("table_exists").wait(TableName=name)
        table = dynamodb.describe_table(TableName=name)["Table"]
        assert table == {**answer, "TableStatus": "ACTIVE"}
        return table

    return update


# Source: the model: the dates of the last changes in each direction.
@pytest.mark.parametrize(
    ("read", "write", "dates", "decreases"),
    [
        (6, 5, {"LastIncreaseDateTime"}, 0),
        (5, 6, {"LastIncreaseDateTime"}, 0),
        (4, 5, {"LastDecreaseDateTime"}, 1),
        (5, 4, {"LastDecreaseDateTime"}, 1),
        (6, 4, {"LastIncreaseDateTime", "LastDecreaseDateTime"}, 1),
    ],
)
def test_throughput(updated, provisioned, read, write, dates, decreases):
    throughput = updated(provisioned, ProvisionedThroughput=units(read, write))[
        "ProvisionedThroughput"
    ]
    assert throughput["ReadCapacityUnits"] == read
    assert throughput["WriteCapacityUnits"] == write
    assert throughput["NumberOfDecreasesToday"] == decreases
    assert {name for name in throughput if name.endswith("DateTime")} == dates


# Decreases are counted, and an increase does not take one back. Source: the model.
def test_decreases_are_counted(updated, provisioned):
    for read in (4, 3, 9):
        table = updated(provisioned, ProvisionedThroughput=units(read, 5))
    assert table["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 2


# Catalogue 134. Terraform meets it when a plan was made from an old state.
def test_throughput_does_not_change(dynamodb, provisioned):
    told = refusal(dynamodb.update_table, TableName=provisioned, ProvisionedThroughput=units(5, 5))
    text = (
        "The provisioned throughput for the table will not change. The requested value equals the "
        "current value. Current ReadCapacityUnits provisioned for the table: 5. Requested "
        "ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the table: 5. Requested "
        "WriteCapacityUnits: 5. Refer to the Amazon DynamoDB Developer Guide for current limits "
        "and how to request higher limits."
    )
    assert told == (VALIDATION, text)


# An on-demand table has no units. Source: the API Reference, CreateTable.
def test_to_on_demand(updated, provisioned):
    table = updated(provisioned, BillingMode="PAY_PER_REQUEST")
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert "LastUpdateToPayPerRequestDateTime" in table["BillingModeSummary"]
    assert table["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **units(0, 0)}
    assert table["WarmThroughput"]["ReadUnitsPerSecond"] == 12000


# A table that once was on demand keeps its summary, with the date. Source: the API's model.
def test_to_provisioned(dynamodb, updated, new_table):
    name = new_table()
    before = dynamodb.describe_table(TableName=name)["Table"]["BillingModeSummary"]
    table = updated(name, BillingMode="PROVISIONED", ProvisionedThroughput=units(3, 2))
    assert table["BillingModeSummary"] == {**before, "BillingMode": "PROVISIONED"}
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 3
    assert table["ProvisionedThroughput"]["WriteCapacityUnits"] == 2


@pytest.mark.parametrize("table_class", ["STANDARD", "STANDARD_INFREQUENT_ACCESS"])
def test_table_class(updated, new_table, table_class):
    summary = updated(new_table(), TableClass=table_class)["TableClassSummary"]
    assert summary["TableClass"] == table_class
    assert "LastUpdateDateTime" in summary


def test_deletion_protection(updated, new_table):
    name = new_table()
    assert updated(name, DeletionProtectionEnabled=True)["DeletionProtectionEnabled"] is True
    assert updated(name, DeletionProtectionEnabled=False)["DeletionProtectionEnabled"] is False


# What is not asked to change does not, and items are none of it.
def test_the_rest_stays(dynamodb, updated, new_table):
    name = new_table(sk="N", Tags=[{"Key": "a", "Value": "b"}])
    item = {"pk": {"S": "k"}, "sk": {"N": "1"}, "v": {"S": "v"}}
    dynamodb.put_item(TableName=name, Item=item)
    before = dynamodb.describe_table(TableName=name)["Table"]
    table = updated(name, DeletionProtectionEnabled=True)
    assert table == {**before, "DeletionProtectionEnabled": True}
    assert dynamodb.scan(TableName=name)["Items"] == [item]
    listed = dynamodb.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
    assert listed == [{"Key": "a", "Value": "b"}]
    updated(name, DeletionProtectionEnabled=False)


# Writers who know the table from before go on with what it is now.
def test_items_are_written_after_a_change(dynamodb, updated, new_table):
    name = new_table()
    for number in range(3):
        dynamodb.put_item(TableName=name, Item={"pk": {"S": str(number)}})
        updated(name, TableClass="STANDARD")
    assert dynamodb.scan(TableName=name, Select="COUNT")["Count"] == 3


# Catalogue 133; before it is known whether the table exists.
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]},
    ],
)
def test_nothing_to_change(dynamodb, changes):
    told = refusal(dynamodb.update_table, TableName="no-such-table", **changes)
    assert told == (VALIDATION, NOTHING)


# Catalogue 153.
def test_table_is_not_found(dynamodb):
    told = refusal(dynamodb.update_table, TableName="no-such-table", TableClass="STANDARD")
    assert told == (NOT_FOUND, "Requested resource not found: Table: no-such-table not found")


# Catalogue 5 and 6, before everything else that is wrong.
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ({}, "The parameter 'TableName' is required but was not present in the request"),
        (
            {"TableName": "ab"},
            "TableName must be at least 3 characters long and at most 255 characters long",
        ),
    ],
)
def test_name_is_missing_or_of_a_wrong_length(dynamodb, name, text):
    assert refusal(dynamodb.update_table, **name, BillingMode="FREE") == (VALIDATION, text)


# The model's constraints, in its order. Measured.
def test_constraints(dynamodb, simple):
    told = refusal(
        dynamodb.update_table,
        TableName=simple,
        BillingMode="FREE",
        ProvisionedThroughput={"ReadCapacityUnits": 0},
        TableClass="COLD",
    )
    one_of = "satisfy enum value set: "
    assert told == violated(
        breaks("FREE", "billingMode", one_of + "[PROVISIONED, PAY_PER_REQUEST]"),
        breaks(
            0,
            "provisionedThroughput.readCapacityUnits",
            "have value greater than or equal to 1",
        ),
        absent("provisionedThroughput.writeCapacityUnits"),
        breaks("COLD", "tableClass", one_of + "[STANDARD, STANDARD_INFREQUENT_ACCESS]"),
    )


# Catalogue 147, where the request says it all: the table need not exist.
@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": units(1, 1)}, NEITHER),
        (
            {"BillingMode": "PROVISIONED"},
            f"{INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
        ),
    ],
)
def test_throughput_does_not_go_with_the_billing_mode(dynamodb, changes, text):
    told = refusal(dynamodb.update_table, TableName="no-such-table", **changes)
    assert told == (VALIDATION, text)


# Catalogue 147, where the table decides: it stays on demand.
def test_on_demand_table_takes_no_throughput(dynamodb, simple):
    told = refusal(dynamodb.update_table, TableName=simple, ProvisionedThroughput=units(1, 1))
    assert told == (VALIDATION, NEITHER)


# Catalogue 148.
def test_throughput_is_out_of_bounds(dynamodb, provisioned):
    told = refusal(
        dynamodb.update_table,
        TableName=provisioned,
        ProvisionedThroughput=units(1, 1_000_000_000_001),
    )
    text = "Given value 1000000000001 for WriteCapacityUnits is out of bounds"
    assert told == (VALIDATION, text)


# No stream can be enabled yet, so none can be disabled. Catalogue 149: only the fault is known.
def test_no_stream_to_disable(dynamodb, simple):
    stream = {"StreamEnabled": False}
    code, text = refusal(dynamodb.update_table, TableName=simple, StreamSpecification=stream)
    assert code == VALIDATION
    assert "disable" in text
    assert "stream" in text


# Every table is encrypted with a key of the service's; asking for just that is no mistake.
def test_no_key_of_the_customer(updated, new_table):
    assert "SSEDescription" not in updated(new_table(), SSESpecification={"Enabled": False})


# All or nothing: the class of a refused update is not kept.
def test_refused_update_changes_nothing(dynamodb, provisioned):
    before = dynamodb.describe_table(TableName=provisioned)["Table"]
    refusal(
        dynamodb.update_table,
        TableName=provisioned,
        TableClass="STANDARD",
        ProvisionedThroughput=units(5, 5),
    )
    assert dynamodb.describe_table(TableName=provisioned)["Table"] == before
