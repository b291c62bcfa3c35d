"""A tenant reaches its own items by every way, and those of another by none."""

import json

import pytest
from botocore.exceptions import ClientError

from tests.access.tenants import (
    ATTEMPTS,
    ITEMS,
    NAME,
    SECRET,
    TENANT,
    VICTIM,
    key,
    literal,
    on_table,
)

from tests.access.tenants import DELETE, INSERT, SELECT, UPDATE  # isort: skip

ALL = sorted(ATTEMPTS)
GRANTED = [name for name in ALL if ATTEMPTS[name].granted]
REFUSED = {"ConditionalCheckFailedException", "TransactionCanceledException", "ValidationException"}
"""Answers of the table and not of the policy; a key that is named twice is refused."""


def attempted(world, caller, name, tenant):
    """The answer and the code of an attempt; no code if it was not refused."""
    attempt = ATTEMPTS[name]
    call = getattr(world.client(caller, attempt.service), attempt.call)
    try:
        return call(**attempt.request(world, tenant)), None
    except ClientError as error:
        return error.response, error.response["Error"]["Code"]


def victims(items):
    return {each: item for each, item in items.items() if each[0] == VICTIM}


def assert_denied(world, caller, name):
    answer, code = attempted(world, caller, name, VICTIM)
    assert code == "AccessDeniedException", name
    assert "not authorized to perform: dynamodb:" in answer["Error"]["Message"], name
    assert SECRET not in json.dumps(answer, default=str), name
    assert "Item" not in answer, name


# Denied, nothing is changed, and nothing of the item is in the refusal.
@pytest.mark.parametrize("name", ALL)
def test_items_of_another_tenant(world, name):
    before = world.items()
    assert_denied(world, "tenant", name)
    assert world.items() == before


# All attempts in one test: of what these may do nothing depends on the item.
@pytest.mark.parametrize("caller", ["nobody", "untagged"])
def test_items_of_a_tenant_for_those_who_are_none(world, caller):
    before = world.items()
    for name in ALL:
        assert_denied(world, caller, name)
    assert world.items() == before


# The same requests for own items: what is denied above is denied for the key in them.
@pytest.mark.parametrize("name", GRANTED)
def test_own_items(world, name):
    _, code = attempted(world, "tenant", name, TENANT)
    assert code is None or code in REFUSED
    assert victims(world.items()) == victims(ITEMS)
    world.put_back()


@pytest.mark.parametrize("text", [SELECT, UPDATE, DELETE, INSERT])
def test_statements_of_a_batch(world, text):
    tenant = world.client("tenant")
    before = victims(world.items())
    statements = [literal(text, TENANT), literal(text, VICTIM)]
    own, other = tenant.batch_execute_statement(Statements=statements)["Responses"]
    assert "Error" not in own
    assert other["Error"]["Code"] == "AccessDenied"
    assert "Item" not in other
    assert victims(world.items()) == before
    world.put_back()


# What the naive policy beside the example lets out, as on AWS.
@pytest.mark.parametrize("name", [name for name in ALL if ATTEMPTS[name].leaks])
def test_leaks_of_the_naive_policy(world, name):
    answer, code = attempted(world, "naive", name, VICTIM)
    assert code is None
    if ATTEMPTS[name].service == "dynamodb" or name == "stolen iterator":
        assert SECRET + VICTIM in json.dumps(answer, default=str)


# Where there are keys, the naive policy confines as well.
@pytest.mark.parametrize("name", GRANTED)
def test_what_the_naive_policy_confines(world, name):
    _, code = attempted(world, "naive", name, VICTIM)
    assert code == "AccessDeniedException"


# A denial is the same whether there is a table, an item, or a fault in the request.
@pytest.mark.parametrize("caller", ["tenant", "nobody"])
def test_denials_tell_nothing(world, caller):
    client = world.client(caller)
    texts = set()
    for request in (
        on_table(Key=key(VICTIM)),
        on_table(Key=key(VICTIM, "never")),
        {"TableName": "never", "Key": key(VICTIM)},
        {"TableName": "never", "Key": {"other": {"N": "1"}}},
    ):
        with pytest.raises(ClientError) as error:
            client.get_item(**request)
        assert error.value.response["Error"]["Code"] == "AccessDeniedException"
        texts.add(error.value.response["Error"]["Message"].replace("never", NAME))
    assert len(texts) == 1
