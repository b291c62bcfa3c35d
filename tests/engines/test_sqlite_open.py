"""Opening a data directory: what is made, who is kept out, and what people are told."""

import asyncio
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from hashrange.storage.engine import Changes, StorageError, StorageOpenError
from hashrange.storage.sqlite.directory import LOCK_FILE, RESERVE_FILE
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.schema import APPLICATION_ID, FORMAT_VERSION
from hashrange.storage.sqlite.tuning import Tuning
from tests.pace import turns


def put(engine: SqliteEngine, key: bytes, value: bytes) -> None:
    asyncio.run(engine.write([key], lambda _: Changes(answer=None, puts={key: value})))


def read(engine: SqliteEngine, key: bytes) -> bytes | None:
    return asyncio.run(engine.read([key]))[0]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def database(path: Path) -> apsw.Connection:
    return apsw.Connection(str(path / "hashrange.db"))


# The data is of nobody else's business, the WAL and the reserve included.
def test_a_new_directory_is_private(tmp_path: Path):
    engine = SqliteEngine.open(tmp_path / "data")
    put(engine, b"k", b"v")
    assert mode(tmp_path / "data") == 0o700
    modes = {path.name: mode(path) for path in (tmp_path / "data").iterdir()}
    engine.close()
    assert modes == dict.fromkeys(
        ["hashrange.db", "hashrange.db-wal", LOCK_FILE, RESERVE_FILE], 0o600
    )


def test_a_closed_directory_holds_everything_in_one_file(tmp_path: Path):
    engine = SqliteEngine.open(tmp_path)
    put(engine, b"k", b"v")
    engine.close()
    assert {path.name for path in tmp_path.iterdir()} == {"hashrange.db", LOCK_FILE, RESERVE_FILE}
    again = SqliteEngine.open(tmp_path)
    assert read(again, b"k") == b"v"
    again.close()


# Whoever names a directory with something in it must not lose that. Others use such names.
def test_the_files_of_others_are_left_alone(tmp_path: Path):
    theirs = {name: f"their {name}" for name in ("lock", "reserve", "reserve.new", "data.db")}
    for name, text in theirs.items():
        (tmp_path / name).write_text(text)
    engine = SqliteEngine.open(tmp_path)
    put(engine, b"k", b"v")
    engine.close()
    assert {name: (tmp_path / name).read_text() for name in theirs} == theirs


# Later builds depend on each of these, and most cannot be changed in a file that exists.
def test_the_format_of_a_data_file(tmp_path: Path):
    SqliteEngine.open(tmp_path).close()
    connection = database(tmp_path)
    pragmas = ["application_id", "user_version", "page_size", "auto_vacuum", "journal_mode"]
    assert [connection.pragma(name) for name in pragmas] == [APPLICATION_ID, 4, 4096, 2, "wal"]
    schema = dict(connection.execute("SELECT name, sql FROM sqlite_schema").fetchall())
    connection.close()
    assert schema == {
        "kv": "CREATE TABLE kv (k BLOB PRIMARY KEY, v BLOB, large INTEGER) STRICT, WITHOUT ROWID",
        "large_values": "CREATE TABLE large_values (id INTEGER PRIMARY KEY, v BLOB NOT NULL)"
        " STRICT",
        "logs": "CREATE TABLE logs (log BLOB PRIMARY KEY, next INTEGER NOT NULL,"
        " time INTEGER NOT NULL)"
        " STRICT, WITHOUT ROWID",
    }


@pytest.mark.usefixtures("in_tmp_path")
def test_in_memory_nothing_is_written(tmp_path: Path):
    engine, other = SqliteEngine.open(None), SqliteEngine.open(None)
    put(engine, b"k", b"v")
    assert (read(engine, b"k"), read(other, b"k")) == (b"v", None)
    engine.close()
    other.close()
    assert list(tmp_path.iterdir()) == []


# Two engines on one directory would each answer fences from a memory of its own.
def test_a_second_engine_of_this_process_is_kept_out(tmp_path: Path):
    engine = SqliteEngine.open(tmp_path)
    with pytest.raises(StorageOpenError, match=f"is in use by process {os.getpid()}$"):
        SqliteEngine.open(tmp_path)
    put(engine, b"k", b"v")
    engine.close()
    SqliteEngine.open(tmp_path).close()


def test_another_process_is_kept_out_until_it_is_killed(tmp_path: Path):
    code = (
        "import sys; from pathlib import Path; from hashrange.storage.sqlite.engine import *;"
        "engine = SqliteEngine.open(Path(sys.argv[1])); print('open', flush=True); input()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"open\n"
        with pytest.raises(StorageOpenError, match=f"is in use by process {holder.pid}$"):
            SqliteEngine.open(tmp_path)
        holder.kill()
    SqliteEngine.open(tmp_path).close()


# As where the disk has no room for a single byte.
def test_a_directory_in_which_nothing_can_be_written_is_named(tmp_path: Path):
    code = """
import resource, sys
from pathlib import Path
from hashrange.storage.sqlite.engine import SqliteEngine, StorageOpenError
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
try:
    SqliteEngine.open(Path(sys.argv[1]))
except StorageOpenError as error:
    print(error)
"""
    command = [sys.executable, "-c", code, str(tmp_path)]
    told = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    assert told.stdout == f"cannot open data directory {tmp_path}: File too large\n"


# A shell or a GUI that writes to the file behind the engine's back would make it lie.
def test_other_programs_are_kept_out_of_the_file(tmp_path: Path):
    engine = SqliteEngine.open(tmp_path)
    code = f"""
import sqlite3
connection = sqlite3.connect({str(tmp_path / "hashrange.db")!r}, timeout=0)
try:
    print(connection.execute("SELECT count(*) FROM kv").fetchone())
except sqlite3.OperationalError as error:
    print(error)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    engine.close()
    assert told.stdout == "database is locked\n"


def test_a_file_that_another_program_has_open_is_refused(tmp_path: Path):
    SqliteEngine.open(tmp_path).close()
    code = f"""
import sqlite3
connection = sqlite3.connect({str(tmp_path / "hashrange.db")!r})
connection.execute("SELECT count(*) FROM kv").fetchone()
print("open", flush=True)
input()
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"open\n"
        with pytest.raises(StorageOpenError, match="in use by another program"):
            SqliteEngine.open(tmp_path)
        holder.kill()


def test_a_newer_format_is_refused_untouched(tmp_path: Path):
    SqliteEngine.open(tmp_path).close()
    connection = database(tmp_path)
    connection.pragma("user_version", FORMAT_VERSION + 1)
    connection.close()
    before = (tmp_path / "hashrange.db").read_bytes()
    with pytest.raises(StorageOpenError, match=r"has format version 5, this build knows up to 4"):
        SqliteEngine.open(tmp_path)
    assert (tmp_path / "hashrange.db").read_bytes() == before


def test_a_database_of_another_program_is_refused_untouched(tmp_path: Path):
    connection = database(tmp_path)
    connection.execute("CREATE TABLE songs (name)")
    connection.close()
    before = (tmp_path / "hashrange.db").read_bytes()
    with pytest.raises(StorageOpenError, match="is a database of another program"):
        SqliteEngine.open(tmp_path)
    assert (tmp_path / "hashrange.db").read_bytes() == before


def test_what_is_no_database_is_refused(tmp_path: Path):
    (tmp_path / "hashrange.db").write_bytes(b"Dear diary, " * 1000)
    with pytest.raises(StorageOpenError, match="damaged, or not a database"):
        SqliteEngine.open(tmp_path)


@pytest.mark.parametrize("damage", ["cut short", "schema overwritten", "a table is missing"])
def test_a_damaged_file_is_refused(tmp_path: Path, damage: str):
    engine = SqliteEngine.open(tmp_path)
    put(engine, b"k", bytes(20_000))
    engine.close()
    path = tmp_path / "hashrange.db"
    match damage:
        case "cut short":
            path.write_bytes(path.read_bytes()[:8192])
        case "schema overwritten":
            path.write_bytes(path.read_bytes()[:100] + b"\xff" * 3996 + path.read_bytes()[4096:])
        case _:
            connection = database(tmp_path)
            connection.execute("DROP TABLE logs")
            connection.close()
    with pytest.raises(StorageOpenError, match="damaged"):
        SqliteEngine.open(tmp_path)


# SQLite would delete the WAL of a file that it makes: answered writes went away without a word.
def test_a_data_file_that_is_gone_leaves_its_wal_alone(tmp_path: Path):
    wal = tmp_path / "hashrange.db-wal"
    wal.write_bytes(b"writes")
    with pytest.raises(StorageOpenError, match=r"hashrange\.db is missing, but hashrange\.db-wal"):
        SqliteEngine.open(tmp_path)
    assert wal.read_bytes() == b"writes"
    assert not (tmp_path / "hashrange.db").exists()


def test_a_parent_that_is_missing_is_not_made(tmp_path: Path):
    with pytest.raises(StorageOpenError, match="No such file or directory"):
        SqliteEngine.open(tmp_path / "typo" / "data")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_directory(tmp_path: Path):
    (tmp_path / "data").touch()
    with pytest.raises(StorageOpenError, match=re.escape(f"directory {tmp_path / 'data'}: ")):
        SqliteEngine.open(tmp_path / "data")


def test_a_directory_that_cannot_be_written_is_refused(tmp_path: Path):
    SqliteEngine.open(tmp_path / "data").close()
    tmp_path.chmod(0o755)
    for path in [tmp_path / "data", *(tmp_path / "data").iterdir()]:
        path.chmod(0o555)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65_534)  # no mode keeps root out
    try:
        with pytest.raises(StorageOpenError, match="Permission denied"):
            SqliteEngine.open(tmp_path / "data")
    finally:
        os.seteuid(user)


# Otherwise a typo in a flag would keep the directory locked for the life of the process.
def test_a_failed_opening_lets_go_of_the_directory(tmp_path: Path):
    (tmp_path / "hashrange.db").write_bytes(b"?" * 1000)
    with pytest.raises(StorageOpenError):
        SqliteEngine.open(tmp_path)
    (tmp_path / "hashrange.db").unlink()
    SqliteEngine.open(tmp_path).close()


def test_a_closed_engine_says_so(tmp_path: Path):
    engine = SqliteEngine.open(tmp_path)
    engine.close()
    engine.close()
    with pytest.raises(StorageError, match="closed"):
        read(engine, b"k")
    with pytest.raises(StorageError, match="closed"):
        put(engine, b"k", b"v")


def test_a_write_that_waits_while_the_engine_is_closed_fails(tmp_path: Path):
    async def scenario():
        engine = SqliteEngine.open(tmp_path)
        write = asyncio.create_task(engine.write([b"k"], lambda _: Changes(answer=None)))
        await turns()
        engine.close()
        with pytest.raises(StorageError, match="closed"):
            await write

    asyncio.run(scenario())


# A process that was killed leaves its WAL; what was acknowledged from it must be there.
def test_a_killed_process_loses_nothing(tmp_path: Path):
    code = """
import asyncio, os, sys
from pathlib import Path
from hashrange.storage.engine import Changes
from hashrange.storage.sqlite.engine import SqliteEngine
engine = SqliteEngine.open(Path(sys.argv[1]))
asyncio.run(engine.write([b"k"], lambda _: Changes(answer=None, puts={b"k": b"v"})))
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert (tmp_path / "hashrange.db-wal").stat().st_size > 0
    engine = SqliteEngine.open(tmp_path, tuning=Tuning(reserve_bytes=0))
    assert read(engine, b"k") == b"v"
    engine.close()
