"""AssumeRole: who may assume a role, and the session that follows. Pure."""

from dataclasses import replace
from typing import Any, Final

from hashrange.iam.condition_keys import tagging
from hashrange.iam.errors import Code, QueryError, invalid
from hashrange.iam.members import Parameters
from hashrange.iam.operation import Operation, Result, Situation, governed
from hashrange.iam.session_answers import answer_of, given_policies, new_session, session_tags
from hashrange.identities.entities import PARTITION, Role
from hashrange.identities.roster import holder_of
from hashrange.identities.sessions import Session
from hashrange.identities.store import Edit
from hashrange.identities.subjects import Documents
from hashrange.limits.identities import CHAINED_SESSION_SECONDS_MAX, SESSION_SECONDS
from hashrange.messages import identities
from hashrange.messages import sessions as messages
from hashrange.policies.checks import PolicyUse
from hashrange.policies.decisions import Decisions, GovernedResource, Subject, denial
from hashrange.policies.principals import with_ids
from hashrange.policies.syntax import Document, Statement
from hashrange.policies.variables import Context

_SOURCE_IDENTITY: Final = "aws:SourceIdentity"
_ALLOW_ALL: Final = Document((Statement(effect="Allow", actions=("*",), resources=("*",)),))


def assume_role(parameters: Parameters, situation: Situation) -> Edit[Result]:
    """AssumeRole. Raises QueryError."""
    subject = situation.subject
    if subject is None:
        raise QueryError(Code.ACCESS_DENIED, identities.needs_authentication())
    arn = parameters["RoleArn"]
    if not arn.startswith(PARTITION):
        raise invalid(messages.role_arn_invalid(arn))
    if subject.principal.type == "Account":
        raise QueryError(Code.ACCESS_DENIED, messages.root_may_not_assume())
    before = _session_before(situation, subject)
    tags, transitive = session_tags(parameters, before)
    identity = _source_identity(parameters, subject)
    _check_allowed(parameters, situation, subject, identity)
    role = holder_of(situation.roster, arn)
    assert isinstance(role, Role), "only roles that are there are allowed"
    session = new_session(
        situation,
        seconds=_seconds(parameters, role, subject),
        kind="role",
        account=role.account,
        name=role.name,
        id=role.id,
        session_name=parameters["RoleSessionName"],
        source_identity=identity,
        tags=tags,
        transitive=transitive,
        chained=subject.principal.type == "AssumedRole",
        **given_policies(parameters, situation, role.account),
    )
    assumed = {
        "AssumedRoleId": f"{role.id}:{session.session_name}",
        "Arn": f"arn:aws:sts::{role.account}:assumed-role/{role.name}/{session.session_name}",
    }
    answer = answer_of(session, situation, AssumedRoleUser=assumed)
    return Edit({**answer, "SourceIdentity": identity})


def _session_before(situation: Situation, subject: Subject) -> Session | None:
    """The session that the request is signed with, whose transitive tags are inherited."""
    if subject.principal.type != "AssumedRole":
        return None
    session = situation.identities.credentials.open_session(situation.access_key)
    if session is None:  # forgotten since the request was verified: many others came
        raise QueryError(Code.THROTTLING, identities.rate_exceeded())
    return session


def _source_identity(parameters: Parameters, subject: Subject) -> str | None:
    """The source identity, which stays the same over a chain of sessions."""
    before = subject.principal.session_keys.get(_SOURCE_IDENTITY)
    asked: str | None = parameters.get("SourceIdentity")
    if before is not None and asked not in {None, before}:
        text = messages.may_not(
            subject.principal.arn, "sts:SetSourceIdentity", parameters["RoleArn"]
        )
        raise QueryError(Code.ACCESS_DENIED, text)
    return asked or before


def _seconds(parameters: Parameters, role: Role, subject: Subject) -> int:
    asked: int = parameters.get("DurationSeconds", SESSION_SECONDS)
    if subject.principal.type == "AssumedRole" and asked > CHAINED_SESSION_SECONDS_MAX:
        raise invalid(messages.longer_than_chained())
    if asked > role.session_seconds_max:
        raise invalid(messages.longer_than_role())
    return asked


def _check_allowed(
    parameters: Parameters, situation: Situation, subject: Subject, identity: str | None
) -> None:
    """Raise AccessDenied unless the role trusts the caller, who may assume it."""
    arn = parameters["RoleArn"]
    role = holder_of(situation.roster, arn)
    actions = ["sts:AssumeRole"]
    if parameters.get("Tags"):
        actions.append("sts:TagSession")
    if identity is not None:
        actions.append("sts:SetSourceIdentity")
    context = _context(parameters, situation, identity)
    for action in actions:
        refusal = QueryError(
            Code.ACCESS_DENIED, messages.may_not(subject.principal.arn, action, arn)
        )
        if not isinstance(role, Role):
            raise refusal
        trust = with_ids(Documents().of(role.trust, PolicyUse.TRUST), role.trusted_ids)
        tags = governed(arn, role.account, role.tags).keys
        resource = GovernedResource(arn, role.account, trust, tags)
        decision = Decisions().decide(subject, action, resource, context)
        if decision.explicit:
            raise QueryError(Code.ACCESS_DENIED, denial(decision, subject, action, resource))
        # Within one account, too, a policy of the caller does not suffice: the role must trust it.
        anyone = replace(subject, identity=(_ALLOW_ALL,), boundary=None, session=None)
        foreign = replace(resource, account="")
        trusted = Decisions().decide(anyone, action, foreign, context)
        if not (decision.allowed and trusted.allowed):
            raise refusal


def _context(parameters: Parameters, situation: Situation, identity: str | None) -> Context:
    context: dict[str, Any] = {**situation.connection, **tagging(parameters)}
    context["sts:rolesessionname"] = (parameters["RoleSessionName"],)
    if "ExternalId" in parameters:
        context["sts:externalid"] = (parameters["ExternalId"],)
    if parameters.get("TransitiveTagKeys"):
        context["sts:transitivetagkeys"] = tuple(parameters["TransitiveTagKeys"])
    if identity is not None:
        context["sts:sourceidentity"] = (identity,)
    return context


ASSUME_ROLE: Final = Operation(
    resource=None,
    run=assume_role,
    required=["RoleArn", "RoleSessionName"],
    optional=[
        "DurationSeconds",
        "ExternalId",
        "Policy",
        "PolicyArns",
        "SourceIdentity",
        "Tags",
        "TransitiveTagKeys",
    ],
)
