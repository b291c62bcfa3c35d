"""Decisions, and residuals: policies evaluated but for the condition keys of a request. Pure.

Source: IAM User Guide, "How AWS enforcement code logic evaluates requests to allow or deny access"
and "Cross-account policy evaluation logic".
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.access.policies.conditions import Test
from hashrange.access.policies.principals import Naming
from hashrange.access.policies.variables import Context

PolicyKind: TypeAlias = Literal["identity", "resource", "boundary", "session"]

Keys: TypeAlias = frozenset[str]
"""Condition keys, in lower case."""

Clauses: TypeAlias = tuple[tuple[Test, ...], ...]
"""Of each statement that concerns a request the tests that remain; one without tests holds."""
ALWAYS: Final[Clauses] = ((),)


class Decision(msgspec.Struct, frozen=True):
    """Whether a request is allowed.

    Attributes:
        kind: of the policies that denied it.
        explicit: a statement denies it; else no statement of this kind allows it.
    """

    allowed: bool
    kind: PolicyKind | None = None
    explicit: bool = False


ALLOWED: Final = Decision(allowed=True)
_EXPLICIT: Final[Mapping[PolicyKind, Decision]] = {
    "identity": Decision(allowed=False, kind="identity", explicit=True),
    "resource": Decision(allowed=False, kind="resource", explicit=True),
    "boundary": Decision(allowed=False, kind="boundary", explicit=True),
    "session": Decision(allowed=False, kind="session", explicit=True),
}
_IMPLICIT: Final[Mapping[PolicyKind, Decision]] = {
    "identity": Decision(allowed=False, kind="identity"),
    "resource": Decision(allowed=False, kind="resource"),
    "boundary": Decision(allowed=False, kind="boundary"),
    "session": Decision(allowed=False, kind="session"),
}


class Residual:
    """The residual of a partial evaluation: it needs the condition keys of a request.

    Attributes:
        keys: the condition keys that are looked at; others need not be in the context.
        best_case: the residual if all conditions hold that are not of the connection. A caller
            that its decision denies is denied whatever the request is.

    Args:
        denies: statements that deny it.
        limits: of each kind of policies that go with the principal, statements that allow it.
        grants: statements of the resource's policy that allow it, by how they name the principal,
            the most direct first.
        same_account: the principal is of the account that owns the resource.
        keys: as above.
        best_case: as above; the same if None.
    """

    __slots__ = ("_denies", "_grants", "_limits", "_lone", "_same_account", "best_case", "keys")

    def __init__(
        self,
        denies: Mapping[PolicyKind, Clauses],
        limits: Mapping[PolicyKind, Clauses],
        grants: Mapping[Naming, Clauses],
        *,
        same_account: bool,
        keys: Keys,
        best_case: "Residual | None" = None,
    ) -> None:
        self.best_case = self if best_case is None else best_case
        self.keys = keys
        # What holds in no request, or in each, is not looked at again.
        self._denies = tuple(each for each in denies.items() if each[1])
        self._limits = tuple(each for each in limits.items() if each[1] != ALWAYS)
        self._grants = tuple(grants.items())
        self._same_account = same_account
        # Most policies have only statements of one kind that allow.
        is_lone = same_account and not self._denies and not grants and len(self._limits) == 1
        self._lone = self._limits[0] if is_lone else None

    @property
    def is_open(self) -> bool:
        """Whether requests may be decided differently."""
        groups = (*self._denies, *self._limits, *self._grants)
        return any(tests for _, clauses in groups for tests in clauses)

    def decision(self, context: Context) -> Decision:
        """The decision on one request."""
        if self._lone is not None:
            kind, clauses = self._lone
            return ALLOWED if _holds(clauses, context) else _IMPLICIT[kind]
        for kind, clauses in self._denies:
            if _holds(clauses, context):
                return _EXPLICIT[kind]
        lacking = self._lacking(context)
        return ALLOWED if lacking is None else _IMPLICIT[lacking]

    def _lacking(self, context: Context) -> PolicyKind | None:
        """The kind of policies whose allowance is needed and absent."""
        named = self._named(context) if self._grants else Naming.NONE
        if self._same_account and named is Naming.DIRECT:
            return None
        spared = "identity" if self._same_account and named is Naming.ISSUER else None
        for kind, clauses in self._limits:
            if kind != spared and not _holds(clauses, context):
                return kind
        return None if self._same_account or named else "resource"

    def _named(self, context: Context) -> Naming:
        """How directly the resource's policy allows the request to its principal."""
        for named, clauses in self._grants:
            if _holds(clauses, context):
                return named
        return Naming.NONE


def _holds(clauses: Clauses, context: Context) -> bool:
    """Whether one of the statements holds."""
    for tests in clauses:
        for test in tests:
            if not test(context):
                break
        else:
            return True
    return False
