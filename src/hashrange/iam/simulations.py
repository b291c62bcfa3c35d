"""Simulations: what the policies of a principal would decide.

Each action has one result, with the most restrictive decision of all resources, and a decision for
each of them. Source: API Reference of IAM, EvaluationResult, and a recorded answer of 2026.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from hashrange.iam.documents import document
from hashrange.iam.errors import Code, QueryError
from hashrange.iam.members import Parameters
from hashrange.iam.operation import (
    ANYTHING,
    PAGING,
    Operation,
    Result,
    Situation,
    anything,
    governed,
)
from hashrange.iam.pages import page
from hashrange.identities.entities import User
from hashrange.identities.roster import holder_of
from hashrange.identities.store import Edit
from hashrange.identities.subjects import Documents, account_root, of_role, of_user
from hashrange.limits.identities import SIMULATIONS_MAX
from hashrange.messages import identities as messages
from hashrange.policies.actions import ACTIONS, SERVICE
from hashrange.policies.checks import PolicyUse
from hashrange.policies.decisions import Decisions, GovernedResource, Subject
from hashrange.policies.principals import Principal, keys_of
from hashrange.policies.resources import names_action
from hashrange.policies.syntax import Document
from hashrange.policies.variables import Context

_BY_LOWER_NAME: Final = {name.lower(): name for name in ACTIONS}
_ACCOUNT_PLACE: Final = 4
_ALLOWED, _IMPLICIT, _EXPLICIT = _RESTRICTIVE = ("allowed", "implicitDeny", "explicitDeny")
_SEVERAL: Final = "arn:aws:dynamodb:${Region}:${Account}:table/${TableName}"
"""What IAM names several resources; its template for tables is not known."""
_is_action: Final = re.compile(r"[A-Za-z0-9-]+:[A-Za-z0-9]+").fullmatch
_SHARED: Final = (
    "PolicyInputList",
    "PermissionsBoundaryPolicyInputList",
    "ResourceArns",
    "ResourcePolicy",
    "ResourceOwner",
    "ContextEntries",
    *PAGING,
)


def _of_principal(parameters: Parameters, situation: Situation) -> Edit[Result]:
    arn = parameters["PolicySourceArn"]
    holder = holder_of(situation.roster, arn)
    if holder is None or holder.account != situation.account:
        raise QueryError(Code.NO_SUCH_ENTITY, messages.policy_not_found(arn))
    roster, documents = situation.roster, Documents()
    if isinstance(holder, User):
        subject = of_user(roster, documents, holder)
    else:
        subject = of_role(roster, documents, holder)
    return Edit(_simulated(parameters, situation, subject))


def _of_policies(parameters: Parameters, situation: Situation) -> Edit[Result]:
    arn = parameters.get("CallerArn", account_root(situation.account))
    principal = Principal(type="User", arn=arn, account=situation.account)
    return Edit(_simulated(parameters, situation, Subject(principal)))


def _simulated(parameters: Parameters, situation: Situation, subject: Subject) -> dict[str, Any]:
    actions = [_known_action(name) for name in parameters["ActionNames"]]
    resources = parameters.get("ResourceArns") or [ANYTHING]
    if len(actions) * len(resources) > SIMULATIONS_MAX:
        text = messages.too_many_simulations(SIMULATIONS_MAX)
        raise QueryError(Code.INVALID_INPUT, text)
    subject = _with_given(parameters, subject)
    context = {
        each["ContextKeyName"].lower(): tuple(each["ContextKeyValues"])
        for each in parameters.get("ContextEntries", ())
        if each["ContextKeyValues"]
    }
    governed_ones = [_resource(parameters, situation, arn) for arn in resources]
    results = [_result(subject, action, governed_ones, context) for action in actions]
    found = ((f"{place:04}", each) for place, each in enumerate(results))
    return page(parameters, "EvaluationResults", found, _itself)


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


def _with_given(parameters: Parameters, subject: Subject) -> Subject:
    """The subject with the policies of the request."""
    given = [document(text, PolicyUse.INLINE) for text in parameters.get("PolicyInputList", ())]
    boundaries = [
        document(text, PolicyUse.INLINE)
        for text in parameters.get("PermissionsBoundaryPolicyInputList", ())
    ]
    statements = tuple(statement for each in boundaries for statement in each.statements)
    boundary = Document(statements) if boundaries else subject.boundary
    return replace(subject, identity=(*subject.identity, *given), boundary=boundary)


def _resource(parameters: Parameters, situation: Situation, arn: str) -> GovernedResource:
    text = parameters.get("ResourcePolicy")
    policy = None if text is None else document(text, PolicyUse.RESOURCE)
    owner = parameters.get("ResourceOwner", "")
    account = (owner or arn).split(":")[_ACCOUNT_PLACE : _ACCOUNT_PLACE + 1]
    return GovernedResource(
        arn, account[0] if account and account[0] else situation.account, policy
    )


def _result(
    subject: Subject, action: str, resources: Sequence[GovernedResource], context: Context
) -> dict[str, Any]:
    decisions = [_decided(subject, action, each, context) for each in resources]
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
        "MissingContextValues": sorted(_missing(subject, action, context)),
        "ResourceSpecificResults": specific,
    }


def _decided(subject: Subject, action: str, resource: GovernedResource, context: Context) -> str:
    decision = Decisions().decide(subject, action, resource, context)
    if decision.allowed:
        return _ALLOWED
    return _EXPLICIT if decision.explicit else _IMPLICIT


def _missing(subject: Subject, action: str, context: Context) -> set[str]:
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
    return tested - context.keys() - keys_of(subject.principal).keys()


def _source(parameters: Parameters, situation: Situation) -> GovernedResource:
    return governed(parameters["PolicySourceArn"], situation.account)


OPERATIONS: Final = {
    "SimulatePrincipalPolicy": Operation(
        resource=_source,
        run=_of_principal,
        required=["PolicySourceArn", "ActionNames"],
        optional=_SHARED,
    ),
    "SimulateCustomPolicy": Operation(
        resource=anything,
        run=_of_policies,
        required=["PolicyInputList", "ActionNames"],
        optional=[*(name for name in _SHARED if name != "PolicyInputList"), "CallerArn"],
    ),
}
