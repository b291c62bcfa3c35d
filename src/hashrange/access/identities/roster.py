"""The roster: a copy of all identities in the memory of a process."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import msgspec

from hashrange.access.identities.aws_managed import AWS_MANAGED
from hashrange.access.identities.entities import (
    PARTITION,
    Entity,
    Holder,
    ManagedPolicy,
    Role,
    User,
)
from hashrange.tables.keys.identity_keys import IdentityKind, identity_key, kind_of

_DECODERS: Final[Mapping[IdentityKind, Callable[[bytes], Entity]]] = {
    IdentityKind.USER: msgspec.json.Decoder(User).decode,
    IdentityKind.ROLE: msgspec.json.Decoder(Role).decode,
    IdentityKind.POLICY: msgspec.json.Decoder(ManagedPolicy).decode,
}
_is_session: Final = re.compile(
    r"arn:aws:sts::(\d{12}):assumed-role/([^/]+)/(.+)", re.ASCII
).fullmatch
encoded: Final = msgspec.json.Encoder().encode
"""The row of an entity."""


def decoded(key: bytes, row: bytes) -> Entity:
    """The entity of a row. Raises msgspec.DecodeError for one that cannot be read."""
    kind = kind_of(key)
    if kind is None:
        raise msgspec.DecodeError("the key is of no entity")
    return _DECODERS[kind](row)


class Roster:
    """All identities at one revision; `apply` moves it to the next.

    Attributes:
        revision: of the engine; 0 before there were any identities.
    """

    def __init__(self) -> None:
        self.revision = 0
        self._entities: dict[bytes, Entity] = {}
        self._key_owners: dict[str, User] = {}
        self._policies = {policy.arn: policy for policy in AWS_MANAGED}

    def apply(self, rows: Iterable[tuple[bytes, bytes | None]], revision: int) -> None:
        """Replace rows; None removes an entity. Raises msgspec.DecodeError before any change."""
        entities = [(key, None if row is None else decoded(key, row)) for key, row in rows]
        # A user that is renamed leaves one row and has the same keys in another.
        for key, _ in entities:
            self._remove(key)
        for key, entity in entities:
            if entity is not None:
                self._add(key, entity)
        self.revision = revision

    def _remove(self, key: bytes) -> None:
        match self._entities.pop(key, None):
            case User(keys=keys):
                for each in keys:
                    self._key_owners.pop(each.id, None)
            case ManagedPolicy(arn=arn):
                self._policies.pop(arn, None)
            case _:
                pass

    def _add(self, key: bytes, entity: Entity) -> None:
        self._entities[key] = entity
        match entity:
            case User(keys=keys):
                self._key_owners.update(dict.fromkeys((each.id for each in keys), entity))
            case ManagedPolicy(arn=arn):
                self._policies[arn] = entity
            case _:
                pass

    def user(self, account: str, name: str) -> User | None:
        """A user by its name, in any case."""
        found = self._entities.get(identity_key(IdentityKind.USER, account, name))
        return found if isinstance(found, User) else None

    def role(self, account: str, name: str) -> Role | None:
        """A role by its name, in any case."""
        found = self._entities.get(identity_key(IdentityKind.ROLE, account, name))
        return found if isinstance(found, Role) else None

    def policy(self, arn: str) -> ManagedPolicy | None:
        """A managed policy, also of those that are built in."""
        return self._policies.get(arn)

    def named_policy(self, account: str, name: str) -> ManagedPolicy | None:
        """A managed policy of an account by its name, in any case."""
        found = self._entities.get(identity_key(IdentityKind.POLICY, account, name))
        return found if isinstance(found, ManagedPolicy) else None

    def owner_of(self, access_key: str) -> User | None:
        """The user of a long-term access key."""
        return self._key_owners.get(access_key)

    def users(self, account: str) -> Iterator[User]:
        """The users of an account, in no order."""
        return (each for each in self.all_users() if each.account == account)

    def roles(self, account: str) -> Iterator[Role]:
        """The roles of an account, in no order."""
        for each in self._entities.values():
            if isinstance(each, Role) and each.account == account:
                yield each

    def policies(self, account: str) -> Iterator[ManagedPolicy]:
        """The managed policies of an account, or of `aws`, in no order."""
        for each in self._policies.values():
            if each.account == account:
                yield each

    def all_users(self) -> Iterator[User]:
        """The users of all accounts."""
        return (each for each in self._entities.values() if isinstance(each, User))

    def holders(self) -> Iterator[Holder]:
        """All users and roles."""
        entities = self._entities.values()
        return (each for each in entities if not isinstance(each, ManagedPolicy))


def unique_ids(roster: Roster, arns: Iterable[str]) -> dict[str, str]:
    """The unique ids of users, roles and their sessions, by ARN; without those not there."""
    found = {}
    for arn in arns:
        holder = holder_of(roster, arn)
        session = _is_session(arn)
        if holder is not None:
            found[arn] = holder.id
        elif session is not None:
            account, name, session_name = session.groups()
            role = roster.role(account, name)
            if role is not None:
                found[arn] = f"{role.id}:{session_name}"
    return found


def gone_since(roster: Roster, ids: Mapping[str, str]) -> dict[str, str]:
    """Of unique ids by ARN those of principals that are gone, or are others now."""
    now = unique_ids(roster, ids)
    return {arn: each for arn, each in ids.items() if now.get(arn) != each}


def holder_of(roster: Roster, arn: str) -> Holder | None:
    """The user or role of an ARN."""
    account, _, place = arn.removeprefix(PARTITION).partition(":")
    kind, _, path = place.partition("/")
    name = path.rpartition("/")[2]
    found = roster.user(account, name) if kind == "user" else roster.role(account, name)
    return found if found is not None and found.arn == arn else None
