"""A pytest plugin: PostgreSQL as rows of the engines that must keep the contract.

`postgres-two` is two engines on one database, which take turns: two servers.
"""

import hashlib
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

from hashrange.storage.engine import Engine
from spikes.postgres.engine import PostgresEngine
from spikes.postgres.server import running
from tests.engines import contract

STACK = ExitStack()
CONNECT: dict[str, object] = {}


class InTurn:
    """Each call goes to the next of some engines that share their data."""

    def __init__(self, engines: list[Engine]) -> None:
        self._next = cycle(engines)

    async def read(self, *args: Any, **named: Any) -> Any:
        """See `Engine.read`."""
        return await next(self._next).read(*args, **named)

    async def scan(self, *args: Any, **named: Any) -> Any:
        """See `Engine.scan`."""
        return await next(self._next).scan(*args, **named)

    async def write(self, *args: Any, **named: Any) -> Any:
        """See `Engine.write`."""
        return await next(self._next).write(*args, **named)


def row(servers: int) -> contract.Opener:
    """A row of ENGINES: so many engines on one schema."""

    @asynccontextmanager
    async def opened(directory: Path) -> AsyncIterator[Engine]:
        # A directory is a schema, so that opening the same directory finds the same data.
        schema = "s" + hashlib.blake2b(str(directory).encode(), digest_size=8).hexdigest()
        engines = [await PostgresEngine.open(schema=schema, **CONNECT) for _ in range(servers)]
        try:
            yield InTurn(engines)
        finally:
            for engine in engines:
                await engine.close()

    return opened


contract.ENGINES |= {"postgres": row(1), "postgres-two": row(2)}
contract.DURABLE |= {"postgres", "postgres-two"}


def pytest_sessionstart() -> None:
    """Start the one server of all tests."""
    CONNECT.update(STACK.enter_context(running()))


def pytest_sessionfinish() -> None:
    """Stop it, and remove its data."""
    STACK.close()
