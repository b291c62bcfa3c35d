"""Hosts of a database that are standbys, refuse, or accept and never answer."""

import asyncio
import contextlib
import signal
import uuid

import asyncpg
import pytest

from hashrange.settings.kinds import Durability
from hashrange.storage.engine import StorageError, StorageOpenError, StorageUnavailableError
from hashrange.storage.postgres.address import DatabaseAddress
from hashrange.storage.postgres.engine import PostgresEngine
from hashrange.storage.postgres.hosts import Hosts, hosts_of
from hashrange.storage.postgres.pool import Pool
from tests.engines.postgres_engines import admin, opened
from tests.engines.postgres_server import PostgresServer, shared, url_of
from tests.ports import free_port
from tests.rows import rows


@contextlib.asynccontextmanager
async def silent():
    """A host that accepts and never answers: its name, and those who came."""
    came = []

    async def take(_reader, writer):
        came.append(writer)

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}", came
    finally:
        server.close()
        for writer in came:
            writer.close()


def through(url, *hosts):
    """The URL of a database with other hosts before its own."""
    own = f"127.0.0.1:{shared().port}"
    return url.replace(own, ",".join([*hosts, own]))


@pytest.fixture
def url():
    return url_of(str(uuid.uuid4()))


HOSTS = [
    ("postgresql://a/d", [("a", None)]),
    ("postgresql://u:p@a:1,b:2/d?schema=s", [("a", 1), ("b", 2)]),
    ("postgresql://u@a,b:2/d?port=7", [("a", 7), ("b", 2)]),
    ("postgresql://u@[::1]:5,[fe80::1]/d", [("::1", 5), ("fe80::1", None)]),
    ("postgresql:///d?host=a,b&port=1,2", [("a", 1), ("b", 2)]),
    ("postgresql:///d?host=/run/postgresql", [("/run/postgresql", None)]),
    ("postgresql:///d", []),
]


@rows("text, hosts", HOSTS)
def test_the_hosts_of_a_url(text, hosts):
    assert hosts_of(text) == hosts


# A hanging primary that is the first host would take the time of all of them.
def test_a_host_that_never_answers_is_passed_over_and_asked_last_from_then_on(url):
    async def run():
        async with silent() as (host, came), opened(through(url, host)) as engine:
            assert await engine.read([b"k"]) == [None]
            assert len(came) == 1
            hosts = engine.pool.hosts
            await (await hosts.connect()).close()
            assert len(came) == 1
            assert (hosts.used, hosts.failovers) == (f"127.0.0.1:{shared().port}", 0)

    asyncio.run(run())


def test_all_hosts_are_named_with_their_reasons_if_none_answers():
    async def run():
        async with silent() as (host, _):
            closed = f"127.0.0.1:{free_port()}"
            with pytest.raises(StorageOpenError) as raised:
                await PostgresEngine.open(f"postgresql://u@{closed},{host}/d")
            text = str(raised.value)
            assert f"{closed}: connection refused; {host}: no answer in time" in text

    asyncio.run(run())


# A standby accepts connections, and each write would fail there.
def test_a_server_that_only_reads_is_passed_over(url):
    standby = PostgresServer("default_transaction_read_only=on")
    try:

        async def run():
            async with opened(through(url, f"127.0.0.1:{standby.port}")) as engine:
                assert engine.pool.hosts.used == f"127.0.0.1:{shared().port}"

        asyncio.run(run())
    finally:
        standby.remove()


def test_a_host_that_does_not_accept_the_preparation_is_passed_over(url):
    async def run():
        hosts = Hosts(DatabaseAddress.of(through(url, f"127.0.0.1:{shared().port}")))
        refused = []

        async def accept(connection):
            if not refused:
                refused.append(connection)
                raise asyncpg.InterfaceError("not this one")

        await (await hosts.connect(accept)).close()
        assert refused[0].is_closed()

    asyncio.run(run())


# The other connections are to the same host, so none of them waits as long again.
def test_a_statement_without_an_answer_ends_and_all_connections_with_it(url):
    async def run():
        pool = await Pool.open(DatabaseAddress.of(url), Durability.FULL)
        try:
            backend = "SELECT pg_backend_pid() AS pid"
            (before,) = await pool.read(backend, [])
            with pytest.raises(StorageUnavailableError, match="no answer in time"):
                await pool.read("SELECT pg_sleep_for('10 min')", [], seconds_max=0.1)
            (after,) = await pool.read(backend, [])
            assert before["pid"] != after["pid"]
        finally:
            await pool.close()

    asyncio.run(run())


WAITING_INSERT = """
WITH waits AS (SELECT set_config('synchronous_commit', 'on', true) AS value)
INSERT INTO kv SELECT $1::bytea, $2::bytea, 1 FROM waits WHERE value = 'on' RETURNING 1 AS done
"""
WAITS = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"


# A request to cancel it would end the wait for the standby: a read would see a write that a
# failover loses.
@pytest.mark.parametrize("is_cancelled", [False, True], ids=["late", "abandoned"])
def test_a_write_that_waits_for_a_standby_cannot_be_read(is_cancelled):
    database = PostgresServer("synchronous_standby_names=nobody", "synchronous_commit=local")

    async def run():
        async with opened(database.url) as engine:
            seconds_max = 600 if is_cancelled else 0.5
            write = engine.pool.write(WAITING_INSERT, [b"k", b"v"], seconds_max=seconds_max)
            writing = asyncio.ensure_future(write)
            while is_cancelled and not await admin(WAITS, database):
                pass
            if is_cancelled:
                writing.cancel()
            with pytest.raises(asyncio.CancelledError if is_cancelled else StorageError):
                await writing
            for _ in range(20):
                assert await engine.read([b"k"]) == [None]
            assert await admin(WAITS, database)

    try:
        asyncio.run(run())
    finally:
        database.stop(signal.SIGQUIT)
        database.remove()
