"""Decisions on requests by all kinds of policies. Pure.

The statements that concern one principal, action and resource are compiled once and cached; of a
request only the tests of its own condition keys remain. Source: IAM User Guide, "How AWS
enforcement code logic evaluates requests to allow or deny access" and "Cross-account policy
evaluation logic".
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from hashrange.access.policies.actions import action_row
from hashrange.access.policies.conditions import (
    FixedKeys,
    Test,
    is_of_connection,
    keys_of_conditions,
    request_tests,
)
from hashrange.access.policies.principals import Naming, Principal, keys_of, naming_by
from hashrange.access.policies.resources import keys_of_resources, names_action, resource_test
from hashrange.access.policies.syntax import Condition, Document, Effect, Statement
from hashrange.access.policies.variables import Context
from hashrange.access.policies.verdicts import ALWAYS, Clauses, Decision, PolicyKind, Residual
from hashrange.bounded_cache import BoundedCache
from hashrange.limits.access import (
    POLICY_VERDICT_CHARS_MAX,
    POLICY_VERDICTS_CHARS_MAX,
    POLICY_VERDICTS_MAX,
)
from hashrange.messages import access as messages

_Placed: TypeAlias = tuple[Document, Statement]
_WITHOUT_IDENTITY_POLICIES: Final = frozenset({"Account", "Anonymous", "Service"})
_DELETE_RESOURCE_POLICY: Final = "dynamodb:DeleteResourcePolicy"
_CLAUSE_CHARS: Final = 100
"""The characters that a statement counts in the cache besides its texts."""


@dataclass(frozen=True, eq=False, slots=True)
class Subject:
    """A principal with the policies that apply to it; compared as an object.

    Another one is made when a policy or the principal changes.

    Attributes:
        identity: policies of the user and its groups, or of the role.
        boundary: the permissions boundary.
        session: policies that were given for a session; None if there were none.
    """

    principal: Principal
    identity: tuple[Document, ...] = ()
    boundary: Document | None = None
    session: tuple[Document, ...] | None = None


@dataclass(frozen=True, eq=False, slots=True)
class GovernedResource:
    """A resource with its policy; compared as an object.

    Another one is made when its policy or its tags change.

    Attributes:
        arn: of the resource; of actions without one, such as ListTables, what AWS names instead.
        account: that owns it.
        policy: of the table or the stream.
        keys: condition keys that it has in all requests: its tags.
    """

    arn: str
    account: str
    policy: Document | None = None
    keys: Context = field(default_factory=dict)


def denial(
    decision: Decision,
    subject: Subject,
    action: str,
    resource: GovernedResource,
    *,
    names_all: bool = True,
) -> str:
    """The text of the AccessDeniedException of a denial.

    Args:
        decision: the denial.
        subject: who was denied.
        action: that was denied.
        resource: on which it was.
        names_all: the text names the resource also if it is `*`, as those of DynamoDB and IAM do;
            others do not.
    """
    assert decision.kind is not None, "nothing was denied"
    text_of = messages.denied if decision.explicit else messages.not_allowed
    policy = messages.POLICY_NAMES[decision.kind]
    named = resource.arn if names_all or resource.arn != "*" else None
    return text_of(subject.principal.arn, action, named, policy)


class Decisions:
    """Decides on requests, with a cache of what is compiled for principals and resources."""

    def __init__(self) -> None:
        self._verdicts = BoundedCache[tuple[Subject, str, GovernedResource], Decision | Residual](
            entries_max=POLICY_VERDICTS_MAX,
            chars_max=POLICY_VERDICTS_CHARS_MAX,
            entry_chars_max=POLICY_VERDICT_CHARS_MAX,
        )

    def decide(
        self, subject: Subject, action: str, resource: GovernedResource, context: Context
    ) -> Decision:
        """The decision on one request.

        Args:
            subject: who makes it.
            action: with its service, such as `dynamodb:GetItem`.
            resource: what the action is done to.
            context: the condition keys of the request itself; those of the principal and the
                resource need not be there.
        """
        verdict = self.verdict(subject, action, resource)
        return verdict if isinstance(verdict, Decision) else verdict.decision(context)

    def verdict(
        self, subject: Subject, action: str, resource: GovernedResource
    ) -> Decision | Residual:
        """The decision, if it is the same for all requests, whose context then is not needed."""
        key = (subject, action, resource)
        found = self._verdicts.get(key)
        if found is None:
            found, chars = _compiled(subject, action, resource)
            self._verdicts.keep(key, found, chars)
        return found


def _compiled(
    subject: Subject, action: str, resource: GovernedResource
) -> tuple[Decision | Residual, int]:
    """A verdict, and the characters of the texts in it."""
    owned = {**resource.keys, "aws:resourceaccount": (resource.account,)}
    fixed = FixedKeys({**owned, **keys_of(subject.principal)})
    compiler = _Compiler(action, resource.arn, fixed)
    best_case = _residual(
        subject, action, resource, _Compiler(action, resource.arn, fixed, best_case=True)
    )
    residual = _residual(subject, action, resource, compiler, best_case=best_case)
    chars = 2 * compiler.chars + len(action) + len(resource.arn)
    return (residual, chars) if residual.is_open else (residual.decision({}), chars)


def _residual(
    subject: Subject,
    action: str,
    resource: GovernedResource,
    compiler: "_Compiler",
    *,
    best_case: Residual | None = None,
) -> Residual:
    principal = subject.principal
    denies: dict[PolicyKind, Clauses] = {}
    limits: dict[PolicyKind, Clauses] = {}
    for kind, documents in documents_of_identity(subject).items():
        limits[kind] = compiler.clauses(_of_effect("Allow", documents))
        denies[kind] = compiler.clauses(_of_effect("Deny", documents))
    if principal.type in _WITHOUT_IDENTITY_POLICIES:
        limits["identity"] = ALWAYS
    granted: dict[Naming, list[_Placed]] = {each: [] for each in reversed(Naming) if each}
    refused: list[_Placed] = []
    for named, document, statement in statements_of_resource(subject, action, resource):
        group = granted[named] if statement.effect == "Allow" else refused
        group.append((document, statement))
    if not (principal.type == "Account" and action == _DELETE_RESOURCE_POLICY):
        denies["resource"] = compiler.clauses(refused)
    return Residual(
        denies,
        limits,
        {named: compiler.clauses(group) for named, group in granted.items() if group},
        same_account=principal.account == resource.account,
        keys=frozenset(compiler.keys),
        best_case=best_case,
    )


def _of_effect(effect: Effect, documents: Iterable[Document]) -> Iterator[_Placed]:
    for document in documents:
        for statement in document.statements:
            if statement.effect == effect:
                yield document, statement


def documents_of_identity(subject: Subject) -> dict[PolicyKind, tuple[Document, ...]]:
    """The policies that go with a principal, by their kinds, in the order that denials name."""
    found: dict[PolicyKind, tuple[Document, ...]] = {"identity": subject.identity}
    if subject.boundary is not None:
        found["boundary"] = (subject.boundary,)
    if subject.session is not None:
        found["session"] = subject.session
    elif subject.principal.type == "FederatedUser":
        # A session of GetFederationToken without a policy can do nothing.
        found["session"] = ()
    return found


def statements_of_resource(
    subject: Subject, action: str, resource: GovernedResource
) -> Iterator[tuple[Naming, Document, Statement]]:
    """The statements of the resource's policy that name the principal, and how they do."""
    principal, row = subject.principal, action_row(action)
    if resource.policy is None or not row.resource_policies:
        return
    shared = principal.account == resource.account or principal.type == "Service"
    if not (shared or row.cross_account):
        return
    for statement in resource.policy.statements:
        named = naming_by(statement, principal, has_boundary=subject.boundary is not None)
        if named:
            yield named, resource.policy, statement


class _Compiler:
    """Compiles statements for one principal, action and resource.

    Attributes:
        chars: of the texts in what was compiled.
        keys: condition keys that requests are tested for.

    Args:
        action: with its service.
        arn: of the resource.
        fixed: the keys that are the same in all requests.
        best_case: conditions that are not of the connection are taken to hold.
    """

    def __init__(self, action: str, arn: str, fixed: FixedKeys, *, best_case: bool = False) -> None:
        self._best_case = best_case
        self._action = action.lower()
        self._arn = arn
        self._fixed = fixed
        self.chars = 0
        self.keys: set[str] = set()

    def clauses(self, statements: Iterable[_Placed]) -> Clauses:
        """The statements that concern the action and the resource."""
        found = []
        for document, statement in statements:
            tests = self._tests(document, statement)
            if tests == ():
                return ALWAYS
            if tests is not None:
                found.append(tests)
        return tuple(found)

    def _tests(self, document: Document, statement: Statement) -> tuple[Test, ...] | None:
        if not names_action(statement, self._action):
            return None
        concerns = resource_test(document, statement, self._arn, self._fixed)
        if concerns is False:
            return None
        conditions = statement.conditions
        if self._best_case:
            known = tuple(each for each in conditions if self._is_known(each, document))
            is_open = len(known) < len(conditions) or concerns is not True
            if statement.effect == "Deny" and is_open:
                return None
            conditions = known
        tests = request_tests(conditions, self._fixed, has_variables=document.has_variables)
        if tests is None:
            return None
        self.keys |= keys_of_resources(document, statement)
        self.keys |= keys_of_conditions(conditions, has_variables=document.has_variables)
        texts = (value for condition in conditions for value in condition.values)
        self.chars += _CLAUSE_CHARS + sum(map(len, texts))
        return tests if concerns is True or self._best_case else (concerns, *tests)

    def _is_known(self, condition: Condition, document: Document) -> bool:
        return is_of_connection(condition, self._fixed, has_variables=document.has_variables)
