"""Texts about the policies of tables and streams.

Source of those with a number DDB-TABLE: measured by users, October 2026.
"""

from typing import Final

_NOT_FOUND: Final = "Resource-based policy not found for the provided ResourceArn: "


def stream_not_found(label: str, table: str) -> str:
    """ResourceNotFoundException. DDB-TABLE-212."""
    return f"Requested resource not found: Stream: {label} not found for Table: {table}"


def policy_not_found(arn: str) -> str:
    """PolicyNotFoundException. Catalogue 280, verified."""
    return f"{_NOT_FOUND}{arn}"


def policy_exists(slot: str, revision: str) -> str:
    """PolicyNotFoundException: NO_POLICY was expected. Catalogue 280, verified."""
    return (
        f"{_NOT_FOUND}Requested policy update expecting none to be present for {slot}, "
        f"but a policy exists with revision id {revision}."
    )


def other_revision(expected: str, slot: str, revision: str) -> str:
    """PolicyNotFoundException: another revision was expected. Catalogue 280, verified."""
    return (
        f"{_NOT_FOUND}Requested update for policy with revision id {expected}, "
        f"but the policy associated to target {slot} has revision id {revision}."
    )


def no_policy_of_revision(expected: str, slot: str) -> str:
    """PolicyNotFoundException: a revision was expected, and there is no policy.

    DDB-TABLE-205, whose record of the text ends before the last words.
    """
    return (
        f"{_NOT_FOUND}Requested update for policy with revision id {expected}, "
        f"but {slot} has no associated policy."
    )


def update_pending(kind: str, name: str) -> str:
    """ResourceInUseException right after a change. DDB-TABLE-206."""
    return (
        f"Attempt to change a resource which is still in use: {kind} is pending previous "
        f"resource-based policy update: {name}"
    )


def changed_just_now(slot: str, pause_ms: int, until: str) -> str:
    """ThrottlingException until some seconds after a change. DDB-TABLE-206."""
    return (
        f"Resource-based policy for {slot} modified within the previous {pause_ms} milliseconds. "
        f"Please try again after {until}."
    )


def locks_out_author() -> str:
    """AccessDeniedException without ConfirmRemoveSelfResourceAccess. DDB-TABLE-210."""
    return "The new resource policy will not allow you to update the resource policy in the future."
