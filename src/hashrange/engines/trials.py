"""Engines for trials: on a directory or a schema of their own, which is removed at the end."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Final

from hashrange.engine_trials.round_robin import RoundRobin
from hashrange.engine_trials.subject import Opener
from hashrange.engines.opening import is_database, on_postgres
from hashrange.settings.kinds import Durability
from hashrange.storage.engine import Engine
from hashrange.storage.postgres.address import DatabaseAddress
from hashrange.storage.sqlite.engine import SqliteEngine

SERVERS: Final = 2
"""Engines on one database, each with connections and caches of its own."""
WAITING_WRITES_MAX: Final = 10_000


@contextmanager
def on_trial(place: str, name: str) -> Iterator[Opener]:
    """An opener of engines on a new schema or directory, which is removed at the end.

    On a database, an opened engine takes operations in turn to two engines, as two servers would.

    Args:
        place: the URL of a database, or a directory.
        name: that of the new schema, or of the new directory in `place`.

    Raises:
        StorageError: the schema could not be removed.
        OSError: the directory could not be made.
    """
    openers = _in_database(place, name) if is_database(place) else _in_directory(Path(place) / name)
    with openers as opener:
        yield opener


@contextmanager
def _in_directory(directory: Path) -> Iterator[Opener]:
    @asynccontextmanager
    async def in_sqlite() -> AsyncIterator[Engine]:
        with closing(SqliteEngine.open(directory, durability=Durability.FULL)) as embedded:
            yield embedded

    directory.mkdir()
    try:
        yield in_sqlite
    finally:
        shutil.rmtree(directory)


@contextmanager
def _in_database(url: str, schema: str) -> Iterator[Opener]:
    own = DatabaseAddress.with_schema(url, schema)

    opened = False

    @asynccontextmanager
    async def in_schema() -> AsyncIterator[Engine]:
        nonlocal opened
        async with AsyncExitStack() as stack:
            servers = []
            for _ in range(SERVERS):
                server = await on_postgres(
                    own, durability=Durability.FULL, waiting_writes_max=WAITING_WRITES_MAX
                )
                opened = True
                stack.push_async_callback(server.close)
                servers.append(server)
            yield RoundRobin(servers)

    try:
        yield in_schema
    finally:
        if opened:
            from hashrange.storage.postgres.pool import drop  # noqa: PLC0415 - an extra

            asyncio.run(drop(DatabaseAddress.of(own)))
