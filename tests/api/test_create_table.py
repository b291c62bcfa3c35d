"""CreateTable."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from tests.api.refusals import VALIDATION, refusal, table_request

INVALID = "One or more parameter values were invalid: "
FIRST_IS_NOT_HASH = "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
TOO_FEW = "Invalid KeySchema: Some index key attribute have no definition"

UNITS = {"ReadCapacityUnits": 3, "WriteCapacityUnits": 2}
PK, SK = ({"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk"))
HASH, RANGE = (
    {"AttributeName": "pk", "KeyType": "HASH"},
    {"AttributeName": "sk", "KeyType": "RANGE"},
)


@pytest.fixture
def name(dynamodb):
    """The name of a table that a test may make; it is deleted afterwards."""
    chosen = f"created-{uuid.uuid4()}"
    yield chosen
    if chosen in dynamodb.list_tables(ExclusiveStartTableName=chosen[:-1], Limit=1)["TableNames"]:
        dynamodb.get_waiter("table_exists").wait(TableName=chosen)
        dynamodb.update_table(TableName=chosen, DeletionProtectionEnabled=False)
        dynamodb.delete_table(TableName=chosen)


@pytest.fixture
def created(dynamodb, name):
    """Creates a table and gives its description."""
    return lambda **changes: dynamodb.create_table(**table_request(TableName=name, **changes))[
        "TableDescription"
    ]


# The answer is what SDKs keep as state, so every member is compared. What takes time on the service
# is not in it: neither warm throughput, nor the date of the switch. Measured by users, 2026.
def test_answer_describes_an_on_demand_table(created, name):
    table = created()
    made, identity, arn = (table.pop(key) for key in ("CreationDateTime", "TableId", "TableArn"))
    assert table == {
        "TableName": name,
        "TableStatus": "CREATING",
        "AttributeDefinitions": [PK],
        "KeySchema": [HASH],
        "ProvisionedThroughput": {
            "NumberOfDecreasesToday": 0,
            "ReadCapacityUnits": 0,
            "WriteCapacityUnits": 0,
        },
        "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
        "TableSizeBytes": 0,
        "ItemCount": 0,
        "DeletionProtectionEnabled": False,
    }
    assert abs(datetime.now(UTC) - made) < timedelta(minutes=5)
    assert uuid.UUID(identity).version == 4
    assert arn.startswith("arn:aws:dynamodb:us-east-1:")
    assert arn.endswith(f":table/{name}")


# BillingMode is PROVISIONED by default, and only on-demand tables have a summary. Source: the
# API's model.
@pytest.mark.parametrize("mode", [None, "PROVISIONED"])
def test_answer_describes_a_provisioned_table(created, mode):
    table = created(BillingMode=mode, ProvisionedThroughput=UNITS)
    assert table["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **UNITS}
    assert "BillingModeSummary" not in table
    assert "WarmThroughput" not in table


# The partition key comes first in KeySchema; definitions are sorted. Measured by users, 2026.
def test_answer_describes_both_keys(created):
    table = created(AttributeDefinitions=[SK, PK], KeySchema=[HASH, RANGE])
    assert table["KeySchema"] == [HASH, RANGE]
    assert table["AttributeDefinitions"] == [PK, SK]


# Keys are strings, numbers or binary. Source: the API Reference.
@pytest.mark.parametrize("kind", ["S", "N", "B"])
def test_key_of_each_type(created, kind):
    definitions = [{"AttributeName": "pk", "AttributeType": kind}]
    assert created(AttributeDefinitions=definitions)["AttributeDefinitions"] == definitions


# Terraform tells a new table of an old name by TableId, which is never used again.
def test_table_id_changes_when_a_table_is_made_anew(dynamodb, created, name):
    before = created()["TableId"]
    dynamodb.get_waiter("table_exists").wait(TableName=name)
    dynamodb.delete_table(TableName=name)
    dynamodb.get_waiter("table_not_exists").wait(TableName=name)
    assert created()["TableId"] != before


# A class is described from the moment one was chosen; nobody chose one for a fresh table.
# Known from emulators.
@pytest.mark.parametrize("table_class", ["STANDARD", "STANDARD_INFREQUENT_ACCESS"])
def test_table_class_is_described_once_chosen(created, table_class):
    assert created(TableClass=table_class)["TableClassSummary"]["TableClass"] == table_class


def test_deletion_protection_is_described(created):
    assert created(DeletionProtectionEnabled=True)["DeletionProtectionEnabled"] is True


# Tags given here are those that ListTagsOfResource answers.
def test_tags_are_kept(dynamodb, created):
    tags = [{"Key": "owner", "Value": "me"}, {"Key": "stage", "Value": ""}]
    arn = created(Tags=tags)["TableArn"]
    listed = dynamodb.list_tags_of_resource(ResourceArn=arn)["Tags"]
    assert sorted(listed, key=lambda tag: tag["Key"]) == tags


# Terraform and mappers send these with every table; what is off leaves no trace.
def test_what_is_turned_off_is_not_described(created):
    table = created(
        StreamSpecification={"StreamEnabled": False}, SSESpecification={"Enabled": False}
    )
    assert not {"StreamSpecification", "SSEDescription", "LatestStreamArn"} & set(table)


# What is wrong with a request is told before it is known whether the table exists. Measured.
def test_request_is_checked_before_the_name_is_looked_up(dynamodb, simple):
    request = table_request(TableName=simple, BillingMode="PROVISIONED")
    code, _ = refusal(dynamodb.create_table, **request)
    assert code == VALIDATION


# The bounds themselves are fine, and so is each character that a name may have.
@pytest.mark.parametrize("length", [3, 255])
def test_name_of_the_shortest_and_the_longest(dynamodb, length):
    name = (uuid.uuid4().hex[:2] + "_" + "Aa0.-" * 60)[:length]
    made = dynamodb.create_table(**table_request(TableName=name))["TableDescription"]
    assert made["TableName"] == name
    dynamodb.get_waiter("table_exists").wait(TableName=name)
    dynamodb.delete_table(TableName=name)


def undefined(keys, defined):
    """Catalogue 138."""
    return (
        f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. "
        f"Keys: [{keys}], AttributeDefinitions: [{defined}]"
    )


# Catalogue 135 to 139; names are told apart by case. Measured by users, 2026.
@pytest.mark.parametrize(
    ("schema", "definitions", "text"),
    [
        ([HASH], [], TOO_FEW),
        ([HASH, {**HASH, "KeyType": "RANGE"}], [PK], TOO_FEW),
        ([{**HASH, "AttributeName": "PK"}], [PK], undefined("PK", "pk")),
        ([HASH, {**RANGE, "AttributeName": "x"}], [PK, SK], undefined("pk, x", "pk, sk")),
    ],
)
def test_key_schema_makes_no_key(dynamodb, schema, definitions, text):
    request = table_request(KeySchema=schema, AttributeDefinitions=definitions)
    assert refusal(dynamodb.create_table, **request) == (VALIDATION, text)


# Names, then roles, then spare definitions. Known from emulators that were tested against the
# service.
@pytest.mark.parametrize(
    ("schema", "definitions", "text"),
    [
        ([RANGE, HASH], [PK], TOO_FEW),
        ([RANGE], [PK], undefined("sk", "pk")),
        ([RANGE], [PK, SK], FIRST_IS_NOT_HASH),
    ],
)
def test_order_of_checks_of_the_key_schema(dynamodb, schema, definitions, text):
    request = table_request(KeySchema=schema, AttributeDefinitions=definitions)
    assert refusal(dynamodb.create_table, **request) == (VALIDATION, text)


# One attribute cannot be defined twice, whatever its types. Measured by users, 2026.
@pytest.mark.parametrize("kind", ["S", "N"])
def test_attribute_is_defined_twice(dynamodb, kind):
    twice = [PK, {"AttributeName": "pk", "AttributeType": kind}]
    told = refusal(dynamodb.create_table, **table_request(AttributeDefinitions=twice))
    assert told == (VALIDATION, "Attribute Name is duplicated: pk")


# A refused request leaves nothing behind that a later one would meet.
def test_refused_table_does_not_exist(dynamodb, created, name):
    refusal(dynamodb.create_table, **table_request(TableName=name, KeySchema=[RANGE]))
    assert created()["TableStatus"] == "CREATING"


# Of several callers that make a table of one name one does, and the others are told.
def test_only_one_makes_the_table(dynamodb, name):
    def create(_):
        try:
            return dynamodb.create_table(**table_request(TableName=name))["TableDescription"]
        except dynamodb.exceptions.ResourceInUseException:
            return None

    with ThreadPoolExecutor(8) as callers:
        made = [table for table in callers.map(create, range(8)) if table is not None]
    dynamodb.get_waiter("table_exists").wait(TableName=name)
    (table,) = made
    assert dynamodb.describe_table(TableName=name)["Table"]["TableId"] == table["TableId"]
