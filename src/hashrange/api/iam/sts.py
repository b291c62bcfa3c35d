"""The other operations of STS: who calls, and sessions of users."""

from typing import Any, Final

from hashrange.access.identities.entities import User
from hashrange.access.identities.store import Edit
from hashrange.access.identities.subjects import account_root
from hashrange.access.policies.decisions import GovernedResource
from hashrange.api.iam.assumed_roles import ASSUME_ROLE
from hashrange.api.iam.errors import Code, QueryError
from hashrange.api.iam.operation import (
    IdentityContext,
    Result,
    anything,
    governed,
    keys_of,
)
from hashrange.api.iam.rows import operation
from hashrange.api.iam.session_answers import answer_of, given_policies, new_session, session_tags
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Requirement
from hashrange.messages import identities as messages
from hashrange.wire.service import ServiceOperation, by_name

_TAG_SESSION: Final = "sts:TagSession"
_USER_SESSION_SECONDS: Final = 43_200


def root_identity(account: str) -> dict[str, str]:
    """The caller of a server that does not verify signatures: the root user of the account."""
    return {"Arn": account_root(account), "UserId": account, "Account": account}


def _get_caller_identity(_request: Any, context: IdentityContext) -> Edit[Result]:
    if context.subject is None:
        return Edit(root_identity(context.account))
    principal = context.subject.principal
    members = {"Arn": principal.arn, "UserId": principal.user_id, "Account": principal.account}
    return Edit(members)


async def _root_identity(_request: Any, caller: Caller) -> dict[str, str]:
    return root_identity(caller.account)


def _user_of(operation: str, context: IdentityContext) -> User:
    """The user whose long-term key has signed the request. Raises QueryError."""
    subject = context.subject
    if subject is None:
        raise QueryError(Code.ACCESS_DENIED, messages.needs_authentication())
    principal = subject.principal
    if principal.token_issued is not None or principal.user_name is None:
        raise QueryError(Code.ACCESS_DENIED, messages.sessions_may_not(operation))
    user = context.roster.user(principal.account, principal.user_name)
    if user is None or user.id != principal.user_id:
        text = messages.user_not_found(principal.user_name)
        raise QueryError(Code.NO_SUCH_ENTITY, text)
    return user


def _get_session_token(request: Any, context: IdentityContext) -> Edit[Result]:
    user = _user_of("GetSessionToken", context)
    session = new_session(
        context,
        seconds=(request.duration_seconds or _USER_SESSION_SECONDS),
        kind="user",
        account=user.account,
        name=user.name,
        id=user.id,
    )
    return Edit(answer_of(session, context))


def _get_federation_token(request: Any, context: IdentityContext) -> Edit[Result]:
    user = _user_of("GetFederationToken", context)
    if request.tags:
        _check_tagging(request, context, user)
    tags, _ = session_tags(request, None)
    name = request.name
    session = new_session(
        context,
        seconds=(request.duration_seconds or _USER_SESSION_SECONDS),
        kind="federated",
        account=user.account,
        name=user.name,
        id=user.id,
        session_name=name,
        tags=tags,
        **given_policies(request, context, user.account),
    )
    members = {
        "FederatedUserId": f"{user.account}:{name}",
        "Arn": f"arn:aws:sts::{user.account}:federated-user/{name}",
    }
    return Edit(answer_of(session, context, FederatedUser=members))


def _check_tagging(request: Any, context: IdentityContext, user: User) -> None:
    """Raise AccessDenied unless the user may give a session tags."""
    assert context.subject is not None, "it is a user's"
    resource = governed(user.arn, user.account, user.tags)
    keys = keys_of(_TAG_SESSION, request, context)
    context.check_allowed(Requirement(_TAG_SESSION, resource, keys))


def _federated_resource(request: Any, context: IdentityContext) -> GovernedResource:
    arn = f"arn:aws:sts::{context.account}:federated-user/{request.name}"
    return governed(arn, context.account)


def _get_access_key_info(request: Any, context: IdentityContext) -> Edit[Result]:
    wanted = request.access_key_id
    owner = context.roster.owner_of(wanted)
    session = context.identities.credentials.open_session(wanted)
    found: Any = session if owner is None else owner
    if found is None:
        text = messages.access_key_not_found(wanted)
        raise QueryError(Code.NO_SUCH_ENTITY, text)
    return Edit({"Account": found.account})


def _decode_message(_request: Any, _context: IdentityContext) -> Edit[Result]:
    raise QueryError(Code.INVALID_MESSAGE, messages.no_messages())


OPERATIONS: Final = by_name(
    ASSUME_ROLE,
    operation("sts:GetCallerIdentity", resource=None, run=_get_caller_identity),
    operation("sts:GetSessionToken", resource=None, run=_get_session_token),
    operation("sts:GetFederationToken", resource=_federated_resource, run=_get_federation_token),
    operation("sts:GetAccessKeyInfo", resource=anything, run=_get_access_key_info),
    operation("sts:DecodeAuthorizationMessage", resource=anything, run=_decode_message),
)

WITHOUT_IDENTITIES: Final = by_name(
    ServiceOperation(
        request=OPERATIONS["GetCallerIdentity"].request,
        run=_root_identity,
    )
)
"""The operations of a server that does not verify signatures."""
