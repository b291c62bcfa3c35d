"""Policy documents: from JSON to the typed syntax, with IAM's errors. Pure.

Source: IAM User Guide, "Grammar of the IAM JSON policy language".
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NoReturn, TypeAlias

import msgspec

from hashrange.access.policies import trust
from hashrange.access.policies.checks import (
    OF_IDENTITIES,
    MalformedPolicyError,
    PolicyUse,
    check_document,
)
from hashrange.access.policies.operators import NULL, OPERATORS
from hashrange.access.policies.syntax import (
    Condition,
    Document,
    PrincipalNames,
    Quantifier,
    Statement,
)
from hashrange.messages import policies as messages

_Texts: TypeAlias = str | list[str]
_Value: TypeAlias = str | bool | int | float
_QUANTIFIERS: Final[Mapping[str, Quantifier]] = {
    "ForAllValues": "ForAllValues",
    "ForAnyValue": "ForAnyValue",
}
_IF_EXISTS: Final = "IfExists"
_VERSIONS: Final = {"2008-10-17": False, "2012-10-17": True}
_EFFECTS: Final = frozenset({"Allow", "Deny"})
_NAMES: Final = {"AWS", "Service", "Federated", "CanonicalUser"}


class _RawStatement(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", forbid_unknown_fields=True
):
    effect: str
    sid: str | msgspec.UnsetType = msgspec.UNSET
    principal: str | dict[str, _Texts] | msgspec.UnsetType = msgspec.UNSET
    not_principal: str | dict[str, _Texts] | msgspec.UnsetType = msgspec.UNSET
    action: _Texts | msgspec.UnsetType = msgspec.UNSET
    not_action: _Texts | msgspec.UnsetType = msgspec.UNSET
    resource: _Texts | msgspec.UnsetType = msgspec.UNSET
    not_resource: _Texts | msgspec.UnsetType = msgspec.UNSET
    condition: dict[str, dict[str, _Value | list[_Value]]] | msgspec.UnsetType = msgspec.UNSET


class _RawDocument(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", forbid_unknown_fields=True
):
    version: str = "2008-10-17"
    id: str | msgspec.UnsetType = msgspec.UNSET
    statement: _RawStatement | list[_RawStatement]


_decoder: Final = msgspec.json.Decoder(_RawDocument)


def parse(text: str, use: PolicyUse, *, is_stored: bool = False) -> Document:
    """The syntax of a policy document.

    Args:
        text: JSON; its size is not checked here.
        use: what the document is for.
        is_stored: it was accepted before, and is refused only if it cannot be read.

    Raises:
        MalformedPolicyError: with IAM's text.
    """
    if use is PolicyUse.TRUST and not is_stored:
        fault = trust.form_fault(text)
        if fault is not None:
            raise MalformedPolicyError(fault)
    try:
        raw = _decoder.decode(text)
        json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise MalformedPolicyError(messages.syntax_errors()) from error
    found = raw.statement if isinstance(raw.statement, list) else [raw.statement]
    if not found or raw.version not in _VERSIONS:
        _refuse()
    document = Document(
        tuple(map(_statement, found)),
        _VERSIONS[raw.version],
        use in OF_IDENTITIES,
    )
    if use is PolicyUse.MANAGED and not document.has_variables:
        raise MalformedPolicyError(messages.old_version())
    if not all(each.effect in _effects(use) for each in found):
        raise MalformedPolicyError(messages.failed_legacy_parsing())
    try:
        check_document(document, use, is_stored=is_stored)
    except MalformedPolicyError as error:
        if use is not PolicyUse.TRUST:
            raise
        raise MalformedPolicyError(trust.trust_reason(str(error))) from error
    return document


def _effects(use: PolicyUse) -> frozenset[str]:
    """The effects as they may be written.

    DynamoDB takes both in lower case, too, IAM does not. Measured by users, October 2026
    (DDB-TABLE-355).
    """
    return _EFFECTS | {"allow", "deny"} if use is PolicyUse.RESOURCE else _EFFECTS


def policy_chars(text: str) -> int:
    """The size of a policy document as IAM's quotas count it: without white space."""
    return sum(map(len, text.split()))


def _unique(pairs: list[tuple[str, Any]]) -> None:
    """Refuse an object that has a key twice; parsers differ in which of the two counts."""
    if len({key for key, _ in pairs}) < len(pairs):
        _refuse()


def _refuse() -> NoReturn:
    raise MalformedPolicyError(messages.syntax_errors())


def _statement(raw: _RawStatement) -> Statement:
    actions, not_actions = _either(raw.action, raw.not_action)
    resources, not_resources = _either(raw.resource, raw.not_resource)
    not_principals = not isinstance(raw.not_principal, msgspec.UnsetType)
    if not_principals and not isinstance(raw.principal, msgspec.UnsetType):
        _refuse()
    principals = raw.not_principal if not_principals else raw.principal
    condition = {} if isinstance(raw.condition, msgspec.UnsetType) else raw.condition
    effect = raw.effect.lower()
    if effect not in {"allow", "deny"}:
        _refuse()
    return Statement(
        effect="Allow" if effect == "allow" else "Deny",
        sid=None if isinstance(raw.sid, msgspec.UnsetType) else raw.sid,
        actions=actions,
        not_actions=not_actions,
        resources=resources,
        not_resources=not_resources,
        principals=None if isinstance(principals, msgspec.UnsetType) else _principals(principals),
        not_principals=not_principals,
        conditions=tuple(_conditions(condition)),
    )


def _either(
    plain: _Texts | msgspec.UnsetType, negated: _Texts | msgspec.UnsetType
) -> tuple[tuple[str, ...], bool]:
    """The texts of an element or of its negation, and whether it is the negation."""
    if isinstance(negated, msgspec.UnsetType):
        return () if isinstance(plain, msgspec.UnsetType) else _listed(plain), False
    if not isinstance(plain, msgspec.UnsetType):
        _refuse()
    return _listed(negated), True


def _listed(texts: _Texts) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts)


def _principals(raw: str | dict[str, _Texts]) -> PrincipalNames:
    if isinstance(raw, str):
        if raw != "*":
            _refuse()
        return PrincipalNames(anyone=True)
    if not raw or not raw.keys() <= _NAMES:
        _refuse()
    aws, services, federated = (
        frozenset(_listed(raw.get(kind, []))) for kind in ("AWS", "Service", "Federated")
    )
    return PrincipalNames(
        anyone="*" in aws, aws=aws - {"*"}, services=services, federated=federated
    )


def _conditions(raw: Mapping[str, Mapping[str, _Value | list[_Value]]]) -> Iterator[Condition]:
    """The conditions of a statement. An operator without keys may have any name."""
    for name, keys in raw.items():
        if not keys:
            continue
        operator, quantifier = name, None
        prefix, colon, rest = name.partition(":")
        if colon and prefix in _QUANTIFIERS:
            operator, quantifier = rest, _QUANTIFIERS[prefix]
        stem = operator.removesuffix(_IF_EXISTS)
        if_exists = stem != operator
        if stem not in OPERATORS and (stem != NULL or if_exists):
            _refuse()
        for key, values in keys.items():
            texts = values if isinstance(values, list) else [values]
            yield Condition(stem, key.lower(), tuple(map(_text, texts)), quantifier, if_exists)


def _text(value: _Value) -> str:
    """A value as JSON writes it, without quotation marks."""
    if isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else format(value)
