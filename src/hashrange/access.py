"""Access of callers in one process: their credentials, read from the engine and watched."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from hashrange.identities.credentials import Credentials
from hashrange.identities.opening import IdentityKeyError, open_identities
from hashrange.identities.watch import watch
from hashrange.optional_packages import MissingPackageError
from hashrange.parts import Parts
from hashrange.setting_kinds import Auth
from hashrange.storage.engine import StorageError, StorageOpenError


@contextlib.asynccontextmanager
async def credentials_of(
    parts: Parts, given: Credentials | None = None
) -> AsyncIterator[Credentials | None]:
    """The credentials of callers, watched within the context; None with `--auth off`.

    Args:
        parts: those of this process.
        given: credentials that are not in the engine; None for those in the engine.

    Raises:
        StorageOpenError: they cannot be read.
    """
    if parts.settings.auth is Auth.OFF or given is not None:
        yield None if parts.settings.auth is Auth.OFF else given
        return
    store = parts.store
    assert store.secret, "loaded when the engine was opened"
    try:
        identities = await open_identities(
            store.engine, store.secret, None, store.clock.random_bytes
        )
    except (IdentityKeyError, MissingPackageError, StorageError) as error:
        raise StorageOpenError(f"the users cannot be read: {error}") from error
    watching = asyncio.get_running_loop().create_task(watch(identities.store))
    try:
        yield identities.credentials
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
