"""Texts of AccessDeniedException.

Source: IAM User Guide, "Troubleshoot access denied error messages".
"""

from typing import Final

from hashrange.messages.text import Text

POLICY_NAMES: Final = {
    "identity": "identity-based policy",
    "resource": "resource-based policy",
    "boundary": "permissions boundary",
    "session": "session policy",
}
"""How a kind of policies is called in these texts."""


def not_allowed(principal: str, action: str, resource: str | None, policy: str) -> str:
    """No policy of a kind allows the action; principal and resource are ARNs.

    Services but DynamoDB and IAM name no resource where there is none. Source: records of
    CloudTrail, DAX and Application Auto Scaling (2021 to 2026).
    """
    reason = f"because no {policy} allows the {action} action"
    return f"{_not_authorized(principal, action, resource)} {reason}"


def denied(principal: str, action: str, resource: str | None, policy: str) -> str:
    """A policy of a kind denies the action explicitly; principal and resource are ARNs."""
    article = "an" if policy.startswith("i") else "a"
    reason = f"with an explicit deny in {article} {policy}"
    return f"{_not_authorized(principal, action, resource)} {reason}"


# A role of another account is passed to a service. Source: reports of users (2019 to 2025).
role_of_another_account = Text("Cross-account pass role is not allowed.")


def _not_authorized(principal: str, action: str, resource: str | None) -> str:
    text = f"User: {principal} is not authorized to perform: {action}"
    return text if resource is None else f"{text} on resource: {resource}"
