"""Writes that PostgreSQL gets without a look: right also when other servers wrote the rows."""

import asyncio
import random
import uuid

import pytest

from hashrange.assembly.engines.trials.subject import RefusedError, change
from hashrange.storage.engine import Changes, StaleFenceError, StorageError
from hashrange.storage.postgres.row_cache import ROW_BYTES, SKIPPED_GROUPS_MAX, RowCache
from tests.engines.postgres_engines import admin, opened, planted
from tests.engines.postgres_server import url_of

FENCES = {b"fence": b"1"}


@pytest.fixture
def url():
    return url_of(str(uuid.uuid4()))


def increment(*keys):
    def decide(values):
        puts = {key: b"%d" % (int(value or 0) + 1) for key, value in zip(keys, values, strict=True)}
        return Changes(answer=puts[keys[0]], puts=puts)

    return decide


def refuse(values):
    raise RefusedError(values)


# The condition on the version is all that keeps a cached value from being written back.
@pytest.mark.parametrize("keys", [[b"k"], [b"k", b"l"], [b"k", b"absent"]])
def test_a_row_that_another_server_wrote_is_not_written_over(url, keys):
    async def run():
        async with opened(url) as engine, opened(url) as other:
            await change(engine, puts={b"k": b"1", b"l": b"1"})
            await change(other, puts={b"k": b"10"})
            assert await engine.write(keys, increment(*keys)) == b"11"
            assert await other.read([b"k"]) == [b"11"]
            assert engine.stats().conflicts == 1
            await change(other, deletes=[b"k"])
            assert await engine.write([b"k"], increment(b"k")) == b"1"
            await change(other, puts={b"k": b"20"})
            await change(engine, deletes=[b"k"])
            assert await other.read([b"k"]) == [None]

    asyncio.run(run())


# Without a write no version is compared: what is refused was read from the database.
def test_a_refusal_rests_on_rows_that_are_read(url):
    async def run():
        async with opened(url) as engine, opened(url) as other:
            await change(engine, puts={b"k": b"1", b"fence": b"1"})
            await change(other, puts={b"k": b"2"})
            with pytest.raises(RefusedError) as refused:
                await engine.write([b"k"], refuse)
            assert refused.value.args == ([b"2"],)
            await change(other, puts={b"k": b"3"})
            seen = await engine.write([b"k"], lambda values: Changes(answer=values))
            assert seen == [b"3"]
            await engine.write([b"k"], increment(b"k"), fences=FENCES)
            await change(other, puts={b"fence": b"2"})
            with pytest.raises(StaleFenceError):
                await engine.write([b"k"], refuse, fences=FENCES)
            with pytest.raises(StaleFenceError):
                await engine.write([b"k"], increment(b"k"), fences=FENCES)
            assert await other.read([b"k"]) == [b"4"]
            # The row of the fence is newer in the cache than the definition of the caller.
            await engine.write([b"fence"], lambda _: Changes(answer=None, puts={b"fence": b"3"}))
            with pytest.raises(StaleFenceError):
                await engine.write([b"fence"], increment(b"fence"), fences=FENCES)

    asyncio.run(run())


def test_a_write_whose_outcome_is_unknown_leaves_nothing_in_the_cache(url):
    async def run():
        async with planted(url) as engine:
            await change(engine, puts={b"k": b"1"})
            send = engine.pool.write

            async def lose(text, arguments):
                await send(text, arguments)
                raise StorageError("the answer is lost")

            engine.pool.write = lose
            with pytest.raises(StorageError):
                await engine.write([b"k"], increment(b"k"))
            engine.pool.heal()
            assert await engine.write([b"k"], increment(b"k")) == b"3"
            assert engine.stats().conflicts == 0

    asyncio.run(run())


# A row that is written apart loses alone, and is no error of the database.
def test_of_a_group_only_what_was_outrun_is_written_again(url):
    keys = [b"%d" % number for number in range(9)]

    async def run():
        async with planted(url) as engine, opened(url) as other:
            await asyncio.gather(*(change(engine, puts={key: b"0"}) for key in keys))
            sent, send = [], engine.pool.write

            async def noted(text, arguments):
                sent.append(arguments)
                return await send(text, arguments)

            engine.pool.write = noted
            await change(other, puts={keys[3]: b"5"})
            answers = await asyncio.gather(*(engine.write([key], increment(key)) for key in keys))
            assert answers == [b"6" if key == keys[3] else b"1" for key in keys]
            assert [arguments[0] for arguments in sent] == [keys, [keys[3]]]

    asyncio.run(run())


# Two servers count on the same keys, alone and together: nothing is lost or counted twice.
def test_servers_that_write_the_same_rows_count_each_write_once(url):
    async def client(engines, seed, counts):
        noise = random.Random(seed)
        for _ in range(40):
            keys = noise.sample([b"a", b"b", b"c", b"d"], noise.choice([1, 1, 1, 2]))
            await noise.choice(engines).write(keys, increment(*keys))
            counts.update({key: counts.get(key, 0) + 1 for key in keys})

    async def run():
        async with opened(url) as engine, opened(url) as other:
            counts = {}
            await asyncio.gather(*(client((engine, other), seed, counts) for seed in range(8)))
            values = await engine.read(sorted(counts))
            assert [int(value) for value in values] == [counts[key] for key in sorted(counts)]

    asyncio.run(run())


# An old version never comes again, also if a failover has put the sequence of versions back.
def test_versions_do_not_come_from_the_sequence(url):
    async def run():
        async with opened(url) as engine, opened(url) as other:
            await change(engine, puts={b"k": b"1"})
            await admin(f"SELECT setval('{url.rpartition('=')[2]}.versions', 1, false)")
            await change(other, deletes=[b"k"])
            await change(other, puts={b"k": b"7"})
            assert await engine.write([b"k"], increment(b"k")) == b"8"
        rows = await admin(f"SELECT ver FROM {url.rpartition('=')[2]}.kv")
        assert all(row["ver"] >= 1 << 62 for row in rows)

    asyncio.run(run())


# The cache itself


def test_the_cache_has_a_bound_in_bytes_and_loses_the_oldest():
    cache = RowCache(bytes_max=3 * (ROW_BYTES + 10))
    for number in range(3):
        cache.learn({b"%d" % number: (bytes(9), number)})
    cache.learn({b"0": (bytes(9), 7)})
    cache.learn({b"3": None})
    assert cache.known([b"0", b"1", b"2", b"3", b"4"]) == {
        b"0": (bytes(9), 7),
        b"2": (bytes(9), 2),
        b"3": None,
    }
    assert cache.size_bytes == 2 * (ROW_BYTES + 10) + ROW_BYTES + 1
    cache.learn({b"large": (bytes(9999), 1)})
    assert cache.known([b"0", b"large"]) == {}
    cache.forget([b"0", b"large"])
    assert cache.size_bytes == 0


def test_groups_that_lose_make_later_ones_read():
    cache = RowCache()
    tries = []
    for lost in (True, True, False, True):
        assert cache.is_worth_trying()
        cache.tried(lost=lost)
        skipped = 0
        while not cache.is_worth_trying():
            skipped += 1
        tries.append(skipped)
    assert tries == [1, 2, 0, 1]
    for _ in range(20):
        cache.tried(lost=True)
    assert sum(not cache.is_worth_trying() for _ in range(999)) == SKIPPED_GROUPS_MAX
