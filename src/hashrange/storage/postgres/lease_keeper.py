"""Keeps the read lease of a server: commits its row again and again, and looks for the primary.

The row is in `logs`, under a key that is no log's. Its commit waits for the synchronous standby,
so a primary that was replaced cannot confirm it.
"""

import asyncio
import contextlib
import logging
from typing import Any, Final

import asyncpg

from hashrange.storage.engine import StorageOpenError
from hashrange.storage.postgres.connector import BELOW_ON
from hashrange.storage.postgres.hosts import BROKEN, why
from hashrange.storage.postgres.lease import Lease, Primary, confirmed, holds
from hashrange.storage.postgres.pool import NO_LEASE, Pool
from hashrange.storage.postgres.statements import CONFIRM_LEASE, DELETE_LEASES

READ_LEASE_SECONDS: Final = 10.0
"""The default: less than Patroni's `ttl` minus `loop_wait`."""
LEASES_START: Final = b"\xff\xfflease"
LEASES_END: Final = b"\xff\xffleasf"
RENEWALS: Final = 4
"""Commits in the time of a lease."""
RETRY_SECONDS: Final = 0.25
OPEN_SECONDS_MAX: Final = 15.0
"""Beyond the time of a lease, until the first one holds."""
_COMMIT_ON_STANDBY: Final = """
SELECT set_config('synchronous_commit', 'on', false)
WHERE current_setting('synchronous_commit') = ANY($1::text[])
"""
_DELETE_OWN: Final = "DELETE FROM logs WHERE log = $1"

_log: Final = logging.getLogger(__name__)


def lease_seconds(pool: Pool) -> float:
    """The read lease of an address; 0 for none, as for one host without a synchronous standby."""
    if pool.address.read_lease is not None:
        return pool.address.read_lease
    return READ_LEASE_SECONDS if pool.hosts.are_several or pool.connector.standbys else 0.0


class LeaseKeeper:
    """Renews the lease of a pool, on a connection of its own.

    Args:
        pool: gets the lease.
        seconds: of the lease.
        name: of this server; 16 random bytes.
    """

    def __init__(self, pool: Pool, seconds: float, name: bytes) -> None:
        self._pool = pool
        self._key = LEASES_START + name
        self._lease = pool.connector.lease = Lease(seconds=seconds)
        self._connection: Any = None
        self._held = asyncio.Event()
        self._swept: Primary | None = None
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Keep the lease from now on, and wait until it holds. Raises StorageOpenError."""
        self._task = asyncio.create_task(self._run())
        try:
            async with asyncio.timeout(self._lease.seconds + OPEN_SECONDS_MAX):
                await self._held.wait()
        except TimeoutError as error:
            await self.close()
            raise StorageOpenError(f"{self._pool.address.shown}: {NO_LEASE}") from error

    async def close(self) -> None:
        """Give the lease up."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._connection is not None:
            with contextlib.suppress(asyncpg.PostgresError, *BROKEN):
                async with asyncio.timeout(1):
                    await self._connection.execute(_DELETE_OWN, self._key)
        self._disconnect()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                await self._renew()
            except (asyncpg.PostgresError, *BROKEN) as error:
                self._disconnect()
                self._pool.hosts.distrust()
                _log.debug("the read lease was not confirmed", exc_info=True)
                if not holds(self._lease, loop.time()):
                    self._pool.outages.begin(OSError(f"{NO_LEASE}: {why(error)}"))
                    await self._pool.expire()
            is_held = holds(self._lease, loop.time())
            if is_held and self._connection is not None:
                self._held.set()
                self._pool.outages.end()
                await asyncio.sleep(self._lease.seconds / RENEWALS)
            else:
                await asyncio.sleep(RETRY_SECONDS)

    async def _renew(self) -> None:
        """Commit the row, at the primary that is found."""
        if self._connection is None or self._connection.is_closed():
            connector = self._pool.connector
            self._connection = await connector.hosts.connect(connector.tune)
            await connector.look_at(self._connection)
            await self._connection.fetch(_COMMIT_ON_STANDBY, list(BELOW_ON))
        began = asyncio.get_running_loop().time()
        row = await self._fetch(CONFIRM_LEASE, self._key, LEASES_START, LEASES_END)
        before = self._lease.primary
        primary = Primary(row["timeline"], row["started"])
        self._lease = self._pool.connector.lease = confirmed(
            self._lease, primary=primary, elsewhere=row["elsewhere"], began=began
        )
        if before != primary:
            await self._pool.expire()
        if self._swept != primary and holds(self._lease, asyncio.get_running_loop().time()):
            self._swept = primary
            await self._fetch(DELETE_LEASES, LEASES_START, LEASES_END, primary.timeline)

    async def _fetch(self, text: str, *arguments: object) -> Any:
        """The first row of a statement, within half a lease; without a request to cancel it."""
        sent = asyncio.ensure_future(self._connection.fetchrow(text, *arguments))
        try:
            async with asyncio.timeout(self._lease.seconds / 2):
                return await asyncio.shield(sent)
        finally:
            if not sent.done():
                self._disconnect()
                await asyncio.gather(sent, return_exceptions=True)

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()
