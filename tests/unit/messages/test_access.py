"""Texts of AccessDeniedException, as the IAM User Guide lists them."""

import pytest

from hashrange.messages.access import POLICY_NAMES, denied, not_allowed

USER = "arn:aws:iam::123456789012:user/ann"
TABLE = "arn:aws:dynamodb:us-east-1:123456789012:table/books"
START = f"User: {USER} is not authorized to perform: dynamodb:GetItem on resource: {TABLE} "


@pytest.mark.parametrize(
    ("kind", "absent", "explicit"),
    [
        ("identity", "identity-based policy", "an identity-based policy"),
        ("resource", "resource-based policy", "a resource-based policy"),
        ("boundary", "permissions boundary", "a permissions boundary"),
        ("session", "session policy", "a session policy"),
    ],
)
def test_texts(kind, absent, explicit):
    policy = POLICY_NAMES[kind]
    assert not_allowed(USER, "dynamodb:GetItem", TABLE, policy) == (
        f"{START}because no {absent} allows the dynamodb:GetItem action"
    )
    assert denied(USER, "dynamodb:GetItem", TABLE, policy) == (
        f"{START}with an explicit deny in {explicit}"
    )
