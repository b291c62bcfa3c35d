"""OnDemandThroughput: maxima of on-demand tables, kept and described."""

import pytest

from tests.api.refusals import VALIDATION, refusal, table_request

INVALID = "One or more parameter values were invalid: "
READ, WRITE = "MaxReadRequestUnits", "MaxWriteRequestUnits"
UNITS = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}


def described(dynamodb, name):
    return dynamodb.describe_table(TableName=name)["Table"].get("OnDemandThroughput")


# One of the two is enough; a structure without members is none. Measured by users, 2026.
@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ({READ: 100, WRITE: 50}, {READ: 100, WRITE: 50}),
        ({READ: 100}, {READ: 100}),
        ({WRITE: 40_000}, {WRITE: 40_000}),
        ({}, None),
    ],
)
def test_new_table(dynamodb, new_table, asked, kept):
    assert described(dynamodb, new_table(OnDemandThroughput=asked)) == kept


# Requests merge member by member; -1 removes, is echoed once, and then gone. All at once: the table
# is not UPDATING for it. Measured by users, 2026.
def test_updates_merge(dynamodb, new_table):
    name = new_table()
    for asked, answered, kept in [
        ({READ: 1000, WRITE: 500}, {READ: 1000, WRITE: 500}, {READ: 1000, WRITE: 500}),
        ({READ: 2000}, {READ: 2000, WRITE: 500}, {READ: 2000, WRITE: 500}),
        ({READ: 2000}, {READ: 2000, WRITE: 500}, {READ: 2000, WRITE: 500}),
        ({READ: -1}, {READ: -1, WRITE: 500}, {WRITE: 500}),
        ({WRITE: -1}, {WRITE: -1}, None),
        ({READ: -1, WRITE: -1}, {READ: -1, WRITE: -1}, None),
        ({WRITE: 700}, {WRITE: 700}, {WRITE: 700}),
    ]:
        answer = dynamodb.update_table(TableName=name, OnDemandThroughput=asked)
        table = answer["TableDescription"]
        assert (table["TableStatus"], table["OnDemandThroughput"]) == ("ACTIVE", answered)
        assert described(dynamodb, name) == kept


# They may come with the mode that they are for, and go with it. Source: Developer Guide, "DynamoDB
# maximum throughput for on-demand tables".
def test_maxima_come_and_go_with_the_mode(dynamodb, new_table):
    name = new_table(BillingMode="PROVISIONED", ProvisionedThroughput=UNITS)
    maxima = {READ: 10}
    dynamodb.update_table(TableName=name, BillingMode="PAY_PER_REQUEST", OnDemandThroughput=maxima)
    dynamodb.get_waiter("table_exists").wait(TableName=name)
    assert described(dynamodb, name) == maxima
    dynamodb.update_table(TableName=name, BillingMode="PROVISIONED", ProvisionedThroughput=UNITS)
    dynamodb.get_waiter("table_exists").wait(TableName=name)
    assert described(dynamodb, name) is None
    dynamodb.update_table(TableName=name, BillingMode="PAY_PER_REQUEST")
    dynamodb.get_waiter("table_exists").wait(TableName=name)
    assert described(dynamodb, name) is None


# Catalogue 158, with the full stop and without the article.
@pytest.mark.parametrize(("maxima", "member"), [({READ: 5, WRITE: 5}, READ), ({WRITE: 5}, WRITE)])
def test_new_provisioned_table_has_no_maxima(dynamodb, maxima, member):
    request = table_request(
        BillingMode="PROVISIONED", ProvisionedThroughput=UNITS, OnDemandThroughput=maxima
    )
    text = f"{member} for OnDemandThroughput cannot be specified when table BillingMode is "
    assert refusal(dynamodb.create_table, **request) == (VALIDATION, f"{INVALID}{text}PROVISIONED.")


# Catalogue 158, with the article and without the full stop; not even to remove them.
@pytest.mark.parametrize(
    ("maxima", "member"), [({READ: 5, WRITE: 5}, READ), ({WRITE: 5}, WRITE), ({READ: -1}, READ)]
)
def test_provisioned_table_has_no_maxima(dynamodb, new_table, maxima, member):
    name = new_table(BillingMode="PROVISIONED", ProvisionedThroughput=UNITS)
    told = refusal(dynamodb.update_table, TableName=name, OnDemandThroughput=maxima)
    text = f"{member} for OnDemandThroughput cannot be specified when the table BillingMode is "
    assert told == (VALIDATION, f"{INVALID}{text}PROVISIONED")


# Catalogue 158; a new table has nothing to remove.
@pytest.mark.parametrize(
    ("maxima", "member", "only_new"),
    [
        ({READ: 0, WRITE: 0}, READ, False),
        ({READ: 5, WRITE: 0}, WRITE, False),
        ({WRITE: -2}, WRITE, False),
        ({READ: -1}, READ, True),
        ({READ: 5, WRITE: -1}, WRITE, True),
    ],
)
def test_maximum_is_out_of_range(dynamodb, maxima, member, only_new):
    text = f"{INVALID}Requested {member} for OnDemandThroughput for table is outside of valid range"
    request = table_request(OnDemandThroughput=maxima)
    assert refusal(dynamodb.create_table, **request) == (VALIDATION, text)
    if not only_new:
        told = refusal(dynamodb.update_table, TableName="no-such-table", OnDemandThroughput=maxima)
        assert told == (VALIDATION, text)


# No table can have more than tables can have. Measured by users, 2026.
@pytest.mark.parametrize(
    ("member", "quota"),
    [(READ, "TableMaxReadCapacityUnits"), (WRITE, "TableMaxWriteCapacityUnits")],
)
def test_maximum_is_above_the_quota(dynamodb, simple, member, quota):
    text = (
        f"Subscriber limit exceeded: Requested {member} for OnDemandThroughput for table exceeds "
        f"{quota} of the account in region us-east-1"
    )
    told = ("LimitExceededException", text)
    maxima = {"OnDemandThroughput": {member: 40_001}}
    assert refusal(dynamodb.create_table, **table_request(**maxima)) == told
    assert refusal(dynamodb.update_table, TableName=simple, **maxima) == told
