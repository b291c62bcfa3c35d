"""Sessions at PostgreSQL: whose process is gone, and where that is not known."""

import asyncio
import contextlib
import uuid

import asyncpg

from hashrange.storage.postgres.engine import PostgresEngine
from tests.engines.postgres_server import url_of
from tests.pace import loop_until


async def executed(url, *statements):
    connection = await asyncpg.connect(url.partition("?")[0])
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


@contextlib.asynccontextmanager
async def two_engines(url, other_url=None):
    one = await PostgresEngine.open(url)
    other = await PostgresEngine.open(other_url or url)
    try:
        yield one, other
    finally:
        await one.close()
        await other.close()


async def until_gone(engine, session):
    await loop_until(lambda: engine.session.is_gone(session))


def test_a_session_is_gone_when_its_connection_is():
    async def run():
        async with two_engines(url_of(str(uuid.uuid4()))) as (one, other):
            session = await one.session.own()
            assert session == await one.session.own() != await other.session.own()
            assert not await other.session.is_gone(session)
            one.session.close()
            await until_gone(other, session)
            again = await one.session.own()
            assert again != session
            assert not await other.session.is_gone(again)

    asyncio.run(run())


# The number of a process is given again; the time of its start is not.
def test_another_session_with_the_same_number_is_another_one():
    async def run():
        async with two_engines(url_of(str(uuid.uuid4()))) as (one, other):
            session = await one.session.own()
            earlier = session[:-1] + bytes((session[-1] ^ 1,))
            assert await other.session.is_gone(earlier)
            assert not await other.session.is_gone(session)
            assert not await other.session.is_gone(b"")
            assert not await other.session.is_gone(b"of a later build")

    asyncio.run(run())


# It sees that there is a session, not since when.
def test_sessions_of_other_users_are_never_gone():
    url, name = url_of(str(uuid.uuid4())), f"user_{uuid.uuid4().hex}"
    user_url = url.replace("postgres:secret@", f"{name}:secret@")

    async def run():
        await executed(
            url,
            f"CREATE USER {name} PASSWORD 'secret'",
            f"GRANT CREATE ON DATABASE postgres TO {name}",
        )
        async with two_engines(url, url_of_user()) as (one, other):
            assert not await other.session.is_gone(await one.session.own())
            assert await other.session.own()

    def url_of_user():
        return user_url.replace("schema=", "schema=of_user_")

    asyncio.run(run())


def test_nothing_is_known_where_the_view_cannot_be_read():
    url, name = url_of(str(uuid.uuid4())), f"user_{uuid.uuid4().hex}"
    user_url = url.replace("postgres:secret@", f"{name}:secret@")
    user_url = user_url.replace("schema=", "schema=of_user_")
    database = f"database_{uuid.uuid4().hex}"

    def of_database(text):
        return text.replace("/postgres?", f"/{database}?")

    async def run():
        await executed(url, f"CREATE DATABASE {database}")
        await executed(
            of_database(url),
            f"CREATE USER {name} PASSWORD 'secret'",
            f"GRANT CREATE ON DATABASE {database} TO {name}",
            "REVOKE SELECT ON pg_catalog.pg_stat_activity FROM PUBLIC",
        )
        async with two_engines(of_database(url), of_database(user_url)) as (one, other):
            session = await one.session.own()
            one.session.close()
            for _ in range(3):
                assert not await other.session.is_gone(session)
                assert await other.session.own() == b""

    asyncio.run(run())
