"""Texts of AccessDeniedException.

Source: IAM User Guide, "Troubleshoot access denied error messages".
"""

from typing import Final, Literal, TypeAlias

PolicyKind: TypeAlias = Literal["identity", "resource", "boundary", "session"]

_NO_POLICY: Final = {
    "identity": "identity-based policy",
    "resource": "resource-based policy",
    "boundary": "permissions boundary",
    "session": "session policy",
}
_IN_POLICY: Final = {
    "identity": "an identity-based policy",
    "resource": "a resource-based policy",
    "boundary": "a permissions boundary",
    "session": "a session policy",
}


def not_allowed(principal: str, action: str, resource: str, kind: PolicyKind) -> str:
    """No policy of a kind allows the action; principal and resource are ARNs."""
    reason = f"because no {_NO_POLICY[kind]} allows the {action} action"
    return f"{_not_authorized(principal, action, resource)} {reason}"


def denied(principal: str, action: str, resource: str, kind: PolicyKind) -> str:
    """A policy of a kind denies the action explicitly; principal and resource are ARNs."""
    reason = f"with an explicit deny in {_IN_POLICY[kind]}"
    return f"{_not_authorized(principal, action, resource)} {reason}"


def _not_authorized(principal: str, action: str, resource: str) -> str:
    return f"User: {principal} is not authorized to perform: {action} on resource: {resource}"
