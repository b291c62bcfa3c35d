"""Simulations: what the policies of a principal would decide.

Each action has one result, with the most restrictive decision of all resources, and a decision for
each of them. Source: API Reference of IAM, EvaluationResult, and a recorded answer of 2026.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from hashrange.access.identities.entities import User
from hashrange.access.identities.roster import holder_of
from hashrange.access.identities.store import Edit
from hashrange.access.identities.subjects import Documents, account_root, of_role, of_user
from hashrange.access.policies.actions import ACTIONS, SERVICE
from hashrange.access.policies.checks import PolicyUse
from hashrange.access.policies.decisions import Decisions, GovernedResource, Subject
from hashrange.access.policies.principals import Principal, keys_of
from hashrange.access.policies.resources import names_action
from hashrange.access.policies.syntax import Document
from hashrange.access.policies.variables import Context
from hashrange.api.iam.documents import document
from hashrange.api.iam.errors import Code, QueryError
from hashrange.api.iam.lookups import page
from hashrange.api.iam.operation import (
    ANYTHING,
    IdentityContext,
    Result,
    anything,
    governed,
)
from hashrange.api.iam.rows import operation
from hashrange.limits.access import SIMULATIONS_MAX
from hashrange.messages import identities as messages
from hashrange.wire.service import by_name

_BY_LOWER_NAME: Final = {name.lower(): name for name in ACTIONS}
_ACCOUNT_PLACE: Final = 4
_ALLOWED, _IMPLICIT, _EXPLICIT = _RESTRICTIVE = ("allowed", "implicitDeny", "explicitDeny")
_SEVERAL: Final = "arn:aws:dynamodb:${Region}:${Account}:table/${TableName}"
"""Actions for which IAM names several resources; its template for tables is not known."""
_is_action: Final = re.compile(r"[A-Za-z0-9-]+:[A-Za-z0-9]+").fullmatch


def _of_principal(request: Any, context: IdentityContext) -> Edit[Result]:
    arn = request.policy_source_arn
    holder = holder_of(context.roster, arn)
    if holder is None or holder.account != context.account:
        raise QueryError(Code.NO_SUCH_ENTITY, messages.policy_not_found(arn))
    roster, documents = context.roster, Documents()
    if isinstance(holder, User):
        subject = of_user(roster, documents, holder)
    else:
        subject = of_role(roster, documents, holder)
    return Edit(_simulated(request, context, subject))


def _of_policies(request: Any, context: IdentityContext) -> Edit[Result]:
    arn = request.caller_arn or account_root(context.account)
    principal = Principal(type="User", arn=arn, account=context.account)
    return Edit(_simulated(request, context, Subject(principal)))


def _simulated(request: Any, context: IdentityContext, subject: Subject) -> dict[str, Any]:
    actions = [_known_action(name) for name in request.action_names]
    resources = request.resource_arns or [ANYTHING]
    if len(actions) * len(resources) > SIMULATIONS_MAX:
        text = messages.too_many_simulations(SIMULATIONS_MAX)
        raise QueryError(Code.INVALID_INPUT, text)
    subject = _with_given(request, subject)
    keys = {
        each.context_key_name.lower(): tuple(each.context_key_values)
        for each in request.context_entries or ()
        if each.context_key_values
    }
    governed_ones = [_resource(request, context, arn) for arn in resources]
    results = [_result(subject, action, governed_ones, keys) for action in actions]
    found = ((f"{place:04}", each) for place, each in enumerate(results))
    return page(request, "EvaluationResults", found, _itself)


def _itself(result: Mapping[str, Any]) -> Mapping[str, Any]:
    return result


def _known_action(name: str) -> str:
    """The action in its own spelling. Raises QueryError if there is none."""
    known = _BY_LOWER_NAME.get(name.lower())
    if known is not None:
        return known
    if _is_action(name) is None or name.lower().startswith(f"{SERVICE}:"):
        raise QueryError(Code.INVALID_INPUT, messages.invalid_action(name))
    return name


def _with_given(request: Any, subject: Subject) -> Subject:
    """The subject with the policies of the request."""
    given = [document(text, PolicyUse.INLINE) for text in request.policy_input_list or ()]
    boundaries = [
        document(text, PolicyUse.INLINE)
        for text in request.permissions_boundary_policy_input_list or ()
    ]
    statements = tuple(statement for each in boundaries for statement in each.statements)
    boundary = Document(statements) if boundaries else subject.boundary
    return replace(subject, identity=(*subject.identity, *given), boundary=boundary)


def _resource(request: Any, context: IdentityContext, arn: str) -> GovernedResource:
    text = request.resource_policy
    policy = None if text is None else document(text, PolicyUse.RESOURCE)
    owner = request.resource_owner or ""
    account = (owner or arn).split(":")[_ACCOUNT_PLACE : _ACCOUNT_PLACE + 1]
    return GovernedResource(arn, account[0] if account and account[0] else context.account, policy)


def _result(
    subject: Subject, action: str, resources: Sequence[GovernedResource], keys: Context
) -> dict[str, Any]:
    decisions = [_decided(subject, action, each, keys) for each in resources]
    name = resources[0].arn if len(resources) == 1 else _SEVERAL
    specific = None
    if name != ANYTHING:
        specific = [
            {"EvalResourceName": each.arn, "EvalResourceDecision": decision}
            for each, decision in zip(resources, decisions, strict=True)
        ]
    return {
        "EvalActionName": action,
        "EvalResourceName": name,
        "EvalDecision": max(decisions, key=_RESTRICTIVE.index),
        "MissingContextValues": sorted(_missing(subject, action, keys)),
        "ResourceSpecificResults": specific,
    }


def _decided(subject: Subject, action: str, resource: GovernedResource, keys: Context) -> str:
    decision = Decisions().decide(subject, action, resource, keys)
    if decision.allowed:
        return _ALLOWED
    return _EXPLICIT if decision.explicit else _IMPLICIT


def _missing(subject: Subject, action: str, keys: Context) -> set[str]:
    """The condition keys that statements about an action test, and that nothing gives a value."""
    documents: Iterable[Document | None] = (*subject.identity, subject.boundary)
    tested = {
        condition.key
        for each in documents
        if each is not None
        for statement in each.statements
        if names_action(statement, action.lower())
        for condition in statement.conditions
    }
    return tested - keys.keys() - keys_of(subject.principal).keys()


def _source(request: Any, context: IdentityContext) -> GovernedResource:
    return governed(request.policy_source_arn, context.account)


OPERATIONS: Final = by_name(
    operation("iam:SimulatePrincipalPolicy", resource=_source, run=_of_principal),
    operation("iam:SimulateCustomPolicy", resource=anything, run=_of_policies),
)
