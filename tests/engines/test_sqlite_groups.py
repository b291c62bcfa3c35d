"""Group commit: what shares a commit, who is told what, and when."""

import asyncio
import gc
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hashrange.storage.engine import (
    STAMP_BYTES,
    Changes,
    StaleFenceError,
    StorageBusyError,
    StorageError,
)
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.fences import FenceCache
from hashrange.storage.sqlite.tuning import Tuning
from tests.pace import turns

ASIDE = {"inline_sync_ns_max": -1, "lone_sync_ns_max": -1}
"""However fast the disk is, syncs run beside the loop."""


@pytest.fixture(params=["file", "aside", "memory"])
def engine(request: pytest.FixtureRequest, tmp_path: Path):
    tuning = Tuning(**ASIDE) if request.param == "aside" else None
    directory = None if request.param == "memory" else tmp_path
    engine = SqliteEngine.open(directory, tuning=tuning)
    yield engine
    engine.close()


def put(key: bytes, value: bytes = b"v"):
    return lambda _: Changes(answer=key, puts={key: value})


def refuse(error: BaseException):
    def decide(_):
        raise error

    return decide


def answer(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Of a coroutine that must not suspend."""
    with pytest.raises(StopIteration) as stop:
        coroutine.send(None)
    return stop.value.value


# No Task is made for a request: the server drives its coroutine by hand.
def test_a_write_suspends_once_on_a_plain_future(engine: SqliteEngine):
    async def scenario():
        loop = asyncio.get_running_loop()
        outcome = loop.create_future()

        def start():
            assert asyncio.current_task() is None
            coroutine = engine.write([b"k"], put(b"k"))
            waiter = coroutine.send(None)

            def resume(_):
                with pytest.raises(StopIteration) as stop:
                    coroutine.send(None)
                outcome.set_result(stop.value.value)

            waiter.add_done_callback(resume)

        loop.call_soon(start)
        return await outcome

    assert asyncio.run(scenario()) == b"k"
    assert answer(engine.read([b"k"])) == [b"v"]


def test_reads_never_suspend(engine: SqliteEngine):
    asyncio.run(engine.write([b"k"], put(b"k")))
    assert answer(engine.read([b"k", b"absent"], fences={b"k": b"v"})) == [b"v", None]
    assert answer(engine.scan(b"a", b"z", limit=9, bytes_max=9)) == [(b"k", b"v")]


def test_writes_that_wait_together_share_a_commit(engine: SqliteEngine):
    async def scenario():
        await asyncio.gather(*(engine.write([b"%d" % i], put(b"%d" % i)) for i in range(100)))

    asyncio.run(scenario())
    stats = engine.stats()
    assert (stats.groups, stats.works, stats.queue_length) == (1, 100, 0)


# Clients that were answered together ask again over a few turns of the loop: begun at once, a group
# would leave most of them to wait for its sync and for their own.
def test_a_group_takes_what_the_next_turns_bring(engine: SqliteEngine):
    async def scenario(apart: int):
        groups = engine.stats().groups
        writes = []
        for number in range(3):
            writes.append(
                asyncio.ensure_future(engine.write([b"%d" % number], put(b"%d" % number)))
            )
            await turns(apart)
        await asyncio.gather(*writes)
        return engine.stats().groups - groups

    assert asyncio.run(scenario(apart=1)) == 1
    assert asyncio.run(scenario(apart=9)) > 1, "a turn that brings nothing is the last"


# Else a stream of writes that never ends would never be answered.
def test_a_group_waits_for_some_turns_only(engine: SqliteEngine):
    begun = []

    def decide(_):
        begun.append(True)
        return Changes(answer=b"k", puts={b"k": b"v"})

    async def scenario():
        writes = [asyncio.ensure_future(engine.write([b"k"], decide))]
        while not begun:
            assert len(writes) < 10
            writes.append(asyncio.ensure_future(engine.write([b"k"], put(b"k"))))
            await turns()
        await asyncio.gather(*writes)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("tuning", "groups"),
    [
        (Tuning(group_works_max=10), 4),
        # The write that reaches the bound is the last of its group.
        (Tuning(group_bytes_max=500), 8),
        (Tuning(), 1),
    ],
)
def test_a_group_is_bounded(tmp_path: Path, tuning: Tuning, groups: int):
    engine = SqliteEngine.open(tmp_path, tuning=tuning)

    async def scenario():
        writes = (engine.write([b"%d" % i], put(b"%d" % i, bytes(100))) for i in range(40))
        await asyncio.gather(*writes)

    asyncio.run(scenario())
    assert engine.stats().groups == groups
    assert len(answer(engine.scan(b"0", b"a", limit=99, bytes_max=1 << 20))) == 40
    engine.close()


# What is refused is not begun, at once, and told in one line however often it happens.
def test_the_queue_is_bounded(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    tuning = Tuning(queue_works_max=3)
    engine = SqliteEngine.open(tmp_path, tuning=tuning, monotonic_ns=lambda: 0)

    async def scenario():
        writes = (engine.write([b"%d" % i], put(b"%d" % i)) for i in range(5))
        return await asyncio.gather(*writes, return_exceptions=True)

    *done, fourth, fifth = asyncio.run(scenario())
    engine.close()
    assert done == [b"0", b"1", b"2"]
    assert [type(fourth), type(fifth)] == [StorageBusyError, StorageBusyError]
    assert engine.stats().refused == 2
    assert caplog.messages == ["overload: 1 writes refused, 3 writes queued"]


# A condition may have failed because of a write that is not yet on disk.
def test_a_refusal_is_told_after_the_commit(tmp_path: Path):
    engine = SqliteEngine.open(tmp_path)
    told = []

    async def refused():
        with pytest.raises(ValueError, match="no"):
            await engine.write([b"k"], refuse(ValueError("no")))
        told.append(engine.stats().groups)

    async def scenario():
        await asyncio.gather(refused(), engine.write([b"k"], put(b"k")))

    asyncio.run(scenario())
    engine.close()
    assert told == [1]


# Any exception at all, even one of ours or of SQLite, is the affair of its own caller.
@pytest.mark.parametrize("error", [KeyError("k"), StaleFenceError(), StorageError("x")])
def test_what_decide_raises_stays_with_its_caller(engine: SqliteEngine, error: Exception):
    async def scenario():
        return await asyncio.gather(
            engine.write([b"a"], put(b"a")),
            engine.write([b"b"], refuse(error)),
            engine.write([b"c"], put(b"c")),
            return_exceptions=True,
        )

    assert asyncio.run(scenario()) == [b"a", error, b"c"]
    assert answer(engine.read([b"a", b"b", b"c"])) == [b"v", None, b"v"]


# Found late, in the middle of what one write changes: nothing of that write may remain.
@pytest.mark.parametrize(
    "changes",
    [
        Changes(answer=None, puts={b"x": b"1"}, adds={b"n": 2**63 - 1, b"m": 1}),
        Changes(answer=None, puts={b"x": b"1"}, adds={b"short": 1}),
        Changes(answer=None, puts={b"x": b"1"}, appends=[(b"log", b"r")], adds={b"n": 2**63 - 1}),
        Changes(answer=None, puts={b"x": b"1"}, deletes=[b"x"]),
    ],
)
def test_changes_that_cannot_be_made_leave_no_trace(engine: SqliteEngine, changes: Changes):
    def begin(_):
        return Changes(answer=None, puts={b"short": b"1"}, adds={b"n": 1})

    async def scenario():
        await engine.write([b"x"], begin)
        return await asyncio.gather(
            engine.write([b"x"], lambda _: changes),
            engine.write([b"y"], put(b"y")),
            return_exceptions=True,
        )

    outcomes = asyncio.run(scenario())
    assert isinstance(outcomes[0], Exception)
    assert outcomes[1] == b"y"
    found = answer(engine.scan(b"a", b"z", limit=9, bytes_max=1 << 20))
    assert dict(found) == {b"n": (1).to_bytes(8), b"short": b"1", b"y": b"v"}
    asyncio.run(engine.write([b"x"], lambda _: Changes(answer=None, appends=[(b"log", b"r")])))
    (record,) = answer(engine.read([b"log" + (1).to_bytes(8)]))
    assert record[STAMP_BYTES:] == b"r"


# Whatever becomes of a counter between two additions, in the order in which it becomes so.
def test_a_counter_is_summed_over_a_group(engine: SqliteEngine):
    def add(amount: int) -> Changes[None]:
        return Changes(answer=None, adds={b"n": amount})

    steps = [
        add(5),
        Changes(answer=None, deletes=[b"n"]),
        add(2**63 - 3),
        add(3),  # one too many
        add(2),
        Changes(answer=None, puts={b"x": b"1"}, adds={b"n": -1}, appends=[(b"log", b"r")]),
    ]

    async def scenario():
        await engine.write([b"x"], lambda _: add(7))
        return await asyncio.gather(
            *(engine.write([b"x"], partial(lambda step, _: step, step)) for step in steps),
            return_exceptions=True,
        )

    outcomes = asyncio.run(scenario())
    assert [type(outcome) for outcome in outcomes] == [type(None)] * 3 + [OverflowError] + [
        type(None)
    ] * 2
    assert answer(engine.read([b"n", b"x"])) == [(2**63 - 2).to_bytes(8), b"1"]


# A value that is not bytes would be stored as SQLite likes; the table refuses it, and with it
# the group, which cannot be half done.
def test_a_value_of_a_wrong_type_is_never_stored(engine: SqliteEngine):
    async def scenario():
        await engine.write([b"a"], put(b"a"))
        return await asyncio.gather(
            engine.write([b"b"], put(b"b")),
            engine.write([b"c"], put(b"c", "text")),
            return_exceptions=True,
        )

    assert [type(outcome) for outcome in asyncio.run(scenario())] == [StorageError, StorageError]
    assert answer(engine.read([b"a", b"b", b"c"])) == [b"v", None, None]
    assert asyncio.run(engine.write([b"b"], put(b"b"))) == b"b"


# Ctrl-C may come while a decision runs. The group is undone, the loop is told.
def test_an_interrupt_undoes_the_group(engine: SqliteEngine):
    outcomes = []

    async def attempt(key: bytes, decide):
        try:
            outcomes.append(await engine.write([key], decide))
        except StorageError as error:
            outcomes.append(error)

    async def scenario():
        interrupt = refuse(KeyboardInterrupt())
        await asyncio.gather(attempt(b"a", put(b"a")), attempt(b"b", interrupt))

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(scenario())
    assert answer(engine.read([b"a"])) == [None]
    assert asyncio.run(engine.write([b"c"], put(b"c"))) == b"c"


def test_a_cancelled_waiter_breaks_nothing(engine: SqliteEngine):
    async def scenario():
        tasks = [asyncio.create_task(engine.write([b"%d" % i], put(b"%d" % i))) for i in range(3)]
        await turns()
        tasks[1].cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    first, second, third = asyncio.run(scenario())
    assert (first, third) == (b"0", b"2")
    assert isinstance(second, asyncio.CancelledError)


# The client has gone, its coroutine is dropped; what it wrote is as good as any write, and an
# error that nobody fetches makes no noise (warnings and complaints of the loop fail this test).
def test_an_abandoned_waiter_breaks_nothing(engine: SqliteEngine):
    complaints = []

    async def scenario():
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        for decide in (put(b"a"), refuse(ValueError("nobody cares"))):
            coroutine = engine.write([b"a"], decide)
            coroutine.send(None)
            coroutine.close()
        del coroutine
        await engine.write([b"b"], put(b"b"))

    asyncio.run(scenario())
    gc.collect()
    assert answer(engine.read([b"a", b"b"])) == [b"v", b"v"]
    assert complaints == []


# A loop that died with writes in the queue: its futures cannot be answered any more.
def test_an_engine_outlives_its_loop(engine: SqliteEngine):
    async def leave():
        coroutine = engine.write([b"a"], put(b"a"))
        coroutine.send(None)
        return coroutine

    abandoned = asyncio.run(leave())
    assert asyncio.run(engine.write([b"b"], put(b"b"))) == b"b"
    abandoned.close()


# A counter that each write of a table adds to must not cost each write a row.
def test_a_hot_key_is_written_once_a_group(engine: SqliteEngine):
    connection = engine.database.connections.writer
    rows = connection.total_changes()

    async def scenario():
        def decide(before):
            number = int(before[0] or 0) + 1
            return Changes(answer=number, puts={b"k": b"%d" % number}, adds={b"count": 1})

        return await asyncio.gather(*(engine.write([b"k"], decide) for _ in range(50)))

    assert asyncio.run(scenario()) == list(range(1, 51))
    assert connection.total_changes() - rows == 2
    assert answer(engine.read([b"k", b"count"])) == [b"50", (50).to_bytes(8)]


# Refused writes are many where conditions are used for locks; each would cost a sync.
def test_a_group_without_changes_writes_nothing(tmp_path: Path):
    engine = SqliteEngine.open(tmp_path)
    asyncio.run(engine.write([b"k"], put(b"k")))
    size = (tmp_path / "hashrange.db-wal").stat().st_size
    with pytest.raises(KeyError):
        asyncio.run(engine.write([b"k"], refuse(KeyError())))
    asyncio.run(engine.write([b"k"], lambda _: Changes(answer=None)))
    assert (tmp_path / "hashrange.db-wal").stat().st_size == size
    assert engine.stats().groups == 3
    engine.close()


def test_fences_see_the_writes_before_them_in_a_group(engine: SqliteEngine):
    async def scenario():
        await engine.write([b"f"], put(b"f", b"1"))
        assert await engine.read([b"f"], fences={b"f": b"1"}) == [b"1"]
        return await asyncio.gather(
            engine.write([b"a"], put(b"a"), fences={b"f": b"1"}),
            engine.write([b"f"], put(b"f", b"2")),
            engine.write([b"b"], put(b"b"), fences={b"f": b"1"}),
            engine.write([b"c"], put(b"c"), fences={b"f": b"2"}),
            return_exceptions=True,
        )

    first, second, third, fourth = asyncio.run(scenario())
    assert (first, second, fourth) == (b"a", b"f", b"c")
    assert isinstance(third, StaleFenceError)
    with pytest.raises(StaleFenceError):
        answer(engine.read([b"a"], fences={b"f": b"1"}))


def test_many_fence_keys_do_not_fill_the_memory():
    cache = FenceCache(lambda _: None, kept_max=10)
    for index in range(100):
        with pytest.raises(StaleFenceError):
            cache.check({b"%d" % index: b"1"})
    assert len(cache.values) <= 10
