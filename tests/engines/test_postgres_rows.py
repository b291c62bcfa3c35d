"""All rows of a database of one moment, read and restored."""

import asyncio
import struct
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.storage.engine import Changes, StorageError, StorageOpenError
from hashrange.storage.postgres.reading_rows import CopyParser, PostgresRows
from hashrange.storage.postgres.restoring_rows import RestoringSchema
from hashrange.storage.stored_rows import RowKind, StoredRow
from tests.engines.postgres_engines import admin, opened
from tests.engines.postgres_server import url_of

BEGIN = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
END = b"\xff\xff"
VERSION = 5_000


def copied(rows):
    return b"".join(
        struct.pack(">hihi", 3, 2, row.kind, len(row.key))
        + row.key
        + struct.pack(">i", len(row.value))
        + row.value
        for row in rows
    )


ROW = st.builds(StoredRow, st.sampled_from(RowKind), st.binary(max_size=9), st.binary(max_size=9))


@given(st.lists(ROW, max_size=5), st.integers(1, 40))
def test_rows_that_are_cut_anywhere_are_parsed(rows, size):
    sent = BEGIN + copied(rows) + END
    parser, found = CopyParser(), []
    for start in range(0, len(sent), size):
        assert not parser.has_ended
        found += parser.feed(sent[start : start + size])
    assert (found, parser.has_ended) == (rows, True)


@pytest.mark.parametrize(
    "sent",
    [
        b"PGCOPY\n\xff\r\n\x01" + bytes(8),
        BEGIN + struct.pack(">hihi", 2, 2, 1, 0),
        BEGIN + struct.pack(">hihi", 3, 2, 1, 2**30),
        BEGIN + struct.pack(">hihii", 3, 2, 1, 0, -1),
    ],
)
def test_what_is_no_row_is_refused(sent):
    with pytest.raises(StorageError):
        CopyParser().feed(sent)


def puts(number, *, count=1):
    def decide(_):
        return Changes(
            answer=None,
            puts={b"a%d" % number: b"v", b"b%d" % number: bytes(1000)},
            adds={b"count": count},
            appends=[(b"log", b"record")],
        )

    return decide


@pytest.fixture
def url():
    return url_of(str(uuid.uuid4()))


async def rows_of(engine, meanwhile=None):
    found = []

    async def take(part):
        if meanwhile is not None:
            await meanwhile()
        found.extend(part)

    await PostgresRows(engine.pool).read(take)
    return found


# Writes go on between the parts; those that were not there at the beginning are not seen.
def test_rows_are_of_one_moment_while_the_database_is_written(url):
    async def run():
        async with opened(url) as engine:
            for number in range(300):
                await engine.write([], puts(number))
            written = 300

            async def meanwhile():
                nonlocal written
                await engine.write([], puts(written))
                written += 1

            found = await rows_of(engine, meanwhile)
            assert written > 300
            keys = {row.key for row in found if row.kind == RowKind.PAIR}
            assert len([key for key in keys if key[:1] == b"a"]) == 300
            assert {(row.kind, row.key, row.value[:8]) for row in found if row.kind > 1} == {
                (RowKind.COUNTER, b"count", (300).to_bytes(8)),
                (RowKind.LOG, b"log", (300).to_bytes(8)),
            }

    asyncio.run(run())


def test_error_of_the_one_who_takes_ends_the_rows_and_not_the_engine(url):
    async def run():
        async with opened(url) as engine:
            await engine.write([], puts(1))

            async def full():
                raise OSError(28, "no space left")

            with pytest.raises(OSError, match="no space left"):
                await rows_of(engine, full)
            assert not engine.stats().down
            assert len(await rows_of(engine)) == 5

    asyncio.run(run())


def test_restored_rows_are_those_that_were_read(url):
    async def run():
        copy = url_of(url)
        async with opened(url) as engine:
            for number in range(20):
                await engine.write([], puts(number, count=-3))
            await engine.write([b"a1"], lambda _: Changes(answer=None, deletes=[b"a1"]))
            rows = await rows_of(engine)
        sink = await RestoringSchema.open(copy, VERSION)
        assert await sink.begin("one") == set()
        await sink.load(0, rows[:7])
        # Again: all of it is refused, none of its rows is there twice.
        with pytest.raises(StorageError):
            await sink.load(0, rows[:7])
        await sink.close()

        sink = await RestoringSchema.open(copy, VERSION)
        with pytest.raises(StorageError, match="part of backup one: go on with --backup one"):
            await sink.begin("two")
        assert await sink.begin("one") == {0}
        await sink.load(1, rows[7:])
        assert sum((await sink.counts()).values()) == len(rows)
        await sink.publish()
        await sink.close()

        async with opened(copy) as engine:
            assert await rows_of(engine) == rows
            await engine.write([b"a2"], puts(2, count=-3))
            assert await engine.read([b"count"]) == [(-63).to_bytes(8, signed=True)]
        name = copy.rpartition("=")[2]
        (found,) = await admin(f"SELECT min(ver) AS least, max(ver) AS most FROM {name}.kv")
        assert found["least"] == VERSION < found["most"]
        assert await admin(f"SELECT 1 FROM pg_namespace WHERE nspname = '{name}_restoring'") == []

    asyncio.run(run())


def test_schema_that_has_anything_is_not_restored(url):
    async def run():
        name = url.rpartition("=")[2]
        # One that was made for hashrange keeps its rights.
        await admin(f"CREATE SCHEMA {name}")
        sink = await RestoringSchema.open(url, VERSION)
        await sink.begin("one")
        # It is made meanwhile, by a server that was started too early.
        async with opened(url):
            pass
        with pytest.raises(StorageError, match="already exists"):
            await sink.publish()
        assert await sink.counts() == {1: 0, 2: 0, 3: 0}
        await sink.close()
        with pytest.raises(StorageOpenError, match="restore to a schema that has nothing"):
            await RestoringSchema.open(url, VERSION)
        await admin(f"DROP SCHEMA {name} CASCADE")
        await admin(f"CREATE SCHEMA {name}")
        await admin(f"CREATE VIEW {name}.seen AS SELECT 1")
        with pytest.raises(StorageOpenError, match="restore to a schema that has nothing"):
            await RestoringSchema.open(url, VERSION)

    asyncio.run(run())


def test_schema_of_that_name_that_is_in_use_is_left_alone(url):
    async def run():
        async with opened(f"{url}_restoring") as engine:
            await engine.write([], puts(1))
            with pytest.raises(StorageOpenError, match="not of a restore"):
                await RestoringSchema.open(url, VERSION)
            assert len(await rows_of(engine)) == 5
        with pytest.raises(StorageOpenError, match="too long"):
            await RestoringSchema.open(url + "x" * 50, VERSION)

    asyncio.run(run())


@pytest.mark.parametrize("old", [":secret@", "/postgres?", "127.0.0.1:"])
def test_what_cannot_be_restored_says_why_without_the_password(url, old):
    bad = url.replace(old, {":secret@": ":wrong@", "/postgres?": "/none?"}.get(old, "127.0.0.1:x"))
    with pytest.raises(StorageOpenError) as raised:
        asyncio.run(RestoringSchema.open(bad, VERSION))
    assert "secret" not in str(raised.value)
    assert "wrong" not in str(raised.value)
