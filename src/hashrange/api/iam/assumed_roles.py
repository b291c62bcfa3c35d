"""AssumeRole: who may assume a role, and the session that follows. Pure."""

from dataclasses import replace
from typing import Any, Final

from hashrange.access.identities.entities import PARTITION, Role
from hashrange.access.identities.roster import holder_of
from hashrange.access.identities.sessions import Session
from hashrange.access.identities.store import Edit
from hashrange.access.identities.subjects import Documents
from hashrange.access.policies.checks import PolicyUse
from hashrange.access.policies.decisions import Decisions, GovernedResource, Subject, denial
from hashrange.access.policies.principals import with_ids
from hashrange.access.policies.syntax import Document, Statement
from hashrange.access.policies.variables import Context
from hashrange.api.iam.errors import Code, QueryError, invalid
from hashrange.api.iam.operation import IdentityContext, Result, governed, tagging
from hashrange.api.iam.rows import operation
from hashrange.api.iam.session_answers import answer_of, given_policies, new_session, session_tags
from hashrange.api.steps.service_authorization import keys_of_connection
from hashrange.limits.access import CHAINED_SESSION_SECONDS_MAX, SESSION_SECONDS
from hashrange.messages import identities as messages

_SOURCE_IDENTITY: Final = "aws:SourceIdentity"
_ALLOW_ALL: Final = Document((Statement(effect="Allow", actions=("*",), resources=("*",)),))


def assume_role(request: Any, context: IdentityContext) -> Edit[Result]:
    """AssumeRole. Raises QueryError."""
    subject = context.subject
    if subject is None:
        raise QueryError(Code.ACCESS_DENIED, messages.needs_authentication())
    arn = request.role_arn
    if not arn.startswith(PARTITION):
        raise invalid(messages.role_arn_invalid(arn))
    if subject.principal.type == "Account":
        raise QueryError(Code.ACCESS_DENIED, messages.root_may_not_assume())
    before = _session_before(context, subject)
    tags, transitive = session_tags(request, before)
    identity = _source_identity(request, subject)
    _check_allowed(request, context, subject, identity)
    role = holder_of(context.roster, arn)
    assert isinstance(role, Role), "only roles that are there are allowed"
    session = new_session(
        context,
        seconds=_seconds(request, role, subject),
        kind="role",
        account=role.account,
        name=role.name,
        id=role.id,
        session_name=request.role_session_name,
        source_identity=identity,
        tags=tags,
        transitive=transitive,
        chained=subject.principal.type == "AssumedRole",
        **given_policies(request, context, role.account),
    )
    assumed = {
        "AssumedRoleId": f"{role.id}:{session.session_name}",
        "Arn": f"arn:aws:sts::{role.account}:assumed-role/{role.name}/{session.session_name}",
    }
    answer = answer_of(session, context, AssumedRoleUser=assumed)
    return Edit({**answer, "SourceIdentity": identity})


def _session_before(context: IdentityContext, subject: Subject) -> Session | None:
    """The session that the request is signed with, whose transitive tags are inherited."""
    if subject.principal.type != "AssumedRole":
        return None
    session = context.identities.credentials.open_session(context.access_key)
    if session is None:  # forgotten since the request was verified: many others came
        raise QueryError(Code.THROTTLING, messages.rate_exceeded())
    return session


def _source_identity(request: Any, subject: Subject) -> str | None:
    """The source identity, which stays the same over a chain of sessions."""
    before = subject.principal.session_keys.get(_SOURCE_IDENTITY)
    asked: str | None = request.source_identity
    if before is not None and asked not in {None, before}:
        text = messages.may_not(subject.principal.arn, "sts:SetSourceIdentity", request.role_arn)
        raise QueryError(Code.ACCESS_DENIED, text)
    return asked or before


def _seconds(request: Any, role: Role, subject: Subject) -> int:
    asked: int = request.duration_seconds or SESSION_SECONDS
    if subject.principal.type == "AssumedRole" and asked > CHAINED_SESSION_SECONDS_MAX:
        raise invalid(messages.longer_than_chained())
    if asked > role.session_seconds_max:
        raise invalid(messages.longer_than_role())
    return asked


def _check_allowed(
    request: Any, context: IdentityContext, subject: Subject, identity: str | None
) -> None:
    """Raise AccessDenied unless the role trusts the caller, who may assume it."""
    arn = request.role_arn
    role = holder_of(context.roster, arn)
    actions = ["sts:AssumeRole"]
    if request.tags:
        actions.append("sts:TagSession")
    if identity is not None:
        actions.append("sts:SetSourceIdentity")
    keys = _keys(request, context, identity)
    for action in actions:
        refusal = QueryError(
            Code.ACCESS_DENIED, messages.may_not(subject.principal.arn, action, arn)
        )
        if not isinstance(role, Role):
            raise refusal
        trust = with_ids(Documents().of(role.trust, PolicyUse.TRUST), role.trusted_ids)
        tags = governed(arn, role.account, role.tags).keys
        resource = GovernedResource(arn, role.account, trust, tags)
        decision = Decisions().decide(subject, action, resource, keys)
        if decision.explicit:
            raise QueryError(Code.ACCESS_DENIED, denial(decision, subject, action, resource))
        # Within one account, too, a policy of the caller does not suffice: the role must trust it.
        anyone = replace(subject, identity=(_ALLOW_ALL,), boundary=None, session=None)
        foreign = replace(resource, account="")
        trusted = Decisions().decide(anyone, action, foreign, keys)
        if not (decision.allowed and trusted.allowed):
            raise refusal


def _keys(request: Any, context: IdentityContext, identity: str | None) -> Context:
    keys: dict[str, Any] = {
        **keys_of_connection(context.caller, context.now_ms),
        **tagging(request),
    }
    keys["sts:rolesessionname"] = (request.role_session_name,)
    if request.external_id is not None:
        keys["sts:externalid"] = (request.external_id,)
    if request.transitive_tag_keys:
        keys["sts:transitivetagkeys"] = tuple(request.transitive_tag_keys)
    if identity is not None:
        keys["sts:sourceidentity"] = (identity,)
    return keys


ASSUME_ROLE: Final = operation("sts:AssumeRole", resource=None, run=assume_role)
