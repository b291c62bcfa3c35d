"""A data file that stays as it is while its engine writes, for backups."""

import asyncio
import sqlite3
from contextlib import closing

import pytest

from hashrange.storage.engine import Changes, StorageError
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.tuning import Tuning


def put(number):
    key = b"%08d" % number
    return [key], lambda _: Changes(answer=None, puts={key: b"x" * 500})


async def fill(engine, start, end):
    for number in range(start, end):
        keys, decide = put(number)
        await engine.write(keys, decide)


# The file is a whole database of the moment, whatever is written, and read, and check pointed.
def test_file_stays_as_it_is_and_is_whole(tmp_path):
    engine = SqliteEngine.open(tmp_path / "data", tuning=Tuning(checkpoint_pages=10))

    async def scenario():
        await fill(engine, 0, 300)
        frozen = engine.standstill.freeze("id")
        before = frozen.path.read_bytes()
        assert len(before) == frozen.size_bytes
        await fill(engine, 200, 900)
        assert frozen.path.read_bytes() == before
        frozen.check()
        with pytest.raises(StorageError, match="a backup is under way"):
            engine.standstill.freeze("id")
        assert await engine.read([b"00000899"]) == [b"x" * 500]
        frozen.close()
        frozen.close()
        await fill(engine, 900, 950)
        assert frozen.path.read_bytes() != before
        with pytest.raises(StorageError, match="opened anew"):
            frozen.check()
        return before

    before = asyncio.run(scenario())
    engine.close()
    copy = tmp_path / "copy.db"
    copy.write_bytes(before)
    with closing(sqlite3.connect(f"{copy.as_uri()}?immutable=1", uri=True)) as database:
        assert database.execute("SELECT count(*) FROM kv").fetchone() == (300,)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_data_in_memory_have_no_file():
    engine = SqliteEngine.open(None)
    with pytest.raises(StorageError, match="have no file"):
        engine.standstill.freeze("id")
    engine.close()
