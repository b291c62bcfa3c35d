"""The checks of IAM of a policy document that has the right form, in its order. Pure.

Source: recorded MalformedPolicyDocument errors of IAM; see `hashrange.messages.policies`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Final

from hashrange.access.policies.operators import seconds_of
from hashrange.access.policies.syntax import Document, Statement
from hashrange.access.policies.trust import trust_fault
from hashrange.access.policies.wildcards import like, plain
from hashrange.messages import policies as messages

_ANYTHING: Final = "*"
_ARN_COLONS: Final = 5
_VENDOR_PLACE: Final = 2
_is_vendor: Final = re.compile(r"[A-Za-z0-9.-]+").fullmatch
_is_partition: Final = re.compile(r"aws(-[a-z]+)*").fullmatch
_is_sid: Final = re.compile("[0-9A-Za-z]*").fullmatch
_has_pattern: Final = re.compile(r"[*?$]").search
_ACCESS_POINT: Final = "accesspoint/"
_ASSUMPTIONS: Final = (
    "sts:assumerole",
    "sts:assumerolewithsaml",
    "sts:assumerolewithwebidentity",
    "sts:setcontext",
    "sts:setsourceidentity",
    "sts:tagsession",
)
_IAM_KINDS: Final = (
    "user/",
    "federated-user/",
    "role/",
    "group/",
    "instance-profile/",
    "mfa/",
    "server-certificate/",
    "policy/",
    "sms-mfa/",
    "saml-provider/",
    "oidc-provider/",
    "report/",
    "access-report/",
)


class PolicyUse(Enum):
    """The use of a document, which decides what may stand in it."""

    MANAGED = "managed"
    INLINE = "inline"
    SESSION = "session"
    RESOURCE = "resource"
    TRUST = "trust"


OF_IDENTITIES: Final = frozenset({PolicyUse.MANAGED, PolicyUse.INLINE})


class MalformedPolicyError(Exception):
    """A policy that is not accepted; the text is IAM's or DynamoDB's."""


def check_document(document: Document, use: PolicyUse, *, is_stored: bool) -> None:
    """Raises MalformedPolicyError: the first fault in IAM's order.

    Args:
        document: of the right form.
        use: what it is for.
        is_stored: it was accepted before, by a version that may have checked less.
    """
    statements = document.statements
    _refuse_first(statements, lambda statement: _principal_fault(statement, use))
    if use is PolicyUse.TRUST and not is_stored:
        _refuse_first(statements, trust_fault)
    _refuse_first(statements, _date_fault)
    sids = [statement.sid for statement in statements if statement.sid]
    faults = [fault for statement in statements for fault in _resource_faults(statement)]
    if faults[:1] == [messages.failed_legacy_parsing()]:
        raise MalformedPolicyError(faults[0])
    _check_sids(sids, are_free=is_stored or use not in OF_IDENTITIES)
    if not all(statement.actions for statement in statements):
        raise MalformedPolicyError(messages.no_actions())
    if use is not PolicyUse.TRUST and not all(statement.resources for statement in statements):
        raise MalformedPolicyError(messages.no_resources())
    if faults:
        raise MalformedPolicyError(faults[0])
    if use is not PolicyUse.RESOURCE and not is_stored:
        _refuse_first(statements, _vendor_fault)
    if use is PolicyUse.SESSION and not all(map(_has_whole_arns, statements)):
        raise MalformedPolicyError(messages.failed_legacy_parsing())
    _refuse_first(statements, _action_fault)
    if use is PolicyUse.TRUST and not (is_stored or all(map(_is_of_assumption, statements))):
        raise MalformedPolicyError(messages.not_an_assumption())


def _check_sids(sids: Sequence[str], *, are_free: bool) -> None:
    """Refuse a Sid that is there twice, and characters that it has not, unless it is free."""
    if len(sids) != len(set(sids)):
        raise MalformedPolicyError(messages.sids_not_unique())
    if not are_free and not all(map(_is_sid, sids)):
        raise MalformedPolicyError(messages.sid_not_alphanumeric())


def _refuse_first(
    statements: Iterable[Statement], fault_of: Callable[[Statement], str | None]
) -> None:
    for statement in statements:
        fault = fault_of(statement)
        if fault is not None:
            raise MalformedPolicyError(fault)


def _principal_fault(statement: Statement, use: PolicyUse) -> str | None:
    if use not in {PolicyUse.RESOURCE, PolicyUse.TRUST}:
        return None if statement.principals is None else messages.principal_not_allowed()
    if statement.principals is None:
        return messages.required_field("Principal")
    is_excepting = statement.not_principals and statement.effect == "Allow"
    if is_excepting and use is PolicyUse.RESOURCE:
        return messages.prohibited_field("NotPrincipal")
    return None


def _date_fault(statement: Statement) -> str | None:
    for condition in statement.conditions:
        if condition.operator.startswith("Date") and None in map(seconds_of, condition.values):
            return messages.failed_legacy_parsing()
    return None


def _resource_faults(statement: Statement) -> list[str]:
    faults = map(_resource_fault, statement.resources)
    return [fault for fault in faults if fault is not None]


def _resource_fault(text: str) -> str | None:
    parts = text.split(":", _ARN_COLONS)
    if text == _ANYTHING:
        return None
    if len(parts) == 1:
        return messages.not_an_arn(text)
    if not _is_partition(parts[1]):
        rest = [*parts[2:], *[_ANYTHING] * 4][:4]
        return messages.invalid_partition(parts[1], ":".join(rest))
    vendor = parts[2] if len(parts) > _VENDOR_PLACE else _ANYTHING
    if not vendor or (len(parts) <= _ARN_COLONS and "::" in text):
        return messages.failed_legacy_parsing()
    return None if _is_vendor(vendor) else messages.vendor_not_qualified()


def _vendor_fault(statement: Statement) -> str | None:
    return next(filter(None, map(_arn_fault, statement.resources)), None)


def _arn_fault(text: str) -> str | None:
    """The fault of the whole ARN of a resource of IAM or S3."""
    parts = text.split(":", _ARN_COLONS)
    if len(parts) <= _ARN_COLONS:
        return None
    _, _, vendor, region, _, path = parts
    if vendor == "s3" and region and not path.startswith(_ACCESS_POINT):
        return messages.region_in_bucket(text)
    if vendor != "iam":
        return None
    if region:
        return messages.region_in_identity(text)
    kind, slash, _ = path.partition("/")
    if path == "root" or _has_pattern(kind) or f"{kind}{slash}" in _IAM_KINDS:
        return None
    return messages.identity_path(_IAM_KINDS)


def _is_of_assumption(statement: Statement) -> bool:
    """The actions of a trust policy are those of STS that assume the role."""
    matchers = [like(plain(action.lower())) for action in statement.actions]
    return statement.not_actions or all(any(map(each, _ASSUMPTIONS)) for each in matchers)


def _has_whole_arns(statement: Statement) -> bool:
    """In policies of sessions, ARNs are not completed with wildcards."""
    return all(text == _ANYTHING or text.count(":") >= _ARN_COLONS for text in statement.resources)


def _action_fault(statement: Statement) -> str | None:
    for action in statement.actions:
        if action == _ANYTHING:
            continue
        vendor, *names = action.split(":")
        if not names:
            return messages.action_without_vendor()
        if len(names) > 1:
            return messages.action_with_colons()
        if not _is_vendor(vendor):
            return messages.invalid_vendor(vendor)
    return None
