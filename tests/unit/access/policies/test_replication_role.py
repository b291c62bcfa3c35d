"""Denials to the role that replicates."""

import json

import pytest

from hashrange.access.policies.checks import PolicyUse
from hashrange.access.policies.decisions import GovernedResource
from hashrange.access.policies.documents import parse
from hashrange.access.policies.replication import TABLE_ACTIONS, denials_of, role_arn

ACCOUNT, REGION = "111122223333", "eu-west-1"
ARN = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/orders"
STREAM = f"{ARN}/stream/2026-01-01T12:00:00.000"
NOON_MS = 1_767_268_800_000
STREAM_ACTIONS = ("DescribeStream", "GetRecords", "GetShardIterator")
ROLE = (
    "arn:aws:iam::111122223333:role/aws-service-role/replication.dynamodb.amazonaws.com/"
    "AWSServiceRoleForDynamoDBReplication"
)


def resource(arn=ARN, effect="Deny", **statement):
    named = {"Principal": {"AWS": ROLE}, "Action": "dynamodb:PutItem", "Resource": arn}
    if "NotPrincipal" in statement:
        del named["Principal"]
    text = {"Version": "2012-10-17", "Statement": [{"Effect": effect, **named, **statement}]}
    tags = {"aws:resourcetag/stage": ("test",)}
    return GovernedResource(arn, ACCOUNT, parse(json.dumps(text), PolicyUse.RESOURCE), tags)


def holds(tables=(), streams=(), now_ms=NOON_MS, region=REGION):
    return denials_of(ACCOUNT, tables, streams).hold(region, now_ms)


def test_the_role():
    assert role_arn(ACCOUNT) == ROLE


@pytest.mark.parametrize("action", TABLE_ACTIONS)
def test_each_action_on_the_table(action):
    assert holds([resource(Action=f"dynamodb:{action}")])


@pytest.mark.parametrize("action", STREAM_ACTIONS)
def test_each_action_on_the_stream(action):
    assert holds([], [resource(STREAM, Action=f"dynamodb:{action}")])
    assert not holds([resource(Action=f"dynamodb:{action}")])


@pytest.mark.parametrize(
    "statement",
    [
        {"effect": "Allow"},
        {"Action": "dynamodb:Query"},
        {"Action": "dynamodb:DeleteResourcePolicy"},
        {"Principal": {"AWS": "444455556666"}},
        {"Principal": {"Service": "replication.dynamodb.amazonaws.com"}},
        {"NotPrincipal": {"AWS": [ROLE, ACCOUNT]}},
        {"Resource": f"{ARN}/index/*"},
        {"Condition": {"StringEquals": {"aws:ResourceTag/stage": "live"}}},
        {"Condition": {"ForAnyValue:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}},
    ],
)
def test_what_denies_nothing(statement):
    assert not holds([resource(**statement)])


@pytest.mark.parametrize(
    "statement",
    [
        {"Principal": "*"},
        {"NotPrincipal": {"AWS": f"arn:aws:iam::{ACCOUNT}:role/admin"}},
        {"Principal": {"AWS": ACCOUNT}, "Action": "dynamodb:*"},
        {"Condition": {"StringEquals": {"aws:ResourceTag/stage": "test"}}},
        {"Condition": {"ArnEquals": {"aws:PrincipalArn": ROLE}}},
    ],
)
def test_what_denies(statement):
    assert holds([resource(**statement)])


def test_a_denial_until_a_time():
    until = {"Condition": {"DateLessThan": {"aws:CurrentTime": "2026-01-01T12:00:00Z"}}}
    denials = denials_of(ACCOUNT, [resource(**until)], [])
    assert denials.hold(REGION, NOON_MS - 1)
    assert not denials.hold(REGION, NOON_MS)


def test_a_denial_in_one_region():
    in_west = {"Condition": {"StringEquals": {"aws:RequestedRegion": REGION}}}
    denials = denials_of(ACCOUNT, [resource(**in_west)], [])
    assert denials.hold(REGION, NOON_MS)
    assert not denials.hold("us-east-1", NOON_MS)


def test_no_policy():
    assert not holds()
    assert not holds([GovernedResource(ARN, ACCOUNT)])
