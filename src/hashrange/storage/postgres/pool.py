"""The connections to the database, and what their faults mean.

Each operation is one statement that commits by itself: whoever goes away leaves no transaction
open. A connection that breaks is replaced when the next statement needs one.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Final, Self

import asyncpg

from hashrange.settings import Durability
from hashrange.storage.engine import StorageError, StorageOpenError, StorageUnavailableError
from hashrange.storage.postgres.schema import TUNE, TUNING, drop_schema, prepare, quoted
from hashrange.storage.postgres.target import Target

CONNECTIONS_MAX: Final = 16
"""Of one server; PostgreSQL has 100 for all, unless it is told otherwise."""
ACQUIRE_SECONDS_MAX: Final = 10.0
CONNECT_SECONDS_MAX: Final = 5.0
STATEMENT_SECONDS_MAX: Final = 60.0
CLOSE_SECONDS_MAX: Final = 5.0
_STATEMENTS_MAX: Final = 1_000_000_000

LOST: Final = (
    asyncpg.DivisionByZeroError,  # a comparison failed after something had been changed
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
)
"""The statement had no effect because of others; it may be tried again."""

_BROKEN: Final = (
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # the server stops, has crashed, or starts
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)

_log: Final = logging.getLogger(__name__)


class LostError(Exception):
    """Others changed what the statement compares; it had no effect."""


class Pool:
    """A pool of connections to one schema of one database; made by `open`."""

    def __init__(self, pool: Any, target: Target) -> None:
        self._pool = pool
        self._target = target
        self.is_down = False
        self.recoveries = 0
        self.statements = 0

    @classmethod
    async def open(cls, target: Target, durability: Durability, *, makes: bool = True) -> Self:
        """Connect, and make the tables if they are missing. Raises StorageOpenError."""
        tuning = TUNING | {
            "search_path": quoted(target.schema),
            "synchronous_commit": "on" if durability is Durability.FULL else "off",
        }

        async def tune(connection: Any) -> None:
            await connection.fetch(TUNE, list(tuning), list(tuning.values()))

        try:
            pool = await asyncpg.create_pool(
                target.url,
                min_size=0,  # asyncpg would log each try to restore a floor
                max_size=CONNECTIONS_MAX,
                max_queries=_STATEMENTS_MAX,
                max_cached_statement_lifetime=0,
                timeout=CONNECT_SECONDS_MAX,
                command_timeout=STATEMENT_SECONDS_MAX,
                reset=_keep,
                init=tune,
            )
        except Exception as error:
            raise StorageOpenError(f"cannot open {target.shown}: {_why(error)}") from error
        try:
            async with pool.acquire() as connection:
                await prepare(connection, target.schema, target.shown, makes=makes)
                if await connection.fetchval("SHOW fsync") == "off":
                    _log.warning("%s has fsync off: a power cut may lose tables", target.shown)
        except StorageOpenError:
            pool.terminate()
            raise
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
            pool.terminate()
            raise StorageOpenError(f"cannot open {target.shown}: {_why(error)}") from error
        return cls(pool, target)

    async def close(self) -> None:
        """Let statements that have begun end, for a while, and disconnect."""
        try:
            async with asyncio.timeout(CLOSE_SECONDS_MAX):
                await self._pool.close()
        except (TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            self._pool.terminate()

    async def read(self, text: str, arguments: Sequence[object]) -> list[Any]:
        """The rows of a statement that changes nothing.

        Raises LostError, StorageUnavailableError, StorageError.
        """
        return await self._run(text, arguments, StorageUnavailableError)

    async def write(self, text: str, arguments: Sequence[object]) -> None:
        """Carry out a statement; durable once it returns.

        Raises LostError; StorageUnavailableError if it was not begun; StorageError.
        """
        rows = await self._run(text, arguments, StorageError)
        if not rows[0]["done"]:
            raise LostError

    async def _run(
        self, text: str, arguments: Sequence[object], broken: type[StorageError]
    ) -> list[Any]:
        connection = await self._acquire()
        try:
            self.statements += 1
            rows: list[Any] = await connection.fetch(text, *arguments)
        except LOST as error:
            raise LostError from error
        except asyncpg.ReadOnlySQLTransactionError as error:
            # It is a standby now. Another connection may find the new primary.
            await self._pool.expire_connections()
            raise self._down(error, StorageUnavailableError) from error
        except _BROKEN as error:
            raise self._down(error, broken) from error
        except asyncpg.PostgresError as error:
            raise StorageError(f"{type(error).__name__}: {error}") from error
        finally:
            await self._release(connection)
        if self.is_down:
            self.is_down = False
            self.recoveries += 1
            _log.warning("%s answers again", self._target.shown)
        return rows

    async def _acquire(self) -> Any:
        try:
            return await self._pool.acquire(timeout=ACQUIRE_SECONDS_MAX)
        except (asyncpg.PostgresError, *_BROKEN) as error:
            raise self._down(error, StorageUnavailableError) from error

    async def _release(self, connection: Any) -> None:
        try:
            await self._pool.release(connection)
        except (asyncpg.PostgresError, *_BROKEN):
            _log.debug("a broken connection was thrown away", exc_info=True)

    def _down(self, error: BaseException, kind: type[StorageError]) -> StorageError:
        if not self.is_down:
            self.is_down = True
            _log.error("%s does not answer: %s", self._target.shown, _why(error))
        return kind(f"the database does not answer: {_why(error)}")


async def drop(target: Target) -> None:
    """Remove a schema with all that is in it, if it is there. Raises StorageError."""
    try:
        connection = await asyncpg.connect(target.url, timeout=CONNECT_SECONDS_MAX)
        try:
            await drop_schema(connection, target.schema)
        finally:
            await connection.close()
    except (asyncpg.PostgresError, *_BROKEN) as error:
        raise StorageError(f"cannot drop schema {target.schema}: {_why(error)}") from error


async def _keep(_connection: Any) -> None:
    """No statement leaves anything to reset; the pool's own reset is a round trip."""


def _why(error: BaseException) -> str:
    match error:
        case asyncpg.InvalidPasswordError() | asyncpg.InvalidAuthorizationSpecificationError():
            return f"access denied ({error})"
        case asyncpg.InvalidCatalogNameError():
            return f"the database does not exist ({error})"
        case asyncpg.TooManyConnectionsError():
            return f"too many connections ({error})"
        case TimeoutError():
            return "no answer in time"
        case ConnectionRefusedError():
            return "connection refused"
        case _:
            return str(error) or type(error).__name__
