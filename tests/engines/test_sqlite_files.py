"""The files of a data directory stay small: the WAL is bounded, free pages are given back."""

import asyncio
import time
from collections.abc import Collection, Coroutine, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.settings.kinds import Durability
from hashrange.storage.engine import Changes
from hashrange.storage.sqlite.disk_thread import Call, Then, raised_by
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.tuning import Tuning
from tests.pace import turns

PAGE_BYTES = 4096
KEYS = [b"%d" % number for number in range(4)]

Sizes = dict[bytes, int | None]


class AtOnce:
    """A `DiskWorker` that runs a call in the loop and tells of its end in the next turn."""

    def run(self, call: Call, then: Then, loop: asyncio.AbstractEventLoop) -> None:
        self._error = raised_by(call)
        loop.call_soon(then, self._error)

    def wait(self) -> BaseException | None:
        return self._error

    def close(self) -> None:
        pass


@pytest.fixture(params=[Durability.RELAXED, Durability.FULL])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteEngine]:
    tuning = Tuning(
        checkpoint_pages=50,
        wal_bytes_max=100 * PAGE_BYTES,
        vacuum_pages_min=20,
        vacuum_pages_step=10,
        reserve_bytes=0,
        aside=AtOnce,
    )
    engine = SqliteEngine.open(tmp_path, durability=request.param, tuning=tuning)
    yield engine
    engine.close()


async def put(engine: SqliteEngine, key: bytes, value: bytes) -> None:
    await engine.write([key], lambda _: Changes(answer=None, puts={key: value}))


async def delete(engine: SqliteEngine, key: bytes) -> None:
    await engine.write([key], lambda _: Changes(answer=None, deletes=[key]))


# Readers that keep a snapshot, or a scan that ends early and stays open, keep the WAL from
# starting anew: it then grows with every write, to hundreds of megabytes in seconds.
def test_the_wal_stays_small_between_reads(tmp_path: Path, engine: SqliteEngine):
    async def scenario():
        sizes = []
        for index in range(1500):
            await put(engine, b"%d" % (index % 300), b"%d" % index * 200)
            await engine.scan(b"0", b"a", limit=100, bytes_max=1)
            await engine.read([b"7"])
            sizes.append((tmp_path / "hashrange.db-wal").stat().st_size)
        return sizes

    sizes = asyncio.run(scenario())
    assert max(sizes) < 70 * PAGE_BYTES
    assert len(set(sizes[1000:])) < 10, "it starts anew, in the space that it has"


def test_a_wal_that_a_large_write_made_large_is_cut(tmp_path: Path, engine: SqliteEngine):
    wal = tmp_path / "hashrange.db-wal"
    asyncio.run(put(engine, b"k", bytes(300 * PAGE_BYTES)))
    large = wal.stat().st_size
    asyncio.run(put(engine, b"k", b"small"))
    assert large > 300 * PAGE_BYTES
    assert wal.stat().st_size <= 101 * PAGE_BYTES


# A dropped table is deleted page by page; its space must not be lost to other files.
def test_free_pages_are_given_back_in_steps(tmp_path: Path, engine: SqliteEngine):
    async def scenario():
        for index in range(100):
            await put(engine, b"%03d" % index, bytes(2 * PAGE_BYTES))
        deletes = [b"%03d" % index for index in range(100)]
        await engine.write(deletes, lambda _: Changes(answer=None, deletes=deletes))
        # The loop would run the timer after a pause; here it is run at once.
        steps = 0
        maintenance = engine.committer.maintenance
        while maintenance.is_waiting or not steps:
            maintenance.give_back(asyncio.get_running_loop())
            await turns(10)
            steps += 1
        return steps

    assert asyncio.run(scenario()) > 5
    assert (tmp_path / "hashrange.db").stat().st_size < 40 * PAGE_BYTES
    assert asyncio.run(engine.scan(b"", b"\xff", limit=9, bytes_max=9)) == []


def test_a_value_goes_from_large_to_small_and_back(engine: SqliteEngine):
    values = [
        b"s",
        bytes(700),
        bytes(699),
        bytes(701),
        b"l" * 5000,
        b"L" * 9000,
        b"",
        bytes(100_000),
    ]

    async def scenario():
        for value in values:
            await put(engine, b"k", value)
            assert await engine.read([b"k"]) == [value]
            assert await engine.read([b"k", b"none"]) == [value, None]
            assert await engine.scan(b"a", b"z", limit=2, bytes_max=1) == [(b"k", value)]
        await delete(engine, b"k")
        assert await engine.read([b"k"]) == [None]

    asyncio.run(scenario())
    assert engine.database.write("SELECT count(*) FROM large_values").get == 0


# The tree of keys must not hold large values: a lookup would read every one that it passes.
def test_large_values_stand_apart(engine: SqliteEngine):
    asyncio.run(put(engine, b"k", bytes(5000)))
    asyncio.run(put(engine, b"l", bytes(690)))
    found = engine.database.write("SELECT k, length(v), large IS NULL FROM kv").fetchall()
    assert found == [(b"k", None, 0), (b"l", 690, 1)]


_sizes = st.sampled_from([None, 0, 10, 690, 800, 5000])
_works = st.lists(
    st.tuples(
        st.sets(st.sampled_from(KEYS)),
        st.dictionaries(st.sampled_from(KEYS), _sizes, min_size=1),
    ),
    min_size=1,
    max_size=4,
)


# What a group replaces is looked for among the large values only if it changed too few small ones.
@given(groups=st.lists(_works, min_size=1, max_size=5))
def test_no_large_value_is_left_over_or_lost(groups: list[list[tuple[set[bytes], Sizes]]]):
    engine = SqliteEngine.open(None)
    expected: dict[bytes, bytes] = {}

    def work(read: set[bytes], sizes: Sizes) -> Coroutine[object, object, None]:
        puts = {key: bytes(size) for key, size in sizes.items() if size is not None}
        deletes = [key for key, size in sizes.items() if size is None]
        expected.update(puts)
        for key in deletes:
            expected.pop(key, None)
        changes = Changes(answer=None, puts=puts, deletes=deletes)
        return engine.write([*read], lambda _: changes)

    async def scenario() -> None:
        for works in groups:
            await asyncio.gather(*(work(*each) for each in works))
        assert dict(await engine.scan(b"", b"z", limit=100, bytes_max=10**9)) == expected

    with closing(engine):
        asyncio.run(scenario())
        large, pointers = engine.database.write(
            "SELECT (SELECT count(*) FROM large_values), (SELECT count(large) FROM kv)"
        ).get
    assert large == pointers == sum(len(value) > 700 for value in expected.values())


# Whoever follows a log need not look for records again and again.
def test_records_are_told_when_they_can_be_read(engine: SqliteEngine):
    told: list[object] = []

    async def scenario() -> None:
        def appended(logs: Collection[bytes]) -> None:
            told.append((sorted(logs), engine.database.view.read("SELECT count(*) FROM kv").get))

        engine.committer.appended = appended
        await put(engine, b"k", b"v")
        both = Changes(answer=None, appends=[(b"a-log", b"r"), (b"b-log", b"r")])
        await engine.write([], lambda _: both)

    asyncio.run(scenario())
    assert told == [([b"a-log", b"b-log"], 3)]


# SQLite with STAT4 plans a statement anew for each new value in it, unless it is told not to:
# every page would cost three times as much, and nothing else would show it.
def test_statements_are_planned_once(engine: SqliteEngine):
    connections = engine.database.connections
    for each in (connections.reader, connections.writer):
        assert each.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, -1) == 1


def test_stats_add_up(engine: SqliteEngine):
    began_ns = time.monotonic_ns()
    asyncio.run(put(engine, b"k", b"v"))
    asyncio.run(put(engine, b"l", b"v"))
    passed_ns = time.monotonic_ns() - began_ns
    stats = engine.stats()
    assert (stats.groups, stats.works, stats.recoveries) == (2, 2, 0)
    assert 0 < stats.commits.total_ns <= passed_ns
    assert 0 < stats.syncs.total_ns < stats.commits.total_ns
    assert sum(stats.syncs.buckets) == sum(stats.commits.buckets) == stats.groups
    assert 0 < stats.wal_pages < 50
    assert not stats.disk_full
    assert not stats.down
