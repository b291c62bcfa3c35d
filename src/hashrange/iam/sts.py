"""The other operations of STS: who calls, and sessions of users."""

from typing import Any, Final

from hashrange.iam.assumed_roles import ASSUME_ROLE
from hashrange.iam.condition_keys import context_of
from hashrange.iam.errors import Code, QueryError
from hashrange.iam.members import Parameters
from hashrange.iam.operation import (
    Operation,
    Result,
    Situation,
    anything,
    governed,
)
from hashrange.iam.session_answers import answer_of, given_policies, new_session, session_tags
from hashrange.identities.entities import User
from hashrange.identities.store import Edit
from hashrange.identities.subjects import account_root
from hashrange.limits.identities import USER_SESSION_SECONDS_MAX
from hashrange.messages import identities
from hashrange.messages import sessions as messages
from hashrange.policies.decisions import Decisions, GovernedResource, denial

_TAG_SESSION: Final = "sts:TagSession"
_USER_SESSION_SECONDS: Final = 43_200
assert _USER_SESSION_SECONDS <= USER_SESSION_SECONDS_MAX, "the default is allowed"


def root_identity(account: str) -> dict[str, str]:
    """Who calls a server that does not verify signatures: the root user of the account."""
    return {"Arn": account_root(account), "UserId": account, "Account": account}


def _get_caller_identity(_parameters: Parameters, situation: Situation) -> Edit[Result]:
    if situation.subject is None:
        return Edit(root_identity(situation.account))
    principal = situation.subject.principal
    told = {"Arn": principal.arn, "UserId": principal.user_id, "Account": principal.account}
    return Edit(told)


def _user_of(operation: str, situation: Situation) -> User:
    """The user whose long-term key has signed the request. Raises QueryError."""
    subject = situation.subject
    if subject is None:
        raise QueryError(Code.ACCESS_DENIED, identities.needs_authentication())
    principal = subject.principal
    if principal.token_issued is not None or principal.user_name is None:
        raise QueryError(Code.ACCESS_DENIED, messages.sessions_may_not(operation))
    user = situation.roster.user(principal.account, principal.user_name)
    if user is None or user.id != principal.user_id:
        text = identities.user_not_found(principal.user_name)
        raise QueryError(Code.NO_SUCH_ENTITY, text)
    return user


def _get_session_token(parameters: Parameters, situation: Situation) -> Edit[Result]:
    user = _user_of("GetSessionToken", situation)
    session = new_session(
        situation,
        seconds=parameters.get("DurationSeconds", _USER_SESSION_SECONDS),
        kind="user",
        account=user.account,
        name=user.name,
        id=user.id,
    )
    return Edit(answer_of(session, situation))


def _get_federation_token(parameters: Parameters, situation: Situation) -> Edit[Result]:
    user = _user_of("GetFederationToken", situation)
    if parameters.get("Tags"):
        _check_tagging(parameters, situation, user)
    tags, _ = session_tags(parameters, None)
    name = parameters["Name"]
    session = new_session(
        situation,
        seconds=parameters.get("DurationSeconds", _USER_SESSION_SECONDS),
        kind="federated",
        account=user.account,
        name=user.name,
        id=user.id,
        session_name=name,
        tags=tags,
        **given_policies(parameters, situation, user.account),
    )
    told = {
        "FederatedUserId": f"{user.account}:{name}",
        "Arn": f"arn:aws:sts::{user.account}:federated-user/{name}",
    }
    return Edit(answer_of(session, situation, FederatedUser=told))


def _check_tagging(parameters: Parameters, situation: Situation, user: User) -> None:
    """Raise AccessDenied unless the user may give a session tags."""
    assert situation.subject is not None, "it is a user's"
    resource = governed(user.arn, user.account, user.tags)
    context = context_of(_TAG_SESSION, parameters, situation)
    decision = Decisions().decide(situation.subject, _TAG_SESSION, resource, context)
    if not decision.allowed:
        text = denial(decision, situation.subject, _TAG_SESSION, resource)
        raise QueryError(Code.ACCESS_DENIED, text)


def _federated_resource(parameters: Parameters, situation: Situation) -> GovernedResource:
    arn = f"arn:aws:sts::{situation.account}:federated-user/{parameters['Name']}"
    return governed(arn, situation.account)


def _get_access_key_info(parameters: Parameters, situation: Situation) -> Edit[Result]:
    wanted = parameters["AccessKeyId"]
    owner = situation.roster.owner_of(wanted)
    session = situation.identities.credentials.open_session(wanted)
    found: Any = session if owner is None else owner
    if found is None:
        text = identities.access_key_not_found(wanted)
        raise QueryError(Code.NO_SUCH_ENTITY, text)
    return Edit({"Account": found.account})


def _decode_message(_parameters: Parameters, _situation: Situation) -> Edit[Result]:
    raise QueryError(Code.INVALID_MESSAGE, messages.no_messages())


OPERATIONS: Final = {
    "AssumeRole": ASSUME_ROLE,
    "GetCallerIdentity": Operation(resource=None, run=_get_caller_identity),
    "GetSessionToken": Operation(
        resource=None, run=_get_session_token, optional=["DurationSeconds"]
    ),
    "GetFederationToken": Operation(
        resource=_federated_resource,
        run=_get_federation_token,
        required=["Name"],
        optional=["Policy", "PolicyArns", "DurationSeconds", "Tags"],
    ),
    "GetAccessKeyInfo": Operation(
        resource=anything, run=_get_access_key_info, required=["AccessKeyId"]
    ),
    "DecodeAuthorizationMessage": Operation(
        resource=anything, run=_decode_message, required=["EncodedMessage"]
    ),
}
