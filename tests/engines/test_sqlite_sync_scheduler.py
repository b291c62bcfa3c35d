"""Where the sync of a group runs: beside the loop, but for one caller who would wait for nobody."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.tuning import Tuning
from tests.engines.held import Held, put
from tests.pace import turns

LONE_NS = 1_000_000


@pytest.fixture
def aside() -> Held:
    return Held()


@pytest.fixture
def engine(aside: Held, tmp_path: Path) -> Iterator[SqliteEngine]:
    """Syncs take long enough to run beside the loop, and not too long for a lone caller."""
    tuning = Tuning(
        inline_sync_ns_max=-1, lone_sync_ns_max=LONE_NS, aside=lambda: aside, reserve_bytes=0
    )
    engine = SqliteEngine.open(tmp_path, tuning=tuning, monotonic_ns=lambda: 0)
    yield engine
    engine.close()


async def is_aside(engine: SqliteEngine, aside: Held, *keys: bytes) -> bool:
    """Write; whether the sync was beside the loop."""
    writes = [put(engine, key, b"1") for key in keys]
    await turns(5)
    found = aside.held is not None
    if found:
        aside.end()
    await asyncio.gather(*writes)
    return found


# To hand the sync over and to hear from it would be most of what such a caller waits for.
def test_a_sync_for_one_caller_holds_the_loop(engine: SqliteEngine, aside: Held):
    async def scenario():
        assert await is_aside(engine, aside, b"a"), "nothing is known yet"
        assert not await is_aside(engine, aside, b"a")
        assert not await is_aside(engine, aside, b"a")
        assert await is_aside(engine, aside, b"a", b"b"), "two"
        assert await is_aside(engine, aside, b"a"), "there were two"
        assert not await is_aside(engine, aside, b"a")

    asyncio.run(scenario())


def test_a_sync_holds_the_loop_while_nobody_reads(engine: SqliteEngine, aside: Held):
    async def scenario():
        for _ in range(2):
            await is_aside(engine, aside, b"a")
        assert await engine.read([b"a"]) == [b"1"]
        assert await is_aside(engine, aside, b"a")
        assert not await is_aside(engine, aside, b"a")
        assert await engine.scan(b"a", b"b", limit=1, bytes_max=1) == [(b"a", b"1")]
        assert await is_aside(engine, aside, b"a")

    asyncio.run(scenario())


# SQLite syncs its header in the middle of the commit, and a reader would wait for that.
def test_the_first_commit_of_a_wal_is_beside_the_loop(engine: SqliteEngine, aside: Held):
    async def scenario():
        engine.database.cut()
        for begins_wal in (True, False, True):
            assert (engine.database.wal_pages == 0) == begins_wal
            writes = [put(engine, key, b"1") for key in (b"a", b"b")]
            await turns(5)
            assert engine.database.connection.in_transaction == begins_wal
            assert await engine.read([b"a"]) in ([None], [b"1"])
            aside.end()
            await asyncio.gather(*writes)
            if not begins_wal:
                engine.database.cut()

    asyncio.run(scenario())


def test_a_sync_that_takes_too_long_holds_nobody(engine: SqliteEngine, aside: Held):
    async def scenario():
        for _ in range(2):
            await is_aside(engine, aside, b"a")
        engine.committer.sync_scheduler.mean_ns = LONE_NS + 1
        assert await is_aside(engine, aside, b"a")

    asyncio.run(scenario())
