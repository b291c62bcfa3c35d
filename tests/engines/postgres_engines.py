"""Engines on the PostgreSQL of the tests, and what its administrator does."""

from contextlib import asynccontextmanager

import asyncpg

from hashrange.clock import SystemClock
from hashrange.settings.kinds import Durability
from hashrange.storage.postgres.address import DatabaseAddress
from hashrange.storage.postgres.engine import WAITING_WRITES_MAX, PostgresEngine
from hashrange.storage.postgres.pool import Pool
from tests.engines.postgres_server import shared


class PlantedPool:
    """A pool whose `read` and `write` a test replaces: it comes before the database."""

    def __init__(self, pool):
        self._pool = pool
        self.heal()

    def heal(self):
        self.read, self.write = self._pool.read, self._pool.write

    def __getattr__(self, name):
        return getattr(self._pool, name)


@asynccontextmanager
async def planted(url):
    """An engine on a PlantedPool."""
    pool = PlantedPool(await Pool.open(DatabaseAddress.of(url), Durability.FULL))
    engine = PostgresEngine(pool, SystemClock(), WAITING_WRITES_MAX)
    try:
        yield engine
    finally:
        await engine.close()


class opened:  # noqa: N801 - reads as a function
    """An engine for a block."""

    def __init__(self, url, **options):
        self._url, self._options = url, options

    async def __aenter__(self):
        self._engine = await PostgresEngine.open(self._url, **self._options)
        return self._engine

    async def __aexit__(self, *raised):
        await self._engine.close()


async def admin(text, server=None):
    connection = await asyncpg.connect((server or shared()).url)
    try:
        return await connection.fetch(text)
    finally:
        await connection.close()
