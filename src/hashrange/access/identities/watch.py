"""Notices changes of identities by other processes; runs in each process that answers requests."""

import asyncio
import logging
from typing import Final

import msgspec

from hashrange.access.identities.store import IdentityStore
from hashrange.limits.access import IDENTITIES_LOOK_SECONDS
from hashrange.storage.engine import StorageError

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
