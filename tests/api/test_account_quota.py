# Who provisions too much for an account is refused, as on the service, and not billed for it.
"""The quotas of an account and of a table: `--account-units`, `--table-units`."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.exceptions import ClientError

from hashrange.settings.kinds import Throttle
from tests.api.conftest import client_of

GUIDE = (
    "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher "
    "limits."
)


@pytest.fixture(scope="module")
def client(start_server):
    return client_of(start_server(account_units=100))


@pytest.fixture(autouse=True)
def empty(client):
    yield
    for name in client.list_tables()["TableNames"]:
        client.delete_table(TableName=name)


def units(reads, writes):
    return {"ProvisionedThroughput": {"ReadCapacityUnits": reads, "WriteCapacityUnits": writes}}


def table(client, billing, **more):
    name = f"t-{uuid.uuid4()}"
    request = {
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    }
    client.create_table(TableName=name, **billing, **request, **more)
    return name


def index(reads, writes):
    return {
        "IndexName": "by-pk",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
        **units(reads, writes),
    }


def refusal(call, *args, **request):
    with pytest.raises(ClientError) as error:
        call(*args, **request)
    assert error.value.response["Error"]["Code"] == "LimitExceededException"
    return error.value.response["Error"]["Message"]


def text(member, now, more):
    return (
        f"This request would have caused the {member} limit to be exceeded for the account in "
        f"us-east-1. Current {member} reserved by the account: {now}. Limit: 100. Requested: "
        f"{more}. {GUIDE}"
    )


# The text is one that users of the service got from CreateTable, October 2026.
def test_units_of_all_tables_and_indexes_count(client):
    table(client, units(40, 10), GlobalSecondaryIndexes=[index(30, 10)])
    assert refusal(table, client, units(31, 1)) == text("ReadCapacityUnits", 70, 31)
    more = {"GlobalSecondaryIndexes": [index(1, 71)]}
    assert refusal(table, client, units(1, 10), **more) == text("WriteCapacityUnits", 20, 81)
    table(client, units(30, 80))
    table(client, {"BillingMode": "PAY_PER_REQUEST"})


def test_updates_count_what_they_add(client):
    name = table(client, units(50, 50))
    other = table(client, {"BillingMode": "PAY_PER_REQUEST"})
    update = client.update_table
    assert refusal(update, TableName=name, **units(101, 50)) == text("ReadCapacityUnits", 50, 51)
    switch = {"TableName": other, "BillingMode": "PROVISIONED", **units(1, 51)}
    assert refusal(update, **switch) == text("WriteCapacityUnits", 50, 51)
    update(TableName=name, **units(100, 20))
    update(TableName=name, BillingMode="PAY_PER_REQUEST")
    update(**switch)


def test_deleted_tables_and_other_regions_do_not_count(client, start_server):
    name = table(client, units(100, 100))
    refusal(table, client, units(1, 1))
    client.delete_table(TableName=name)
    table(client, units(100, 100))
    elsewhere = client_of(client.meta.endpoint_url, region_name="eu-west-1")
    table(elsewhere, units(100, 100))


# What is summed up must hold when it is written.
def test_tables_that_are_created_together_do_not_exceed_it(client):
    def create(_):
        try:
            table(client, units(30, 1))
        except client.exceptions.LimitExceededException:
            return 0
        return 30

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(create, range(8))) == 90


def test_the_quota_is_described(client):
    limits = client.describe_limits()
    assert limits["AccountMaxReadCapacityUnits"] == limits["AccountMaxWriteCapacityUnits"] == 100
    assert limits["TableMaxReadCapacityUnits"] == 40_000


@pytest.fixture(scope="module")
def small(start_server):
    """A client of a server where a table has 30 units at most."""
    return client_of(start_server(table_units=30, throttle=Throttle.ON))


def maximum(member, requested, index=None):
    kind, of_index = ("table", "") if index is None else ("index", f" for index {index}")
    return (
        f"The requested {member}{of_index}, {requested}, is above the per {kind} maximum for the "
        f"account in us-east-1. Per table maximum: 30. {GUIDE}"
    )


# AWS raises the quota of a table on request; here an operator does.
def test_a_table_or_an_index_is_provisioned_for_the_quota_at_most(small):
    text = maximum("ReadCapacityUnits", 31)
    assert refusal(table, small, units(31, 1)) == text
    text = maximum("WriteCapacityUnits", 31, "by-pk")
    more = {"GlobalSecondaryIndexes": [index(1, 31)]}
    assert refusal(table, small, units(1, 1), **more) == text
    name = table(small, units(30, 30), GlobalSecondaryIndexes=[index(30, 30)])
    update = small.update_table
    assert refusal(update, TableName=name, **units(30, 31)) == maximum("WriteCapacityUnits", 31)
    of_index = {"IndexName": "by-pk", **units(31, 30)}
    changes = {"GlobalSecondaryIndexUpdates": [{"Update": of_index}]}
    text = maximum("ReadCapacityUnits", 31, "by-pk")
    assert refusal(update, TableName=name, **changes) == text


def test_maxima_and_warm_throughput_are_within_the_quota_of_a_table(small):
    on_demand = {"BillingMode": "PAY_PER_REQUEST"}
    beyond = {"OnDemandThroughput": {"MaxWriteRequestUnits": 31}}
    text = refusal(table, small, on_demand, **beyond)
    assert "OnDemandThroughput for table exceeds TableMaxWriteCapacityUnits" in text
    name = table(small, on_demand)
    assert refusal(small.update_table, TableName=name, **beyond) == text
    warm = {"WarmThroughput": {"ReadUnitsPerSecond": 13_000, "WriteUnitsPerSecond": 5000}}
    text = refusal(small.update_table, TableName=name, **warm)
    assert "WarmThroughput for table exceeds TableMaxReadCapacityUnits" in text


def test_the_quota_of_a_table_is_described(small):
    limits = small.describe_limits()
    assert limits["TableMaxReadCapacityUnits"] == limits["TableMaxWriteCapacityUnits"] == 30
    assert limits["AccountMaxReadCapacityUnits"] == 80_000


# An on-demand table and its indexes have the quota together: of 30 units the table takes 25 at
# most, and each of ten indexes as many. Source: Developer Guide, "Account limits exceeded".
def test_an_on_demand_table_and_its_indexes_share_the_quota(small):
    entry = {"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}
    entry["Projection"] = {"ProjectionType": "KEYS_ONLY"}
    indexes = [{"IndexName": f"index-{n}", **entry} for n in range(10)]
    name = table(small, {"BillingMode": "PAY_PER_REQUEST"}, GlobalSecondaryIndexes=indexes)
    puts = [{"PutRequest": {"Item": {"pk": {"S": str(n)}}}} for n in range(25)]
    small.batch_write_item(RequestItems={name: puts})
    with pytest.raises(ClientError) as error:
        small.put_item(TableName=name, Item={"pk": {"S": "more"}})
    assert error.value.response["Error"]["Code"] == "RequestLimitExceeded"
    (reason,) = error.value.response["ThrottlingReasons"]
    assert reason["reason"] == "TableWriteAccountLimitExceeded"
    assert reason["resource"].endswith(f"table/{name}")
