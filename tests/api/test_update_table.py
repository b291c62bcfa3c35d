"""UpdateTable: what goes together, table classes, deletion protection, and what does not change."""

import pytest

from tests.api.refusals import VALIDATION, absent, breaks, refusal, violated

INVALID = "One or more parameter values were invalid: "
NOTHING = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
    "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
    "ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, "
    "WarmThroughput or TableClass is required"
)
PK, SK = ({"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk"))
UNITS = {"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}

# One change of each kind, with how the service calls those that stand alone.
ENCRYPTION = {"SSESpecification": {"Enabled": False}}
CLASS = {"TableClass": "STANDARD"}
PROTECTION = {"DeletionProtectionEnabled": True}
WARM = {"WarmThroughput": {"ReadUnitsPerSecond": 12001}}
MAXIMA = {"OnDemandThroughput": {"MaxReadRequestUnits": 10}}
STREAM = {"StreamSpecification": {"StreamEnabled": False}}
ON_DEMAND, PROVISIONED = {"BillingMode": "PAY_PER_REQUEST"}, {"BillingMode": "PROVISIONED"}
ALONE = {
    "Server-Side Encryption modification": ENCRYPTION,
    "TableClass modification": CLASS,
    "DeletionProtection modification": PROTECTION,
    "WarmThroughput": WARM,
}


def described(dynamodb, name):
    return dynamodb.describe_table(TableName=name)["Table"]


# The answer shows the class that was; the next description the new one. Measured by users, 2026.
def test_table_class(dynamodb, new_table):
    name = new_table()
    answers = []
    for table_class in ("STANDARD_INFREQUENT_ACCESS", "STANDARD"):
        answer = dynamodb.update_table(TableName=name, TableClass=table_class)["TableDescription"]
        assert answer["TableStatus"] == "UPDATING"
        dynamodb.get_waiter("table_exists").wait(TableName=name)
        answers.append((answer.get("TableClassSummary"), described(dynamodb, name)))
    (first, between), (second, after) = answers
    assert first is None
    assert second == between["TableClassSummary"]
    assert between["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert after["TableClassSummary"]["TableClass"] == "STANDARD"
    assert "LastUpdateDateTime" in after["TableClassSummary"]


# Two changes in 30 days. Measured by users, 2026.
def test_table_class_changes_too_often(dynamodb, new_table):
    name = new_table()
    for table_class in ("STANDARD_INFREQUENT_ACCESS", "STANDARD"):
        dynamodb.update_table(TableName=name, TableClass=table_class)
        dynamodb.get_waiter("table_exists").wait(TableName=name)
    text = "Subscriber limit exceeded: Updates to TableClass are limited to 2 times in 30 day(s)."
    told = refusal(dynamodb.update_table, TableName=name, TableClass="STANDARD_INFREQUENT_ACCESS")
    assert told == ("LimitExceededException", text)


# To say what is so already is answered as a change, and is none. Measured by users, 2026.
@pytest.mark.parametrize("change", [CLASS, ON_DEMAND])
def test_no_change(dynamodb, new_table, change):
    name = new_table()
    before = described(dynamodb, name)
    answer = dynamodb.update_table(TableName=name, **change)["TableDescription"]
    assert answer == {**before, "TableStatus": "UPDATING"}
    assert described(dynamodb, name) == before


# At once: the answer says ACTIVE, and has the new value. Measured by users, 2026.
def test_deletion_protection(dynamodb, new_table):
    name = new_table()
    for protected in (True, True, False, False):
        answer = dynamodb.update_table(TableName=name, DeletionProtectionEnabled=protected)
        table = answer["TableDescription"]
        assert (table["TableStatus"], table["DeletionProtectionEnabled"]) == ("ACTIVE", protected)
        assert described(dynamodb, name) == table


# What is not asked to change does not, and items are none of it.
def test_the_rest_stays(dynamodb, new_table):
    name = new_table(sk="N", Tags=[{"Key": "a", "Value": "b"}])
    item = {"pk": {"S": "k"}, "sk": {"N": "1"}, "v": {"S": "v"}}
    dynamodb.put_item(TableName=name, Item=item)
    before = described(dynamodb, name)
    dynamodb.update_table(TableName=name, DeletionProtectionEnabled=True)
    table = described(dynamodb, name)
    assert table == {**before, "DeletionProtectionEnabled": True}
    assert dynamodb.scan(TableName=name)["Items"] == [item]
    listed = dynamodb.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
    assert listed == [{"Key": "a", "Value": "b"}]
    dynamodb.update_table(TableName=name, DeletionProtectionEnabled=False)


# Writers who know the table from before go on with what it is now.
def test_items_are_written_after_a_change(dynamodb, new_table):
    name = new_table()
    for number in range(3):
        dynamodb.put_item(TableName=name, Item={"pk": {"S": str(number)}})
        units = {"MaxReadRequestUnits": number + 1}
        dynamodb.update_table(TableName=name, OnDemandThroughput=units)
    assert dynamodb.scan(TableName=name, Select="COUNT")["Count"] == 3


# AttributeDefinitions are read for new indexes only: beside another change nobody looks at them,
# not even at a key of another type. Measured by users, 2026.
@pytest.mark.parametrize(
    "definitions",
    [
        [],
        [PK],
        [{**PK, "AttributeType": "N"}],
        [{**PK, "AttributeType": "N"}, SK],
        [{"AttributeName": "unused", "AttributeType": "B"}],
    ],
)
def test_definitions_without_an_index(dynamodb, new_table, definitions):
    name = new_table()
    answer = dynamodb.update_table(
        TableName=name, AttributeDefinitions=definitions, DeletionProtectionEnabled=False
    )["TableDescription"]
    assert answer["AttributeDefinitions"] == [PK]
    assert described(dynamodb, name)["AttributeDefinitions"] == [PK]


# Before it is known whether the table exists. Definitions are no change, nor is a structure without
# members. Measured by users, 2026, but for the structures: alone, they make the service answer 500.
@pytest.mark.parametrize(
    "changes",
    [{}, {"AttributeDefinitions": [PK]}, {"WarmThroughput": {}}, {"OnDemandThroughput": {}}],
)
def test_nothing_to_change(dynamodb, changes):
    told = refusal(dynamodb.update_table, TableName="no-such-table", **changes)
    assert told == (VALIDATION, NOTHING)


# Each of them is the only change of its request; of two, the first in this order is told. Measured
# by users, 2026, in all pairs.
@pytest.mark.parametrize("what", ALONE)
@pytest.mark.parametrize(
    "other",
    [
        ENCRYPTION,
        CLASS,
        PROTECTION,
        WARM,
        MAXIMA,
        STREAM,
        ON_DEMAND,
        UNITS,
        {**PROVISIONED, **UNITS},
    ],
    ids="+".join,
)
def test_change_that_stands_alone(dynamodb, what, other):
    if other == ALONE[what]:
        return
    first = next(each for each in ALONE if ALONE[each] in (ALONE[what], other))
    told = refusal(dynamodb.update_table, TableName="no-such-table", **ALONE[what], **other)
    assert told == (VALIDATION, f"{INVALID}{first} must be the only operation in the request")


# Measured by users, 2026.
@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {**MAXIMA, **STREAM},
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
        ),
        (
            {**MAXIMA, **UNITS},
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
        ),
        ({**STREAM, **UNITS}, "You cannot modify stream status while updating table IOPS"),
        (
            {**STREAM, **PROVISIONED, **UNITS},
            "You cannot modify stream status while updating table IOPS",
        ),
    ],
)
def test_changes_that_do_not_go_together(dynamodb, changes, text):
    told = refusal(dynamodb.update_table, TableName="no-such-table", **changes)
    assert told == (VALIDATION, INVALID + text)


# A structure without members counts as absent beside others too. Measured by users, 2026.
@pytest.mark.parametrize("empty", ["WarmThroughput", "OnDemandThroughput"])
@pytest.mark.parametrize("change", [CLASS, PROTECTION, ON_DEMAND])
def test_empty_structure_is_no_change(dynamodb, new_table, empty, change):
    name = new_table()
    before = described(dynamodb, name)
    dynamodb.update_table(TableName=name, **{empty: {}}, **change)
    assert described(dynamodb, name) == {**before, **(PROTECTION if change == PROTECTION else {})}
    dynamodb.update_table(TableName=name, DeletionProtectionEnabled=False)


# Catalogue 5, and the model's words on a short name, before everything else that is wrong. Measured
# by users, October 2026.
def test_name_is_missing_or_of_a_wrong_length(dynamodb):
    text = "The parameter 'TableName' is required but was not present in the request"
    assert refusal(dynamodb.update_table, BillingMode="FREE") == (VALIDATION, text)
    told = refusal(dynamodb.update_table, TableName="ab", WarmThroughput={})
    assert told == violated(breaks("ab", "tableName", "have length greater than or equal to 3"))


# The model's constraints, in its order; write units before read units. Measured by users.
def test_constraints(dynamodb, simple):
    told = refusal(
        dynamodb.update_table,
        TableName=simple,
        AttributeDefinitions=[{}],
        BillingMode="FREE",
        ProvisionedThroughput={"ReadCapacityUnits": 0},
    )
    assert told == violated(
        absent("attributeDefinitions.1.member.attributeType"),
        absent("attributeDefinitions.1.member.attributeName"),
        breaks("FREE", "billingMode", "satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]"),
        absent("provisionedThroughput.writeCapacityUnits"),
        breaks(
            0, "provisionedThroughput.readCapacityUnits", "have value greater than or equal to 1"
        ),
    )


# Measured by users, 2026.
def test_no_stream_to_disable(dynamodb, simple):
    told = refusal(dynamodb.update_table, TableName=simple, **STREAM)
    assert told == (VALIDATION, f"Table has no stream to disable: TableName: {simple}")
