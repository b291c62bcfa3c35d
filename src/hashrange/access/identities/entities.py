"""The stored entities of identities: users with their access keys, roles, managed policies.

The structs are rows of the engine, in JSON: members may be added with a default, and are never
renamed.
"""

from base64 import b32encode, b64encode
from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.tables.keys.identity_keys import IdentityKind, identity_key

PARTITION: Final = "arn:aws:iam::"
AWS: Final = "aws"
"""The account of policies that are built in."""
_NO_TEXTS: Final[Mapping[str, str]] = {}
KeyStatus: TypeAlias = Literal["Active", "Inactive"]


class AccessKey(msgspec.Struct, frozen=True, kw_only=True):
    """A long-term key of a user.

    Attributes:
        sealed: the secret key, sealed with the identity key: `seal`.
    """

    id: str
    sealed: bytes
    status: KeyStatus = "Active"
    created_ms: int


class User(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A user.

    Attributes:
        id: unique for all time; a user that is created again has another.
        inline: texts of policies, by name.
        attached: ARNs of managed policies, in the order of their attachment.
        boundary: the ARN of the managed policy that is the permissions boundary.
    """

    account: str
    name: str
    id: str
    created_ms: int
    path: str = "/"
    tags: Mapping[str, str] = _NO_TEXTS
    inline: Mapping[str, str] = _NO_TEXTS
    attached: tuple[str, ...] = ()
    boundary: str | None = None
    keys: tuple[AccessKey, ...] = ()

    @property
    def arn(self) -> str:
        """With the path."""
        return f"{PARTITION}{self.account}:user{self.path}{self.name}"

    @property
    def row_key(self) -> bytes:
        """The key of the row."""
        return identity_key(IdentityKind.USER, self.account, self.name)


class Role(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A role; members as of `User`.

    Attributes:
        trust: the text of the trust policy.
        trusted_ids: unique ids of the principals that the trust policy named by ARN when it was
            set; an entity that is created again under the same ARN is not trusted.
        session_seconds_max: the longest session.
    """

    account: str
    name: str
    id: str
    created_ms: int
    trust: str
    trusted_ids: Mapping[str, str] = _NO_TEXTS
    path: str = "/"
    description: str | None = None
    session_seconds_max: int = 3600
    tags: Mapping[str, str] = _NO_TEXTS
    inline: Mapping[str, str] = _NO_TEXTS
    attached: tuple[str, ...] = ()
    boundary: str | None = None

    @property
    def arn(self) -> str:
        """With the path."""
        return f"{PARTITION}{self.account}:role{self.path}{self.name}"

    @property
    def row_key(self) -> bytes:
        """The key of the row."""
        return identity_key(IdentityKind.ROLE, self.account, self.name)


class PolicyVersion(msgspec.Struct, frozen=True):
    """A version of a managed policy; `id` is `v1`, `v2` and so on."""

    id: str
    text: str
    created_ms: int


class ManagedPolicy(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A managed policy.

    Attributes:
        versions: at least one, the oldest first.
        default: the id of the version that applies.
        last_version: the number of the newest version that there ever was.
    """

    account: str
    name: str
    id: str
    created_ms: int
    updated_ms: int
    versions: tuple[PolicyVersion, ...]
    default: str = "v1"
    last_version: int = 1
    path: str = "/"
    description: str | None = None
    tags: Mapping[str, str] = _NO_TEXTS

    @property
    def arn(self) -> str:
        """With the path."""
        return f"{PARTITION}{self.account}:policy{self.path}{self.name}"

    @property
    def row_key(self) -> bytes:
        """The key of the row."""
        return identity_key(IdentityKind.POLICY, self.account, self.name)

    @property
    def text(self) -> str:
        """The document of the version that applies."""
        return next(each.text for each in self.versions if each.id == self.default)


Holder: TypeAlias = User | Role
"""An entity that policies are attached to."""
Entity: TypeAlias = User | Role | ManagedPolicy


RandomBytes = Callable[[int], bytes]

USER_ID: Final = "AIDA"
ROLE_ID: Final = "AROA"
POLICY_ID: Final = "ANPA"
LONG_TERM_KEY: Final = "AKIA"
SESSION_KEY: Final = "ASIA"
_ID_BYTES: Final = 11
_ID_CHARS: Final = 21
_KEY_BYTES: Final = 10
_SECRET_BYTES: Final = 30


def new_id(prefix: str, random_bytes: RandomBytes) -> str:
    """The id of a user, role or policy: a prefix and 17 letters and digits, which no other has."""
    return (prefix + b32encode(random_bytes(_ID_BYTES)).decode())[:_ID_CHARS]


def new_access_key(prefix: str, random_bytes: RandomBytes) -> str:
    """An access key: a prefix and 16 letters and digits, which no other has."""
    return prefix + b32encode(random_bytes(_KEY_BYTES)).decode()


def new_secret_key(random_bytes: RandomBytes) -> str:
    """A secret key of 40 characters."""
    return b64encode(random_bytes(_SECRET_BYTES)).decode()
