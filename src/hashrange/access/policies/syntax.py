"""The typed syntax of policy documents, as `access.policies.documents` makes it of JSON."""

from typing import Literal, TypeAlias

import msgspec

Effect: TypeAlias = Literal["Allow", "Deny"]
Quantifier: TypeAlias = Literal["ForAllValues", "ForAnyValue"]


class Condition(msgspec.Struct, frozen=True):
    """One operator on one condition key.

    Attributes:
        operator: without quantifier and `IfExists`, such as `StringEquals`.
        key: in lower case.
        values: of the policy; numbers and booleans as JSON writes them.
        quantifier: how several values of the request are compared; None for a single one.
        if_exists: true of a request that has no such key.
    """

    operator: str
    key: str
    values: tuple[str, ...]
    quantifier: Quantifier | None = None
    if_exists: bool = False


class PrincipalNames(msgspec.Struct, frozen=True):
    """A Principal or NotPrincipal element.

    Attributes:
        anyone: `*` stands there.
        aws: account numbers, and ARNs of accounts, users, roles and sessions.
        services: names such as `replication.dynamodb.amazonaws.com`.
        federated: identity providers.
    """

    anyone: bool = False
    aws: frozenset[str] = frozenset()
    services: frozenset[str] = frozenset()
    federated: frozenset[str] = frozenset()


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """One statement. An element and its negation, as Action and NotAction, share a member.

    Attributes:
        principals: None in policies of identities.
        resources: empty in trust policies.
    """

    effect: Effect
    sid: str | None = None
    actions: tuple[str, ...]
    not_actions: bool = False
    resources: tuple[str, ...] = ()
    not_resources: bool = False
    principals: PrincipalNames | None = None
    not_principals: bool = False
    conditions: tuple[Condition, ...] = ()


class Document(msgspec.Struct, frozen=True):
    """A policy document.

    Attributes:
        statements: at least one.
        has_variables: `${…}` are variables, as from version 2012-10-17 on, and no literal text.
        completes_arns: ARNs of fewer than six segments go on with `*`, as policies of identities
            have it.
    """

    statements: tuple[Statement, ...]
    has_variables: bool = True
    completes_arns: bool = True
