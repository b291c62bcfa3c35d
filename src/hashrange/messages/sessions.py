"""Texts of STS's errors.

Source: errors of STS as users and tests of other projects recorded them, unless said otherwise.
"""


def may_not(principal: str, action: str, resource: str) -> str:
    """AccessDenied of AssumeRole: also for roles that do not exist."""
    return f"User: {principal} is not authorized to perform: {action} on resource: {resource}"


def root_may_not_assume() -> str:
    """AccessDenied."""
    return "Roles may not be assumed by root accounts."


def longer_than_role() -> str:
    """ValidationError."""
    return "The requested DurationSeconds exceeds the MaxSessionDuration set for this role."


def longer_than_chained() -> str:
    """ValidationError."""
    return (
        "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role "
        "chaining"
    )


def sessions_may_not(operation: str) -> str:
    """AccessDenied of GetSessionToken and GetFederationToken."""
    return f"Cannot call {operation} with session credentials"


def token_too_large(percent: int) -> str:
    """PackedPolicyTooLarge."""
    return f"Packed size of session tags consumes {percent}% of allotted space."


def transitive_tag_unknown() -> str:
    """InvalidParameterValue."""
    return "The specified transitive tag key must be included in the requested tags."


def tags_of_session_before() -> str:
    """InvalidParameterValue: a tag that the session before has made transitive."""
    return (
        "One of the specified transitive tag keys can't be set because it conflicts with a "
        "transitive tag key from the calling session."
    )


def role_arn_invalid(arn: str) -> str:
    """ValidationError of AssumeRole."""
    return f"{arn} is invalid"


def bad_policy_arn(arn: str) -> str:
    """ValidationError: our words."""
    return f"Policy {arn} does not exist or is not attachable."


def no_messages() -> str:
    """InvalidAuthorizationMessageException: denials carry none here."""
    return "Message is not valid."
