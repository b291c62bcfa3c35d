"""The secret of the servers of an engine: it authenticates values that clients send back.

It is stored in the engine, so that it outlives a restart and all servers and workers have the same.
Each use passes a `person` of its own to BLAKE2b, so a value for one use is not valid for another.
"""

from collections.abc import Callable
from typing import Final

from hashrange.storage.engine import Changes, Engine, StorageUnavailableError
from hashrange.tables.keys import system_keys

SECRET_BYTES: Final = 32


async def stored_secret(engine: Engine, random_bytes: Callable[[int], bytes]) -> bytes:
    """The secret of an engine; the first call creates it from random bytes.

    On a full disk it is not stored, and only the calling process has it: a server must start there,
    so that items can be deleted. Raises StorageError.
    """
    key = system_keys.secret_key()
    (secret,) = await engine.read([key])
    if secret is not None:
        return secret
    created = random_bytes(SECRET_BYTES)

    def decide(stored: list[bytes | None]) -> Changes[bytes]:
        (secret,) = stored  # of another server, if that was first
        if secret is not None:
            return Changes(answer=secret)
        return Changes(answer=created, puts={key: created})

    try:
        return await engine.write([key], decide)
    except StorageUnavailableError:
        return created


async def secret_findings(engine: Engine) -> list[str]:
    """A line if the secret is damaged; an absent secret is created by the next server."""
    (secret,) = await engine.read([system_keys.secret_key()])
    if secret is None or len(secret) == SECRET_BYTES:
        return []
    return [f"secret: it has {len(secret)} bytes instead of {SECRET_BYTES}"]
