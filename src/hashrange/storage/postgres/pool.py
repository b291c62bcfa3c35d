"""The connections to the database, and the classification of their errors.

Each operation is one statement in a transaction of its own, so a cancelled caller leaves no open
transaction. A broken connection is replaced when the next statement needs one.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Self

import asyncpg

from hashrange.settings.kinds import Durability
from hashrange.storage.engine import (
    NoReadLeaseError,
    StorageError,
    StorageOpenError,
    StorageUnavailableError,
)
from hashrange.storage.postgres.address import DatabaseAddress
from hashrange.storage.postgres.connector import Connector
from hashrange.storage.postgres.hosts import BROKEN, Hosts, why
from hashrange.storage.postgres.lease import holds
from hashrange.storage.postgres.outages import Outages
from hashrange.storage.postgres.schema import TUNING, drop_schema, prepare, quoted

CONNECTIONS_MAX: Final = 16
"""Connections of one server; PostgreSQL allows 100 of all clients by default."""
ACQUIRE_SECONDS_MAX: Final = 10.0
READ_SECONDS_MAX: Final = 6.0
"""Of a statement that reads keys or a page; more means that the server hangs or is lost."""
WRITE_SECONDS_MAX: Final = 10.0
"""Of a statement that writes, which may also wait for the commit on a standby."""
STATEMENT_SECONDS_MAX: Final = 60.0
"""Of any other statement, such as those that make tables."""
CLOSE_SECONDS_MAX: Final = 5.0
STREAM_SECONDS_MAX: Final = 10 * 24 * 3600.0
"""Of a statement whose rows are read as they come."""
_STATEMENTS_MAX: Final = 1_000_000_000

NO_LEASE: Final = OSError("no primary has confirmed the read lease of this server")

_CONFLICTS: Final = (
    asyncpg.DivisionByZeroError,  # a comparison failed after rows were changed, see `write`
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
)
"""Errors of a statement that conflicted with others: it had no effect and may be retried."""

_log: Final = logging.getLogger(__name__)


class ConflictError(Exception):
    """A conflict: others changed rows that the statement compares, so it had no effect."""


class Pool:
    """A pool of connections to one schema of one database; created by `open`.

    Attributes:
        hosts: of the database.
        address: of the database.
        connector: makes its connections.
        outages: when the database did not answer.
        statements: those that were sent.
    """

    def __init__(self, connector: Connector) -> None:
        self._pool: Any = None
        self.connector = connector
        self.hosts = hosts = connector.hosts
        self.address = hosts.address
        self.outages = Outages(hosts, _now)
        self.statements = 0

    @classmethod
    async def open(
        cls, address: DatabaseAddress, durability: Durability, *, makes: bool = True
    ) -> Self:
        """Connect, and create the tables if they are missing and `makes` is true.

        Raises StorageOpenError.
        """
        tuning = TUNING | {
            "search_path": quoted(address.schema),
            "synchronous_commit": "on" if durability is Durability.FULL else "off",
        }
        try:
            opened = cls(connector := Connector(Hosts(address), tuning))
            pool = await asyncpg.create_pool(
                None,
                connect=connector.connect,
                min_size=0,  # asyncpg would log each attempt to restore a minimum
                max_size=CONNECTIONS_MAX,
                max_queries=_STATEMENTS_MAX,
                max_cached_statement_lifetime=0,
                command_timeout=STATEMENT_SECONDS_MAX,
                reset=_keep,
            )
        except Exception as error:
            raise StorageOpenError(f"cannot open {address.shown}: {why(error)}") from error
        try:
            async with pool.acquire() as connection:
                await connector.look_at(connection)
                if connector.fault is not None:
                    _log.warning("%s: %s", address.shown, connector.fault)
                await prepare(connection, address.schema, address.shown, makes=makes)
                if await connection.fetchval("SHOW fsync") == "off":
                    _log.warning("%s has fsync off: a power cut may lose tables", address.shown)
        except StorageOpenError:
            pool.terminate()
            raise
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
            pool.terminate()
            raise StorageOpenError(f"cannot open {address.shown}: {why(error)}") from error
        opened._pool = pool
        return opened

    async def expire(self) -> None:
        """Replace all connections: before the next statement, or after the present one."""
        await self._pool.expire_connections()

    async def close(self) -> None:
        """Wait up to `CLOSE_SECONDS_MAX` for statements that have begun, and disconnect."""
        try:
            async with asyncio.timeout(CLOSE_SECONDS_MAX):
                await self._pool.close()
        except (TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            self._pool.terminate()

    async def read(
        self, text: str, arguments: Sequence[object], *, seconds_max: float = READ_SECONDS_MAX
    ) -> list[Any]:
        """The rows of a statement that only reads, or that may be repeated.

        Raises LostError, StorageUnavailableError, StorageError.
        """
        rows: list[Any] = await self._run(
            lambda connection: connection.fetch(text, *arguments),
            StorageUnavailableError,
            seconds_max,
            reads=True,
        )
        return rows

    async def write(
        self, text: str, arguments: Sequence[object], *, seconds_max: float = WRITE_SECONDS_MAX
    ) -> Any:
        """The row of a statement of `statements.write`; its changes are durable once it returns.

        Raises LostError after a conflict, StorageUnavailableError if the statement was not sent,
        StorageError if its outcome is unknown.
        """
        rows = await self._run(
            lambda connection: _uncancelled(connection, text, arguments),
            StorageError,
            seconds_max,
        )
        if not rows[0]["done"]:
            raise ConflictError
        return rows[0]

    async def execute(self, text: str) -> None:
        """Execute statements without parameters, in one string: one transaction.

        Raises ConflictError, StorageError.
        """
        await self._run(
            lambda connection: connection.execute(text), StorageError, STATEMENT_SECONDS_MAX
        )

    async def stream(self, text: str, take: Callable[[bytes], Awaitable[None]]) -> None:
        """Hand the rows of a query over as they are read, in the binary form of a copy.

        Raises ConflictError, StorageError, and errors of `take`, which must not be those that
        the driver raises.
        """
        await self._run(
            lambda connection: connection.copy_from_query(
                text, output=take, format="binary", timeout=STREAM_SECONDS_MAX
            ),
            StorageUnavailableError,
            STREAM_SECONDS_MAX,
        )

    async def _run(
        self,
        send: Callable[[Any], Awaitable[Any]],
        broken: type[StorageError],
        seconds: float,
        *,
        reads: bool = False,
    ) -> Any:
        """Send a statement; one that takes longer than `seconds` loses its connection.

        The driver's own time limit would send a request to cancel the statement, to a host that may
        hang. On the primary that request would also end a commit's wait for the standby: the write
        could be read, and a failover would lose it.
        """
        lease = self.connector.lease
        if lease is not None and not holds(lease, _now()):
            raise self._down(NO_LEASE, NoReadLeaseError)
        connection = await self._acquire()
        is_late = False

        def end() -> None:
            nonlocal is_late
            is_late = True
            connection.terminate()

        timer = asyncio.get_running_loop().call_later(seconds, end)
        try:
            self.statements += 1
            answer = await send(connection)
        except _CONFLICTS as error:
            raise ConflictError from error
        except asyncpg.ReadOnlySQLTransactionError as error:
            # The server has become a standby; a new connection may find the new primary.
            await self._pool.expire_connections()
            raise self._down(error, StorageUnavailableError) from error
        except BROKEN as error:
            if is_late:  # the other connections are to the same host
                await self._pool.expire_connections()
            raise self._down(TimeoutError() if is_late else error, broken) from error
        except asyncpg.PostgresError as error:
            raise StorageError(f"{type(error).__name__}: {error}") from error
        finally:
            timer.cancel()
            await self._release(connection)
        if lease is not None:
            latest = self.connector.lease or lease
            if reads and not (latest.primary == lease.primary and holds(latest, _now())):
                raise self._down(NO_LEASE, NoReadLeaseError)
        self.outages.end()
        return answer

    async def _acquire(self) -> Any:
        try:
            return await self._pool.acquire(timeout=ACQUIRE_SECONDS_MAX)
        except (asyncpg.PostgresError, *BROKEN) as error:
            raise self._down(error, StorageUnavailableError) from error

    async def _release(self, connection: Any) -> None:
        try:
            await self._pool.release(connection)
        except (asyncpg.PostgresError, *BROKEN):
            _log.debug("a broken connection was discarded", exc_info=True)

    def _down(self, error: BaseException, kind: type[StorageError]) -> StorageError:
        """The error of a statement; notes that the database does not answer."""
        self.outages.begin(error)
        return kind(f"the database does not answer: {why(error)}")


async def drop(address: DatabaseAddress) -> None:
    """Drop a schema with all its tables, if it exists. Raises StorageError."""
    try:
        connection = await Hosts(address).connect(command_timeout=STATEMENT_SECONDS_MAX)
        try:
            await drop_schema(connection, address.schema)
        finally:
            await connection.close()
    except (asyncpg.PostgresError, *BROKEN) as error:
        raise StorageError(f"cannot drop schema {address.schema}: {why(error)}") from error


def _now() -> float:
    """Seconds of the clock of leases and outages."""
    return asyncio.get_running_loop().time()


async def _uncancelled(connection: Any, text: str, arguments: Sequence[object]) -> list[Any]:
    """The rows of a statement, whose connection is closed if the caller is cancelled.

    The driver would request that the statement is cancelled: see `Pool._run`.
    """
    sent = asyncio.ensure_future(connection.fetch(text, *arguments))
    try:
        rows: list[Any] = await asyncio.shield(sent)
    except asyncio.CancelledError:
        connection.terminate()
        await asyncio.gather(sent, return_exceptions=True)
        raise
    return rows


async def _keep(_connection: Any) -> None:
    """Do not reset connections: statements change no session state, and a reset is a round trip."""
