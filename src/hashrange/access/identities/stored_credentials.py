"""Credentials, and how they are found in the roster, without waiting."""

from typing import Final, Protocol

import msgspec

from hashrange.access.identities.entities import SESSION_KEY, ManagedPolicy, User
from hashrange.access.identities.seal import Sealer, SealError
from hashrange.access.identities.sessions import Session, session_of
from hashrange.access.identities.store import IdentityStore
from hashrange.access.identities.subjects import Documents, of_session, of_user
from hashrange.access.policies.decisions import Subject
from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError, Fault
from hashrange.limits.access import (
    SESSION_TOKEN_CHARS_MAX,
    SESSIONS_CHARS_MAX,
    SESSIONS_MAX,
    USERS_MAX,
)
from hashrange.messages import access as messages


class Credential(msgspec.Struct, frozen=True):
    """An access key whose secret is known.

    Attributes:
        access_key: as in the scope of signatures.
        secret_key: what signing keys are derived from.
        subject: the principal, with the policies that apply to it; another object when they change.
        expires_ms: when a session ends; None for long-term keys.
    """

    access_key: str
    secret_key: str
    subject: Subject
    expires_ms: int | None = None

    def __repr__(self) -> str:
        """Without the secret, since tracebacks and logs contain it."""
        return f"Credential(access_key={self.access_key!r})"


class Credentials(Protocol):
    """Finds credentials, without waiting.

    Attributes:
        epoch: grows with each change of a key, a principal or a policy; what was derived from
            credentials of another epoch must not be used.
    """

    @property
    def epoch(self) -> int:
        """Number of the state of all identities, in this process."""

    def find(self, access_key: str, session_token: str | None) -> Credential:
        """The credential of an access key.

        Args:
            access_key: as in the scope of the signature.
            session_token: as sent in X-Amz-Security-Token; None if it was not sent.

        Raises:
            DynamoError: the key is not known or not active, or does not belong to the token.
        """


_PURPOSE: Final = "secret key "


def sealed_secret(sealer: Sealer, access_key: str, secret_key: str) -> bytes:
    """The secret key of a long-term key, as it is stored."""
    return sealer.seal(secret_key.encode(), _PURPOSE + access_key)


def opened_secret(sealer: Sealer, access_key: str, sealed: bytes) -> str:
    """The inverse of `sealed_secret`. Raises SealError."""
    return sealer.open(sealed, _PURPOSE + access_key).decode()


class StoredCredentials:
    """The credentials of the users and sessions in an engine; see `Credentials`.

    Args:
        store: the identities.
        sealer: opens secret keys and session tokens.
    """

    def __init__(self, store: IdentityStore, sealer: Sealer) -> None:
        self._store = store
        self._sealer = sealer
        self._documents = Documents()
        self._found_at = -1
        self._long_term: dict[str, Credential] = {}
        self._user_subjects: dict[str, tuple[tuple[object, ...], Subject]] = {}
        self._of_sessions: dict[tuple[str, str], Credential] = {}
        self._open: dict[str, Session] = {}
        self._sessions = BoundedCache[str, Session](
            entries_max=SESSIONS_MAX,
            chars_max=SESSIONS_CHARS_MAX,
            entry_chars_max=SESSION_TOKEN_CHARS_MAX,
        )

    @property
    def epoch(self) -> int:
        """Grows with each change of identities."""
        return self._store.epoch

    def find(self, access_key: str, session_token: str | None) -> Credential:
        """The credential of an access key; arguments and errors as `Credentials.find`."""
        if self._found_at != self._store.epoch:
            self._found_at = self._store.epoch
            self._long_term.clear()
            self._of_sessions.clear()
        if session_token is not None:
            return self._of_session(access_key, session_token)
        found = self._long_term.get(access_key)
        if found is None:
            found = self._long_term[access_key] = self._of_user(access_key)
        return found

    def session(self, access_key: str, session_token: str) -> Session:
        """The session of a token. Raises DynamoError if there is none of this access key."""
        session = self._sessions.get(session_token)
        if session is None:
            is_short = len(session_token) <= SESSION_TOKEN_CHARS_MAX
            session = session_of(session_token, self._sealer) if is_short else None
            if session is None:
                raise DynamoError(Fault.UNRECOGNIZED_CLIENT, messages.session_token_invalid())
            self._sessions.keep(session_token, session, len(session_token))
        if session.access_key != access_key:
            raise DynamoError(Fault.UNRECOGNIZED_CLIENT, messages.session_token_invalid())
        return session

    def open_session(self, access_key: str) -> Session | None:
        """The session of an access key, if this process has lately answered a request of it."""
        return self._open.get(access_key)

    def _of_session(self, access_key: str, token: str) -> Credential:
        key = (access_key, token)
        found = self._of_sessions.get(key)
        if found is not None:
            return found
        if not access_key.startswith(SESSION_KEY):
            raise DynamoError(Fault.UNRECOGNIZED_CLIENT, messages.session_token_invalid())
        session = self.session(access_key, token)
        subject = of_session(self._store.roster, self._documents, session)
        if subject is None:
            raise DynamoError(Fault.UNRECOGNIZED_CLIENT, messages.token_invalid())
        found = Credential(access_key, session.secret_key, subject, session.expires_ms)
        if len(self._of_sessions) >= SESSIONS_MAX:
            self._of_sessions.clear()
        if len(self._open) >= SESSIONS_MAX:
            self._open.clear()
        self._of_sessions[key] = found
        self._open[access_key] = session
        return found

    def _of_user(self, access_key: str) -> Credential:
        user = self._store.roster.owner_of(access_key)
        keys = () if user is None else user.keys
        for key in keys:
            if user is not None and key.id == access_key and key.status == "Active":
                try:
                    secret_key = opened_secret(self._sealer, key.id, key.sealed)
                except SealError:
                    break
                return Credential(access_key, secret_key, self._subject_of(user))
        raise DynamoError(Fault.UNRECOGNIZED_CLIENT, messages.token_invalid())

    def _subject_of(self, user: User) -> Subject:
        """The subject of a user: the same object until the user or a policy of it changes."""
        roster = self._store.roster
        policies: list[ManagedPolicy | None] = [roster.policy(arn) for arn in user.attached]
        if user.boundary is not None:
            policies.append(roster.policy(user.boundary))
        made_of = (user, *policies)
        found = self._user_subjects.get(user.arn)
        if found is not None and all(map(_is, found[0], made_of)) and len(found[0]) == len(made_of):
            return found[1]
        subject = of_user(roster, self._documents, user)
        if len(self._user_subjects) >= USERS_MAX:
            self._user_subjects.clear()
        self._user_subjects[user.arn] = made_of, subject
        return subject


def _is(one: object, other: object) -> bool:
    return one is other
