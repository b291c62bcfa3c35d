"""Opens the identities of an engine, and reads them again when another process changes them."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec

from hashrange.access.identities.aws_managed import ADMINISTRATOR
from hashrange.access.identities.entities import (
    LONG_TERM_KEY,
    USER_ID,
    AccessKey,
    User,
    new_access_key,
    new_id,
    new_secret_key,
)
from hashrange.access.identities.roster import Roster
from hashrange.access.identities.seal import Sealer, SealError, sealing_key
from hashrange.access.identities.store import Edit, IdentityStore
from hashrange.access.identities.stored_credentials import (
    StoredCredentials,
    opened_secret,
    sealed_secret,
)
from hashrange.limits.access import IDENTITIES_LOOK_SECONDS
from hashrange.storage.engine import Engine, StorageError

ADMINISTRATOR_NAME = "administrator"


class IdentityKeyError(Exception):
    """The key of the operator is not the one that secret keys were sealed with."""


@dataclass(frozen=True, slots=True)
class Identities:
    """The identities of a process.

    Attributes:
        store: reads and changes them.
        sealer: seals secret keys and session tokens.
        credentials: finds keys and sessions.
        random_bytes: makes ids and keys.
    """

    store: IdentityStore
    sealer: Sealer
    credentials: StoredCredentials
    random_bytes: Callable[[int], bytes]

    def new_key(self, now_ms: int) -> tuple[AccessKey, str]:
        """A new long-term key, and its secret key."""
        access_key, secret_key = (
            new_access_key(LONG_TERM_KEY, self.random_bytes),
            new_secret_key(self.random_bytes),
        )
        sealed = sealed_secret(self.sealer, access_key, secret_key)
        return AccessKey(id=access_key, sealed=sealed, created_ms=now_ms), secret_key


async def open_identities(
    engine: Engine,
    secret: bytes,
    operator_key: bytes | None,
    random_bytes: Callable[[int], bytes],
) -> Identities:
    """Read all identities.

    Args:
        engine: holds them.
        secret: of the engine.
        operator_key: of the operator, beside the secret; None if there is none.
        random_bytes: of cryptographic strength.

    Raises:
        MissingPackageError: the package for encryption is not installed.
        IdentityKeyError: it is the wrong operator key.
        StorageError: they cannot be read.
    """
    sealer = Sealer(sealing_key(secret, operator_key), random_bytes)
    store = IdentityStore(engine)
    await store.refresh()
    _check_key(store.roster, sealer)
    return Identities(store, sealer, StoredCredentials(store, sealer), random_bytes)


def _check_key(roster: Roster, sealer: Sealer) -> None:
    """Open one secret key: all were sealed with one key."""
    key = next((key for user in roster.all_users() for key in user.keys), None)
    if key is None:
        return
    try:
        opened_secret(sealer, key.id, key.sealed)
    except SealError as error:
        raise IdentityKeyError from error


async def ensure_administrator(
    identities: Identities, account: str, now_ms: int
) -> tuple[str, str] | None:
    """Create a user who may do everything, if there is no user yet.

    Returns:
        Its access key and secret key, which are nowhere else; None if there are users.
    """
    key, secret_key = identities.new_key(now_ms)

    def decide(roster: Roster) -> Edit[tuple[str, str] | None]:
        if next(roster.all_users(), None) is not None:
            return Edit(None)
        user = User(
            account=account,
            name=ADMINISTRATOR_NAME,
            id=new_id(USER_ID, identities.random_bytes),
            created_ms=now_ms,
            attached=(ADMINISTRATOR,),
            keys=(key,),
        )
        return Edit((key.id, secret_key), puts=[user])

    return await identities.store.change(decide)


_log: Final = logging.getLogger(__name__)


async def watch(store: IdentityStore, look_seconds: float = IDENTITIES_LOOK_SECONDS) -> None:
    """Refresh the roster at an interval, until it is cancelled. Reads one key each time."""
    while True:
        try:
            await store.refresh()
        except StorageError:
            _log.debug("identities cannot be watched", exc_info=True)
        except msgspec.DecodeError:
            _log.exception("a row of identities cannot be read: run hashrange verify")
        await asyncio.sleep(look_seconds)
