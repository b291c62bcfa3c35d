"""Trust policies of roles: what IAM refuses, in its words, and who can be named."""

import json

import pytest

from hashrange.access.policies.checks import MalformedPolicyError, PolicyUse
from hashrange.access.policies.documents import parse
from tests.rows import rows
from tests.unit.access.policies.subjects import ROLE_ARN

SYNTAX = "Syntax errors in policy."


def _text(*statements, **elements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements), **elements})


def _refusal(text):
    with pytest.raises(MalformedPolicyError) as raised:
        parse(text, PolicyUse.TRUST)
    return str(raised.value)


TRUST = {"Effect": "Allow", "Principal": {"AWS": ROLE_ARN}, "Action": "sts:AssumeRole"}


def _without(name):
    return {key: value for key, value in TRUST.items() if key != name}


@rows(
    ("text", "message"),
    [
        ("{}", "Could not parse the policy: Statement is empty!"),
        (_text(), "Could not parse the policy: Statement is empty!"),
        (_text(TRUST, Version="2020-01-01"), "The policy must contain a valid version string"),
        (_text({**TRUST, "Effect": "Permit"}), "Invalid effect: Permit"),
        (_text(_without("Effect")), "Missing required field Effect"),
        (_text(_without("Principal")), "Missing required field Principal"),
        (_text(_without("Action")), "Missing required field Action"),
        (
            _text({**TRUST, "Principal": "*"}),
            'AssumeRolepolicy contained an invalid principal: "STAR":"*".',
        ),
        (
            _text({**_without("Principal"), "NotPrincipal": {"AWS": ROLE_ARN}}),
            "Allow with NotPrincipal is not allowed.",
        ),
        (
            _text({**_without("Principal"), "Effect": "Deny", "NotPrincipal": {"AWS": ROLE_ARN}}),
            "AssumeRole policy must not contain NotPrincipal field.",
        ),
        (_text({**TRUST, "Resource": "*"}), "Has prohibited field Resource"),
        (_text({**TRUST, "NotResource": "*"}), "AssumeRole policy must not contain resources."),
        (
            _text({**TRUST, "Condition": {"StringEquals": {"https://idp.example/id:sub": "a"}}}),
            "Condition can contain only one colon.",
        ),
        (
            _text({**TRUST, "Sid": "a"}, {**TRUST, "Sid": "a"}),
            "The Statement Ids in the policy are not unique",
        ),
        (_text({**TRUST, "Principal": {}}), SYNTAX),
        (_text({**TRUST, "Principal": ["*"]}), SYNTAX),
        (_text({**TRUST, "Principal": {"Group": "a"}}), SYNTAX),
        (_text({**TRUST, "Other": 1}), SYNTAX),
        (_text(1), SYNTAX),
        ("[]", SYNTAX),
    ],
)
def test_refusals_of_trust_policies(text, message):
    assert _refusal(text) == message


@rows(
    ("kind", "name", "told"),
    [
        ("AWS", "bob", "AWS"),
        ("AWS", "1" * 11, "AWS"),
        ("AWS", ROLE_ARN + "*", "AWS"),
        ("AWS", "arn:aws:iam::111111111111:group/a", "AWS"),
        ("AWS", "arn:aws:sts::111111111111:assumed-role/a/*", "AWS"),
        ("AWS", "", "AWS"),
        ("Service", "lambda", "SERVICE"),
        ("Service", "*", "SERVICE"),
        ("Service", "lambda.example.com", "SERVICE"),
        ("Federated", "*", "FEDERATED"),
        ("Federated", "arn:aws:iam::1:oidc-provider/a", "FEDERATED"),
    ],
)
def test_principals_that_are_none(kind, name, told):
    text = _text({**TRUST, "Principal": {kind: name}})
    assert _refusal(text) == f'Invalid principal in policy: "{told}":"{name}"'
    assert parse(text, PolicyUse.TRUST, is_stored=True).statements


@rows(
    ("kind", "name"),
    [
        ("AWS", "*"),
        ("AWS", "1" * 12),
        ("AWS", "arn:aws:sts::111111111111:assumed-role/a/b"),
        ("AWS", "AROAEXAMPLEEXAMPLE"),
        ("Service", "ecs-tasks.amazonaws.com"),
        ("Service", "ec2.amazonaws.com.cn"),
        ("Federated", "accounts.google.com"),
        ("Federated", "arn:aws:iam::111111111111:saml-provider/a"),
    ],
)
def test_principals_of_trust_policies(kind, name):
    assert parse(_text({**TRUST, "Principal": {kind: name}}), PolicyUse.TRUST).statements


@pytest.mark.parametrize("key", ["idp.example/id:sub", "none", "aws:RequestTag/a:b:c"])
def test_condition_keys_of_trust_policies(key):
    text = _text({**TRUST, "Condition": {"StringEquals": {key: "a"}}})
    assert parse(text, PolicyUse.TRUST).statements


def test_keys_with_several_colons_that_were_accepted_before_are_read():
    text = _text({**TRUST, "Condition": {"StringEquals": {"a:b:c": "a"}}})
    assert parse(text, PolicyUse.TRUST, is_stored=True).statements
