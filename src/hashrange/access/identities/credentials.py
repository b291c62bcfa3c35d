"""The credentials that requests are signed with."""

from typing import Protocol

import msgspec

from hashrange.access.policies.decisions import Subject


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
