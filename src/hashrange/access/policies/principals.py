"""Principals: who makes requests, and who is named by resource policies. Pure.

Source: IAM User Guide, "AWS JSON policy elements: Principal", and "How AWS enforcement code logic
evaluates requests to allow or deny access".
"""

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.access.policies.syntax import Document, PrincipalNames, Statement
from hashrange.access.policies.variables import Context

PrincipalType: TypeAlias = Literal[
    "Account", "User", "AssumedRole", "FederatedUser", "Service", "Anonymous"
]

_ID_PREFIXES: Final = ("AIDA", "AROA")
_NONE: Final[Mapping[str, str]] = MappingProxyType({})


class Principal(msgspec.Struct, frozen=True, kw_only=True):
    """The identity that makes a request; `Account` is the root user of an account.

    Attributes:
        arn: of the user or session; of the root user, `arn:aws:iam::123456789012:root`; of a
            service, its name.
        account: twelve digits; empty for services and the anonymous.
        issuer: of a session, the ARN of the role, or of the user who asked for the session.
        issuer_id: the unique id of the issuer.
        user_id: the unique id; of a session with the session's name after a colon.
        user_name: of users only.
        tags: of the principal and its session, by their keys.
        token_issued: when a session began, in ISO 8601; None for long-term credentials.
        has_mfa: whether a session began with a second factor; None for long-term credentials.
        session_keys: further condition keys of a session, such as `accounts.google.com:sub`.
    """

    type: PrincipalType
    arn: str
    account: str
    issuer: str | None = None
    issuer_id: str | None = None
    user_id: str = ""
    user_name: str | None = None
    tags: Mapping[str, str] = _NONE
    token_issued: str | None = None
    has_mfa: bool | None = None
    session_keys: Mapping[str, str] = _NONE


class Naming(IntEnum):
    """How directly an element names a principal; an allowance to more direct names goes further.

    ACCOUNT delegates to the account, whose identity policies decide. ISSUER names the role of a
    session: its boundary and session policy still limit it. DIRECT names the principal itself, or
    all: within one account nothing else is needed.
    """

    NONE = 0
    ACCOUNT = 1
    ISSUER = 2
    DIRECT = 3


def naming(names: PrincipalNames, principal: Principal) -> Naming:
    """How an element names a principal."""
    if names.anyone:
        return Naming.DIRECT
    if principal.type == "Service":
        return Naming.DIRECT if principal.arn in names.services else Naming.NONE
    if principal.arn in names.aws or (_is_id(principal.user_id) and principal.user_id in names.aws):
        return Naming.DIRECT
    if principal.issuer in names.aws or principal.issuer_id in names.aws:
        return Naming.ISSUER
    if principal.account and not names.aws.isdisjoint(_names_of_account(principal.account)):
        return Naming.ACCOUNT
    return Naming.NONE


def naming_by(statement: Statement, principal: Principal, *, has_boundary: bool) -> Naming:
    """How a statement of a resource policy names a principal.

    NotPrincipal names all but those who are named in any way; it always names principals that have
    a permissions boundary, which is how AWS has it.
    """
    assert statement.principals is not None, "checked: a resource policy names principals"
    named = naming(statement.principals, principal)
    if not statement.not_principals:
        return named
    return Naming.NONE if named and not has_boundary else Naming.DIRECT


def with_ids(document: Document, ids: Mapping[str, str]) -> Document:
    """A document that names principals by the unique ids that they had when it was set.

    So whoever is created again under an ARN is another. A Deny goes on to name the ARN, too.

    Args:
        document: names principals by ARN.
        ids: unique ids by ARN.
    """
    if not ids:
        return document
    statements = []
    for statement in document.statements:
        names = statement.principals
        assert names is not None, "checked when it was set"
        aws = frozenset(ids.get(arn, arn) for arn in names.aws)
        if statement.effect == "Deny" and not statement.not_principals:
            aws |= names.aws
        names = msgspec.structs.replace(names, aws=aws)
        statements.append(msgspec.structs.replace(statement, principals=names))
    return msgspec.structs.replace(document, statements=tuple(statements))


def _is_id(user_id: str) -> bool:
    """Whether it is an id of a user or role; federated users and accounts have none."""
    return user_id.startswith(_ID_PREFIXES)


def _names_of_account(account: str) -> tuple[str, str]:
    return account, f"arn:aws:iam::{account}:root"


def keys_of(principal: Principal) -> Context:
    """The condition keys that a principal has in all of its requests."""
    values: dict[str, str | None] = {
        key.lower(): value for key, value in principal.session_keys.items()
    }
    values |= {
        "aws:principaltype": principal.type,
        "aws:principalarn": _principal_arn(principal),
        "aws:principalaccount": principal.account or None,
        "aws:userid": principal.user_id or None,
        "aws:username": principal.user_name,
        "aws:tokenissuetime": principal.token_issued,
        "aws:multifactorauthpresent": _bool_text(principal.has_mfa),
        "aws:principalisawsservice": _bool_text(principal.type == "Service"),
        "aws:viaawsservice": "false",
    }
    values |= {f"aws:principaltag/{key.lower()}": tag for key, tag in principal.tags.items()}
    return {key: (value,) for key, value in values.items() if value is not None}


def _principal_arn(principal: Principal) -> str:
    """Of a session of a role, the ARN of the role."""
    if principal.type == "AssumedRole" and principal.issuer is not None:
        return principal.issuer
    return principal.arn


def _bool_text(value: bool | None) -> str | None:  # noqa: FBT001 - a value, not an option
    return None if value is None else str(value).lower()
