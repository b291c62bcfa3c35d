"""Statements that name what does not exist, or grant everything."""

import pytest

from hashrange.access.policies.actions import ACTIONS
from hashrange.access.policies.lint_statements import ServerNames, statement_findings
from tests.unit.access.policies.subjects import GET, TABLE_ARN, document, statement

KNOWN = ServerNames(
    frozenset({*ACTIONS, "iam:GetUser", "iam:PassRole", "dax:GetItem"}), (TABLE_ARN,)
)
LEADING = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        ({"Action": GET, "Resource": TABLE_ARN}, []),
        ({"Action": ["dynamodb:get*", "iam:Pass*"], "Resource": "*"}, []),
        ({"Action": "dynamodb:GetItems", "Resource": "*"}, ["no such actions"]),
        ({"Action": [GET, "s3:Get*"], "Resource": TABLE_ARN}, ["no such actions"]),
        ({"Action": GET, "Resource": "arn:aws:s3:::bucket"}, ["No action of the statement has a"]),
        ({"Action": "*", "Resource": "arn:aws:s3:::bucket"}, []),
        ({"Action": GET, "Resource": TABLE_ARN + "x"}, ["No table that exists is"]),
        ({"Action": GET, "Resource": "arn:aws:dynamodb:*:*:table/b*"}, []),
        ({"Action": GET, "Resource": TABLE_ARN + "/index/*"}, []),
        ({"Action": GET, "Resource": "arn:aws:dynamodb:*:*:table/${aws:username}"}, []),
        ({"Action": GET, "Resource": TABLE_ARN, "Condition": LEADING}, []),
        (
            {"Action": "dynamodb:DeleteTable", "Resource": TABLE_ARN, "Condition": LEADING},
            ["has the condition key dynamodb:leadingkeys"],
        ),
        (
            {"Action": GET, "Resource": "*", "Condition": {"Bool": {"dynamodb:Leading": "true"}}},
            ["No request has the condition key dynamodb:leading"],
        ),
        ({"Condition": {"StringEquals": {"aws:PrincipalTag/team": "a"}}}, []),
        ({"Condition": {"StringEquals": {"aws:SourceIp": "10.0.0.0/8"}}}, []),
        ({"Action": "dynamodb:*", "Resource": "*"}, ["allows these actions on everything"]),
        ({"NotAction": GET, "Resource": TABLE_ARN}, ["NotAction allows"]),
        ({"Action": GET, "NotResource": TABLE_ARN}, ["NotResource allows"]),
        ({"Action": GET, "Resource": TABLE_ARN, "Principal": "*"}, ["Principal * allows"]),
        ({"Effect": "Deny", "Action": "*", "Resource": "*"}, []),
    ],
)
def test_findings(elements, expected):
    found = statement_findings(document(statement(**elements)), KNOWN)
    texts = [each.text for each in found]
    assert len(texts) == len(expected), texts
    assert all(part in text for part, text in zip(expected, texts, strict=True)), texts


def test_unknown_actions_are_named():
    (found,) = statement_findings(document(statement(Action=[GET, "dynamodb:Got"])), KNOWN)
    assert (found.place, found.actions) == (1, ("dynamodb:Got",))


# A user who may not list the tables learns nothing of their names.
def test_tables_that_are_not_known_are_not_missed():
    known = ServerNames(KNOWN.actions)
    made = document(statement(Action=GET, Resource=TABLE_ARN + "x"))
    assert statement_findings(made, known) == []
