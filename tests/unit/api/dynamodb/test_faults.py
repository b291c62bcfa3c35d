"""Requests that fail on request: which of them, how often, and after which checks."""

import random

import pytest

from hashrange.api.requests.disturbances import Faults
from hashrange.clock import draws
from hashrange.errors import DynamoError, Fault
from hashrange.settings.rules import fault_rules
from hashrange.settings.texts import SettingError
from tests.unit.api.dynamodb.still_server import CALLER, StillServer

ITEM = {"pk": {"S": "a"}}


def faults_of(text, seed=1):
    return Faults(fault_rules(text), draws(seed))


@pytest.fixture
def server():
    made = StillServer(transient_ms=0)
    made.create(BillingMode="PAY_PER_REQUEST")
    yield made
    made.end()


def disturbed(server, text, seed=1):
    server.pipeline.disturb(faults=faults_of(text, seed), delay=None, lag=None)


@pytest.mark.parametrize(
    ("operation", "error", "fault"),
    [
        ("PutItem", "ThrottlingException", Fault.THROTTLED),
        ("PutItem", "ProvisionedThroughputExceededException", Fault.THROUGHPUT_EXCEEDED),
        ("PutItem", "RequestLimitExceeded", Fault.REQUEST_LIMIT_EXCEEDED),
        ("PutItem", "TransactionConflictException", Fault.TRANSACTION_CONFLICT),
        ("PutItem", "InternalServerError", Fault.INTERNAL),
        ("PutItem", "ServiceUnavailable", Fault.UNAVAILABLE),
    ],
)
def test_each_error(server, operation, error, fault):
    disturbed(server, f"{operation}:a-table:1:{error}")
    refused, _ = server.refused(operation, Item=ITEM)
    assert refused is fault
    disturbed(server, f"{operation}:a-table:0:{error}")
    server.call(operation, Item=ITEM)


def test_a_refused_write_changes_and_costs_nothing(server):
    disturbed(server, "PutItem:*:1:InternalServerError")
    spent = len(server.spent)
    server.refused("PutItem", Item=ITEM)
    assert server.call("GetItem", Key=ITEM) == {}
    assert sum(units.write_units for units in server.spent[spent:]) == 0


# The service refuses what is invalid, whether it has capacity or not.
def test_invalid_requests_are_refused_as_ever(server):
    disturbed(server, "*:*:1:ThrottlingException")
    assert server.refused("PutItem", Item={})[0] is Fault.VALIDATION
    assert server.refused("PutItem", TableName="other", Item=ITEM)[0] is Fault.RESOURCE_NOT_FOUND


def test_other_operations_and_tables_do_not_fail(server):
    disturbed(server, "GetItem:*:1:ThrottlingException;PutItem:other:1:ThrottlingException")
    server.call("PutItem", Item=ITEM)
    assert server.refused("GetItem", Key=ITEM)[0] is Fault.THROTTLED
    arn = f"arn:aws:dynamodb:us-east-1:{CALLER.account}:table/a-table"
    disturbed(server, "GetItem:a-table:1:ThrottlingException")
    assert server.refused("GetItem", TableName=arn, Key=ITEM)[0] is Fault.THROTTLED


# An error that the operation cannot have is not made, although the rule is for all operations.
def test_a_rule_for_all_operations_fits_each(server):
    disturbed(server, "*:*:1:ProvisionedThroughputExceededException")
    server.call("DescribeTable")
    disturbed(server, "*:*:1:ThrottlingException")
    assert server.refused("DescribeTable") == (Fault.THROTTLED, "Rate exceeded")


def test_the_share_and_the_seed():
    def struck(seed):
        strike = faults_of("GetItem:*:0.2:ThrottlingException", seed).strike_of("GetItem")
        return [fails(strike) for _ in range(2000)]

    def fails(strike):
        try:
            strike(CALLER, ("a-table",))
        except DynamoError:
            return True
        return False

    assert struck(5) == struck(5) != struck(6)
    # Five standard deviations of a binomial distribution on either side.
    assert 310 < sum(struck(5)) < 490


def test_reasons_name_the_table_and_the_kind_of_access():
    strike = faults_of("*:*:1:ThrottlingException").strike_of("Query")
    with pytest.raises(DynamoError) as refused:
        strike(CALLER, ("a-table",))
    reason = "TableReadKeyRangeThroughputExceeded"
    resource = f"arn:aws:dynamodb:us-east-1:{CALLER.account}:table/a-table"
    assert refused.value.members == {
        "throttlingReasons": [{"reason": reason, "resource": resource}]
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("PutIt:*:1:ThrottlingException", "'PutIt' is not an operation"),
        ("PutItem:*:1:Throttling", "'Throttling' is not one of ThrottlingException, "),
        ("DescribeTable:*:1:RequestLimitExceeded", "DescribeTable never has RequestLimitExceeded"),
        ("Query:*:1:TransactionConflictException", "these have it: DeleteItem, PutItem, Upd"),
    ],
)
def test_rules_that_cannot_apply_are_refused(text, said):
    with pytest.raises(SettingError, match=said):
        Faults(fault_rules(text), random.random)
