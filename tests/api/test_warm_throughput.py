"""WarmThroughput: what tables are prepared for, which only grows."""

import pytest

from tests.api.refusals import VALIDATION, refusal, table_request

INVALID = "One or more parameter values were invalid: "
READ, WRITE = "ReadUnitsPerSecond", "WriteUnitsPerSecond"
INITIAL = (12_000, 4_000)


def units(read, write):
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


@pytest.fixture
def provisioned(new_table):
    """A table with 5 read and 5 write units."""
    return new_table(BillingMode="PROVISIONED", ProvisionedThroughput=units(5, 5))


@pytest.fixture
def warm(dynamodb):
    """What a table is described to be prepared for, once it is."""

    def look(name):
        dynamodb.get_waiter("table_exists").wait(TableName=name)
        throughput = dynamodb.describe_table(TableName=name)["Table"]["WarmThroughput"]
        assert throughput["Status"] == "ACTIVE"
        return throughput[READ], throughput[WRITE]

    return look


# What on-demand tables begin with, and what others are provisioned for. Source: Developer Guide,
# "Understanding DynamoDB warm throughput".
def test_default(warm, provisioned, simple):
    assert warm(simple) == INITIAL
    assert warm(provisioned) == (5, 5)


# What is absent is as by default; a structure without members is none. Measured by users, 2026.
@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ({READ: 12_001, WRITE: 4_001}, (12_001, 4_001)),
        ({READ: 12_001}, (12_001, 4_000)),
        ({WRITE: 4_001}, (12_000, 4_001)),
        ({READ: 12_000, WRITE: 4_000}, INITIAL),
        ({}, INITIAL),
    ],
)
def test_new_table(warm, new_table, asked, kept):
    assert warm(new_table(WarmThroughput=asked)) == kept


# Only what was asked for stands in the answer, and it is still being prepared. Measured by users,
# 2026.
@pytest.mark.parametrize(
    ("asked", "answered"),
    [({READ: 12_001}, {READ: 12_001, WRITE: 4_000, "Status": "UPDATING"}), ({}, None)],
)
def test_answer_to_a_new_table(dynamodb, asked, answered):
    request = table_request(TableName="warm", WarmThroughput=asked)
    assert dynamodb.create_table(**request)["TableDescription"].get("WarmThroughput") == answered
    dynamodb.get_waiter("table_exists").wait(TableName="warm")
    dynamodb.delete_table(TableName="warm")
    dynamodb.get_waiter("table_not_exists").wait(TableName="warm")


def test_new_provisioned_table(warm, new_table):
    name = new_table(
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units(5, 5),
        WarmThroughput={READ: 100, WRITE: 5},
    )
    assert warm(name) == (100, 5)


# The answer has the old units, and says that they are being changed; the table itself stays ACTIVE.
# A member that is absent stays, equal ones are no mistake. Measured by users, 2026.
def test_update(dynamodb, warm, new_table):
    name = new_table()
    for asked, before, after in [
        ({READ: 12_001, WRITE: 4_001}, INITIAL, (12_001, 4_001)),
        ({WRITE: 4_002}, (12_001, 4_001), (12_001, 4_002)),
        ({READ: 12_001}, (12_001, 4_002), (12_001, 4_002)),
        ({READ: 40_000, WRITE: 40_000}, (12_001, 4_002), (40_000, 40_000)),
    ]:
        table = dynamodb.update_table(TableName=name, WarmThroughput=asked)["TableDescription"]
        assert table["TableStatus"] == "ACTIVE"
        shown = {READ: before[0], WRITE: before[1], "Status": "UPDATING"}
        assert table["WarmThroughput"] == shown
        assert warm(name) == after


# It follows the units up and stays when they go down; on demand it is at least what all begin with,
# and keeps that when the table is provisioned again. Measured by users, 2026.
def test_it_follows_the_units(dynamodb, warm, provisioned):
    def update(**changes):
        dynamodb.update_table(TableName=provisioned, **changes)
        return warm(provisioned)

    assert update(ProvisionedThroughput=units(9, 3)) == (9, 5)
    assert update(ProvisionedThroughput=units(1, 7)) == (9, 7)
    assert update(WarmThroughput={READ: 20}) == (20, 7)
    assert update(ProvisionedThroughput=units(15, 15)) == (20, 15)
    assert update(BillingMode="PAY_PER_REQUEST") == INITIAL
    back = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(1, 1)}
    assert update(**back) == INITIAL


# Catalogue 159. Read units are looked at first; negative ones are lower, like any others. Measured
# by users, 2026.
@pytest.mark.parametrize(
    ("asked", "member"),
    [
        ({READ: 11_999, WRITE: 3_999}, READ),
        ({READ: 12_001, WRITE: 3_999}, WRITE),
        ({WRITE: 3_999}, WRITE),
        ({READ: 0}, READ),
        ({READ: -1}, READ),
    ],
)
def test_it_does_not_shrink(dynamodb, simple, asked, member):
    text = (
        f"{INVALID}Requested {member} for WarmThroughput for table is lower than current "
        "WarmThroughput, decreasing WarmThroughput is not supported"
    )
    told = refusal(dynamodb.update_table, TableName=simple, WarmThroughput=asked)
    assert told == (VALIDATION, text)


# A new table cannot be asked for less than it begins with. Measured by users, 2026; known of read
# units.
@pytest.mark.parametrize(
    ("asked", "member"),
    [
        ({READ: 1, WRITE: 1}, READ),
        ({READ: 12_000, WRITE: 3_999}, WRITE),
        ({READ: 0, WRITE: 0}, READ),
        ({WRITE: -1}, WRITE),
    ],
)
def test_less_than_on_demand_tables_begin_with(dynamodb, asked, member):
    text = (
        f"{INVALID}Requested {member} for WarmThroughput for table is lower than initial "
        "throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/"
        "developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial"
    )
    told = refusal(dynamodb.create_table, **table_request(WarmThroughput=asked))
    assert told == (VALIDATION, text)


# Measured by users, 2026; known of read units.
@pytest.mark.parametrize(
    ("asked", "member", "provisioned_member"),
    [
        ({READ: 5, WRITE: 5}, READ, "ReadCapacityUnits"),
        ({READ: 10, WRITE: 9}, WRITE, "WriteCapacityUnits"),
    ],
)
def test_less_than_a_table_is_provisioned_for(dynamodb, asked, member, provisioned_member):
    request = table_request(
        BillingMode=None, ProvisionedThroughput=units(10, 10), WarmThroughput=asked
    )
    text = (
        f"{INVALID}Requested {member} for WarmThroughput for table is lower than "
        f"{provisioned_member} of ProvisionedThroughput"
    )
    assert refusal(dynamodb.create_table, **request) == (VALIDATION, text)


# No table can serve more than tables can. The text is known of indexes. Measured by users, 2026.
@pytest.mark.parametrize(
    ("member", "quota"),
    [(READ, "TableMaxReadCapacityUnits"), (WRITE, "TableMaxWriteCapacityUnits")],
)
def test_more_than_a_table_can_serve(dynamodb, simple, member, quota):
    text = (
        f"Subscriber limit exceeded: Requested {member} for WarmThroughput for table exceeds "
        f"{quota} of the account in region us-east-1"
    )
    told = ("LimitExceededException", text)
    asked = {"WarmThroughput": {member: 40_001}}
    assert refusal(dynamodb.create_table, **table_request(**asked)) == told
    assert refusal(dynamodb.update_table, TableName=simple, **asked) == told
