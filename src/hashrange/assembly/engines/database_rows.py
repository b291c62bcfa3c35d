"""Opens databases for backups and restores of all their rows."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

from hashrange.backups.directories.claims import Claim, claimed
from hashrange.settings.kinds import Durability
from hashrange.storage.engine import NO_FENCES, Engine, Fences
from hashrange.storage.stored_rows import RowSink, RowSource
from hashrange.tables.catalog.secrets import stored_secret

_VERSIONS_PER_MS = 1000
"""More than any database writes, so that versions of restores at different times differ."""


class OpenedDatabase:
    """A `backups.directories.job.Database`.

    Args:
        engine: of the database.
        rows: all its rows.
        now_ms: reads its clock.
        random_bytes: for its secret, if no server has made one.
        fences: of claims.
    """

    def __init__(
        self,
        engine: Engine,
        rows: RowSource,
        *,
        now_ms: Callable[[], Awaitable[int]],
        random_bytes: Callable[[int], bytes],
        fences: Callable[[], Fences],
    ) -> None:
        self.rows = rows
        self._engine = engine
        self._now_ms = now_ms
        self._random_bytes = random_bytes
        self._fences = fences

    async def secret(self) -> bytes:
        """As `Database.secret`."""
        return await stored_secret(self._engine, self._random_bytes)

    async def now_ms(self) -> int:
        """As `Database.now_ms`."""
        return await self._now_ms()

    async def take(self, place: str, seen: int) -> Claim:
        """As `Database.take`."""
        return await claimed(self._engine, _one_name(place), seen, self._fences)


OpenRows: TypeAlias = Callable[
    [Callable[[int], bytes], Callable[[], Fences]], AbstractAsyncContextManager[OpenedDatabase]
]
"""Opens the rows of a database, with random bytes for its secret and the fences of claims."""


def _one_name(place: str) -> str:
    """A place as all processes of one machine write it."""
    return place.rstrip("/") if "://" in place else str(Path(place).expanduser().resolve())


@asynccontextmanager
async def opened_rows(
    url: str,
    random_bytes: Callable[[int], bytes],
    fences: Callable[[], Fences] = lambda: NO_FENCES,
) -> AsyncIterator[OpenedDatabase]:
    """A database that has data, with connections of its own. Raises StorageOpenError."""
    # Importing the driver takes some 60 ms, which only databases need.
    from hashrange.storage.postgres.engine import PostgresEngine  # noqa: PLC0415
    from hashrange.storage.postgres.reading_rows import PostgresRows  # noqa: PLC0415

    engine = await PostgresEngine.open(url, durability=Durability.FULL, makes=False)
    try:
        yield OpenedDatabase(
            engine,
            PostgresRows(engine.pool),
            now_ms=engine.stamp_ms,
            random_bytes=random_bytes,
            fences=fences,
        )
    finally:
        await engine.close()


@asynccontextmanager
async def restoring_rows(url: str, now_ms: int) -> AsyncIterator[RowSink]:
    """A schema that has nothing, to be restored. Raises StorageOpenError."""
    from hashrange.storage.postgres.restoring_rows import RestoringSchema  # noqa: PLC0415

    schema = await RestoringSchema.open(url, now_ms * _VERSIONS_PER_MS)
    try:
        yield schema
    finally:
        await schema.close()
