"""The engines that must keep the contract, and how each is opened in a directory."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.assembly.engines.trials.subject import Subject
from hashrange.assembly.engines.trials.wrapped_engines import RoundRobin
from hashrange.settings.kinds import Durability
from hashrange.storage.engine import Engine
from hashrange.storage.postgres.engine import PostgresEngine
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.writing.replica_lag import OldValues, RecordingEngine
from tests.engines import postgres_server
from tests.engines.worker_group import WorkerGroup
from tests.pace import seconds


@asynccontextmanager
async def in_dict(_directory: Path) -> AsyncIterator[Engine]:
    yield DictEngine()


@asynccontextmanager
async def in_memory(_directory: Path) -> AsyncIterator[Engine]:
    with closing(SqliteEngine.open(None)) as engine:
        yield engine


@asynccontextmanager
async def in_sqlite(directory: Path) -> AsyncIterator[Engine]:
    with closing(SqliteEngine.open(directory, durability=Durability.FULL)) as engine:
        yield engine


@asynccontextmanager
async def in_postgres(directory: Path, *, servers: int = 1) -> AsyncIterator[Engine]:
    url = postgres_server.url_of(str(directory))
    engines = [await PostgresEngine.open(url) for _ in range(servers)]
    try:
        yield RoundRobin(engines)
    finally:
        for engine in engines:
            await engine.close()


@asynccontextmanager
async def in_workers(directory: Path) -> AsyncIterator[Engine]:
    async with WorkerGroup(directory, workers=2) as group:
        yield RoundRobin(group.engines)


@asynccontextmanager
async def in_recorded(_directory: Path) -> AsyncIterator[Engine]:
    """An engine whose old values are noted, for reads that lag."""
    with closing(SqliteEngine.open(None)) as engine:
        yield RecordingEngine(engine, OldValues(1000, lambda: 0))


Opener: TypeAlias = Callable[[Path], AbstractAsyncContextManager[Engine]]

ENGINES: dict[str, Opener] = {
    "dict": in_dict,
    "memory": in_memory,
    "recorded": in_recorded,
    "sqlite": in_sqlite,
    "workers": in_workers,
    "postgres": in_postgres,
    "postgres-two": partial(in_postgres, servers=2),
}
"""Everything that must keep the contract; a new engine is one more row."""

NAMES = [
    pytest.param(name, marks=pytest.mark.long) if name in {"recorded", "postgres-two"} else name
    for name in ENGINES
]
"""Those of the engines; the long ones are variants of others."""

DURABLE = {"sqlite", "workers", "postgres", "postgres-two"}
"""The names of those that find their data again when the same directory is opened again."""


def subject_of(name: str, directory: Path) -> Subject:
    """An engine of a name, on trial."""
    return Subject(partial(ENGINES[name], directory), step_seconds_max=seconds(90))
