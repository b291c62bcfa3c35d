"""CreateTable: the constraints of the API's model, all told at once and in its words."""

import pytest

from tests.api.refusals import VALIDATION, absent, breaks, refusal, table_request, violated

PK = {"AttributeName": "pk", "AttributeType": "S"}
HASH, RANGE = (
    {"AttributeName": "pk", "KeyType": "HASH"},
    {"AttributeName": "sk", "KeyType": "RANGE"},
)
LONG = "n" * 256

AT_LEAST = "have length greater than or equal to "
AT_MOST = "have length less than or equal to "
POSITIVE = "have value greater than or equal to 1"
ONE_OF = "satisfy enum value set: "


# Catalogue 7, 3 and 4: unlike the other operations on tables, this one has the model's words.
@pytest.mark.parametrize(
    ("name", "constraint"),
    [
        ("ab", AT_LEAST + "3"),
        (LONG, AT_MOST + "255"),
        ("a;b", "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
    ],
)
def test_name(dynamodb, name, constraint):
    told = refusal(dynamodb.create_table, **table_request(TableName=name))
    assert told == violated(breaks(name, "tableName", constraint))


# Every violation is told, in the order of the model's members. Catalogue 8.
@pytest.mark.parametrize(
    ("missing", "paths"),
    [
        ({"KeySchema": None}, ["keySchema"]),
        ({"AttributeDefinitions": None}, ["attributeDefinitions"]),
        ({"KeySchema": None, "AttributeDefinitions": None}, ["attributeDefinitions", "keySchema"]),
    ],
)
def test_keys_are_required(dynamodb, missing, paths):
    told = refusal(dynamodb.create_table, **table_request(**missing))
    assert told == violated(*map(absent, paths))


# Enum sets in the order in which the service prints them, lists counted from 1. Measured.
@pytest.mark.parametrize(
    ("changes", "violation"),
    [
        (
            {"KeySchema": [HASH, {**RANGE, "KeyType": "SORT"}]},
            breaks("SORT", "keySchema.2.member.keyType", ONE_OF + "[HASH, RANGE]"),
        ),
        (
            {"AttributeDefinitions": [{**PK, "AttributeType": "BOOL"}]},
            breaks("BOOL", "attributeDefinitions.1.member.attributeType", ONE_OF + "[B, N, S]"),
        ),
        (
            {"BillingMode": "FREE"},
            breaks("FREE", "billingMode", ONE_OF + "[PROVISIONED, PAY_PER_REQUEST]"),
        ),
        (
            {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "new_image"}},
            breaks(
                "new_image",
                "streamSpecification.streamViewType",
                ONE_OF + "[OLD_IMAGE, KEYS_ONLY, NEW_AND_OLD_IMAGES, NEW_IMAGE]",
            ),
        ),
        (
            {"SSESpecification": {"SSEType": "kms"}},
            breaks("kms", "sSESpecification.sSEType", ONE_OF + "[AES256, KMS]"),
        ),
    ],
)
def test_enums(dynamodb, changes, violation):
    assert refusal(dynamodb.create_table, **table_request(**changes)) == violated(violation)


# Members of structures are named by their path. Source: the model.
@pytest.mark.parametrize(
    ("changes", "violation"),
    [
        ({"KeySchema": []}, breaks([], "keySchema", AT_LEAST + "1")),
        ({"KeySchema": [{"AttributeName": "pk"}]}, absent("keySchema.1.member.keyType")),
        (
            {"AttributeDefinitions": [{**PK, "AttributeName": ""}]},
            breaks("", "attributeDefinitions.1.member.attributeName", AT_LEAST + "1"),
        ),
        (
            {"AttributeDefinitions": [{**PK, "AttributeName": LONG}]},
            breaks(LONG, "attributeDefinitions.1.member.attributeName", AT_MOST + "255"),
        ),
        (
            {"StreamSpecification": {"StreamViewType": "KEYS_ONLY"}},
            absent("streamSpecification.streamEnabled"),
        ),
        (
            {"SSESpecification": {"SSEType": "KMS", "KMSMasterKeyId": ""}},
            breaks("", "sSESpecification.kMSMasterKeyId", AT_LEAST + "1"),
        ),
    ],
)
def test_members_of_structures(dynamodb, changes, violation):
    assert refusal(dynamodb.create_table, **table_request(**changes)) == violated(violation)


# Of a structure that is empty everything is missed, in an order that follows no rule. Measured by
# users, 2026.
@pytest.mark.parametrize(
    ("changes", "paths"),
    [
        (
            {"AttributeDefinitions": [{}]},
            [f"attributeDefinitions.1.member.attribute{name}" for name in ("Type", "Name")],
        ),
        (
            {"KeySchema": [{}]},
            [f"keySchema.1.member.{name}" for name in ("attributeName", "keyType")],
        ),
        (
            {"ProvisionedThroughput": {}},
            [f"provisionedThroughput.{name}CapacityUnits" for name in ("write", "read")],
        ),
    ],
)
def test_structures_are_empty(dynamodb, changes, paths):
    told = refusal(dynamodb.create_table, **table_request(**changes))
    assert told == violated(*map(absent, paths))


# Classes are checked in words of their own, after the model's constraints. Measured by users, 2026.
@pytest.mark.parametrize("name", ["COLD", "standard", ""])
def test_table_class(dynamodb, name):
    text = (
        "Invalid table-class parameter provided. Please try again with a valid table-class value: "
        "[STANDARD, STANDARD_INFREQUENT_ACCESS]."
    )
    assert refusal(dynamodb.create_table, **table_request(TableClass=name)) == (VALIDATION, text)
    told = refusal(dynamodb.create_table, **table_request(TableClass=name, KeySchema=None))
    assert told == violated(absent("keySchema"))


# Both units are needed, and a table that can do nothing cannot be asked for. Source: the model.
@pytest.mark.parametrize(
    ("units", "violations"),
    [
        ({"ReadCapacityUnits": 1}, [absent("provisionedThroughput.writeCapacityUnits")]),
        (
            {"ReadCapacityUnits": 0, "WriteCapacityUnits": -1},
            [
                breaks(-1, "provisionedThroughput.writeCapacityUnits", POSITIVE),
                breaks(0, "provisionedThroughput.readCapacityUnits", POSITIVE),
            ],
        ),
    ],
)
def test_throughput(dynamodb, units, violations):
    request = table_request(BillingMode=None, ProvisionedThroughput=units)
    assert refusal(dynamodb.create_table, **request) == violated(*violations)


# The constraints come before what members mean together. Measured.
def test_constraints_are_checked_before_the_key_schema(dynamodb):
    backwards = [RANGE, {**HASH, "KeyType": "SORT"}]
    told = refusal(dynamodb.create_table, **table_request(KeySchema=backwards))
    assert told == violated(breaks("SORT", "keySchema.2.member.keyType", ONE_OF + "[HASH, RANGE]"))
