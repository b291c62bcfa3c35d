"""Data files of format 1 that become files of format 2, and what a stop in the middle leaves."""

import json
import shutil
from pathlib import Path

import apsw
import pytest

from hashrange.storage.engine import StorageOpenError
from hashrange.storage.sqlite import rewriting
from hashrange.storage.sqlite.conversion import convert_file
from hashrange.storage.sqlite.directory import DATA_FILE
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.log.conversion import Converter

GOLDEN = Path(__file__).parent.parent / "golden"
PAGE_BYTES = 4096


@pytest.fixture
def data(tmp_path: Path) -> Path:
    shutil.copytree(GOLDEN / "format-1", tmp_path / "data")
    return tmp_path / "data" / DATA_FILE


class KilledError(Exception):
    """The process ends."""


class Killed(Converter):
    """A converter whose process ends at a row."""

    def __init__(self, row: int) -> None:
        super().__init__()
        self._left = row

    def value(self, key: bytes, value: bytes) -> bytes:
        if not self._left:
            raise KilledError
        self._left -= 1
        return super().value(key, value)


def content(path: Path) -> dict[str, str]:
    """All rows of a data file of format 2, but for the marker."""
    with apsw.Connection(str(path)) as connection:
        rows = dict(connection.execute(rewriting.ROWS_WITH_VALUES).fetchall())
    connection.close()
    assert rows.pop(Converter().marker[0]) == Converter().marker[1]
    return {key.hex(): value.hex() for key, value in rows.items()}


def golden() -> dict[str, str]:
    return json.loads((GOLDEN / "format-1.json").read_text())


@pytest.mark.parametrize("row", [0, 1, 5, 30])
def test_a_conversion_that_was_killed_begins_anew(data: Path, row: int):
    before = data.read_bytes()
    with pytest.raises(KilledError):
        convert_file(data, Killed(row), page_bytes=PAGE_BYTES)
    assert data.read_bytes() == before
    assert convert_file(data, Converter(), page_bytes=PAGE_BYTES)
    assert content(data) == golden()
    assert [path.name for path in data.parent.iterdir()] == [DATA_FILE]
    assert not convert_file(data, Converter(), page_bytes=PAGE_BYTES)


# Killed behind the second file and before it takes its place: whatever is there is thrown away.
def test_what_a_killed_conversion_left_is_removed(data: Path):
    data.with_name(DATA_FILE + rewriting.SUFFIX).write_bytes(b"half of a file")
    assert convert_file(data, Converter(), page_bytes=PAGE_BYTES)
    assert content(data) == golden()


# A server of the old build that was killed has left writes in its write-ahead log.
def test_writes_in_the_old_log_are_converted_too(data: Path):
    connection = apsw.Connection(str(data))
    connection.pragma("journal_mode", "WAL")
    connection.execute("INSERT INTO kv (k, v) VALUES (?, ?)", (b"\x00\x00\x00\x05new", b"value"))
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.close()
    assert data.with_name(DATA_FILE + "-wal").stat().st_size
    assert convert_file(data, Converter(), page_bytes=PAGE_BYTES)
    assert content(data) == {**golden(), b"\x00\x00\x00\x05new".hex(): b"value".hex()}
    assert [path.name for path in data.parent.iterdir()] == [DATA_FILE]


def test_a_file_of_format_1_is_refused_without_a_converter(data: Path):
    with pytest.raises(StorageOpenError, match="has format version 1: start a server"):
        SqliteEngine.open(data.parent)


def test_a_file_that_cannot_be_read_stays_as_it_is(data: Path):
    data.write_bytes(data.read_bytes()[:8192] + b"\xff" * 20_000)
    before = data.read_bytes()
    with pytest.raises(StorageOpenError, match="cannot convert"):
        convert_file(data, Converter(), page_bytes=PAGE_BYTES)
    assert data.read_bytes() == before


def test_the_converted_file_is_as_private_as_a_new_one(data: Path):
    convert_file(data, Converter(), page_bytes=PAGE_BYTES)
    assert data.stat().st_mode & 0o777 == 0o600


# The engine renews the WAL of a killed server before it copies it to the data file: a look at the
# version must leave it alone.
def test_the_log_of_a_file_of_this_format_stays(data: Path):
    convert_file(data, Converter(), page_bytes=PAGE_BYTES)
    connection = apsw.Connection(str(data))
    connection.pragma("journal_mode", "WAL")
    connection.execute("INSERT INTO kv (k, v) VALUES (?, ?)", (b"\x00\x00\x00\x05new", b"value"))
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.close()
    wal = data.with_name(DATA_FILE + "-wal")
    before = (data.read_bytes(), wal.read_bytes())
    assert not convert_file(data, Converter(), page_bytes=PAGE_BYTES)
    assert (data.read_bytes(), wal.read_bytes()) == before
