"""Principals, resources and policies of the tests."""

import json
from typing import Any

from hashrange.access.policies.checks import PolicyUse
from hashrange.access.policies.decisions import GovernedResource, Subject
from hashrange.access.policies.documents import parse
from hashrange.access.policies.principals import Principal
from hashrange.access.policies.syntax import Document

ACCOUNT = "123456789012"
OTHER_ACCOUNT = "999999999999"
USER_ARN = f"arn:aws:iam::{ACCOUNT}:user/ann"
ROLE_ARN = f"arn:aws:iam::{ACCOUNT}:role/reader"
SESSION_ARN = f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/morning"
FEDERATED_ARN = f"arn:aws:sts::{ACCOUNT}:federated-user/guest"
ROOT_ARN = f"arn:aws:iam::{ACCOUNT}:root"
TABLE_ARN = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/books"
OTHER_TABLE_ARN = f"arn:aws:dynamodb:us-east-1:{OTHER_ACCOUNT}:table/books"
GET = "dynamodb:GetItem"

USER = Principal(
    type="User",
    arn=USER_ARN,
    account=ACCOUNT,
    user_id="AIDAEXAMPLE",
    user_name="ann",
    tags={"Team": "green"},
)
SESSION = Principal(
    type="AssumedRole",
    arn=SESSION_ARN,
    account=ACCOUNT,
    issuer=ROLE_ARN,
    user_id="AROAEXAMPLE:morning",
    token_issued="2026-11-01T08:00:00Z",
)
FEDERATED = Principal(
    type="FederatedUser",
    arn=FEDERATED_ARN,
    account=ACCOUNT,
    issuer=USER_ARN,
    user_id=f"{ACCOUNT}:guest",
)
ROOT = Principal(type="Account", arn=ROOT_ARN, account=ACCOUNT, user_id=ACCOUNT)
SERVICE = Principal(type="Service", arn="replication.dynamodb.amazonaws.com", account="")
ANONYMOUS = Principal(type="Anonymous", arn="*", account="")

TABLE = GovernedResource(TABLE_ARN, ACCOUNT)
OTHER_TABLE = GovernedResource(OTHER_TABLE_ARN, OTHER_ACCOUNT)


def statement(effect: str = "Allow", **elements: Any) -> dict[str, Any]:
    """A statement on all actions and resources, but for the elements that are given."""
    made = {"Effect": effect, **elements}
    if not elements.keys() & {"Action", "NotAction"}:
        made["Action"] = "dynamodb:*"
    if not elements.keys() & {"Resource", "NotResource"}:
        made["Resource"] = "*"
    return made


def document(
    *statements: dict[str, Any], version: str = "2012-10-17", use: PolicyUse = PolicyUse.INLINE
) -> Document:
    """The syntax of a policy with these statements; of resources if they name principals."""
    if any(each.keys() & {"Principal", "NotPrincipal"} for each in statements):
        use = PolicyUse.RESOURCE
    return parse(json.dumps({"Version": version, "Statement": list(statements)}), use)


def subject(principal: Principal, *statements: dict[str, Any]) -> Subject:
    """A principal with one identity policy."""
    return Subject(principal, (document(*statements),) if statements else ())


def governed(policy: Document | None, *, other: bool = False) -> GovernedResource:
    """A table with a resource policy, of the same account or another."""
    arn, account = (OTHER_TABLE_ARN, OTHER_ACCOUNT) if other else (TABLE_ARN, ACCOUNT)
    return GovernedResource(arn, account, policy)
