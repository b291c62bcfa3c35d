"""Policies of tables and streams: set, shown and deleted, as clients see it without signatures."""

import json

import pytest

from tests.api.conftest import client_of
from tests.api.policies import policy
from tests.api.refusals import refusal
from tests.api.tables import keyed

VALIDATION = "ValidationException"
INVALID = "One or more parameter values were invalid: "
MISSING = "Resource-based policy not found for the provided ResourceArn: "
NOT_FOUND = "PolicyNotFoundException"
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
OTHER = policy("dynamodb:Query")


@pytest.fixture
def name(new_table):
    return new_table(StreamSpecification=STREAM)


@pytest.fixture
def arns(dynamodb, name):
    """Of a table and of its stream."""
    table = dynamodb.describe_table(TableName=name)["Table"]
    return table["TableArn"], table["LatestStreamArn"]


# Terraform and CloudFormation read the policy of each table, and of its stream.
@pytest.mark.parametrize(("number", "place"), [(280, 0), (280, 1)])
def test_resources_have_no_policy_at_first(dynamodb, arns, number, place):
    arn = arns[place]
    told = refusal(dynamodb.get_resource_policy, ResourceArn=arn)
    assert told == (NOT_FOUND, f"{MISSING}{arn}")
    deleted = dynamodb.delete_resource_policy(ResourceArn=arn)
    assert "RevisionId" not in deleted


# A table and its stream have each its own; the description of the table shows neither.
def test_policies_are_set_shown_and_deleted(dynamodb, name, arns):
    described = dynamodb.describe_table(TableName=name)["Table"]
    for arn, action in zip(arns, ("dynamodb:GetItem", "dynamodb:GetRecords"), strict=True):
        revision = dynamodb.put_resource_policy(ResourceArn=arn, Policy=policy(action))
        shown = dynamodb.get_resource_policy(ResourceArn=arn)
        assert shown["RevisionId"] == revision["RevisionId"]
        (statement,) = json.loads(shown["Policy"])["Statement"]
        assert statement["Action"] == action
        assert statement["Principal"] == {"AWS": "arn:aws:iam::000000000000:root"}
    assert dynamodb.describe_table(TableName=name)["Table"] == described
    for arn in arns:
        shown = dynamodb.get_resource_policy(ResourceArn=arn)
        deleted = dynamodb.delete_resource_policy(ResourceArn=arn)
        assert deleted["RevisionId"] == shown["RevisionId"]
        assert refusal(dynamodb.get_resource_policy, ResourceArn=arn)[0] == NOT_FOUND
        again = dynamodb.delete_resource_policy(ResourceArn=arn)
        assert again["RevisionId"] > shown["RevisionId"]


# Infrastructure tools put the same policy again and again.
def test_the_same_policy_keeps_its_revision(dynamodb, arns):
    arn, _ = arns
    first = dynamodb.put_resource_policy(ResourceArn=arn, Policy=policy())["RevisionId"]
    assert len(first) == 13
    spread = json.dumps(json.loads(policy(["dynamodb:GetItem"])), indent=2)
    shown = dynamodb.get_resource_policy(ResourceArn=arn)["Policy"]
    for text in (spread, shown):
        put = dynamodb.put_resource_policy(ResourceArn=arn, Policy=text)
        assert put["RevisionId"] == first
    other = dynamodb.put_resource_policy(ResourceArn=arn, Policy=OTHER)["RevisionId"]
    assert other > first
    back = dynamodb.put_resource_policy(ResourceArn=arn, Policy=policy())["RevisionId"]
    assert back > other


# Two authors do not overwrite each other's policies.
def test_expected_revisions(dynamodb, name, arns):
    arn, _ = arns
    put, delete = dynamodb.put_resource_policy, dynamodb.delete_resource_policy
    request = {"ResourceArn": arn, "Policy": policy()}
    told = refusal(put, **request, ExpectedRevisionId="123")
    nothing = (
        f"{MISSING}Requested update for policy with revision id 123, "
        f"but table {name} has no associated policy."
    )
    assert told == (NOT_FOUND, nothing)
    assert refusal(delete, ResourceArn=arn, ExpectedRevisionId="123") == told
    first = put(**request, ExpectedRevisionId="NO_POLICY")["RevisionId"]
    assert refusal(put, **request, ExpectedRevisionId="NO_POLICY") == (
        NOT_FOUND,
        (
            f"{MISSING}Requested policy update expecting none to be present for table {name}, "
            f"but a policy exists with revision id {first}."
        ),
    )
    second = put(ResourceArn=arn, Policy=OTHER, ExpectedRevisionId=first)["RevisionId"]
    other = (
        f"{MISSING}Requested update for policy with revision id {first}, "
        f"but the policy associated to target table {name} has revision id {second}."
    )
    assert refusal(put, **request, ExpectedRevisionId=first) == (NOT_FOUND, other)
    assert refusal(delete, ResourceArn=arn, ExpectedRevisionId=first) == (NOT_FOUND, other)
    assert delete(ResourceArn=arn, ExpectedRevisionId=second)["RevisionId"] == second


def test_policies_that_are_refused(dynamodb, arns):
    table, stream = arns
    call = dynamodb.put_resource_policy
    document = f"{INVALID}Invalid policy document: "
    public = (
        "Resource-based policy grants unbounded access in one or more elements. "
        "Please revise the policy to ensure least-privilege form of access"
    )
    refused = {
        "{": f"{document}This policy contains invalid Json",
        policy(Sid=1): f"{document}Syntax errors in policy.",
        policy("dynamodb:GetRecords"): f"{document}The following action names are invalid: "
        '"dynamodb:GetRecords"',
        policy(principal="*"): public,
        policy() + " " * 20 * 1024: f"{INVALID}Maximum policy size of 20480 bytes exceeded",
    }
    for text, told in refused.items():
        assert refusal(call, ResourceArn=table, Policy=text) == (VALIDATION, told)
    told = refusal(call, ResourceArn=stream, Policy=policy())
    assert told[1].startswith(f"{document}The following action names are invalid")
    assert call(ResourceArn=table, Policy=policy("dynamodb:*", effect="Deny", principal="*"))
    named = keyed(pk="S") | {"TableName": "never-made", "BillingMode": "PAY_PER_REQUEST"}
    told = refusal(dynamodb.create_table, **named, ResourcePolicy=policy(principal="*"))
    assert told == (VALIDATION, public)


def test_resources_of_policies(dynamodb, name, arns):
    arn, _ = arns
    label = "2000-01-01T00:00:00.000"
    gone = "arn:aws:dynamodb:us-east-1:000000000000:table/never-made"
    told = {
        gone: (
            "ResourceNotFoundException",
            "Requested resource not found: Table: never-made not found",
        ),
        f"{arn}/stream/{label}": (
            "ResourceNotFoundException",
            f"Requested resource not found: Stream: {label} not found for Table: {name}",
        ),
        name: (VALIDATION, f"{INVALID}ARNs must start with 'arn:': {name}"),
        f"{arn}/index/idx": (
            VALIDATION,
            (
                f"{INVALID}Invalid resource arn provided, only table or stream is accepted. "
                f"Provided resource arn: {arn}/index/idx"
            ),
        ),
        f"{arn}/backup/01489602797149-73d8d5bc": (
            VALIDATION,
            (
                f"{INVALID}Provided Arn is not a DynamoDB resource arn: "
                f"{arn}/backup/01489602797149-73d8d5bc"
            ),
        ),
    }
    for resource, expected in told.items():
        assert refusal(dynamodb.get_resource_policy, ResourceArn=resource) == expected
        assert refusal(dynamodb.delete_resource_policy, ResourceArn=resource) == expected
        text = policy("dynamodb:GetRecords" if "stream" in resource else "dynamodb:GetItem")
        put = refusal(dynamodb.put_resource_policy, ResourceArn=resource, Policy=text)
        assert put == expected


def test_a_table_is_made_with_a_policy(dynamodb, new_table):
    arn = dynamodb.describe_table(TableName=new_table(ResourcePolicy=policy()))["Table"]["TableArn"]
    shown = dynamodb.get_resource_policy(ResourceArn=arn)
    assert json.loads(shown["Policy"])["Statement"][0]["Action"] == "dynamodb:GetItem"


# Only where statuses take time, as on the service: 15 seconds between two changes.
def test_changes_have_to_wait_for_each_other(start_server):
    dynamodb = client_of(start_server(delay_transient_statuses=True, transient_status_ms=1))
    table = {"TableName": "a-table", "BillingMode": "PAY_PER_REQUEST", **keyed(pk="S")}
    arn = dynamodb.create_table(**table)["TableDescription"]["TableArn"]
    dynamodb.get_waiter("table_exists").wait(TableName="a-table", WaiterConfig={"Delay": 1})
    put = dynamodb.put_resource_policy(ResourceArn=arn, Policy=policy())
    again = dynamodb.put_resource_policy(ResourceArn=arn, Policy=policy())
    assert again["RevisionId"] == put["RevisionId"]
    code, text = refusal(dynamodb.delete_resource_policy, ResourceArn=arn)
    assert code in {"ThrottlingException", "ResourceInUseException"}
    assert "a-table" in text


# A table that is CREATING is not there yet.
def test_a_table_that_is_creating(start_server):
    dynamodb = client_of(start_server(delay_transient_statuses=True, transient_status_ms=600_000))
    table = {"TableName": "never-made", "BillingMode": "PAY_PER_REQUEST", **keyed(pk="S")}
    arn = dynamodb.create_table(**table)["TableDescription"]["TableArn"]
    told = "Requested resource not found: Table: never-made not found"
    for call, more in (
        (dynamodb.get_resource_policy, {}),
        (dynamodb.put_resource_policy, {"Policy": policy()}),
        (dynamodb.delete_resource_policy, {}),
    ):
        assert refusal(call, ResourceArn=arn, **more) == ("ResourceNotFoundException", told)
