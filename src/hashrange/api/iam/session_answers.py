"""Common parts of the operations that begin sessions: policies, tags, keys, the answer. Pure."""

from typing import Any

from hashrange.access.identities.entities import AWS, SESSION_KEY, new_access_key, new_secret_key
from hashrange.access.identities.sessions import Session, token_of
from hashrange.access.policies.checks import PolicyUse
from hashrange.api.iam.descriptions import date
from hashrange.api.iam.documents import document
from hashrange.api.iam.errors import Code, QueryError, invalid
from hashrange.api.iam.operation import IdentityContext
from hashrange.api.iam.tags import new_tags
from hashrange.limits.access import SESSION_TOKEN_CHARS_MAX
from hashrange.messages import identities as messages


def given_policies(
    request: Any, context: IdentityContext, account: str
) -> dict[str, tuple[str, ...]]:
    """The session policies of a request. Raises QueryError."""
    text = request.policy
    if text is not None:
        document(text, PolicyUse.SESSION)
    arns = tuple(each.arn for each in request.policy_arns or ())
    for arn in arns:
        policy = context.roster.policy(arn)
        if policy is None or policy.account not in {account, AWS}:
            raise invalid(messages.bad_policy_arn(arn))
    return {"policies": () if text is None else (text,), "policy_arns": arns}


def session_tags(request: Any, before: Session | None) -> tuple[dict[str, str], tuple[str, ...]]:
    """The tags of a new session and the keys of the transitive ones. Raises QueryError.

    Args:
        request: of the request.
        before: the session that the request is signed with; its transitive tags are inherited.
    """
    tags = new_tags({}, request, Code.INVALID_PARAMETER)
    transitive = tuple(getattr(request, "transitive_tag_keys", None) or ())
    lowered = {key.lower() for key in tags}
    if not {key.lower() for key in transitive} <= lowered:
        raise QueryError(Code.INVALID_PARAMETER, messages.transitive_tag_unknown())
    if before is None:
        return tags, transitive
    passed = {key.lower() for key in before.transitive}
    if passed & lowered:
        raise QueryError(Code.INVALID_PARAMETER, messages.tags_of_session_before())
    inherited = {key: value for key, value in before.tags.items() if key.lower() in passed}
    return {**inherited, **tags}, (*before.transitive, *transitive)


def new_session(context: IdentityContext, *, seconds: int, **members: Any) -> Session:
    """A session that begins now, with a new key."""
    draw = context.identities.random_bytes
    issued_ms = context.now_ms // 1000 * 1000
    return Session(
        access_key=new_access_key(SESSION_KEY, draw),
        secret_key=new_secret_key(draw),
        issued_ms=issued_ms,
        expires_ms=issued_ms + seconds * 1000,
        **members,
    )


def answer_of(session: Session, context: IdentityContext, **members: Any) -> dict[str, Any]:
    """The answer with the credentials of a session. Raises QueryError if its token is too large."""
    token = token_of(session, context.identities.sealer)
    percent = -(-100 * len(token) // SESSION_TOKEN_CHARS_MAX)
    if len(token) > SESSION_TOKEN_CHARS_MAX:
        raise QueryError(Code.PACKED_POLICY, messages.token_too_large(percent))
    has_more = bool(session.policies or session.policy_arns or session.tags)
    return {
        "Credentials": {
            "AccessKeyId": session.access_key,
            "SecretAccessKey": session.secret_key,
            "SessionToken": token,
            "Expiration": date(session.expires_ms),
        },
        "PackedPolicySize": percent if has_more else 0 if session.kind == "federated" else None,
        **members,
    }
