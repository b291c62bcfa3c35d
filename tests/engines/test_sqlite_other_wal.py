"""A write-ahead log of other data, put beside a data file."""

import asyncio
import itertools
import os
import shutil
from pathlib import Path

import apsw
import pytest

from hashrange.storage.engine import Changes, StorageOpenError
from hashrange.storage.sqlite.directory import DATA_FILE, LOCK_FILE
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.read_only import opened_read_only
from hashrange.storage.sqlite.rekeying import rewrite
from hashrange.storage.sqlite.tuning import Tuning
from hashrange.storage.sqlite.wal import wal_id
from hashrange.tables.log.conversion import Converter
from tests.engines.test_sqlite_encryption import FIRST

WAL = f"{DATA_FILE}-wal"
FOREIGN = "db-wal does not belong to the data file beside it"
FEW_PAGES = Tuning(checkpoint_pages=4)


def put(engine: SqliteEngine, value: bytes) -> None:
    changes = Changes(answer=None, puts={b"key": value})
    asyncio.run(engine.write([b"key"], lambda _: changes))


def value_in(directory: Path) -> bytes | None:
    engine = SqliteEngine.open(directory)
    (value,) = asyncio.run(engine.read([b"key"]))
    engine.close()
    return value


def killed(directory: Path, value: bytes) -> Path:
    """A directory as a kill leaves it: a copy of that of an engine that serves."""
    engine = SqliteEngine.open(directory.with_name(f"{directory.name} served"))
    put(engine, value)
    shutil.copytree(directory.with_name(f"{directory.name} served"), directory)
    engine.close()
    return directory


def refused(directory: Path) -> None:
    """All that open a directory refuse it, again and again, and change nothing."""
    before = (directory / DATA_FILE).read_bytes(), (directory / WAL).read_bytes()
    for _ in range(2):
        with pytest.raises(StorageOpenError, match=FOREIGN):
            SqliteEngine.open(directory)
        with pytest.raises(StorageOpenError, match=FOREIGN), opened_read_only(directory):
            pass
        with pytest.raises(StorageOpenError, match=FOREIGN):
            rewrite(
                directory,
                (None, FIRST),
                converter=Converter(),
                random_bytes=os.urandom,
                report=print,
            )
    assert before == ((directory / DATA_FILE).read_bytes(), (directory / WAL).read_bytes())


def test_the_log_of_another_directory_is_refused_until_the_right_one_is_back(tmp_path: Path):
    ours, theirs = killed(tmp_path / "ours", b"ours"), killed(tmp_path / "theirs", b"theirs")
    (ours / WAL).rename(ours / "away")
    shutil.copy(theirs / WAL, ours / WAL)
    refused(ours)
    with opened_read_only(ours, is_whole=False):
        pass  # `salvage` reads what there is
    (ours / "away").rename(ours / WAL)
    assert value_in(ours) == b"ours"


def test_a_log_beside_the_data_of_a_stopped_server_is_refused(tmp_path: Path):
    ours, theirs = tmp_path / "ours", killed(tmp_path / "theirs", b"theirs")
    engine = SqliteEngine.open(ours)
    put(engine, b"ours")
    engine.close()
    shutil.copy(theirs / WAL, ours / WAL)
    refused(ours)
    (ours / WAL).unlink()
    assert value_in(ours) == b"ours"


def test_a_log_of_an_earlier_start_is_refused(tmp_path: Path):
    earlier = killed(tmp_path / "data", b"earlier")
    engine = SqliteEngine.open(tmp_path / "data served")
    put(engine, b"later")
    shutil.copytree(tmp_path / "data served", tmp_path / "later")
    engine.close()
    shutil.copy(earlier / WAL, tmp_path / "later" / WAL)
    refused(tmp_path / "later")


def test_the_operator_may_take_the_log_all_the_same(tmp_path: Path):
    ours, theirs = killed(tmp_path / "ours", b"ours"), killed(tmp_path / "theirs", b"theirs")
    shutil.copy(theirs / WAL, ours / WAL)
    (ours / LOCK_FILE).unlink()
    assert value_in(ours) == b"theirs"


# Each state that a kill can leave is a copy; tests/power cuts the power within a start.
def test_a_kill_after_any_commit_is_followed_by_a_start(tmp_path: Path):
    served = tmp_path / "served"
    numbers = itertools.count()
    moments = []

    def moment() -> None:
        copy = tmp_path / f"moment {next(numbers)}"
        shutil.copytree(served, copy)
        moments.append(copy)

    for start in range(3):
        engine = SqliteEngine.open(served, tuning=FEW_PAGES)
        engine.database.connection.set_wal_hook(
            _followed(engine.database._committed, moment)  # noqa: SLF001 - as SQLite calls it
        )
        identity = wal_id(served / DATA_FILE)
        for number in range(30):
            put(engine, b"%d" % (start * 30 + number))
        assert wal_id(served / DATA_FILE) == identity  # though logs began anew
        if start == 1:
            engine.database.abandon()  # as a kill
            engine._directory.release()  # noqa: SLF001 - as the end of the process
        else:
            engine.close()
    assert len(moments) > 90 - 3
    for copy in moments:
        value_in(copy)


def _followed(function, moment):
    def called(*given):
        answer = function(*given)
        moment()
        return answer

    return called


@pytest.mark.parametrize("damaged", [0, 12, 27])
def test_a_header_that_was_not_written_as_a_whole_is_no_log(tmp_path: Path, damaged: int):
    ours = killed(tmp_path / "ours", b"ours")
    with (ours / WAL).open("r+b") as file:
        file.seek(damaged)
        file.write(b"\xff")
    assert wal_id(ours / DATA_FILE) is None
    assert value_in(ours) is None  # as SQLite has it


@pytest.mark.parametrize("text", ["", "12", "12 serving", "12 servingf serving", "12 00 serving"])
def test_what_was_noted_in_part_refuses_nothing(tmp_path: Path, text: str):
    ours = killed(tmp_path / "ours", b"ours")
    (ours / LOCK_FILE).write_text(text)
    assert value_in(ours) == b"ours"


def test_the_identity_is_that_of_the_header(tmp_path: Path):
    connection = apsw.Connection(str(tmp_path / DATA_FILE))
    connection.pragma("journal_mode", "WAL")
    assert wal_id(tmp_path / DATA_FILE) is None
    connection.execute("CREATE TABLE t (x)")
    first = wal_id(tmp_path / DATA_FILE)
    for _ in range(3):
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        assert wal_id(tmp_path / DATA_FILE) is None
        connection.execute("INSERT INTO t VALUES (1)")
        assert wal_id(tmp_path / DATA_FILE) == first
    connection.close()
