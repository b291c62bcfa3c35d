"""A data directory that is opened to be read: all of it is seen, and nothing in it changes."""

import asyncio
import contextlib
import errno
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from hashrange.assembly.engines.trials.subject import change, pairs_of
from hashrange.assembly.verifying import verify
from hashrange.storage.engine import StaleFenceError, StorageError, StorageOpenError
from hashrange.storage.sqlite.directory import is_in_use
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.read_only import opened_read_only
from hashrange.storage.sqlite.schema import FORMAT_VERSION

PAIRS = {b"k%03d" % number: os.urandom(number * 30) for number in range(100)}


def contents(directory: Path) -> dict[str, tuple[bytes, int, int]]:
    """The files, with when and how they were changed last."""
    return {
        path.name: (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_mode)
        for path in directory.iterdir()
    }


def stored(directory: Path) -> dict[bytes, bytes]:
    with opened_read_only(directory) as engine:
        return dict(asyncio.run(pairs_of(engine, b"", b"\xff")))


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A directory whose server has stopped; all is in the data file."""
    engine = SqliteEngine.open(tmp_path / "closed")
    asyncio.run(change(engine, puts=PAIRS))
    engine.close()
    return tmp_path / "closed"


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A directory as a kill leaves it; the WAL has what the data file has not."""
    engine = SqliteEngine.open(tmp_path / "running")
    asyncio.run(change(engine, puts=PAIRS))
    shutil.copytree(tmp_path / "running", tmp_path / "killed")
    engine.close()
    assert (tmp_path / "killed" / "hashrange.db-wal").stat().st_size > 0
    return tmp_path / "killed"


@contextlib.contextmanager
def not_writable(directory: Path):
    """A copy that nobody can write, as on read-only media; no mode keeps root out.

    Not in pytest's own directory, which nobody but its owner can enter.
    """
    with tempfile.TemporaryDirectory(prefix="hashrange-") as folder:
        copied = Path(shutil.copytree(directory, Path(folder) / "data"))
        for path in [copied, *copied.iterdir()]:
            path.chmod(0o555)
        Path(folder).chmod(0o555)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65_534)
        try:
            with pytest.raises(OSError, match="denied"):
                (copied / "new").touch()
            yield copied
        finally:
            os.seteuid(user)
            for path in (Path(folder), copied):
                path.chmod(0o755)


@pytest.mark.parametrize("left", ["closed", "killed"])
def test_all_is_seen_and_nothing_changes(request, left: str):
    directory = request.getfixturevalue(left)
    before = contents(directory)
    assert stored(directory) == PAIRS
    assert contents(directory) == before


@pytest.mark.parametrize("left", ["closed", "killed"])
def test_media_that_cannot_be_written_will_do(request, left: str):
    directory = request.getfixturevalue(left)
    with not_writable(directory) as copied:
        assert stored(copied) == PAIRS


# A backup is a copy of the data file alone; its name may have what means something in a URI.
def test_the_data_file_alone_will_do(closed: Path, tmp_path: Path):
    backup = tmp_path / "a backup?mode=rw#100%"
    backup.mkdir()
    shutil.copy(closed / "hashrange.db", backup)
    before = contents(backup)
    assert stored(backup) == PAIRS
    assert contents(backup) == before


@pytest.mark.parametrize("left", ["closed", "killed"])
def test_an_emptied_data_file_is_refused_and_stays_empty(request, left: str):
    directory = request.getfixturevalue(left)
    os.truncate(directory / "hashrange.db", 0)
    before = contents(directory)
    with pytest.raises(StorageOpenError, match=r"hashrange\.db is empty"):
        verify(directory)
    assert contents(directory) == before


# Half of it, whole pages from its end, and a part of the last page, which SQLite reads as zeros.
@pytest.mark.parametrize("lost", [100_000, 8192, 100, 1])
def test_a_data_file_that_is_cut_off_is_refused(closed: Path, lost: int):
    path = closed / "hashrange.db"
    os.truncate(path, path.stat().st_size - lost)
    with pytest.raises(StorageOpenError, match=r"is cut off|damaged"):
        verify(closed)


# The rest of the data file may be in the WAL, or be lost: then the pages that miss are found.
def test_a_data_file_that_is_cut_off_beside_its_wal_is_whole_or_refused(killed: Path):
    os.truncate(killed / "hashrange.db", 4096)
    assert stored(killed) == PAIRS


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        ("stranger", "database of another program"),
        ("newer", "has format version"),
        ("journal", "was not finished when it was made"),
        ("noise", "damaged, or not a database"),
    ],
)
def test_what_is_not_ours_or_not_whole_is_refused(closed: Path, damage: str, text: str):
    path = closed / "hashrange.db"
    data = bytearray(path.read_bytes())
    match damage:
        case "stranger":
            data[68:72] = b"else"
        case "newer":
            data[60:64] = (FORMAT_VERSION + 1).to_bytes(4)
        case "noise":
            data[:] = b"Dear diary, " * 1000
        case _:
            (closed / "hashrange.db-journal").write_bytes(b"pages")
    path.write_bytes(data)
    with pytest.raises(StorageOpenError, match=text):
        stored(closed)


def test_a_server_keeps_readers_out_and_they_keep_it_out(closed: Path):
    engine = SqliteEngine.open(closed)
    with pytest.raises(StorageOpenError, match=f"in use by process {os.getpid()}"):
        stored(closed)
    engine.close()
    with opened_read_only(closed), pytest.raises(StorageOpenError, match="in use"):
        SqliteEngine.open(closed)
    with opened_read_only(closed), opened_read_only(closed):
        pass
    SqliteEngine.open(closed).close()


def test_what_reads_only_does_not_write(closed: Path):
    with opened_read_only(closed) as engine:
        with pytest.raises(StorageError, match="read-only"):
            asyncio.run(change(engine, puts={b"k": b"v"}))
        assert asyncio.run(engine.read([b"k", b"k001"], fences={b"k002": PAIRS[b"k002"]})) == [
            None,
            PAIRS[b"k001"],
        ]
        with pytest.raises(StaleFenceError):
            asyncio.run(engine.read([b"k"], fences={b"k002": b"other"}))
        with pytest.raises(StaleFenceError):
            asyncio.run(engine.scan(b"", b"z", limit=1, bytes_max=1, fences={b"k": b""}))


def test_what_cannot_be_read_is_an_error(closed: Path):
    path = closed / "hashrange.db"
    with opened_read_only(closed) as engine:
        os.truncate(path, 4096)
        with pytest.raises(StorageError, match="cannot read"):
            asyncio.run(pairs_of(engine, b"", b"\xff"))
        with pytest.raises(StorageError, match="cannot read"):
            asyncio.run(engine.read([*PAIRS]))


# A command would ask a server that is not there, and say that it has ended.
def test_without_descriptors_nothing_is_said_of_a_server(
    closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_in_use(closed)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", _without_descriptors)
        with pytest.raises(StorageOpenError, match="Too many open files"):
            is_in_use(closed)
    engine = SqliteEngine.open(closed)
    assert is_in_use(closed)
    engine.close()


def _without_descriptors(*_arguments: object) -> int:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
