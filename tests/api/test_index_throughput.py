"""UpdateTable of secondary indexes: throughput of their own, and indexes that come and go."""

import pytest

from tests.api.indexes import (
    attributes,
    create,
    delete,
    index_of,
    made,
    projected,
    sent,
    units,
    update,
)
from tests.api.refusals import VALIDATION, refusal

INVALID = "One or more parameter values were invalid: "
LIMIT = "LimitExceededException"


@pytest.fixture
def table(dynamodb):
    """A table with units like `provisioned`, for one test."""
    name = made(
        dynamodb, index_of("one", "a", **units(2, 2)), BillingMode="PROVISIONED", **units(5, 5)
    )
    yield name
    dynamodb.delete_table(TableName=name)


def refused(dynamodb, name, *updates, **changes):
    return refusal(dynamodb.update_table, **sent(name, *updates, **changes))


def updated(dynamodb, name, *updates, **changes):
    return dynamodb.update_table(**sent(name, *updates, **changes))["TableDescription"]


def described(dynamodb, name):
    return dynamodb.describe_table(TableName=name)["Table"]


# The answer shows the old units and UPDATING, of the index alone. Measured by users, 2026.
def test_units_of_an_index(dynamodb, table):
    answer = updated(dynamodb, table, update(**units(3, 2)))
    (index,) = answer["GlobalSecondaryIndexes"]
    assert (answer["TableStatus"], index["IndexStatus"]) == ("ACTIVE", "UPDATING")
    assert index["ProvisionedThroughput"]["ReadCapacityUnits"] == 2
    after = described(dynamodb, table)
    (index,) = after["GlobalSecondaryIndexes"]
    assert index["IndexStatus"] == "ACTIVE"
    throughput = index["ProvisionedThroughput"]
    assert (throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]) == (3, 2)
    assert "LastIncreaseDateTime" in throughput
    assert index["WarmThroughput"]["ReadUnitsPerSecond"] == 3
    assert after["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    # What it was prepared for, it stays prepared for.
    updated(dynamodb, table, update(**units(1, 1)))
    (index,) = described(dynamodb, table)["GlobalSecondaryIndexes"]
    warm = {"ReadUnitsPerSecond": 3, "WriteUnitsPerSecond": 2, "Status": "ACTIVE"}
    assert index["WarmThroughput"] == warm
    assert index["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 1


# The table and each index count decreases by themselves, and a request that lowers both is all or
# nothing. Measured by users, 2026.
def test_decreases_of_an_index_are_its_own(dynamodb, table):
    def lowered(read, **changes):
        dynamodb.update_table(TableName=table, **units(read, 5), **changes)

    for read in (4, 3, 2, 1):
        lowered(read)
    both = {"GlobalSecondaryIndexUpdates": [update(**units(1, 1))]}
    code, text = refusal(dynamodb.update_table, TableName=table, **units(1, 4), **both)
    assert code == LIMIT
    assert text.startswith(
        "Subscriber limit exceeded: Provisioned throughput decreases are limited"
    )
    (index,) = described(dynamodb, table)["GlobalSecondaryIndexes"]
    assert index["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0
    assert index["ProvisionedThroughput"]["ReadCapacityUnits"] == 2
    updated(dynamodb, table, update(**units(9, 9)))
    for read in (8, 7, 6, 5):
        updated(dynamodb, table, update(**units(read, 10)))
    code, text = refused(dynamodb, table, update(**units(4, 10)))
    assert code == LIMIT
    assert "Number of decreases today: 4. Last decrease at " in text
    updated(dynamodb, table, update(**units(6, 10)))


# Merged member by member, and -1 takes one away, is echoed once, and then gone; the table has
# maxima of its own. Measured, 2026.
def test_maxima_of_an_index(dynamodb):
    name = made(dynamodb, index_of("one", "a"))

    def limits(**asked):
        answer = updated(dynamodb, name, update(OnDemandThroughput=asked))
        (index,) = answer["GlobalSecondaryIndexes"]
        assert (answer["TableStatus"], index["IndexStatus"]) == ("ACTIVE", "UPDATING")
        assert index["OnDemandThroughput"].items() >= asked.items()
        table = described(dynamodb, name)
        assert "OnDemandThroughput" not in table
        return table["GlobalSecondaryIndexes"][0].get("OnDemandThroughput")

    both = {"MaxReadRequestUnits": 6000, "MaxWriteRequestUnits": 5000}
    assert limits(**both) == both
    assert limits(**both) == both
    assert limits(MaxReadRequestUnits=7000) == {**both, "MaxReadRequestUnits": 7000}
    assert limits(MaxWriteRequestUnits=-1) == {"MaxReadRequestUnits": 7000}
    assert limits(MaxReadRequestUnits=-1) is None
    dynamodb.delete_table(TableName=name)


# It grows while index and table stay ACTIVE. Measured by users, 2026.
def test_warm_throughput_of_an_index(dynamodb):
    name = made(dynamodb, index_of("one", "a"))
    answer = updated(dynamodb, name, update(WarmThroughput={"ReadUnitsPerSecond": 13_000}))
    (index,) = answer["GlobalSecondaryIndexes"]
    assert (answer["TableStatus"], index["IndexStatus"]) == ("ACTIVE", "ACTIVE")
    before = {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_000, "Status": "UPDATING"}
    assert index["WarmThroughput"] == before
    table = described(dynamodb, name)
    after = {"ReadUnitsPerSecond": 13_000, "WriteUnitsPerSecond": 4_000, "Status": "ACTIVE"}
    assert table["GlobalSecondaryIndexes"][0]["WarmThroughput"] == after
    assert table["WarmThroughput"]["ReadUnitsPerSecond"] == 12_000
    dynamodb.delete_table(TableName=name)


# To PROVISIONED with units for the table and for each index, to PAY_PER_REQUEST without. Of an
# index these are an increase and a decrease that counts, shown when they are complete; maxima go.
# Measured, 2026.
def test_indexes_are_billed_as_their_table(dynamodb):
    index = index_of("one", "a", OnDemandThroughput={"MaxReadRequestUnits": 9})
    name = made(dynamodb, index)
    switch = {"BillingMode": "PROVISIONED", **units(5, 5)}
    text = f"{INVALID}ProvisionedThroughput must be specified for index: one"
    assert refusal(dynamodb.update_table, TableName=name, **switch) == (VALIDATION, text)
    maxima = update(OnDemandThroughput={"MaxReadRequestUnits": 9})
    assert refused(dynamodb, name, maxima, **switch) == (VALIDATION, text)
    answer = updated(dynamodb, name, update(**units(4, 4)), **switch)
    (index,) = answer["GlobalSecondaryIndexes"]
    four = {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 4, "WriteCapacityUnits": 4}
    assert index["ProvisionedThroughput"] == four
    (index,) = described(dynamodb, name)["GlobalSecondaryIndexes"]
    raised = index["ProvisionedThroughput"].pop("LastIncreaseDateTime")
    assert index["ProvisionedThroughput"] == four
    assert "OnDemandThroughput" not in index
    assert index["WarmThroughput"]["ReadUnitsPerSecond"] == 12_000
    answer = dynamodb.update_table(TableName=name, BillingMode="PAY_PER_REQUEST")
    (index,) = answer["TableDescription"]["GlobalSecondaryIndexes"]
    assert index["ProvisionedThroughput"] == {
        "LastIncreaseDateTime": raised,
        "NumberOfDecreasesToday": 0,
        "ReadCapacityUnits": 0,
        "WriteCapacityUnits": 0,
    }
    table = described(dynamodb, name)
    assert table["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0
    throughput = table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]
    assert throughput.pop("LastDecreaseDateTime")
    assert throughput == {
        "LastIncreaseDateTime": raised,
        "NumberOfDecreasesToday": 1,
        "ReadCapacityUnits": 0,
        "WriteCapacityUnits": 0,
    }
    dynamodb.delete_table(TableName=name)


# An index may be made with a switch of the billing mode, or with new units of another one. Measured
# by users, 2026.
def test_what_goes_with_a_new_index(dynamodb, table):
    made_one = create("two", "b", **units(1, 1))
    answer = updated(dynamodb, table, update(**units(4, 4)), made_one)
    statuses = {each["IndexName"]: each for each in answer["GlobalSecondaryIndexes"]}
    assert answer["TableStatus"] == "UPDATING"
    assert statuses["one"]["IndexStatus"] == "UPDATING"
    assert statuses["two"]["IndexStatus"] == "CREATING"
    assert statuses["two"]["Backfilling"] is False
    wait_for_indexes(dynamodb, table, 2)
    answer = updated(dynamodb, table, create("six", "a"), BillingMode="PAY_PER_REQUEST")
    assert answer["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    indexes = wait_for_indexes(dynamodb, table, 3)
    assert [each["ProvisionedThroughput"]["ReadCapacityUnits"] for each in indexes] == [0, 0, 0]
    assert all("Backfilling" not in index for index in indexes)


# Definitions come and go with the keys that use them; protection is of the table, not of its
# indexes. Measured by users, 2026.
def test_an_index_is_made_anew_with_another_projection(dynamodb):
    name = made(dynamodb)
    dynamodb.update_table(TableName=name, DeletionProtectionEnabled=True)
    before = described(dynamodb, name)["AttributeDefinitions"]
    for projection in (projected("KEYS_ONLY"), projected("ALL")):
        action = create("one", "q", "a", **projection)
        spare = attributes(a="S", q="B", unused="S")
        updated(dynamodb, name, action, definitions=spare)
        (index,) = wait_for_indexes(dynamodb, name, 1)
        assert index["Projection"] == projection["Projection"]
        with_index = sorted(
            [*before, *attributes(a="S", q="B")], key=lambda each: each["AttributeName"]
        )
        assert described(dynamodb, name)["AttributeDefinitions"] == with_index
        answer = updated(dynamodb, name, delete(), definitions=None)
        (index,) = answer["GlobalSecondaryIndexes"]
        assert (answer["TableStatus"], index["IndexStatus"]) == ("UPDATING", "DELETING")
        assert answer["AttributeDefinitions"] == with_index
        wait_for_indexes(dynamodb, name, 0)
        assert described(dynamodb, name)["AttributeDefinitions"] == before
    dynamodb.update_table(TableName=name, DeletionProtectionEnabled=False)
    dynamodb.delete_table(TableName=name)


def wait_for_indexes(dynamodb, name, count):
    """The global indexes, once they are as many, and all are ACTIVE."""
    while True:  # bound: indexes of empty tables are built, or the test runs out of time
        found = described(dynamodb, name).get("GlobalSecondaryIndexes", [])
        if len(found) == count and all(each["IndexStatus"] == "ACTIVE" for each in found):
            return found
