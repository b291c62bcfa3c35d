"""Writes that PostgreSQL carries out together: as if one after the other, and fewer statements."""

import asyncio
import random
import uuid
from dataclasses import replace

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine, Write, outcome_at_once
from hashrange.assembly.engines.trials.histories import COUNTERS, LOGS, RECORDS
from hashrange.assembly.engines.trials.subject import RefusedError, change
from hashrange.clock import SystemClock
from hashrange.storage.engine import (
    NO_FENCES,
    Changes,
    ContendedError,
    KeyTooLongError,
    StaleFenceError,
    StorageError,
)
from hashrange.storage.pending_write import TRIES_MAX, PendingWrite
from hashrange.storage.postgres.fenced import FencedReader
from hashrange.storage.postgres.group import BYTES_MAX, Group, Readiness
from hashrange.storage.postgres.group_executor import GroupExecutor
from tests.engines.postgres_engines import opened, planted
from tests.engines.postgres_server import url_of


@pytest.fixture
def url():
    return url_of(str(uuid.uuid4()))


def work_of(keys, decide=lambda _: Changes(answer=None), fences=NO_FENCES, waiter=None):
    return PendingWrite(keys=keys, decide=decide, fences=fences, waiter=waiter)


def put(key, value=b"v"):
    return work_of([key], lambda _: Changes(answer=None, puts={key: value}))


# Deciding


DEFINITION = b"definition"


def random_write(noise, name):
    """Anything that a work may do, on few keys: also what does not go together."""

    def some(choices, count_max):
        return tuple(noise.sample(choices, noise.randint(0, min(count_max, len(choices)))))

    keys = some((b"a", b"b", b"c", RECORDS[0], DEFINITION), 3)
    changed = some([key for key in keys if key != DEFINITION], 3)
    cut = noise.randint(0, len(changed))
    defines = {DEFINITION: noise.choice([b"1", b"2"])} if DEFINITION in keys else {}
    adds = some(COUNTERS, 1)
    blind = (*COUNTERS, b"blind", RECORDS[0])
    trims = [key for key in some(blind, 1) if key not in (*adds, *changed)]
    logs = [log for log in LOGS if RECORDS[0] not in (*keys, *trims) or log != LOGS[0]]
    return Write(
        keys=keys,
        name=name,
        puts=changed[:cut],
        deletes=(*changed[cut:], *trims),
        defines=defines,
        adds=adds,
        appends=some(logs, 2),
        refuses_odd=noise.random() < 0.3,
        fences={DEFINITION: noise.choice([b"1", b"2"])} if noise.random() < 0.3 else {},
    )


def outcome_of(work):
    match work.error:
        case None:
            return work.answer
        case RefusedError():
            return ("refused", *work.error.args)
        case StaleFenceError():
            return "stale"
    raise AssertionError(work.error)


# The obvious engine does one after the other; a group does all at once, and nobody can tell.
@pytest.mark.parametrize("seed", range(300))
def test_a_group_is_its_works_one_after_the_other(seed):
    noise = random.Random(seed)
    one_by_one = DictEngine({b"a": b"1", DEFINITION: b"1", COUNTERS[0]: bytes(7) + b"\x05"})
    at_once = one_by_one.copy()
    left = [random_write(noise, b"%d" % index) for index in range(noise.randint(1, 8))]
    while left:
        stored = {key: (value, 1) for key, value in at_once.pairs.items()}
        group = Group(stored, key_bytes_max=100)
        later = []
        for operation in left:
            if any(at_once.pairs[key] != value for key, value in operation.fences.items()):
                continue  # the look before has told it
            work = work_of(operation.keys, operation.decide, operation.fences)
            if later or group.take(work) is Readiness.LATER:
                later.append(operation)
                continue
            assert outcome_of(work) == outcome_at_once(operation, one_by_one)
        changes = group.changes()
        named = [*changes.puts, *changes.deletes, *changes.adds]
        assert len(named) == len(set(named)), "one statement names each row once"
        logs = {log for log, _ in changes.appends}
        assert not any(key[:-8] in logs for key in (*group.keys, *named)), "and no new record"
        outcome_at_once(AsIs(changes), at_once)
        assert at_once.pairs == one_by_one.pairs
        assert len(later) < len(left)
        left = later


class AsIs:
    def __init__(self, changes):
        self.changes = changes

    async def on(self, engine):
        return await engine.write([], lambda _: self.changes)


def test_what_depends_on_nobody_is_told_at_once():
    group = Group({b"a": (b"1", 1)}, key_bytes_max=9)
    assert group.take(put(b"k")) is Readiness.WITH_GROUP
    assert group.take(work_of([b"a"])) is Readiness.NOW
    refused = Write(keys=(b"a",), name=b"", refuses_odd=True)
    refusals = {
        group.take(work_of([b"a"], replace(refused, name=b"%d" % n).decide)) for n in range(9)
    }
    assert refusals == {Readiness.NOW}
    assert group.take(work_of([b"k"])) is Readiness.WITH_GROUP
    assert (
        group.take(work_of([b"x"], lambda _: Changes(answer=None, deletes=[b"x"]))) is Readiness.NOW
    )
    assert group.keys == {b"k"}


def test_a_key_that_is_too_long_is_refused_alone():
    group = Group({}, key_bytes_max=2)
    long = put(b"long")
    assert [group.take(put(b"a")), group.take(long)] == [Readiness.WITH_GROUP, Readiness.NOW]
    assert isinstance(long.error, KeyTooLongError)
    assert group.changes().puts == {b"a": b"v"}


def test_a_group_has_a_bound_in_bytes():
    group = Group({}, key_bytes_max=2)
    assert group.take(put(b"a", bytes(BYTES_MAX))) is Readiness.WITH_GROUP
    assert group.take(put(b"b")) is Readiness.LATER


# On the database


def increment(values):
    return Changes(answer=None, puts={b"k": b"%d" % (int(values[0] or 0) + 1)})


def commits(engine):
    return sum(engine.stats().durations.buckets)


def executor_of(engine):
    """One more on the connections of an engine."""
    clock = SystemClock()
    return GroupExecutor(engine.pool, FencedReader(engine.pool, clock), clock)


def test_a_hot_key_and_a_log_take_few_statements(url):
    async def run():
        async with opened(url) as engine:
            await asyncio.gather(*(engine.write([b"k"], increment) for _ in range(60)))
            assert await engine.read([b"k"]) == [b"60"]
            assert commits(engine) <= 4
            before = commits(engine)
            writes = [
                change(engine, puts={b"%d" % n: b""}, appends=[(b"log", b"%d" % n)])
                for n in range(60)
            ]
            await asyncio.gather(*writes)
            page = await engine.scan(b"log", b"loh", limit=99, bytes_max=9999)
            assert [int.from_bytes(key[3:]) for key, _ in page] == list(range(1, 61))
            assert commits(engine) - before <= 8

    asyncio.run(run())


# A connection that swallows everything holds nobody up whose own patience is shorter.
def test_a_write_that_hangs_and_is_given_up_frees_its_key(url):
    async def run():
        async with planted(url) as engine:
            sent = asyncio.Event()

            async def hang(text, arrays):
                sent.set()
                await asyncio.Event().wait()

            engine.pool.write = hang
            task = asyncio.create_task(change(engine, puts={b"k": b"lost"}))
            await sent.wait()
            engine.pool.heal()
            task.cancel()
            await change(engine, puts={b"k": b"v"})
            assert await engine.read([b"k"]) == [b"v"]
            assert task.cancelled()

    asyncio.run(run())


async def meeting(executor, *works):
    """What comes of works that are carried out as one group."""
    loop = asyncio.get_running_loop()
    made = [work_of(keys, decide, waiter=loop.create_future()) for keys, decide in works]
    later = await executor.execute(made)
    assert later == []
    return [work.error for work in made]


def refuse(values):
    raise RefusedError(values)


# One key of the group is another server's all the time: the rest must not wait for it.
def test_a_group_that_loses_again_and_again_goes_apart(url):
    async def run():
        async with planted(url) as engine, opened(url) as other:
            send, rivals = engine.pool.write, []

            async def outrun(text, arrays):
                if any(b"k" in column for column in arrays):
                    rivals.append(arrays)
                    await change(other, puts={b"k": b"%d" % len(rivals)})
                return await send(text, arrays)

            engine.pool.write = outrun
            puts = [([b"%d" % n], put(b"%d" % n).decide) for n in range(6)]
            errors = await meeting(executor_of(engine), *puts[:3], ([b"k"], increment), *puts[3:])
            assert [type(error) for error in errors] == [
                *[type(None)] * 3,
                ContendedError,
                *[type(None)] * 3,
            ]
            assert len(rivals) == TRIES_MAX
            assert await engine.read([b"0", b"5", b"k"]) == [b"v", b"v", b"%d" % TRIES_MAX]

    asyncio.run(run())


# What lost is repeated, and no decision is made twice in the end. Items that go together in a
# transaction are repeated together.
@pytest.mark.parametrize("keys", [[b"x"], [b"x", b"y"]])
def test_writes_of_a_group_that_lose_are_repeated(url, keys):
    async def run():
        async with planted(url) as engine, opened(url) as other:
            executor, send = executor_of(engine), engine.pool.write

            async def outrun(text, arrays):
                engine.pool.heal()
                await change(other, puts={b"k": b"10"})
                return await send(text, arrays)

            engine.pool.write = outrun
            works = [([b"k"], increment) for _ in range(5)]
            assert await meeting(executor, *works, (keys, put(b"x").decide)) == [None] * 6
            assert await engine.read([b"k", b"x"]) == [b"15", b"v"]
            written_apart = len(keys) == 1
            assert (executor.conflicts, sum(executor.durations.buckets)) == (1, 1 + written_apart)

    asyncio.run(run())


# A refusal that rests on a write of its group is only true if that write is.
def test_refusals_that_rest_on_the_group_share_its_fate(url):
    async def run():
        async with planted(url) as engine:

            async def fail(text, arrays):
                raise StorageError("the disk is gone")

            engine.pool.write = fail
            executor = executor_of(engine)
            works = [([b"k"], increment), ([b"k"], refuse), ([b"other"], refuse)]
            errors = await meeting(executor, *works)
            assert [type(error) for error in errors] == [StorageError, StorageError, RefusedError]
            engine.pool.heal()
            errors = await meeting(executor, *works)
            assert errors[0] is None
            assert errors[1].args == ([b"1"],)

    asyncio.run(run())


# The fences of one group may be of definitions of which one is old.
def test_works_of_an_old_and_a_new_definition_meet(url):
    async def run():
        async with opened(url) as engine, opened(url) as other:
            await change(engine, puts={b"fence": b"1"})
            assert await engine.read([b"k"], fences={b"fence": b"1"}) == [None]
            await change(other, puts={b"fence": b"2"})
            loop = asyncio.get_running_loop()
            works = [
                work_of([b"%d" % n], put(b"%d" % n).decide, {b"fence": value}, loop.create_future())
                for n, value in enumerate([b"1", b"2", b"1", b"2"])
            ]
            assert await executor_of(engine).execute(works) == []
            kinds = [type(work.error) for work in works]
            assert kinds == [StaleFenceError, type(None)] * 2
            assert await engine.read([b"0", b"1", b"2", b"3"]) == [None, b"v", None, b"v"]

    asyncio.run(run())
