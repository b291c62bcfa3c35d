"""A write-ahead log that is gone after its server was killed."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from hashrange.storage.engine import Changes, StorageOpenError
from hashrange.storage.sqlite.directory import DATA_FILE, LOCK_FILE
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.read_only import opened_read_only
from hashrange.storage.sqlite.rekeying import rewrite
from hashrange.tables.log.conversion import Converter
from tests.engines.test_sqlite_encryption import FIRST

WAL = f"{DATA_FILE}-wal"
PUT = Changes(answer=None, puts={b"key": b"value"})


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A directory as a kill leaves it: a copy of that of an engine that serves."""
    engine = SqliteEngine.open(tmp_path / "served")
    asyncio.run(engine.write([b"key"], lambda _: PUT))
    shutil.copytree(tmp_path / "served", tmp_path / "killed")
    engine.close()
    return tmp_path / "killed"


def value_in(directory: Path) -> bytes | None:
    engine = SqliteEngine.open(directory)
    (value,) = asyncio.run(engine.read([b"key"]))
    engine.close()
    return value


def test_commits_of_the_log_are_there_after_a_kill(killed: Path):
    assert value_in(killed) == b"value"
    assert not (killed / WAL).exists()
    assert value_in(killed) == b"value"


def test_a_missing_log_is_refused_until_the_operator_decides(killed: Path):
    (killed / WAL).rename(killed / "away")
    for _ in range(2):
        with pytest.raises(StorageOpenError, match="db-wal is missing, and the server before"):
            SqliteEngine.open(killed)
    with pytest.raises(StorageOpenError, match="db-wal is missing"), opened_read_only(killed):
        pass
    with opened_read_only(killed, is_whole=False) as engine:
        assert asyncio.run(engine.read([b"key"])) == [None]
    shutil.copytree(killed, killed.with_name("put back"))
    (killed.with_name("put back") / "away").rename(killed.with_name("put back") / WAL)
    assert value_in(killed.with_name("put back")) == b"value"
    (killed / LOCK_FILE).unlink()
    assert value_in(killed) is None
    assert value_in(killed) is None


# The file of the lock of older builds does not say whether they were stopped.
def test_a_directory_of_an_older_build_is_opened(killed: Path):
    (killed / WAL).unlink()
    (killed / LOCK_FILE).write_text("123")
    assert value_in(killed) is None


# It takes the log away, as a stop does.
def test_a_directory_that_was_encrypted_since_is_opened(killed: Path):
    options = {"converter": Converter(), "random_bytes": os.urandom, "report": lambda _: None}
    rewrite(killed, (None, FIRST), **options)
    rewrite(killed, (FIRST, None), **options)
    assert value_in(killed) == b"value"
    (killed / WAL).unlink(missing_ok=True)
    assert value_in(killed) == b"value"


def test_a_directory_without_its_log_is_not_encrypted(killed: Path):
    (killed / WAL).unlink()
    with pytest.raises(StorageOpenError, match="db-wal is missing"):
        rewrite(killed, (None, FIRST), converter=Converter(), random_bytes=os.urandom, report=print)
