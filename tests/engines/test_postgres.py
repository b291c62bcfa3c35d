"""What the engine on PostgreSQL has beyond the contract: trips, faults, and how it is opened."""

import asyncio
import re
import signal
import uuid
from contextlib import suppress

import pytest

from hashrange.assembly.engines.trials.subject import change
from hashrange.storage.engine import (
    NO_FENCES,
    Changes,
    ContendedError,
    KeyTooLongError,
    StaleFenceError,
    StorageBusyError,
    StorageError,
    StorageUnavailableError,
)
from hashrange.storage.pending_write import TRIES_MAX
from tests.engines.postgres_engines import admin, opened, planted
from tests.engines.postgres_server import PostgresServer, shared, url_of
from tests.engines.wire_tap import tapped
from tests.pace import loop_until, turns


@pytest.fixture
def url():
    return url_of(str(uuid.uuid4()))


@pytest.fixture
def own_server():
    """A server that a test may stop."""
    server = PostgresServer()
    yield server
    server.remove()


# Round trips


def put_if(expected, value):
    """A conditional put of b"k"."""

    def decide(values):
        if values[0] != expected:
            raise ValueError(values[0])
        return Changes(
            answer=None,
            puts={b"k": value, b"entry": value},
            adds={b"count": 1},
            appends=[(b"log", value)],
        )

    return decide


# What a request costs over a network, as the wire has it; the pool must add nothing.
def test_a_put_of_an_item_that_was_written_before_is_one_trip_as_is_a_get(url):
    async def run():
        async with tapped(shared().port) as tap:
            tapped_url = url.replace(f":{shared().port}/", f":{tap.port}/")
            async with opened(tapped_url) as engine:
                await change(engine, puts={b"fence": b"1", b"k": b"0"})
                fences = {b"fence": b"1"}
                trips = []
                for value in range(4):  # a text is prepared when a connection first meets it
                    before = tap.trips
                    await engine.write(
                        [b"k"], put_if(b"%d" % value, b"%d" % (value + 1)), fences=fences
                    )
                    after_put = tap.trips
                    assert await engine.read([b"k"], fences=fences) == [b"%d" % (value + 1)]
                    after_get = tap.trips
                    with pytest.raises(ValueError, match="b'"):
                        await engine.write([b"k"], put_if(b"no", b""), fences=fences)
                    trips.append((after_put - before, after_get - after_put, tap.trips - after_get))
                assert trips[-2:] == [(1, 1, 1)] * 2
                await change(engine, puts={b"unknown": b""})
                before = tap.trips
                await change(engine, puts={b"also unknown": b""})
                assert tap.trips - before == 2

    asyncio.run(run())


# Contention


# Two servers on one item: the loser says that nothing happened, and nothing did.
def test_a_write_that_always_loses_gives_up(url):
    async def run():
        async with planted(url) as engine, opened(url) as other:
            send, tries = engine.pool.write, []

            async def outrun(*batch):
                tries.append(batch)
                await change(other, puts={b"k": b"%d" % len(tries)})
                return await send(*batch)

            engine.pool.write = outrun
            with pytest.raises(ContendedError):
                await change(engine, puts={b"k": b"mine"})
            assert len(tries) == TRIES_MAX == engine.stats().conflicts
            assert await engine.read([b"k"]) == [b"%d" % TRIES_MAX]

    asyncio.run(run())


# What is lost to others is no error of the database's, which its log would fill up with.
def test_lost_comparisons_are_no_errors_in_the_log():
    server = PostgresServer("log_min_messages=warning", "log_min_error_statement=error")

    def change_of(values):
        return Changes(answer=None, puts={b"a": b"1"})

    async def outrun(engine, other, others, keys, fences=NO_FENCES):
        """A write that another server comes before, once."""
        send, lost = engine.pool.write, engine.stats().conflicts

        async def later(*batch):
            engine.pool.heal()
            await change(other, **others)
            return await send(*batch)

        engine.pool.write = later
        try:
            await engine.write(keys, change_of, fences=fences)
        finally:
            assert engine.stats().conflicts == lost + 1

    async def run():
        async with planted(server.url) as engine, opened(server.url) as other:
            await outrun(engine, other, {"puts": {b"a": b"0"}}, [b"a"])  # it was absent
            await outrun(engine, other, {"puts": {b"a": b"0"}}, [b"a"])
            await outrun(engine, other, {"deletes": [b"a"]}, [b"a"])
            await change(engine, puts={b"b": b"0", b"fence": b"1"})
            await outrun(engine, other, {"puts": {b"b": b"1"}}, [b"a", b"b"])
            await outrun(engine, other, {"puts": {b"b": b"2"}}, [b"a", b"b", b"absent"])
            changed = {"puts": {b"fence": b"2"}}
            with pytest.raises(StaleFenceError):
                await outrun(engine, other, changed, [b"a"], {b"fence": b"1"})
            assert errors(server) == []
            # Of several keys that were absent one is there: only a fault can undo the rest.
            await change(engine, deletes=[b"a"])
            await outrun(engine, other, {"puts": {b"y": b""}}, [b"a", b"x", b"y", b"z"])
            assert errors(server) == ["division by zero"]
            assert await other.read([b"a", b"x", b"y"]) == [b"1", None, b""]

    try:
        asyncio.run(run())
    finally:
        server.remove()


def errors(server):
    return re.findall(r"ERROR:  (.*)", (server.directory / "log").read_text())


# In one server they queue, however many they are: no comparison is lost.
def test_writes_of_one_server_to_one_key_do_not_lose(url):
    def add(values):
        return Changes(answer=None, puts={b"k": b"%d" % (int(values[0] or 0) + 1)})

    async def run():
        async with opened(url) as engine:
            await asyncio.gather(*(engine.write([b"k"], add) for _ in range(50)))
            assert await engine.read([b"k"]) == [b"50"]
            assert engine.stats().conflicts == 0

    asyncio.run(run())


# A plan made with one definition must not pass because its key was read anew for another plan.
def test_a_fence_that_changes_between_the_two_trips_is_noticed(url):
    async def run():
        async with planted(url) as engine, opened(url) as other:
            await change(engine, puts={b"fence": b"1"})
            look = engine.pool.read

            async def outrun(text, arguments):
                rows = await look(text, arguments)
                # What asks for no fences learns their versions.
                if not arguments[1]:
                    return rows
                engine.pool.heal()
                await change(other, puts={b"fence": b"2"})
                assert await engine.read([b"k"], fences={b"fence": b"2"}) == [None]
                return rows

            engine.pool.read = outrun
            with pytest.raises(StaleFenceError):
                await change(engine, puts={b"k": b"old plan"}, fences={b"fence": b"1"})
            assert await engine.read([b"k"]) == [None]

    asyncio.run(run())


# SDKs try again; the operator must learn of it, and not a thousand times a second.
def test_too_many_waiting_writes_are_refused(url, caplog):
    async def run():
        async with opened(url, waiting_writes_max=5) as engine:
            puts = [change(engine, puts={b"%d" % number: b""}) for number in range(9)]
            outcomes = await asyncio.gather(*puts, return_exceptions=True)
            assert [type(each) for each in outcomes] == [type(None)] * 5 + [StorageBusyError] * 4
            assert engine.stats().refused == 4
            assert caplog.messages.count("overload: 1 writes refused, 5 writes queued") == 1

    asyncio.run(run())


# Keys


def test_keys_over_what_an_index_takes_are_refused_and_nothing_happens(url):
    async def run():
        async with opened(url) as engine:
            longest = b"k" * engine.key_bytes_max
            await change(engine, puts={longest: b"v"})
            with pytest.raises(KeyTooLongError):
                await change(engine, puts={b"owner": b"", longest + b"k": b"v"})
            with pytest.raises(KeyTooLongError):
                await engine.write(
                    [b"owner"],
                    lambda _: Changes(answer=None, puts={b"owner": b"", longest + b"k": b""}),
                )
            assert await engine.read([b"owner", longest, longest + b"k"]) == [None, b"v", None]

    asyncio.run(run())


# Faults


async def answers_again(engine):
    """Wait for the database: it recovers in its own time."""

    async def answer():
        with suppress(StorageError):
            return await engine.read([b"k"])

    return await loop_until(answer)


# An immediate stop is a crash: what was acknowledged is there, what failed may be retried.
def test_nothing_acknowledged_is_lost_when_the_database_crashes(own_server):
    acknowledged, errors, recovered = {}, [], asyncio.Event()

    async def client(engine, name, stop):
        number = 0
        while not stop.is_set():
            number += 1
            try:
                await change(engine, puts={b"%d" % name: b"%d" % number})
                acknowledged[name] = number
            except StorageError as error:
                errors.append(error)
                await recovered.wait()
                await turns()

    async def run():
        async with opened(own_server.url) as engine:
            for kind in (signal.SIGQUIT, signal.SIGINT):
                stop = asyncio.Event()
                clients = [asyncio.create_task(client(engine, n, stop)) for n in range(20)]
                before = engine.stats().decided
                await loop_until(lambda: engine.stats().decided >= before + 200)  # noqa: B023 - awaited
                recovered.clear()
                await asyncio.to_thread(own_server.stop, kind)
                with pytest.raises(StorageUnavailableError):
                    await engine.read([b"k"])
                assert engine.stats().down
                await asyncio.to_thread(own_server.start)
                await answers_again(engine)
                recovered.set()
                stop.set()
                await asyncio.gather(*clients)
                # The last of the clients may have met a connection of before.
                values = await engine.read([b"%d" % n for n in range(20)])
                assert not engine.stats().down
                assert all(int(value) >= acknowledged[n] for n, value in enumerate(values)), (
                    "acknowledged, and lost"
                )
            assert engine.stats().recoveries >= 2
            assert errors

    asyncio.run(run())


# A client that goes away in the middle must not leave a transaction that holds locks.
def test_cancelled_writes_leave_no_transaction_open(url):
    async def run():
        async with opened(url) as engine:
            for rounds in range(30):
                puts = {b"%d" % key: b"%d" % rounds for key in range(20)}
                task = asyncio.create_task(change(engine, puts=puts))
                await turns(rounds)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            await change(engine, puts={b"%d" % key: b"end" for key in range(20)})
            states = await admin(
                "SELECT state FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
            )
            assert states == []

    asyncio.run(run())
