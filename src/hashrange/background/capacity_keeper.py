"""Keeps the capacity of tables: maintenance, splits of shards, and what must be stored."""

import asyncio
import logging
from typing import Final

from hashrange.api.admission.capacities import Capacities
from hashrange.storage.engine import StorageError
from hashrange.storage.failures import Failures

_log: Final = logging.getLogger(__name__)


class CapacityKeeper:
    """A background task of each process that answers requests with `--throttle on`."""

    def __init__(self, capacities: Capacities) -> None:
        self._capacities = capacities

    async def run(self) -> None:
        """Do the work that is due until it is cancelled."""
        failures = Failures(_log, "keeping the capacity of tables")
        while True:
            with failures.suppressed(StorageError):
                await self._capacities.keep()
            await asyncio.sleep(self._capacities.keep_seconds)

    async def drain(self) -> None:
        """Do all work at once. Raises StorageError."""
        await self._capacities.keep(all_now=True)

    async def close(self) -> None:
        """Store everything, before the process ends."""
        try:
            await self._capacities.keep(all_now=True)
        except StorageError as error:
            _log.warning("the capacity of tables was not stored: %s", error)
