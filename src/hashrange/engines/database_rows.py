"""Opens databases for backups and restores of all their rows."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from hashrange.settings.kinds import Durability
from hashrange.storage.engine import Engine
from hashrange.storage.stored_rows import RowSink, RowSource

_VERSIONS_PER_MS = 1000
"""More than any database writes, so that versions of restores at different times differ."""


@asynccontextmanager
async def opened_rows(url: str) -> AsyncIterator[tuple[Engine, RowSource]]:
    """The engine and the rows of a database that has data. Raises StorageOpenError."""
    # Importing the driver takes some 60 ms, which only databases need.
    from hashrange.storage.postgres.engine import PostgresEngine  # noqa: PLC0415
    from hashrange.storage.postgres.reading_rows import PostgresRows  # noqa: PLC0415

    engine = await PostgresEngine.open(url, durability=Durability.FULL, makes=False)
    try:
        yield engine, PostgresRows(engine.pool)
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
