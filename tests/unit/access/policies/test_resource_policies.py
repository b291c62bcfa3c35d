"""Policies of tables and streams: what DynamoDB takes, and what would be public."""

import json

import pytest

from hashrange.access.policies.checks import MalformedPolicyError
from hashrange.access.policies.resource_policies import public_statement, resource_policy
from tests.rows import rows
from tests.unit.access.policies.subjects import (
    ACCOUNT,
    FEDERATED_ARN,
    ROLE_ARN,
    ROOT_ARN,
    SESSION_ARN,
    USER_ARN,
    document,
    statement,
)

INVALID = "One or more parameter values were invalid: "
PRINCIPAL = f"{INVALID}Invalid principal in policy document."


def _text(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def _refusal(text, *, is_stream=False):
    with pytest.raises(MalformedPolicyError) as raised:
        resource_policy(text, is_stream=is_stream)
    return str(raised.value)


@pytest.mark.parametrize(
    "principal",
    [
        {"AWS": ACCOUNT},
        {"AWS": [ROOT_ARN, USER_ARN, ROLE_ARN, SESSION_ARN, FEDERATED_ARN]},
        {"AWS": "arn:aws-cn:iam::123456789012:role/a/path/role"},
        {"AWS": "AROAEXAMPLEEXAMPLE123"},
        {"Service": "replication.dynamodb.amazonaws.com"},
        {"Service": "redshift.amazonaws.com", "AWS": ACCOUNT},
    ],
)
def test_principals_that_can_be_named(principal):
    made = resource_policy(_text(statement(Principal=principal)), is_stream=False)
    assert made == document(statement(Principal=principal))


@rows(
    ("principal", "message"),
    [
        ({"AWS": "ann"}, PRINCIPAL),
        ({"AWS": "12345"}, PRINCIPAL),
        ({"AWS": "arn:aws:iam::123456789012:user/*"}, PRINCIPAL),
        ({"AWS": "arn:aws:iam::123456789012:group/all"}, PRINCIPAL),
        ({"AWS": []}, PRINCIPAL),
        ({"Federated": "accounts.google.com"}, PRINCIPAL),
        ({"CanonicalUser": "79a5"}, PRINCIPAL),
        (
            {"Service": "other.amazonaws.com"},
            f"{INVALID}Invalid policy document: Policy contains invalid service principal",
        ),
    ],
)
def test_principals_that_cannot_be_named(principal, message):
    assert _refusal(_text(statement(Principal=principal))) == message


@rows(
    ("actions", "of_table", "of_stream"),
    [
        ("*", [], []),
        ("dynamodb:*", [], []),
        ("DYNAMODB:getitem", [], ["DYNAMODB:getitem"]),
        ("dynamodb:GetRecords", ["dynamodb:GetRecords"], []),
        ("dynamodb:Get*", [], []),
        ("dynamodb:ListStreams", ["dynamodb:ListStreams"], ["dynamodb:ListStreams"]),
        (["s3:Get*", "dynamodb:Scan"], ["s3:Get*"], ["dynamodb:Scan", "s3:Get*"]),
        ("dynamodb:CreateTable", ["dynamodb:CreateTable"], ["dynamodb:CreateTable"]),
        ("dynamodb:Nothing", ["dynamodb:Nothing"], ["dynamodb:Nothing"]),
    ],
)
def test_actions(actions, of_table, of_stream):
    text = _text(statement(Principal={"AWS": ACCOUNT}, Action=actions))
    for is_stream, invalid in ((False, of_table), (True, of_stream)):
        if not invalid:
            assert resource_policy(text, is_stream=is_stream).statements
            continue
        listed = ", ".join(f'"{action}"' for action in invalid)
        message = f"Invalid policy document: The following action names are invalid: {listed}"
        assert _refusal(text, is_stream=is_stream) == INVALID + message


def test_faults_of_the_document():
    document_is = f"{INVALID}Invalid policy document: "
    named = statement(Principal={"AWS": ACCOUNT}, Sid="one")
    faults = {
        "{": "This policy contains invalid Json",
        "": "This policy contains invalid Json",
        "[]": "Syntax errors in policy.",
        _text(): "Could not parse the policy: Statement is empty!",
        _text(statement()): "Missing required field Principal",
        _text({**named, "Resource": []}): "Missing required field Resource",
        _text(named, named): "The Statement Ids in the policy are not unique",
    }
    for text, reason in faults.items():
        assert _refusal(text) == document_is + reason


# DynamoDB takes both, IAM does not.
def test_effects_in_lower_case():
    for effect in ("allow", "deny"):
        text = _text(statement(effect, Principal={"AWS": ACCOUNT}))
        made = resource_policy(text, is_stream=False)
        assert made.statements[0].effect == effect.capitalize()
    twice = '{"Statement": {"Effect": "allow", "Effect": "allow", "Action": "*", "Resource": "*"}}'
    assert "Syntax errors" in _refusal(twice)


# A policy of a table that names a stream would not be asked about it, nor the reverse.
def test_resources_of_the_other_kind():
    table = "arn:aws:dynamodb:us-east-1:123456789012:table/books"
    stream = f"{table}/stream/2026-01-01T00:00:00.000"
    for arn, is_stream in ((stream, True), (f"{table}/index/*", False), (table, False)):
        action = "dynamodb:GetRecords" if is_stream else "dynamodb:GetItem"
        named = statement(Principal={"AWS": ACCOUNT}, Resource=arn, Action=action)
        assert resource_policy(_text(named), is_stream=is_stream).statements
        if "*" in arn:
            continue
        relative = arn.rpartition(":")[2] if not is_stream else arn.split(":", 5)[5]
        assert f'The relative-id "{relative}" is invalid for ARN "{arn}"' in _refusal(
            _text({**named, "Action": "dynamodb:*"}), is_stream=not is_stream
        )


# White space counts, and characters count by their bytes.
def test_size():
    text = _text(statement(Principal={"AWS": ACCOUNT}, Sid="é"))
    text = json.dumps(json.loads(text), ensure_ascii=False)
    bytes_of_text = len(text.encode())
    assert resource_policy(text + " " * (20 * 1024 - bytes_of_text), is_stream=False).statements
    longer = text + " " * (20 * 1024 - bytes_of_text + 1)
    assert "20480 bytes" in _refusal(longer)


@rows(
    ("condition", "public"),
    [
        (None, True),
        ({"StringEquals": {"aws:PrincipalArn": USER_ARN}}, False),
        ({"ArnLike": {"aws:PrincipalArn": USER_ARN}}, False),
        ({"ForAnyValue:StringEquals": {"aws:PrincipalOrgPaths": "o/r/"}}, False),
        ({"StringEquals": {"AWS:SourceVpc": ["vpc-1", "vpc-2"]}}, False),
        ({"Bool": {"aws:PrincipalIsAWSService": "true"}}, False),
        ({"Bool": {"aws:PrincipalIsAWSService": ["true", "false"]}}, True),
        ({"StringEquals": {"aws:PrincipalIsAWSService": "true"}}, True),
        ({"StringLike": {"aws:PrincipalArn": "arn:aws:iam::123456789012:user/*"}}, True),
        ({"StringEquals": {"aws:PrincipalAccount": ["1", "?"]}}, True),
        ({"StringEquals": {"aws:PrincipalAccount": "${aws:ResourceAccount}"}}, True),
        ({"StringEquals": {"aws:PrincipalAccount": []}}, True),
        ({"StringNotEquals": {"aws:PrincipalArn": USER_ARN}}, True),
        ({"StringEqualsIfExists": {"aws:SourceVpc": "vpc-1"}}, True),
        ({"ForAllValues:StringEquals": {"aws:PrincipalOrgPaths": "o/r/"}}, True),
        ({"IpAddress": {"aws:SourceIp": "10.0.0.1"}}, True),
        ({"StringEquals": {"dynamodb:Select": "COUNT"}}, True),
    ],
)
def test_public_access_is_blocked(condition, public):
    elements = {"Condition": condition} if condition else {}
    for principal in ("*", {"AWS": "*"}, {"AWS": ["*", ACCOUNT]}):
        text = _text(statement(Principal=principal, **elements))
        if public:
            assert "unbounded access" in _refusal(text)
        else:
            assert resource_policy(text, is_stream=False).statements


def test_statements_that_deny_are_not_public():
    denying = statement("Deny", Principal="*")
    assert public_statement(document(denying)) is None
    found = public_statement(document(denying, statement(Principal="*", Sid="open")))
    assert found is not None
    assert found.sid == "open"
