"""Subjects: principals with their policies, made of the roster."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from hashrange.access.identities.entities import PARTITION, Holder, Role, User
from hashrange.access.identities.roster import Roster
from hashrange.access.identities.sessions import Session
from hashrange.access.policies.checks import MalformedPolicyError, PolicyUse
from hashrange.access.policies.decisions import Subject
from hashrange.access.policies.documents import parse
from hashrange.access.policies.principals import Principal, PrincipalType
from hashrange.access.policies.syntax import Document, Statement
from hashrange.bounded_cache import BoundedCache
from hashrange.limits.access import PARSED_POLICIES_CHARS_MAX, PARSED_POLICIES_MAX
from hashrange.model.times import iso_time

_DENY_ALL: Final = Document((Statement(effect="Deny", actions=("*",), resources=("*",)),))
"""In the place of a stored policy that cannot be read: it must not allow more than was meant."""
_SESSION_ARN: Final = "arn:aws:sts::{account}:assumed-role/{role}/{name}"
_FEDERATED_ARN: Final = "arn:aws:sts::{account}:federated-user/{name}"


class Documents:
    """Parsed policy documents, by their texts."""

    def __init__(self) -> None:
        self._parsed = BoundedCache[tuple[str, PolicyUse], Document](
            entries_max=PARSED_POLICIES_MAX,
            chars_max=PARSED_POLICIES_CHARS_MAX,
            entry_chars_max=PARSED_POLICIES_CHARS_MAX,
        )

    def of(self, text: str, use: PolicyUse) -> Document:
        """The document of a stored text."""
        key = (text, use)
        found = self._parsed.get(key)
        if found is None:
            try:
                found = parse(text, use, is_stored=True)
            except MalformedPolicyError:
                found = _DENY_ALL
            self._parsed.keep(key, found, len(text))
        return found

    def managed(self, roster: Roster, arns: Iterable[str]) -> tuple[Document, ...]:
        """The documents of managed policies; those that are gone are left out."""
        found = (roster.policy(arn) for arn in arns)
        return tuple(self.of(each.text, PolicyUse.MANAGED) for each in found if each is not None)

    def identity(self, roster: Roster, holder: Holder) -> tuple[Document, ...]:
        """The identity policies of a user or role."""
        inline = (self.of(text, PolicyUse.INLINE) for text in holder.inline.values())
        return (*inline, *self.managed(roster, holder.attached))

    def boundary(self, roster: Roster, holder: Holder) -> Document | None:
        """The permissions boundary; one that is gone denies everything."""
        if holder.boundary is None:
            return None
        policy = roster.policy(holder.boundary)
        return _DENY_ALL if policy is None else self.of(policy.text, PolicyUse.MANAGED)


def of_user(roster: Roster, documents: Documents, user: User) -> Subject:
    """The subject of a user's own keys."""
    principal = Principal(
        type="User",
        arn=user.arn,
        account=user.account,
        user_id=user.id,
        user_name=user.name,
        tags=user.tags,
    )
    return _subject(roster, documents, user, principal)


def of_role(roster: Roster, documents: Documents, role: Role) -> Subject:
    """The subject of a role without a session, for simulations."""
    principal = Principal(
        type="AssumedRole",
        arn=role.arn,
        account=role.account,
        issuer=role.arn,
        issuer_id=role.id,
        user_id=role.id,
        tags=role.tags,
    )
    return _subject(roster, documents, role, principal)


def _subject(roster: Roster, documents: Documents, holder: Holder, principal: Principal) -> Subject:
    boundary = documents.boundary(roster, holder)
    return Subject(principal, documents.identity(roster, holder), boundary)


def of_session(roster: Roster, documents: Documents, session: Session) -> Subject | None:
    """The subject of a session; None if its role or user is gone, or is another by now."""
    find = roster.role if session.kind == "role" else roster.user
    holder = find(session.account, session.name)
    if holder is None or holder.id != session.id:
        return None
    given = [documents.of(text, PolicyUse.SESSION) for text in session.policies]
    given += documents.managed(roster, session.policy_arns)
    has_policies = bool(session.policies or session.policy_arns)
    subject = _subject(roster, documents, holder, principal_of(holder, session))
    return replace(subject, session=tuple(given) if has_policies else None)


def principal_of(holder: Holder, session: Session) -> Principal:
    """The principal of a session of a user or role."""
    keys = (
        {} if session.source_identity is None else {"aws:SourceIdentity": session.source_identity}
    )
    kind: PrincipalType = "User"
    arn, user_id, issuer, user_name = holder.arn, session.id, None, None
    match session.kind:
        case "role":
            kind, issuer = "AssumedRole", holder.arn
            place = {"account": session.account, "role": holder.name, "name": session.session_name}
            arn, user_id = _SESSION_ARN.format(**place), f"{session.id}:{session.session_name}"
        case "federated":
            kind, issuer = "FederatedUser", holder.arn
            arn = _FEDERATED_ARN.format(account=session.account, name=session.session_name)
            user_id = f"{session.account}:{session.session_name}"
        case "user":
            user_name = holder.name
    return Principal(
        type=kind,
        arn=arn,
        account=session.account,
        issuer=issuer,
        issuer_id=None if issuer is None else session.id,
        user_id=user_id,
        user_name=user_name,
        tags=_tags(holder, session),
        token_issued=iso_time(session.issued_ms),
        has_mfa=False,
        session_keys=keys,
    )


def _tags(holder: Holder, session: Session) -> dict[str, str]:
    """The tags of the principal; those of the session win, and keys are the same in any case."""
    if session.kind == "federated":
        return dict(session.tags)
    own = {key.lower() for key in session.tags}
    return {
        **{key: value for key, value in holder.tags.items() if key.lower() not in own},
        **session.tags,
    }


def account_root(account: str) -> str:
    """The ARN of an account's root user."""
    return f"{PARTITION}{account}:root"
