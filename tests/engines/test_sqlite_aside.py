"""The second half of a group, beside the loop: what is answered and seen until the disk has it."""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from hashrange.storage.engine import Changes, StaleFenceError, StorageError
from hashrange.storage.sqlite.disk_thread import BackgroundCall, DiskThread
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.tuning import Tuning
from hashrange.storage.sqlite.write_queue import GATHERED_PER_SYNC
from tests.engines.held import Held, put
from tests.pace import turns

OPEN_URI = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI


@pytest.fixture
def aside() -> Held:
    return Held()


@pytest.fixture
def engine(aside: Held, tmp_path: Path) -> Iterator[SqliteEngine]:
    tuning = Tuning(
        inline_sync_ns_max=-1, lone_sync_ns_max=-1, aside=lambda: aside, reserve_bytes=0
    )
    # No time passes: after a sync that took some, others are waited for.
    engine = SqliteEngine.open(tmp_path, tuning=tuning, monotonic_ns=lambda: 0)
    yield engine
    engine.close()


# What is not on disk is not shown, or a power cut would take back what somebody was told.
def test_until_it_is_synced_a_write_is_neither_answered_nor_seen(engine: SqliteEngine, aside: Held):
    async def scenario():
        first = put(engine, b"k", b"1")
        await turns(5)
        aside.end()
        assert await first == b"1"
        second = put(engine, b"k", b"2")
        await turns(5)
        assert not second.done()
        assert await engine.read([b"k"]) == [b"1"]
        assert await engine.scan(b"a", b"z", limit=9, bytes_max=9) == [(b"k", b"1")]
        aside.end()
        assert await engine.read([b"k"]) == [b"2"]
        assert await second == b"2"

    asyncio.run(scenario())


# A plan of the state before is right for who reads that state, and wrong for who writes after.
def test_fences_are_those_of_what_is_seen(engine: SqliteEngine, aside: Held):
    async def scenario():
        for value in (b"1", b"2"):
            first = put(engine, b"f", value)
            await turns(5)
            if value == b"1":
                aside.end()
        assert await engine.read([], fences={b"f": b"1"}) == []
        with pytest.raises(StaleFenceError):
            await engine.read([], fences={b"f": b"2"})
        late = put(engine, b"k", b"v", {b"f": b"1"})
        await turns(5)
        aside.end()
        await first
        with pytest.raises(StaleFenceError):
            await late
        assert await engine.read([], fences={b"f": b"2"}) == []

    asyncio.run(scenario())


# One group is on its way to the disk, the next one waits, and takes all that came meanwhile.
def test_writes_that_come_meanwhile_share_the_next_group(engine: SqliteEngine, aside: Held):
    async def scenario():
        first = put(engine, b"a", b"1")
        await turns(5)
        later = [put(engine, b"%d" % number, b"1") for number in range(9)]
        await turns(5)
        assert engine.stats().queue_length == 9
        aside.end()
        await first
        await turns(5)
        aside.end()
        await asyncio.gather(*later)

    asyncio.run(scenario())
    assert engine.stats().groups == 2


def test_a_sync_that_fails_fails_for_all(engine: SqliteEngine, aside: Held):
    async def scenario():
        writes = [put(engine, b"a", b"1"), put(engine, b"b", b"1")]
        await turns(5)
        aside.end(apsw.IOError("no"))
        outcomes = await asyncio.gather(*writes, return_exceptions=True)
        assert [type(each) for each in outcomes] == [StorageError, StorageError]
        found = await engine.read([b"a", b"b"])
        third = put(engine, b"c", b"1")
        await turns(5)
        aside.end()
        assert await third == b"1"
        assert await engine.read([b"a", b"b"]) == found, "the outcome is settled"

    asyncio.run(scenario())
    assert engine.stats().recoveries == 1


# A loop may end while the disk is at work; the next one finds the engine in order.
def test_an_engine_outlives_a_loop_that_waits_for_the_disk(engine: SqliteEngine, aside: Held):
    async def leave():
        coroutine = engine.write([b"a"], lambda _: Changes(answer=None, puts={b"a": b"1"}))
        coroutine.send(None)
        await turns(5)
        assert aside.held is not None
        return coroutine

    async def go_on():
        second = put(engine, b"b", b"1")
        await turns(5)
        aside.end()
        await second
        return await engine.read([b"a", b"b"])

    abandoned = asyncio.run(leave())
    assert asyncio.run(go_on()) == [b"1", b"1"]
    abandoned.close()


def test_closing_waits_for_the_disk(engine: SqliteEngine):
    async def scenario():
        write = put(engine, b"a", b"1")
        await turns(5)
        engine.close()
        assert await write == b"1"

    asyncio.run(scenario())


# The copy of the WAL to the data file takes longest of all: who reads must not wait for it, and who
# writes only for the little that was written meanwhile, before the WAL starts anew.
def test_requests_go_on_while_the_wal_is_copied(tmp_path: Path):
    sync, copy = workers = Held(), Held()
    made = iter(workers)
    tuning = Tuning(
        inline_sync_ns_max=1 << 62, aside=lambda: next(made), reserve_bytes=0, checkpoint_pages=1
    )
    engine = SqliteEngine.open(tmp_path, tuning=tuning)

    async def scenario():
        await put(engine, b"a", b"1")
        await turns(5)
        assert copy.held is not None
        await put(engine, b"a", b"2")
        assert await engine.read([b"a"]) == [b"2"]
        copy.end()
        assert value_in_the_data_file(tmp_path) != b"2", "what came later is not copied"
        await turns(5)
        assert copy.held is not None, "the rest"
        late = put(engine, b"a", b"3")
        await turns(5)
        assert not late.done()
        assert await engine.read([b"a"]) == [b"2"]
        copy.end()
        assert value_in_the_data_file(tmp_path) == b"2"
        assert await late == b"3"
        assert engine.stats().wal_pages == 1, "it started anew"

    asyncio.run(scenario())
    assert sync.held is None
    engine.close()


def value_in_the_data_file(directory: Path) -> bytes | None:
    """Of the key "a", without the WAL."""
    alone = directory / "alone.db"
    alone.write_bytes((directory / "hashrange.db").read_bytes())
    with closing(apsw.Connection(f"{alone.as_uri()}?immutable=1", OPEN_URI)) as connection:
        return connection.execute("SELECT v FROM kv WHERE k = ?", (b"a",)).get


def test_the_thread_tells_how_a_call_ended():
    async def scenario():
        loop = asyncio.get_running_loop()
        aside = DiskThread()
        for call, kind in ((lambda: None, type(None)), (lambda: 1 // 0, ZeroDivisionError)):
            told = loop.create_future()
            aside.run(call, told.set_result, loop)
            assert type(aside.wait()) is kind
            assert type(await told) is kind
        aside.close()
        told = loop.create_future()
        aside.run(lambda: None, told.set_result, loop)
        assert await told is None
        aside.close()

    asyncio.run(scenario())


# Nobody is told that a write is on a disk that hangs, and nobody waits for it to be told why.
def test_a_disk_that_hangs_is_reported_until_it_is_back(aside: Held, tmp_path: Path, caplog):
    now_ns = 0
    tuning = Tuning(
        inline_sync_ns_max=-1, lone_sync_ns_max=-1, aside=lambda: aside, reserve_bytes=0
    )
    engine = SqliteEngine.open(tmp_path, tuning=tuning, monotonic_ns=lambda: now_ns)

    async def scenario():
        nonlocal now_ns
        now_ns = 10**12
        watching = asyncio.ensure_future(engine.watch().run())
        first = put(engine, b"k", b"1")
        await turns(5)
        now_ns += 5 * 10**9 - 1
        assert engine.stalled() is None
        now_ns += 2 * 10**9
        waits = put(engine, b"k", b"2")
        await turns(5)
        assert await engine.read([b"k"]) == [None]
        assert engine.stalled() == (
            "the disk has not answered a sync for 6 s; writes wait, reads go on"
        )
        watching.cancel()
        watching = asyncio.ensure_future(engine.watch().run())
        await turns(5)
        assert [record.getMessage() for record in caplog.records] == [engine.stalled()]
        aside.end()
        assert await first == b"1"
        assert engine.stalled() is None
        watching.cancel()
        watching = asyncio.ensure_future(engine.watch().run())
        await turns(5)
        assert caplog.records[-1].getMessage() == (
            "the disk answers again; the writes that waited go on"
        )
        aside.end()
        assert await waits == b"2"
        watching.cancel()

    with closing(engine):
        asyncio.run(scenario())


# Whoever finishes has let follow what follows; the loop comes too late.
def test_what_follows_a_call_happens_once():
    followed = []

    async def scenario():
        disk_call = BackgroundCall(DiskThread(), lambda: 0)
        disk_call.run(lambda: None, followed.append, asyncio.get_running_loop())
        disk_call.finish()
        assert not disk_call.is_out
        await turns()
        disk_call.close()

    asyncio.run(scenario())
    assert followed == [None]


# Otherwise half of all callers is on its way to the disk while the other half waits for the next
# group, and each of them waits for two syncs.
def test_the_next_group_waits_a_little_for_those_just_answered(aside: Held, tmp_path: Path):
    engine = slow_engine(aside, tmp_path)

    async def scenario():
        timers = timers_of(asyncio.get_running_loop())
        first = [put(engine, b"%d" % number, b"1") for number in range(2)]
        await turns(5)
        late = [put(engine, b"%d" % number, b"1") for number in range(2, 4)]
        await turns(5)
        aside.end()
        await asyncio.gather(*first)
        await turns(5)
        assert aside.held is None, "two are still to come"
        again = [put(engine, b"%d" % number, b"2") for number in range(2)]
        await turns(5)
        aside.end()
        await asyncio.gather(*late, *again)
        assert engine.stats().groups == 2
        # Those who do not come again are not waited for long.
        last = put(engine, b"9", b"1")
        await turns(5)
        assert aside.held is None
        (_, _), (seconds, wake) = timers
        assert seconds == pytest.approx(SYNC_NS / GATHERED_PER_SYNC / 1e9)
        wake()
        await turns(5)
        aside.end()
        await last

    asyncio.run(scenario())
    engine.close()


# It may rest for as long as it likes before it comes again, and nobody else is expected.
def test_a_caller_who_is_alone_never_waits(aside: Held, tmp_path: Path):
    engine = slow_engine(aside, tmp_path)

    async def scenario():
        timers = timers_of(asyncio.get_running_loop())
        for rests in (False, True, False):
            write = put(engine, b"k", b"1")
            await turns(5)
            aside.end()
            await write
            await turns(5)
            if rests:
                timers[-1][1]()

    asyncio.run(scenario())
    engine.close()


SYNC_NS = 16_000_000


def slow_engine(aside: Held, directory: Path) -> SqliteEngine:
    tuning = Tuning(
        inline_sync_ns_max=-1, lone_sync_ns_max=-1, aside=lambda: aside, reserve_bytes=0
    )
    clock = itertools.count(0, SYNC_NS)
    engine = SqliteEngine.open(directory, tuning=tuning, monotonic_ns=lambda: next(clock))
    engine.committer.sync_scheduler.mean_ns = SYNC_NS
    return engine


def timers_of(loop: asyncio.AbstractEventLoop) -> list[tuple[float, Callable[[], None]]]:
    """The timers that are set from now on; they go off when a test says so."""
    timers = []

    def call_later(seconds: float, callback: Callable[..., None], *arguments: object):
        handle = asyncio.Handle(callback, arguments, loop)
        timers.append((seconds, lambda: handle.cancelled() or callback(*arguments)))
        return handle

    loop.call_later = call_later
    return timers
