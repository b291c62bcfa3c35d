"""Tombstones go, and nobody is the worse for it, however many sweep beside whoever writes."""

import asyncio
import uuid
from contextlib import asynccontextmanager
from functools import partial

import asyncpg
import pytest

from hashrange.assembly.engines.trials import concurrency
from hashrange.assembly.engines.trials.examination import TRIALS
from hashrange.assembly.engines.trials.histories import concurrent_callers
from hashrange.assembly.engines.trials.subject import Subject, change
from hashrange.assembly.engines.trials.wrapped_engines import RoundRobin
from hashrange.storage.engine import Changes
from hashrange.storage.postgres.engine import PostgresEngine
from hashrange.storage.postgres.sweeper import Sweeper
from tests.engines.postgres_engines import planted
from tests.engines.postgres_server import url_of

SEEDS = 30


@pytest.fixture
def url():
    return url_of(str(uuid.uuid4()))


@asynccontextmanager
async def opened(url):
    engine = await PostgresEngine.open(url)
    try:
        yield engine
    finally:
        await engine.close()


async def tombstones(url):
    connection = await asyncpg.connect(url.partition("?")[0])
    try:
        name = url.rpartition("=")[2]
        rows = await connection.fetch(f"SELECT k FROM {name}.kv WHERE v IS NULL ORDER BY k")
        return [row["k"] for row in rows]
    finally:
        await connection.close()


def absent(*keys):
    """A write that depends on the absence of some keys."""

    def decide(values):
        assert values[:-1] == [None] * len(keys)
        return Changes(answer=None, puts={b"owner": b"v"})

    return [*keys, b"owner"], decide


def test_a_pass_removes_all_tombstones_and_nothing_else(url):
    async def run():
        async with opened(url) as engine:
            kept = {b"%02d" % number: b"" for number in range(0, 20, 3)}
            await change(engine, puts=kept, adds={b"n": 1}, appends=[(b"log", b"r")])
            gone = [b"%02d" % number for number in range(20) if number % 3]
            await engine.write(*absent(*gone, b"z"))
            before = await engine.scan(b"", b"\xff", limit=99, bytes_max=999)
            assert await tombstones(url) == [*gone, b"z"]
            sweeping = Sweeper(engine.pool, page_rows=4)
            await sweeping.sweep()
            assert await tombstones(url) == []
            assert sweeping.removed == len(gone) + 1
            assert await engine.scan(b"", b"\xff", limit=99, bytes_max=999) == before
            await change(engine, puts={gone[0]: b"new"})
            assert await engine.read([gone[0]]) == [b"new"]

    asyncio.run(run())


# Who writes the key between the look at it and its removal.
def test_a_tombstone_that_has_become_a_value_stays(url):
    class Slow:
        def __init__(self, engine):
            self._engine = engine

        async def read(self, text, arguments):
            rows = await self._engine.pool.read(text, arguments)
            await change(self._engine, puts={b"k": b"new"})
            return rows

    async def run():
        async with opened(url) as engine:
            await engine.write(*absent(b"k", b"other"))
            await Sweeper(Slow(engine)).sweep()
            assert await engine.read([b"k"]) == [b"new"]
            assert await tombstones(url) == []

    asyncio.run(run())


# The other order: its version is known to a writer, and gone when it is compared.
def test_a_writer_whose_tombstone_is_gone_decides_again(url):
    async def run():
        async with planted(url) as engine, opened(url) as other:
            await engine.write(*absent(b"k"))
            send = engine.pool.write

            async def outrun(*batch):
                engine.pool.heal()
                await other.sweeper().sweep()
                return await send(*batch)

            engine.pool.write = outrun
            await change(engine, puts={b"k": b"v"})
            assert await other.read([b"k"]) == [b"v"]
            assert engine.stats().conflicts == 1

    asyncio.run(run())


@asynccontextmanager
async def swept(url):
    """Two servers, each of which sweeps all the time."""
    async with opened(url) as one, opened(url) as two:

        async def sweep(engine):
            while True:
                await engine.sweeper().sweep()

        tasks = [asyncio.create_task(sweep(engine)) for engine in (one, two)]
        try:
            yield RoundRobin([one, two])
        finally:
            for task in tasks:
                task.cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(end, asyncio.CancelledError) for end in ends), ends


@pytest.mark.long
def test_histories_of_two_servers_that_sweep_have_a_serial_order(url):
    with Subject(partial(swept, url)) as subject:
        for seed in range(SEEDS):
            subject.use_empty_subspace()
            concurrent_callers(subject, seed)


@pytest.mark.long
@pytest.mark.parametrize(
    "check",
    [trial.check for trial in TRIALS if trial.check.__module__ == concurrency.__name__],
    ids=lambda check: check.__name__,
)
def test_callers_that_meet_while_all_sweep_keep_the_contract(check, url):
    with Subject(partial(swept, url)) as subject:
        check(subject)
