"""Two faults at once in requests about tables: the one that is looked for first is told.

The stages are those of section 0.2: the model's constraints, what the request says by itself, the
table, its state, quotas. Within a stage the service's order is known in parts (unused definitions
hide faults of indexes, those of global indexes faults of local ones); the rest holds what is.
"""

from itertools import combinations

import pytest

from tests.api.indexes import attributes, index_of, schema, units
from tests.api.items import INVALID
from tests.api.refusals import (
    NOT_FOUND,
    VALIDATION,
    absent,
    breaks,
    refusal,
    table_request,
    violated,
)

GLOBAL, LOCAL = "GlobalSecondaryIndexes", "LocalSecondaryIndexes"
TOO_FEW = "have length greater than or equal to 1"
PATTERN = "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
MISSING = "arn:aws:dynamodb:us-east-1:000000000000:table/never-made"
CLASS = (
    VALIDATION,
    (
        "Invalid table-class parameter provided. Please try again with a valid table-class value: "
        "[STANDARD, STANDARD_INFREQUENT_ACCESS]."
    ),
)


def invalid(text):
    return VALIDATION, f"{INVALID}{text}"


# Faults in the order in which they are told: what brings each about in a request that is right but
# for it, and what is told.
CREATE = [
    ({"TableClass": "X", "KeySchema": []}, violated(breaks("[]", "keySchema", TOO_FEW))),
    ({"TableClass": "X"}, CLASS),
    ({GLOBAL: []}, invalid(f"List of {GLOBAL} is empty")),
    (
        {"StreamSpecification": {"StreamEnabled": True}},
        invalid("Table is being created with a stream enabled, UpdateViewType is required"),
    ),
    (
        units(1, 1),
        invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
            "PAY_PER_REQUEST"
        ),
    ),
    (
        {"OnDemandThroughput": {"MaxReadRequestUnits": 0}},
        invalid(
            "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid "
            "range"
        ),
    ),
    (
        {"AttributeDefinitions": attributes(pk="S") * 2},
        (VALIDATION, "Attribute Name is duplicated: pk"),
    ),
    (
        {"KeySchema": schema("no")},
        invalid(
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [no], "
            "AttributeDefinitions: [pk]"
        ),
    ),
    (
        {"AttributeDefinitions": attributes(pk="S", x="S")},
        invalid(
            "Number of attributes in KeySchema does not exactly match number of attributes defined "
            "in AttributeDefinitions"
        ),
    ),
    (
        {GLOBAL: [index_of("by-no", "no")]},
        invalid(
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [no], "
            "AttributeDefinitions: [pk]"
        ),
    ),
    (
        {LOCAL: [index_of("local", "pk", sort=("sk",))]},
        invalid(
            "Table KeySchema does not have a range key, which is required when specifying a "
            "LocalSecondaryIndex"
        ),
    ),
    (
        {"Tags": [{"Key": "aws:k", "Value": "v"}]},
        (VALIDATION, "Tag Key cannot be prefixed with aws:, Key: aws:k"),
    ),
    ({"TableName": None}, None),
    (
        {"WarmThroughput": {"ReadUnitsPerSecond": 50_000}},
        (
            "LimitExceededException",
            (
                "Subscriber limit exceeded: Requested ReadUnitsPerSecond for WarmThroughput for "
                "table exceeds TableMaxReadCapacityUnits of the account in region us-east-1"
            ),
        ),
    ),
]


def _pairs(faults):
    """Each fault with each later one that is not about the same members."""
    # Another key makes another text of the same definitions, and an index uses definitions.
    related = {"AttributeDefinitions", "KeySchema", GLOBAL, LOCAL}
    return [
        pytest.param(first, second, text, id=f"{'+'.join(first)}-{'+'.join(second)}")
        for (first, text), (second, _) in combinations(faults, 2)
        if not first.keys() & second.keys()
        and not (first.keys() & related and second.keys() & related)
    ]


@pytest.mark.parametrize(("first", "second", "told"), _pairs(CREATE))
def test_create_table(dynamodb, simple, first, second, told):
    taken = ("ResourceInUseException", f"Table already exists: {simple}")
    request = table_request(**first, **second)
    if "TableName" in (first | second):
        request["TableName"] = simple
    assert refusal(dynamodb.create_table, **request) == (told or taken)


# Where faults are about definitions of one another.
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        # Unused definitions hide what else is wrong with indexes.
        (
            {
                "AttributeDefinitions": attributes(pk="S", x="S"),
                GLOBAL: [index_of("same", "pk"), index_of("same", "pk")],
            },
            invalid(
                "Some AttributeDefinitions are not used. AttributeDefinitions: [pk, x], "
                "keys used: [pk]"
            ),
        ),
        # An attribute that is not defined goes before one that is not used.
        (
            {"AttributeDefinitions": attributes(pk="S", x="S"), "KeySchema": schema("no")},
            invalid(
                "Some index key attributes are not defined in AttributeDefinitions. Keys: [no], "
                "AttributeDefinitions: [pk, x]"
            ),
        ),
        (
            {
                "AttributeDefinitions": attributes(pk="S", sk="S", s="S"),
                "KeySchema": schema("pk", sort=("sk",)),
                GLOBAL: [index_of("same", "s"), index_of("same", "s")],
                LOCAL: [index_of("local", "pk")],
            },
            invalid("Duplicate index name: same"),
        ),
    ],
    ids=["unused", "undefined", "global before local"],
)
def test_create_table_definitions(dynamodb, changes, told):
    assert refusal(dynamodb.create_table, **table_request(**changes)) == told


# All that breaks the model is told together, in this order.
def test_create_table_members(dynamodb):
    request = table_request(TableName="bad!", KeySchema=[], BillingMode="X")
    code, text = refusal(dynamodb.create_table, **request)
    assert code == VALIDATION
    found = [text.find(path) for path in ("keySchema", "billingMode", "tableName")]
    assert text.startswith("3 validation errors detected: ")
    assert -1 not in found


UPDATE_ALONE = invalid("DeletionProtection modification must be the only operation in the request")
NO_SUCH_TABLE = (NOT_FOUND, "Requested resource not found: Table: never-made not found")
NO_VIEW = {"StreamSpecification": {"StreamEnabled": True}}
NO_UNITS = {"BillingMode": "PROVISIONED"}
NO_SUCH_INDEX = {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "ghost"}}]}


# Faults of a request come before the table is looked for.
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"TableName": "bad!", "TableClass": "X"}, violated(breaks("bad!", "tableName", PATTERN))),
        (
            {"TableClass": "X", "BillingMode": "X"},
            violated(
                breaks("X", "billingMode", "satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]")
            ),
        ),
        ({"TableClass": "X", **NO_UNITS}, CLASS),
        ({"TableClass": "X"}, CLASS),
        ({"DeletionProtectionEnabled": True, **NO_UNITS}, UPDATE_ALONE),
        ({"DeletionProtectionEnabled": True, **NO_VIEW}, UPDATE_ALONE),
        ({"DeletionProtectionEnabled": True, **NO_SUCH_INDEX}, UPDATE_ALONE),
        (NO_VIEW, invalid("If stream is being enabled then UpdateViewType is required")),
        (
            NO_UNITS,
            invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED"),
        ),
        (
            {"BillingMode": "PAY_PER_REQUEST", **units(1, 1)},
            invalid(
                "ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST"
            ),
        ),
        (
            {"OnDemandThroughput": {"MaxReadRequestUnits": 0}},
            invalid(
                "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of "
                "valid range"
            ),
        ),
        # The mode, the indexes and the maxima of the table are looked at when it is there.
        (units(1, 1), NO_SUCH_TABLE),
        (NO_SUCH_INDEX, NO_SUCH_TABLE),
        ({"OnDemandThroughput": {"MaxReadRequestUnits": 50_000}}, NO_SUCH_TABLE),
        ({"DeletionProtectionEnabled": True}, NO_SUCH_TABLE),
    ],
    ids=repr,
)
def test_update_table(dynamodb, changes, told):
    assert refusal(dynamodb.update_table, **{"TableName": "never-made", **changes}) == told


# Tags are looked at before their table is looked for, and what is absent before what is wrong.
@pytest.mark.parametrize(
    ("operation", "request_", "told"),
    [
        ("tag_resource", {"ResourceArn": "x"}, violated(absent("tags"))),
        (
            "tag_resource",
            {"ResourceArn": MISSING, "Tags": []},
            (VALIDATION, "Atleast one Tag needs to be provided as Input."),
        ),
        (
            "untag_resource",
            {"ResourceArn": MISSING, "TagKeys": []},
            (VALIDATION, "Atleast one Tag Key needs to be provided as Input."),
        ),
        (
            "update_time_to_live",
            {"TableName": "never-made", "TimeToLiveSpecification": {"Enabled": True}},
            violated(absent("timeToLiveSpecification.attributeName")),
        ),
    ],
    ids=["absent", "tags", "keys", "time to live"],
)
def test_tags_and_time_to_live(dynamodb, operation, request_, told):
    assert refusal(getattr(dynamodb, operation), **request_) == told
