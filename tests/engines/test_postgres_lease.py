"""The read lease: primaries that stop committing, and standbys that are promoted beside them."""

import asyncio
import contextlib
import json
import logging
import signal
import uuid
from functools import partial

import pytest
from botocore.exceptions import ClientError

from hashrange.assembly.engines.trials.subject import change
from hashrange.settings.kinds import Durability
from hashrange.storage.engine import StorageError, StorageUnavailableError
from hashrange.storage.postgres.address import DatabaseAddress
from hashrange.storage.postgres.connector import Connector, replication_fault
from hashrange.storage.postgres.hosts import Hosts
from hashrange.storage.postgres.lease_keeper import LEASES_END, LEASES_START, lease_seconds
from hashrange.storage.postgres.pool import Pool
from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.console.asking import ask
from tests.engines.postgres_engines import admin, opened
from tests.engines.postgres_server import PASSWORD, USER, PostgresServer, shared, url_of
from tests.pace import turns, until
from tests.rows import rows
from tests.served import served

KEY = b"k"
ITEM = {"pk": {"S": "a"}}


def url_of_both(first, second, lease=2):
    hosts = f"127.0.0.1:{first.port},127.0.0.1:{second.port}"
    return f"postgresql://{USER}:{PASSWORD}@{hosts}/postgres?read_lease={lease}"


async def stop_committing(server):
    await admin("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", server)
    await admin("SELECT pg_reload_conf()", server)


async def lease_rows(server, schema="hashrange"):
    found = await admin(f"SELECT log FROM {schema}.logs", server)
    return [row["log"] for row in found if LEASES_START <= row["log"] < LEASES_END]


@pytest.fixture
def two():
    servers = [PostgresServer("fsync=off"), PostgresServer("fsync=off")]
    yield servers
    for server in servers:
        server.stop(signal.SIGQUIT)
        server.remove()


# A primary that answers reads and commits nothing any more: its standby was promoted.
def test_nothing_is_read_at_a_primary_that_does_not_commit(two, caplog):
    first, second = two
    caplog.set_level(logging.WARNING)

    async def run():
        for server, value in ((first, b"old"), (second, b"new")):
            async with opened(server.url) as engine:
                await change(engine, puts={KEY: value})
        async with opened(url_of_both(first, second), serves=True) as engine:
            assert await engine.read([KEY]) == [b"old"]
            assert len(await lease_rows(first)) == 1
            assert "no standby is synchronous" in engine.pool.connector.fault
            await stop_committing(first)
            seen = []
            while seen[-1:] != [b"new"]:
                await turns(1)
                try:
                    (value,) = await engine.read([KEY])
                except StorageError:
                    value = None
                if seen[-1:] != [value]:
                    seen.append(value)
            assert b"old" not in seen[1:]
            stats = engine.stats()
            assert (stats.failovers, stats.host) == (1, 2)
            assert stats.down_seconds > 0 or None not in seen
        assert await lease_rows(second) == []

    asyncio.run(run())
    assert "Traceback" not in caplog.text
    assert sum("does not answer" in line for line in caplog.text.splitlines()) <= 1


REFUSED = (503, "ServiceUnavailable", "The request has failed due to a temporary failure")


def refusal(call, **request):
    """Status, code and text of the error of a call."""
    with pytest.raises(ClientError) as raised:
        call(**request)
    response = raised.value.response
    status = response["ResponseMetadata"]["HTTPStatusCode"]
    return status, response["Error"]["Code"], response["Error"]["Message"][: len(REFUSED[2])]


# SDKs try again what is answered ServiceUnavailable with status 503, whichever API it is.
@pytest.mark.long
def test_requests_without_a_lease_are_answered_503(two, caplog):
    first, _ = two
    url = f"{first.url}?read_lease=2"
    caplog.set_level(logging.WARNING)
    with served(memory=False, engine=url, auth="off") as server:
        service = partial(client_of, server.endpoint)
        tables = service("dynamodb")
        tables.create_table(TableName="orders", **keyed(pk="S"))
        asyncio.run(stop_committing(first))

        def is_refused():
            with contextlib.suppress(ClientError):
                tables.get_item(TableName="orders", Key=ITEM)
                return False
            return True

        until(is_refused)
        assert refusal(tables.put_item, TableName="orders", Item=ITEM) == REFUSED
        assert refusal(tables.list_tables) == REFUSED
        assert refusal(service("kinesis").list_streams) == REFUSED
        assert refusal(service("cloudwatch").describe_alarms) == REFUSED
        assert ask(server.endpoint, "GET", "/readyz")[0] == 503
        status, _, body = ask(server.endpoint, "GET", "/_console/api/jobs")
        assert (status, json.loads(body)["__type"].rpartition("#")[2]) == REFUSED[:2]
    assert "Traceback" not in caplog.text


@pytest.fixture
def pair():
    """A primary, and its synchronous standby."""
    primary = PostgresServer("fsync=off", "wal_level=replica", "synchronous_standby_names=standby")
    standby = primary.standby("standby")
    yield primary, standby
    for server in (standby, primary):
        server.stop(signal.SIGQUIT)
        server.remove()


# As when the agent of a primary is killed, and its database lives on and answers reads.
@pytest.mark.long
def test_no_read_is_stale_when_a_standby_is_promoted_beside_the_primary(pair):
    primary, standby = pair

    async def run():
        acknowledged, seen, has_read = 0, [], asyncio.Event()

        async def read_until_refused(engine):
            while True:
                least = acknowledged
                try:
                    (value,) = await engine.read([KEY])
                except StorageUnavailableError as error:
                    return str(error)
                seen.append((least, int(value)))
                has_read.set()

        async with opened(
            f"{primary.url}?read_lease=2", serves=True, durability=Durability.RELAXED
        ) as former:
            await change(former, puts={KEY: b"0"})
            reading = asyncio.create_task(read_until_refused(former))
            await has_read.wait()
            await admin("SELECT pg_promote()", standby)
            async with opened(f"{standby.url}?read_lease=2", serves=True) as engine:
                await change(engine, puts={KEY: b"1"})
                acknowledged = 1
                assert "no primary has confirmed the read lease" in await reading
                assert await engine.read([KEY]) == [b"1"]
        assert [pair for pair in seen if pair[1] < pair[0]] == []

    asyncio.run(run())


@pytest.fixture
def url():
    return url_of(str(uuid.uuid4()))


# Another server may still read at the former primary, as its row says.
def test_a_server_waits_for_leases_of_servers_at_another_timeline(url):
    schema = url.rpartition("=")[2]
    other = LEASES_START + b"0123456789abcdef"

    async def run():
        loop = asyncio.get_running_loop()
        async with opened(url):
            await admin(f"INSERT INTO {schema}.logs VALUES ('\\x{other.hex()}', 99, 0)")
        began = loop.time()
        async with opened(f"{url}&read_lease=2", serves=True) as engine:
            assert loop.time() >= began + 2
            assert await engine.read([KEY]) == [None]
            assert other not in await lease_rows(shared(), schema)

    asyncio.run(run())


@rows(
    "text, several, standbys, seconds",
    [
        ("", False, "", 0.0),
        ("", True, "", 10.0),
        ("", False, "b", 10.0),
        ("?read_lease=0", True, "b", 0.0),
        ("?read_lease=5", False, "", 5.0),
    ],
)
def test_which_addresses_have_a_lease(text, several, standbys, seconds):
    address = DatabaseAddress.of(f"postgresql://a{',b' if several else ''}/d{text}")
    pool = Pool(Connector(Hosts(address), {}))
    pool.connector.standbys = standbys
    assert lease_seconds(pool) == seconds


@rows(
    "standbys, commit, several, text",
    [
        ("b", "on", True, None),
        ("b", "remote_apply", True, None),
        ("b", "local", True, "synchronous_commit is local"),
        ("", "on", True, "no standby is synchronous"),
        ("", "off", False, None),
    ],
)
def test_databases_whose_failover_may_lose_writes(standbys, commit, several, text):
    found = replication_fault(standbys, commit, are_several=several)
    assert found == (text and f"a failover may lose acknowledged writes: {text}")
