"""Managed policies of AWS that are built in: those that people attach for DynamoDB.

They allow what AWS's policies of these names allow to this server's services. ReadOnlyAccess of
AWS names hundreds of services more.
"""

import json
from collections.abc import Iterable
from typing import Any, Final

from hashrange.access.identities.entities import AWS, ManagedPolicy, PolicyVersion

_CREATED_MS: Final = 1_423_180_800_000
"""February 2015, when AWS published the first of them."""
_READS: Final = (
    "dynamodb:BatchGetItem",
    "dynamodb:ConditionCheckItem",
    "dynamodb:Describe*",
    "dynamodb:Get*",
    "dynamodb:List*",
    "dynamodb:PartiQLSelect",
    "dynamodb:Query",
    "dynamodb:Scan",
)
_DAX_READS: Final = ("dax:BatchGetItem", "dax:Describe*", "dax:GetItem", "dax:List*", "dax:Query")
_BESIDE: Final = (
    "application-autoscaling:Describe*",
    "cloudwatch:Describe*",
    "cloudwatch:Get*",
    "cloudwatch:List*",
)


_PASSES: Final = {
    "Effect": "Allow",
    "Action": ["iam:PassRole"],
    "Resource": "*",
    "Condition": {
        "StringLike": {
            "iam:PassedToService": ["application-autoscaling.amazonaws.com", "dax.amazonaws.com"]
        }
    },
}


def _policy(
    name: str, number: int, description: str, actions: Iterable[str], *more: dict[str, Any]
) -> ManagedPolicy:
    statement: dict[str, Any] = {"Effect": "Allow", "Action": [*actions], "Resource": "*"}
    text = json.dumps({"Version": "2012-10-17", "Statement": [statement, *more]}, indent=2)
    return ManagedPolicy(
        account=AWS,
        name=name,
        id=f"ANPA{number:017}".translate(str.maketrans("0189", "ABCD")),
        created_ms=_CREATED_MS,
        updated_ms=_CREATED_MS,
        versions=(PolicyVersion("v1", text, _CREATED_MS),),
        description=description,
    )


ADMINISTRATOR: Final = f"arn:aws:iam::{AWS}:policy/AdministratorAccess"

AWS_MANAGED: Final = (
    _policy("AdministratorAccess", 1, "Allows everything.", ["*"]),
    _policy(
        "AmazonDynamoDBFullAccess",
        2,
        "Allows everything on tables, their auto scaling and DAX.",
        ["dynamodb:*", "dax:*", "application-autoscaling:*", *_BESIDE[1:], "iam:GetRole"],
        _PASSES,
    ),
    _policy(
        "AmazonDynamoDBFullAccess_v2",
        3,
        "Allows everything on tables, their auto scaling and DAX.",
        ["dynamodb:*", "dax:*", "application-autoscaling:*", *_BESIDE[1:], "iam:GetRole"],
        _PASSES,
    ),
    _policy(
        "AmazonDynamoDBReadOnlyAccess",
        4,
        "Allows to read tables and their definitions.",
        [*_READS, *_DAX_READS, *_BESIDE],
    ),
    _policy(
        "ReadOnlyAccess",
        5,
        "Allows to read tables, identities and the audit log.",
        [
            *_READS,
            *_DAX_READS,
            *_BESIDE,
            "cloudtrail:LookupEvents",
            "iam:Get*",
            "iam:List*",
            "iam:Simulate*",
            "sts:GetAccessKeyInfo",
            "sts:GetCallerIdentity",
        ],
    ),
)
