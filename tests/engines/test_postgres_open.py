"""How the engine on PostgreSQL is opened: what it makes, and what it says if it cannot."""

import asyncio
import uuid

import asyncpg
import pytest
from asyncpg.types import ServerVersion

from hashrange.assembly.engines.trials.subject import change
from hashrange.storage.engine import StorageOpenError
from hashrange.storage.postgres import schema
from hashrange.storage.postgres.engine import PostgresEngine
from tests.engines.postgres_engines import admin, opened
from tests.engines.postgres_server import url_of


@pytest.fixture
def url():
    return url_of(str(uuid.uuid4()))


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (":secret@", ":wrong@", "access denied"),
        ("/postgres?", "/missing?", "does not exist"),
        ("127.0.0.1:", "127.0.0.1:1", ""),
    ],
)
def test_what_cannot_be_opened_says_why_in_a_line(url, old, new, text):
    bad = url.replace(old, new)
    if not text:
        bad, text = "postgresql://a:secret@127.0.0.1:1/b", "connection refused"
    with pytest.raises(StorageOpenError, match=text) as raised:
        asyncio.run(PostgresEngine.open(bad))
    assert "\n" not in str(raised.value)
    assert "secret" not in str(raised.value)
    assert "wrong" not in str(raised.value)


class OldServer:
    """A connection to PostgreSQL 13."""

    async def fetchval(self, _text):
        return "PostgreSQL 13.9 on x86_64"

    def get_server_version(self):
        return ServerVersion(13, 9, 0, "final", 0)


def test_a_server_that_is_too_old_is_refused():
    with pytest.raises(StorageOpenError, match="is PostgreSQL 13; hashrange needs 14 or newer"):
        asyncio.run(schema.prepare(OldServer(), "public", "it", makes=True))


# Older builds would not know the items that are written from now on.
def test_data_of_format_2_have_the_present_version_once_they_are_opened(url):
    name = url.rpartition("=")[2]

    async def run():
        async with opened(url) as engine:
            await change(engine, puts={b"k": b"v"})
        await admin(f"UPDATE {name}.format SET version = 2")
        async with opened(url) as engine:
            assert await engine.read([b"k"]) == [b"v"]
        await admin(f"INSERT INTO {name}.format VALUES (4)")

    with pytest.raises(asyncpg.UniqueViolationError):
        asyncio.run(run())


def test_data_of_a_newer_version_and_of_others_are_refused(url):
    name = url.rpartition("=")[2]

    async def run():
        async with opened(url):
            pass
        await admin(f"INSERT INTO {name}.format VALUES (5)")
        with pytest.raises(StorageOpenError, match="format version 5"):
            await PostgresEngine.open(url)
        await admin(f"DROP TABLE {name}.kv")
        with pytest.raises(StorageOpenError, match="no kv"):
            await PostgresEngine.open(url)

    asyncio.run(run())


def test_missing_rights_are_told_before_a_request_needs_them(url):
    name, role = url.rpartition("=")[2], f"r{uuid.uuid4().hex}"
    limited = url.replace("postgres:secret", f"{role}:other")

    async def run():
        await admin(f"CREATE ROLE {role} LOGIN PASSWORD 'other'")
        with pytest.raises(StorageOpenError, match="needs CREATE on the database"):
            await PostgresEngine.open(limited)
        async with opened(url):
            pass
        with pytest.raises(StorageOpenError, match="may not be used"):
            await PostgresEngine.open(limited)
        await admin(f"GRANT USAGE ON SCHEMA {name} TO {role}")
        await admin(f"GRANT SELECT ON ALL TABLES IN SCHEMA {name} TO {role}")
        with pytest.raises(StorageOpenError, match=r"lacks rights .* kv \(INSERT\)"):
            await PostgresEngine.open(limited)
        await admin(f"GRANT ALL ON ALL TABLES IN SCHEMA {name} TO {role}")
        with pytest.raises(StorageOpenError, match=r"lacks rights .* versions \(USAGE\)"):
            await PostgresEngine.open(limited)
        # What docs/scale.md says of users without CREATE on the database.
        await admin(f"CREATE SCHEMA {role} AUTHORIZATION {role}")
        async with opened(limited.replace(name, role)) as engine:
            await change(engine, puts={b"k": b"v"})

    asyncio.run(run())


# Two servers start on an empty database at the same moment.
def test_the_tables_may_be_made_by_several_at_once(url):
    async def run():
        engines = await asyncio.gather(*(PostgresEngine.open(url) for _ in range(6)))
        for number, engine in enumerate(engines):
            await change(engine, puts={b"%d" % number: b"v"})
        assert await engines[0].read([b"0", b"5"]) == [b"v", b"v"]
        for engine in engines:
            await engine.close()

    asyncio.run(run())
