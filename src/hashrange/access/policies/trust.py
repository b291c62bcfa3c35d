"""The checks of IAM of trust policies of roles: their own words, and the forms of principals. Pure.

Whether the users and roles that they name exist is left to the caller. Source: as of the texts in
`hashrange.messages.policies`; IAM User Guide, "AWS JSON policy elements: Principal".
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from hashrange.access.policies.syntax import Statement
from hashrange.messages import policies as messages

_OLD: Final = "2008-10-17"
_EFFECTS: Final = frozenset({"Allow", "Deny"})
_is_aws: Final = re.compile(
    r"[0-9]{12}|(?:AIDA|AROA)[A-Z0-9]{12,124}"
    r"|arn:aws(?:-[a-z]+)*:iam::[0-9]{12}:(?:root|(?:user|role)/[!-)+->@-~]+)"
    r"|arn:aws(?:-[a-z]+)*:sts::[0-9]{12}:(?:assumed-role|federated-user)/[!-)+->@-~]+"
).fullmatch
_is_service: Final = re.compile(
    r"[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:amazonaws\.com(?:\.cn)?|amazon\.com|aws\.internal)"
).fullmatch
_is_provider: Final = re.compile(
    r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
    r"|arn:aws(?:-[a-z]+)*:iam::[0-9]{12}:(?:saml|oidc)-provider/[!-)+->@-~]+"
).fullmatch
_is_key: Final = re.compile(r"[^:]*(:[^:]*)?|[^:]*:[a-z]*tag/.*", re.DOTALL).fullmatch
"""A condition key: the key of a tag may have colons."""
_REASONS: Final[Mapping[str, str]] = {
    messages.sids_not_unique(): messages.statement_ids_not_unique(),
    messages.no_actions(): messages.required_field("Action"),
}
"""The texts about trust policies that differ from those about policies of users and roles."""


def is_aws_principal(name: str) -> bool:
    """Whether a name of the kind AWS is an account, user, role or session, or a unique id."""
    return _is_aws(name) is not None


def trust_fault(statement: Statement) -> str | None:
    """The fault of a statement: members that trust policies lack, or an invalid principal."""
    names = statement.principals
    assert names is not None, "a trust policy names principals"
    if statement.not_principals:
        return messages.trust_excludes_principals(statement.effect)
    if statement.not_resources:
        return messages.trust_excludes_resources()
    if statement.resources:
        return messages.prohibited_field("Resource")
    if not all(map(_is_key, (condition.key for condition in statement.conditions))):
        return messages.condition_with_colons()
    kinds: tuple[tuple[str, frozenset[str], Callable[[str], object]], ...] = (
        ("AWS", names.aws, _is_aws),
        ("SERVICE", names.services, _is_service),
        ("FEDERATED", names.federated, _is_provider),
    )
    for kind, found, is_one in kinds:
        for name in sorted(found):
            if not is_one(name):
                return messages.trust_principal_invalid(kind, name)
    return None


def trust_reason(reason: str) -> str:
    """The text about a trust policy, where IAM has another about other policies."""
    return _REASONS.get(reason, reason)


def form_fault(text: str) -> str | None:
    """The fault of a text that has not the form of a trust policy, as far as IAM has words for it.

    Other faults of its form are syntax errors, as of other policies.
    """
    try:
        raw: Any = json.loads(text)
    except (ValueError, RecursionError):
        return messages.invalid_json()
    if not isinstance(raw, dict):
        return None
    statements = raw.get("Statement", [])
    if statements == []:
        return messages.statement_is_empty()
    if raw.get("Version", _OLD) not in (_OLD, "2012-10-17"):
        return messages.trust_version_invalid()
    faults = map(_statement_fault, statements if isinstance(statements, list) else [statements])
    return next(filter(None, faults), None)


def _statement_fault(raw: Any) -> str | None:
    if not isinstance(raw, dict):
        return None
    effect = raw.get("Effect")
    if effect is None:
        return messages.required_field("Effect")
    if isinstance(effect, str) and effect not in _EFFECTS:
        return messages.trust_effect_invalid(effect)
    return messages.trust_principal_star() if raw.get("Principal") == "*" else None
