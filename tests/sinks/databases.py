"""Databases of PostgreSQL for sinks."""

import asyncio

import asyncpg
import pytest

from tests.engines.postgres_server import shared


@pytest.fixture
def database():
    """The URL of a database of its own."""
    server = shared()

    async def run(statement):
        connection = await asyncpg.connect(server.url)
        await connection.execute(statement)
        await connection.close()

    asyncio.run(run("CREATE DATABASE sinks"))
    yield server.url.rpartition("/")[0] + "/sinks"
    asyncio.run(run("DROP DATABASE sinks WITH (FORCE)"))
