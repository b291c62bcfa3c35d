"""The statements of policies that concern one request, and those that decide it. Pure."""

from collections.abc import Iterator

import msgspec

from hashrange.access.policies.conditions import FixedKeys, keys_of_conditions, request_tests
from hashrange.access.policies.decisions import (
    Decisions,
    GovernedResource,
    Subject,
    documents_of_identity,
    statements_of_resource,
)
from hashrange.access.policies.principals import keys_of
from hashrange.access.policies.resources import names_action, resource_test
from hashrange.access.policies.syntax import Document, Effect, Statement
from hashrange.access.policies.variables import Context
from hashrange.access.policies.verdicts import Decision, PolicyKind


class Concerning(msgspec.Struct, frozen=True, kw_only=True):
    """A statement about the action and the resource of a request.

    Attributes:
        kind: of its policy.
        document: index of the policy among those of its kind.
        place: of the statement in the policy, from 1.
        holds: its conditions hold for the request.
        decides: it is a reason of the decision.
        missing: condition keys that it looks at and that the request does not have.
    """

    kind: PolicyKind
    document: int
    place: int
    sid: str | None
    effect: Effect
    holds: bool
    decides: bool
    missing: tuple[str, ...] = ()


class Explanation(msgspec.Struct, frozen=True):
    """A decision, and the statements that concern the request, those that decide it first."""

    decision: Decision
    statements: list[Concerning]


def explained(
    subject: Subject, action: str, resource: GovernedResource, context: Context
) -> Explanation:
    """The decision on one request, and its reasons; arguments as of `Decisions.decide`."""
    decision = Decisions().decide(subject, action, resource, context)
    owned = {**resource.keys, "aws:resourceaccount": (resource.account,)}
    fixed = FixedKeys({**owned, **keys_of(subject.principal)})
    found = []
    for kind, number, document, place in _placed(subject, action, resource):
        statement = document.statements[place - 1]
        if not names_action(statement, action.lower()):
            continue
        concerns = resource_test(document, statement, resource.arn, fixed)
        if concerns is False:
            continue
        holds = concerns is True or concerns(context)
        holds = holds and _holds(document, statement, fixed, context)
        asked = keys_of_conditions(statement.conditions, has_variables=document.has_variables)
        found.append(
            Concerning(
                kind=kind,
                document=number,
                place=place,
                sid=statement.sid,
                effect=statement.effect,
                holds=holds,
                decides=holds and _is_reason(decision, statement.effect, kind),
                missing=tuple(sorted(asked - context.keys() - fixed.context.keys())),
            )
        )
    return Explanation(decision, sorted(found, key=lambda each: (not each.decides, not each.holds)))


def _placed(
    subject: Subject, action: str, resource: GovernedResource
) -> Iterator[tuple[PolicyKind, int, Document, int]]:
    """Kind, number, document and place of each statement that is asked."""
    for kind, documents in documents_of_identity(subject).items():
        for number, document in enumerate(documents):
            for place in range(1, len(document.statements) + 1):
                yield kind, number, document, place
    for _, document, statement in statements_of_resource(subject, action, resource):
        place = next(at for at, each in enumerate(document.statements, 1) if each is statement)
        yield "resource", 0, document, place


def _holds(document: Document, statement: Statement, fixed: FixedKeys, context: Context) -> bool:
    tests = request_tests(statement.conditions, fixed, has_variables=document.has_variables)
    return tests is not None and all(test(context) for test in tests)


def _is_reason(decision: Decision, effect: Effect, kind: PolicyKind) -> bool:
    """Whether statements that hold, of an effect and a kind, are reasons of a decision.

    Where nothing allows the request, no statement is.
    """
    if effect == "Allow":
        return decision.allowed
    return decision.explicit and kind == decision.kind
