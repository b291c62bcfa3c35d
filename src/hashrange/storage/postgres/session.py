"""The session of this process at the database, by which others know whether the process is there.

PostgreSQL ends a session when the connection of a killed process breaks, at once. A session is
named by the process id and the start of its backend, which pg_stat_activity shows. Where that
cannot be read, or a pooler gives one connection several backends, no session is named.
"""

import asyncio
import logging
from struct import Struct
from typing import Any, Final

import asyncpg

from hashrange.storage.engine import StorageError
from hashrange.storage.postgres.hosts import BROKEN, why
from hashrange.storage.postgres.pool import Pool

SECONDS_MAX: Final = 1.0
"""Of connecting, and of a statement: a leader has to renew its lease meanwhile."""
NO_SESSION: Final = b""
_SESSION: Final = Struct(">Iq")
_START: Final = "(extract(epoch FROM backend_start) * 1000000)::int8"
_OWN: Final = f"SELECT pid, {_START} AS start FROM pg_stat_activity WHERE pid = pg_backend_pid()"  # noqa: S608 - made of constants
_THERE: Final = f"SELECT pid FROM pg_stat_activity WHERE pid = $1 AND coalesce({_START}, $2) = $2"  # noqa: S608 - made of constants
"""Without a start the session is one of another user, of which no more is shown."""

_log: Final = logging.getLogger(__name__)


class DatabaseSession:
    """A connection that is held as long as the process lives: `tables.catalog.leases.Sessions`.

    Args:
        pool: of the other connections.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._address = pool.address
        self._lock = asyncio.Lock()
        self._connection: Any = None
        self._named = NO_SESSION
        self._is_unknown = False

    async def own(self) -> bytes:
        """The session of this process; it is begun if there is none. NO_SESSION: not known."""
        async with self._lock:
            if self._is_unknown:
                return NO_SESSION
            try:
                return await self._own()
            except (asyncpg.PostgresError, *BROKEN) as error:
                self._drop()
                if isinstance(error, asyncpg.InsufficientPrivilegeError):
                    self._unknown(why(error))
                return NO_SESSION

    async def is_gone(self, session: bytes) -> bool:
        """Whether a session has ended; False if that is not known."""
        if self._is_unknown or len(session) != _SESSION.size:
            return False
        try:
            return not await self._pool.read(_THERE, [*_SESSION.unpack(session)])
        except StorageError as error:
            if isinstance(error.__cause__, asyncpg.InsufficientPrivilegeError):
                self._unknown(str(error))
            return False

    def close(self) -> None:
        """End the session."""
        self._drop()

    async def _own(self) -> bytes:
        is_new = self._connection is None or self._connection.is_closed()
        if is_new:
            self._connection = await self._pool.connector.connect(
                seconds_max=SECONDS_MAX, command_timeout=SECONDS_MAX, statement_cache_size=0
            )
        row = await self._connection.fetchrow(_OWN)
        if row is None or row["start"] is None:
            self._unknown("it does not show the own session")
            return NO_SESSION
        named = _SESSION.pack(row["pid"], row["start"])
        if not is_new and named != self._named:
            self._unknown("a pooler is between")
            return NO_SESSION
        self._named = named
        return named

    def _unknown(self, reason: str) -> None:
        self._is_unknown = True
        self._drop()
        text = "sessions at %s are not known: %s; a leader that is killed is followed after 6 s"
        _log.info(text, self._address.shown, reason)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()
