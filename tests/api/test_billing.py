"""Billing modes and provisioned throughput: switches, changes, and what is asked too often."""

import json

import pytest

from tests.api.refusals import refusal, table_request

LIMIT = "LimitExceededException"
DATES = {"LastIncreaseDateTime", "LastDecreaseDateTime"}


def units(read, write):
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


@pytest.fixture
def provisioned(new_table):
    """A table with 5 read and 5 write units."""
    return new_table(BillingMode="PROVISIONED", ProvisionedThroughput=units(5, 5))


@pytest.fixture
def update(dynamodb):
    """Updates a table; gives the answer, and the description once the table is ACTIVE again."""

    def call(name, **changes):
        answer = dynamodb.update_table(TableName=name, **changes)["TableDescription"]
        assert answer["TableStatus"] == "UPDATING"
        dynamodb.get_waiter("table_exists").wait(TableName=name)
        return answer, dynamodb.describe_table(TableName=name)["Table"]

    return call


# The answer has the old units and the old count. Of the dates, that of a decrease is new, that of
# an increase moves when the change is complete. Source: public suites that pass on the service.
@pytest.mark.parametrize(
    ("read", "write", "dates", "decreases"),
    [
        (6, 5, {"LastIncreaseDateTime"}, 0),
        (5, 6, {"LastIncreaseDateTime"}, 0),
        (4, 5, {"LastDecreaseDateTime"}, 1),
        (5, 4, {"LastDecreaseDateTime"}, 1),
        (4, 4, {"LastDecreaseDateTime"}, 1),
        (6, 4, {"LastIncreaseDateTime", "LastDecreaseDateTime"}, 1),
    ],
)
def test_throughput(update, provisioned, read, write, dates, decreases):
    answer, table = update(provisioned, ProvisionedThroughput=units(read, write))
    throughput = table["ProvisionedThroughput"]
    moments = {name: throughput[name] for name in dates}
    assert throughput == {"NumberOfDecreasesToday": decreases, **units(read, write), **moments}
    assert answer["ProvisionedThroughput"] == {
        "NumberOfDecreasesToday": 0,
        **units(5, 5),
        **{name: moments[name] for name in dates - {"LastIncreaseDateTime"}},
    }


# The mode that the table has may be said again beside its units.
def test_throughput_with_the_mode(update, provisioned):
    _, table = update(provisioned, BillingMode="PROVISIONED", ProvisionedThroughput=units(6, 6))
    assert "BillingModeSummary" not in table
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 6


# Four decreases are free, the fifth of a UTC day waits for an hour, or for midnight; whatever is
# raised beside. Increases never wait. Measured by users, 2026.
def test_decreases_of_a_day(dynamodb, update, new_table):
    name = new_table(BillingMode="PROVISIONED", ProvisionedThroughput=units(20, 10))
    read, decreases = 20, 0
    while decreases < 4:  # more than four times only if midnight comes in between
        read -= 1
        _, table = update(name, ProvisionedThroughput=units(read, 10))
        decreases = table["ProvisionedThroughput"]["NumberOfDecreasesToday"]
    for wanted in (units(1, 10), units(1, 11)):
        code, text = refusal(dynamodb.update_table, TableName=name, ProvisionedThroughput=wanted)
        assert code == LIMIT
        assert text.startswith(
            "Subscriber limit exceeded: Provisioned throughput decreases are limited within a "
            "given UTC day. After the first 4 decreases, each subsequent decrease in the same UTC "
            "day can be performed at most once every 3600 seconds. Number of decreases today: 4. "
            "Last decrease at "
        )
        assert " Coordinated Universal Time. Next decrease can be made at " in text
    assert dynamodb.describe_table(TableName=name)["Table"] == table
    update(name, ProvisionedThroughput=units(20, 11))


# What a table may have at most, if nobody asked AWS for more. Measured by users, 2026.
@pytest.mark.parametrize("member", ["ReadCapacityUnits", "WriteCapacityUnits"])
def test_more_than_a_table_may_have(dynamodb, provisioned, member):
    wanted = {**units(5, 5), member: 40_001}
    text = (
        f"The requested {member}, 40001, is above the per table maximum for the account in "
        "us-east-1. Per table maximum: 40000. Refer to the Amazon DynamoDB Developer Guide for "
        "current limits and how to request higher limits."
    )
    request = table_request(BillingMode=None, ProvisionedThroughput=wanted)
    assert refusal(dynamodb.create_table, **request) == (LIMIT, text)
    told = refusal(dynamodb.update_table, TableName=provisioned, ProvisionedThroughput=wanted)
    assert told == (LIMIT, text)


# An on-demand table has no units. The answer has the new mode, but no date of the switch yet; it
# shows the switch as a decrease, which it does not stay. Measured by users, 2026.
def test_to_on_demand(update, provisioned):
    answer, table = update(provisioned, BillingMode="PAY_PER_REQUEST")
    none = {"NumberOfDecreasesToday": 0, **units(0, 0)}
    assert answer["BillingModeSummary"] == {"BillingMode": "PAY_PER_REQUEST"}
    assert set(answer["ProvisionedThroughput"]) == {*none, "LastDecreaseDateTime"}
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert "LastUpdateToPayPerRequestDateTime" in table["BillingModeSummary"]
    assert table["ProvisionedThroughput"] == none


# Dates and count of decreases outlive the switch to on demand, and the one back, which is no
# increase. Measured by users, 2026.
def test_dates_outlive_switches(update, provisioned):
    _, lowered = update(provisioned, ProvisionedThroughput=units(9, 4))
    _, switched = update(provisioned, BillingMode="PAY_PER_REQUEST")
    _, back = update(provisioned, BillingMode="PROVISIONED", ProvisionedThroughput=units(50, 50))
    kept = {
        name: value
        for name, value in lowered["ProvisionedThroughput"].items()
        if name in DATES or name == "NumberOfDecreasesToday"
    }
    assert switched["ProvisionedThroughput"] == {**kept, **units(0, 0)}
    assert back["ProvisionedThroughput"] == {**kept, **units(50, 50)}


# A table that once was on demand keeps its summary, with the date. Source: the API's model. New
# units are shown at once, with the date of an increase, which it does not stay. Measured, 2026.
def test_to_provisioned(dynamodb, update, new_table):
    name = new_table()
    before = dynamodb.describe_table(TableName=name)["Table"]["BillingModeSummary"]
    answer, table = update(name, BillingMode="PROVISIONED", ProvisionedThroughput=units(3, 2))
    assert table["BillingModeSummary"] == {**before, "BillingMode": "PROVISIONED"}
    assert table["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **units(3, 2)}
    assert answer["ProvisionedThroughput"].pop("LastIncreaseDateTime")
    assert answer == {**table, "TableStatus": "UPDATING"}


# Four switches to on demand in any 24 hours, back at any time. Source: Developer Guide,
# "Considerations when switching capacity modes".
def test_switches_of_a_day(dynamodb, update, provisioned):
    back = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(5, 5)}
    for _ in range(4):
        update(provisioned, BillingMode="PAY_PER_REQUEST")
        update(provisioned, **back)
    before = dynamodb.describe_table(TableName=provisioned)["Table"]
    code, text = refusal(
        dynamodb.update_table, TableName=provisioned, BillingMode="PAY_PER_REQUEST"
    )
    assert code == LIMIT
    assert text.startswith(
        "Subscriber limit exceeded: Update to PayPerRequest mode are limited to 4 in 1 "
        "day(s). Last update at "
    )
    assert dynamodb.describe_table(TableName=provisioned)["Table"] == before


# To say again that a table is on demand is no switch, however often. Measured by users, 2026.
def test_on_demand_again(update, new_table):
    name = new_table()
    tables = [update(name, BillingMode="PAY_PER_REQUEST")[1] for _ in range(6)]
    assert tables[0] == tables[-1]


# Beside the one that SDKs know there is another one, which they leave out.
# Source: captures of the service, 2026.
def test_both_summaries(dynamodb, new_table):
    bodies = []

    def keep(http_response, **_):
        bodies.append(json.loads(http_response.content))

    dynamodb.meta.events.register("after-call.dynamodb", keep)
    try:
        name = new_table(BillingMode="PAY_PER_REQUEST")
        dynamodb.describe_table(TableName=name)
        dynamodb.update_table(TableName=name, DeletionProtectionEnabled=False)
        new_table(BillingMode="PROVISIONED", ProvisionedThroughput=units(1, 1))
    finally:
        dynamodb.meta.events.unregister("after-call.dynamodb", keep)
    tables = [body.get("TableDescription") or body["Table"] for body in bodies]
    assert len(tables) > 3
    for table in tables:
        expected = table.get("BillingModeSummary")
        if expected is not None:
            date = {name: expected[name] for name in expected if name != "BillingMode"}
            expected = {"TableThroughputMode": expected["BillingMode"], **date}
        assert table.get("TableThroughputModeSummary") == expected
    assert tables[0]["TableThroughputModeSummary"] == {"TableThroughputMode": "PAY_PER_REQUEST"}
