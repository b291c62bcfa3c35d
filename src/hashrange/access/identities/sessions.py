"""Sessions: temporary credentials, which are not stored but sealed into their tokens.

A token contains everything that its session is, encrypted and authenticated, so any server with
the same key can open it, and nobody can change it. What a session may do is looked up in the
roster at each change: it ends with its role or user.
"""

import zlib
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.access.identities.seal import Sealer, SealError

SessionKind: TypeAlias = Literal["role", "user", "federated"]
_PURPOSE: Final = "session"
_NO_TEXTS: Final[Mapping[str, str]] = {}


class Session(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A session.

    Attributes:
        kind: of AssumeRole, GetSessionToken or GetFederationToken.
        name: of the role or user.
        id: the unique id of the role or user.
        session_name: chosen by the caller of AssumeRole or GetFederationToken.
        tags: of the session, those that it inherits included.
        transitive: the keys of tags that sessions inherit which are asked for with this one.
        policies: texts of session policies.
        policy_arns: managed policies that are session policies.
        chained: another session of a role has asked for it.
    """

    access_key: str
    secret_key: str
    kind: SessionKind
    account: str
    name: str
    id: str
    issued_ms: int
    expires_ms: int
    session_name: str = ""
    source_identity: str | None = None
    tags: Mapping[str, str] = _NO_TEXTS
    transitive: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    policy_arns: tuple[str, ...] = ()
    chained: bool = False

    def __repr__(self) -> str:
        """Without the secret, since tracebacks and logs contain it."""
        return f"Session(access_key={self.access_key!r})"


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Session).decode


def token_of(session: Session, sealer: Sealer) -> str:
    """The token of a session: printable ASCII."""
    return b64encode(sealer.seal(zlib.compress(_encode(session)), _PURPOSE)).decode()


def session_of(token: str, sealer: Sealer) -> Session | None:
    """The session of a token; None if it is not one of these servers, or was changed."""
    try:
        sealed = b64decode(token, validate=True)
        return _decode(zlib.decompress(sealer.open(sealed, _PURPOSE)))
    except (SealError, Base64Error, ValueError, zlib.error, msgspec.DecodeError):
        return None
