"""The identities of one process of a server: opened, watched, and answered for by IAM and STS."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Final

import msgspec

from hashrange.clock import Clock
from hashrange.iam.performer import IdentityPerformer
from hashrange.iam.query_api import QueryApi
from hashrange.iam.registry import IAM, STS
from hashrange.identities.credentials import Credentials
from hashrange.identities.opening import (
    Identities,
    IdentityKeyError,
    ensure_administrator,
    open_identities,
)
from hashrange.identities.watch import watch
from hashrange.optional_packages import MissingPackageError
from hashrange.server.apis import Api
from hashrange.setting_kinds import Auth
from hashrange.settings import Settings
from hashrange.storage.engine import StorageOpenError
from hashrange.tables.store import Store

_FIRST_USER: Final = """\
The first user of this server is {name}, who may do everything. Its secret key is not shown again:
  export AWS_ACCESS_KEY_ID={access_key}
  export AWS_SECRET_ACCESS_KEY={secret_key}
"""


class ServedIdentities(msgspec.Struct, frozen=True):
    """What a server needs of identities.

    Attributes:
        credentials: of the callers; None if signatures are not verified.
        apis: IAM and STS, by the services of signatures.
    """

    credentials: Credentials | None
    apis: dict[str, Api]


async def begin_identities(store: Store, settings: Settings, tell: Callable[[str], object]) -> None:
    """Check that the identities can be opened; make an administrator if there is no user yet.

    Args:
        store: of the process that writes.
        settings: those of the operator.
        tell: gets the keys of the administrator, which are nowhere else.

    Raises:
        StorageOpenError: the identities cannot be opened.
    """
    if settings.auth is Auth.OFF:
        return
    identities = await _opened(store, settings)
    made = await ensure_administrator(identities, settings.account, store.clock.now_ms())
    if made is not None:
        access_key, secret_key = made
        name = "administrator"
        tell(_FIRST_USER.format(name=name, access_key=access_key, secret_key=secret_key))


@contextlib.asynccontextmanager
async def served_identities(store: Store, settings: Settings) -> AsyncIterator[ServedIdentities]:
    """Open the identities for a process that answers requests, and watch them meanwhile.

    Raises:
        StorageOpenError: the identities cannot be opened.
    """
    if settings.auth is Auth.OFF:
        yield ServedIdentities(None, _apis(None, store.clock))
        return
    identities = await _opened(store, settings)
    watching = asyncio.get_running_loop().create_task(watch(identities.store))
    performer = IdentityPerformer(identities, store.clock.now_ms)
    try:
        yield ServedIdentities(identities.credentials, _apis(performer, store.clock))
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching


def _apis(performer: IdentityPerformer | None, clock: Clock) -> dict[str, Api]:
    return {each.name: QueryApi(each, performer, clock.new_uuid) for each in (IAM, STS)}


async def _opened(store: Store, settings: Settings) -> Identities:
    path, draw = settings.identity_key_file, store.clock.random_bytes
    try:
        key = None if path is None else path.read_bytes()
        return await open_identities(store.engine, store.secret, key, draw)
    except OSError as error:
        raise StorageOpenError(f"--identity-key-file {path}: {error.strerror}") from error
    except IdentityKeyError as error:
        text = "the identities are sealed with another key than that of --identity-key-file"
        raise StorageOpenError(text) from error
    except MissingPackageError as error:
        raise StorageOpenError(str(error)) from error
