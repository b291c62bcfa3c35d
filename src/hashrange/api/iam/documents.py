"""Policy documents in requests, with IAM's errors and quotas."""

from hashrange.access.identities.entities import PARTITION
from hashrange.access.identities.roster import Roster, unique_ids
from hashrange.access.policies.checks import MalformedPolicyError, PolicyUse
from hashrange.access.policies.documents import parse, policy_chars
from hashrange.access.policies.syntax import Document
from hashrange.api.iam.errors import Code, QueryError
from hashrange.limits.access import (
    MANAGED_POLICY_CHARS_MAX,
    ROLE_POLICIES_CHARS_MAX,
    TRUST_POLICY_CHARS_MAX,
    USER_POLICIES_CHARS_MAX,
)
from hashrange.messages import identities as messages


def document(text: str, use: PolicyUse) -> Document:
    """The document. Raises QueryError if it is malformed."""
    try:
        return parse(text, use)
    except MalformedPolicyError as error:
        raise QueryError(Code.MALFORMED_POLICY, str(error)) from error


def managed(text: str) -> str:
    """The text of a managed policy. Raises QueryError."""
    if policy_chars(text) > MANAGED_POLICY_CHARS_MAX:
        raise _over("PolicySize", MANAGED_POLICY_CHARS_MAX)
    document(text, PolicyUse.MANAGED)
    return text


def check_inline(kind: str, name: str, policies: dict[str, str]) -> None:
    """Check the inline policies of a holder together. Raises QueryError."""
    most = ROLE_POLICIES_CHARS_MAX if kind == "role" else USER_POLICIES_CHARS_MAX
    if sum(map(policy_chars, policies.values())) > most:
        text = messages.inline_policies_too_large(kind, name, most)
        raise QueryError(Code.LIMIT_EXCEEDED, text)


def trusted_ids(roster: Roster, text: str) -> dict[str, str]:
    """Check a trust policy; returns the unique ids of the users and roles that it names.

    Raises QueryError: also if one does not exist on this server.
    """
    if policy_chars(text) > TRUST_POLICY_CHARS_MAX:
        raise _over("ACLSizePerRole", TRUST_POLICY_CHARS_MAX)
    arns: set[str] = set()
    for statement in document(text, PolicyUse.TRUST).statements:
        assert statement.principals is not None, "checked: a trust policy names principals"
        arns |= statement.principals.aws
    found = unique_ids(roster, sorted(arns))
    for arn in sorted(arns - found.keys()):
        if arn.startswith(PARTITION) and not arn.endswith(":root"):
            raise QueryError(Code.MALFORMED_POLICY, messages.invalid_principal(arn))
    return found


def _over(quota: str, most: int) -> QueryError:
    return QueryError(Code.LIMIT_EXCEEDED, messages.quota_exceeded(quota, most))
