"""Policy documents in requests, with IAM's errors and quotas."""

import msgspec

from hashrange.iam.errors import Code, QueryError
from hashrange.identities.entities import PARTITION, Role
from hashrange.identities.roster import Roster, holder_of
from hashrange.limits.policies import (
    MANAGED_POLICY_CHARS_MAX,
    ROLE_POLICIES_CHARS_MAX,
    TRUST_POLICY_CHARS_MAX,
    USER_POLICIES_CHARS_MAX,
)
from hashrange.messages import identities as messages
from hashrange.policies.checks import MalformedPolicyError, PolicyUse
from hashrange.policies.documents import parse, policy_chars
from hashrange.policies.syntax import Document


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
    found = {}
    for statement in document(text, PolicyUse.TRUST).statements:
        names = statement.principals
        assert names is not None, "checked: a trust policy names principals"
        for arn in sorted(names.aws):
            if not arn.startswith(PARTITION) or arn.endswith(":root"):
                continue
            holder = holder_of(roster, arn)
            if holder is None:
                raise QueryError(Code.MALFORMED_POLICY, messages.invalid_principal(arn))
            found[arn] = holder.id
    return found


def trust_of(roster: Roster, role: Role, trust: Document) -> Document:
    """A role's trust policy without those that were deleted since it was set."""
    gone = {
        arn
        for arn, unique_id in role.trusted_ids.items()
        if (holder := holder_of(roster, arn)) is None or holder.id != unique_id
    }
    if not gone:
        return trust
    statements = []
    for statement in trust.statements:
        names = statement.principals
        assert names is not None, "checked when it was set"
        if statement.effect == "Allow":
            names = msgspec.structs.replace(names, aws=names.aws - gone)
        statements.append(msgspec.structs.replace(statement, principals=names))
    return msgspec.structs.replace(trust, statements=tuple(statements))


def _over(quota: str, most: int) -> QueryError:
    return QueryError(Code.LIMIT_EXCEEDED, messages.quota_exceeded(quota, most))
