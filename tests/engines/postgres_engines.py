"""Engines on the PostgreSQL of the tests, and what its administrator does."""

import asyncpg

from hashrange.storage.postgres.engine import PostgresEngine
from tests.engines.postgres_server import shared


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
