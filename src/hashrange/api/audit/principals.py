"""`userIdentity` of records: who made a request. Pure.

Source: CloudTrail User Guide, "CloudTrail userIdentity element".
"""

from typing import Final, TypeAlias

from hashrange.access.policies.principals import Principal
from hashrange.access.signatures.canonical import Scope
from hashrange.api.steps.operation import Caller

Identity: TypeAlias = dict[str, object]

_TYPES: Final = {
    "Account": "Root",
    "User": "IAMUser",
    "AssumedRole": "AssumedRole",
    "FederatedUser": "FederatedUser",
    "Service": "AWSService",
    "Anonymous": "Unknown",
}


def identity_of(caller: Caller, scope: Scope | None) -> Identity:
    """The member `userIdentity` for a caller.

    Args:
        caller: of the request.
        scope: what the signature claims; only looked at if signatures are not verified.
    """
    if caller.subject is None:
        return unverified(caller, scope)
    access_key = "" if caller.connection is None else caller.connection.access_key
    return verified(caller.subject.principal, access_key)


def unverified(caller: Caller, scope: Scope | None) -> Identity:
    """A caller whose signature was not verified: the account and the key are what it claims."""
    access_key = "" if scope is None else scope.access_key
    return {
        "type": "Unknown",
        "principalId": access_key,
        "accountId": caller.account,
        "accessKeyId": access_key,
        "unverified": True,
    }


def verified(principal: Principal, access_key: str) -> Identity:
    """A principal whose signature was verified."""
    kind = _TYPES[principal.type]
    if principal.type == "Service":
        return {"type": kind, "invokedBy": principal.arn}
    identity: Identity = {
        "type": kind,
        "principalId": principal.user_id or principal.account,
        "arn": principal.arn,
        "accountId": principal.account,
        "accessKeyId": access_key,
    }
    if principal.user_name is not None:
        identity["userName"] = principal.user_name
    if principal.token_issued is not None:
        identity["sessionContext"] = _session(principal)
    return identity


def _session(principal: Principal) -> Identity:
    session: Identity = {}
    if principal.issuer is not None:
        head, _, path = principal.issuer.partition("/")
        session["sessionIssuer"] = {
            "type": "Role" if head.endswith(":role") else "IAMUser",
            "principalId": principal.user_id.partition(":")[0],
            "arn": principal.issuer,
            "accountId": principal.account,
            "userName": path.rpartition("/")[2],
        }
    session["attributes"] = {
        "creationDate": principal.token_issued,
        "mfaAuthenticated": str(bool(principal.has_mfa)).lower(),
    }
    return session


def user_name_of(identity: Identity) -> str | None:
    """The name by which LookupEvents finds the events of a principal, as on AWS.

    A user by its name, the root user as `root`, a session by the session's name, and a caller who
    was not verified by the access key.
    """
    if identity.get("type") == "Root":
        return "root"
    name = identity.get("userName")
    if name is None:
        whole = str(identity.get("arn") or identity.get("principalId") or "")
        name = whole.rpartition("/")[2] or None
    return None if name is None else str(name)
