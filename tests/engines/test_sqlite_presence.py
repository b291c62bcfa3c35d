"""Files that are removed or replaced under a running engine, which notices and stops."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from hashrange.assembly.engines.trials.subject import change, pairs_of
from hashrange.settings.kinds import Durability
from hashrange.storage.engine import StaleFenceError, StorageError, StorageOpenError
from hashrange.storage.engine import StorageUnavailableError as Unavailable
from hashrange.storage.sqlite.directory import LOCK_FILE
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.file_guard import LOOK_NS
from hashrange.storage.sqlite.read_only import opened_read_only
from hashrange.storage.sqlite.recovery import RETRY_NS
from hashrange.storage.sqlite.tuning import Tuning
from tests.pace import turns
from tests.power.faulty import FaultyVfs, no_fault


@dataclass(slots=True)
class Server:
    """An engine on a directory, with a clock that stands still unless it is moved."""

    directory: Path
    engine: SqliteEngine | None = None
    now_ns: int = 0

    def open(self, durability: Durability = Durability.FULL, **tuning) -> None:
        self.engine = SqliteEngine.open(
            self.directory,
            durability=durability,
            monotonic_ns=lambda: self.now_ns,
            tuning=Tuning(**tuning),
        )

    def put(self, **pairs: bytes) -> None:
        puts = {key.encode(): value for key, value in pairs.items()}
        asyncio.run(change(self.engine, puts=puts))

    def read(self, *keys: str) -> list[bytes | None]:
        return asyncio.run(self.engine.read([key.encode() for key in keys]))

    def look(self) -> None:
        """As the watch does beside requests."""

        async def once():
            watching = asyncio.ensure_future(self.engine.watch().run())
            await turns()
            watching.cancel()

        asyncio.run(once())


KINDS = {
    "inline": {"inline_sync_ns_max": 1 << 62},
    "aside": {"inline_sync_ns_max": -1, "lone_sync_ns_max": -1},
    "relaxed": {"durability": Durability.RELAXED},
}


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "data")
    server.open(**KINDS[request.param])
    server.put(a=b"1")
    yield server
    server.engine.close()


def remove(directory: Path) -> None:
    shutil.rmtree(directory)


def move(directory: Path) -> None:
    directory.rename(directory.with_name("moved"))


def remove_data_file(directory: Path) -> None:
    (directory / "hashrange.db").unlink()


def remove_lock_file(directory: Path) -> None:
    (directory / LOCK_FILE).unlink()


def replace_data_file(directory: Path) -> None:
    SqliteEngine.open(directory.with_name("other")).close()
    (directory.with_name("other") / "hashrange.db").replace(directory / "hashrange.db")


def replace_directory(directory: Path) -> None:
    directory.rename(directory.with_name("moved"))
    SqliteEngine.open(directory).close()


HAPPENINGS = [
    (remove, "data was removed or moved"),
    (move, "data was removed or moved"),
    (remove_data_file, r"hashrange\.db was removed or moved"),
    (remove_lock_file, r"hashrange\.lock was removed or moved"),
    (replace_data_file, r"hashrange\.db was replaced by another file"),
    (replace_directory, r"hashrange\.lock was replaced by another file"),
]


# What is written into a file that nobody can open any more is lost when the server ends.
@pytest.mark.parametrize(("happen", "text"), HAPPENINGS)
def test_no_write_is_acknowledged(server: Server, happen, text: str, caplog):
    happen(server.directory)
    server.now_ns += LOOK_NS
    with pytest.raises(StorageError, match=text):
        server.put(b=b"2")
    with pytest.raises(StorageError, match=text):
        server.put(b=b"3")
    with pytest.raises(Unavailable, match=text):
        server.read("a")
    with pytest.raises(Unavailable, match=text):
        asyncio.run(pairs_of(server.engine, b"", b"z"))
    assert server.engine.stats().down
    (line,) = [each.getMessage() for each in caplog.records if each.levelname == "ERROR"]
    assert line.startswith("the storage is down: ")
    assert "Removed files" in line


# Where nobody writes, the watch sees it; clients must not go on reading what nobody has any more.
@pytest.mark.parametrize(("happen", "text"), HAPPENINGS)
def test_it_is_noticed_where_nobody_writes(server: Server, happen, text: str):
    server.look()
    assert server.read("a") == [b"1"]
    happen(server.directory)
    server.look()
    assert server.engine.stats().down
    with pytest.raises(Unavailable, match=text):
        server.read("a")


# A look for each of many small groups would cost more than they do.
def test_writes_look_once_in_a_while(server: Server):
    server.now_ns += LOOK_NS
    server.put(b=b"2")
    move(server.directory)
    server.now_ns += LOOK_NS - 1
    server.put(b=b"3")
    server.now_ns += 1
    with pytest.raises(StorageError, match="was removed or moved"):
        server.put(b=b"4")


def test_it_serves_again_when_the_same_files_are_back(server: Server, caplog):
    move(server.directory)
    server.now_ns += LOOK_NS
    with pytest.raises(StorageError):
        server.put(b=b"2")
    with pytest.raises(Unavailable):
        server.read("a")
    server.directory.with_name("moved").rename(server.directory)
    assert server.read("a") == [b"1"]
    server.put(b=b"3", c=b"4")
    assert server.read("b", "c") == [b"3", b"4"]
    assert not server.engine.stats().down
    assert "the storage works again" in caplog.text
    server.engine.close()
    again = SqliteEngine.open(server.directory)
    assert asyncio.run(again.read([b"a", b"b", b"c"])) == [b"1", b"3", b"4"]
    again.close()


# What the group that was not answered has changed may be in the files: a fence kept from before
# that group would let plans through that were made for the table before.
def test_fences_are_read_anew_afterwards(server: Server):
    server.put(fence=b"1")
    asyncio.run(server.engine.read([], fences={b"fence": b"1"}))
    move(server.directory)
    server.now_ns += LOOK_NS
    with pytest.raises(StorageError):
        server.put(fence=b"2")
    server.directory.with_name("moved").rename(server.directory)
    (fence,) = server.read("fence")
    asyncio.run(server.engine.read([], fences={b"fence": fence}))
    other = b"2" if fence == b"1" else b"1"
    with pytest.raises(StaleFenceError):
        asyncio.run(server.engine.read([], fences={b"fence": other}))


# SQLite takes any WAL beside a data file for that file's: ours would be written into theirs.
@pytest.mark.parametrize("end", ["killed", "closed", "closed before it is noticed"])
def test_a_data_file_in_the_place_of_ours_is_not_touched(server: Server, end: str, tmp_path):
    other = SqliteEngine.open(tmp_path / "other")
    asyncio.run(change(other, puts={b"theirs": b"1"}))
    other.close()
    expected = (tmp_path / "other" / "hashrange.db").read_bytes()
    (tmp_path / "other" / "hashrange.db").replace(server.directory / "hashrange.db")
    if end != "closed before it is noticed":
        server.look()
    if end != "killed":
        server.engine.close()
    left = tmp_path / "left"
    shutil.copytree(server.directory, left)  # as a kill leaves it, unless it was closed
    assert (left / "hashrange.db").read_bytes() == expected
    with opened_read_only(left) as engine:
        assert asyncio.run(pairs_of(engine, b"", b"z")) == [(b"theirs", b"1")]
    assert (left / f"hashrange.db-wal.of-{os.getpid()}").stat().st_size > 0


def test_a_wal_that_came_with_another_data_file_stays_with_it(server: Server, tmp_path):
    other = SqliteEngine.open(tmp_path / "other")
    asyncio.run(change(other, puts={b"theirs": b"1"}))
    for name in ("hashrange.db", "hashrange.db-wal"):
        copied = shutil.copy(tmp_path / "other" / name, tmp_path / name)
        Path(copied).replace(server.directory / name)
    other.close()
    server.look()
    server.engine.close()
    with opened_read_only(server.directory) as engine:
        assert asyncio.run(pairs_of(engine, b"", b"z")) == [(b"theirs", b"1")]


# The file before is the same again, with the part of it that was only in the WAL.
def test_a_data_file_that_is_put_back_has_its_wal_again(server: Server, tmp_path):
    data_file, kept = server.directory / "hashrange.db", tmp_path / "kept"
    os.link(data_file, kept)
    replace_data_file(server.directory)
    server.look()
    assert server.engine.stats().down
    kept.replace(data_file)
    assert server.read("a") == [b"1"]
    left = tmp_path / "left"
    shutil.copytree(server.directory, left)
    with opened_read_only(left) as engine:
        assert asyncio.run(engine.read([b"a"])) == [b"1"]


# A failure opens the files anew: there is none, and to make an empty one would be to lose all.
def test_a_recovery_makes_no_new_data_file(tmp_path: Path):
    vfs = FaultyVfs("presence")
    server = Server(tmp_path / "data")
    server.open(vfs=vfs.name)
    server.put(a=b"1")
    move(server.directory)
    server.directory.mkdir()
    wal_fails = ("write", "hashrange.db-wal")
    vfs.fault = lambda *call: apsw.SQLITE_IOERR_WRITE if call == wal_fails else None
    with pytest.raises(StorageError):
        server.put(b=b"2")
    vfs.fault = no_fault
    server.now_ns += RETRY_NS
    with pytest.raises(StorageError, match="was removed or moved"):
        server.put(b=b"3")
    with pytest.raises(Unavailable, match="was removed or moved"):
        server.read("a")
    assert list(server.directory.iterdir()) == []
    server.directory.rmdir()
    server.directory.with_name("moved").rename(server.directory)
    server.now_ns += RETRY_NS
    assert server.read("a") == [b"1"]
    server.engine.close()
    vfs.unregister()


def test_a_second_server_is_noticed_by_the_first(server: Server):
    with pytest.raises(StorageOpenError, match="in use"):
        SqliteEngine.open(server.directory)
    remove(server.directory)
    second = SqliteEngine.open(server.directory)
    asyncio.run(change(second, puts={b"a": b"second"}))
    server.now_ns += LOOK_NS
    with pytest.raises(StorageError, match="was replaced by another file"):
        server.put(a=b"first")
    server.engine.close()
    assert asyncio.run(second.read([b"a"])) == [b"second"]
    second.close()
    again = SqliteEngine.open(server.directory)
    assert asyncio.run(again.read([b"a"])) == [b"second"]
    again.close()


# The manual says how: the server is the last that has the data.
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="Linux shows open files so")
def test_removed_files_can_be_saved_while_the_server_runs(server: Server, tmp_path: Path):
    remove(server.directory)
    server.look()
    saved = tmp_path / "saved"
    saved.mkdir()
    for link in Path("/proc/self/fd").iterdir():
        name = str(link.readlink()) if link.is_symlink() else ""
        if name.startswith(str(server.directory)) and name.endswith(" (deleted)"):
            shutil.copyfile(link, saved / Path(name.removesuffix(" (deleted)")).name)
    with opened_read_only(saved) as engine:
        assert asyncio.run(engine.read([b"a"])) == [b"1"]


# A directory whose parent may not be entered any more, for example.
def test_what_nobody_can_tell_stops_nothing(server: Server, monkeypatch):
    def refused(_path):
        raise PermissionError

    with monkeypatch.context() as patched:
        patched.setattr("hashrange.storage.sqlite.presence.id_of", refused)
        server.look()
        assert server.read("a") == [b"1"]


# It was down for another reason when the file was replaced; ours comes back with its WAL.
def test_a_data_file_that_is_replaced_while_the_storage_is_down(tmp_path: Path):
    vfs = FaultyVfs("replaced")
    server = Server(tmp_path / "data")
    server.open(vfs=vfs.name)
    server.put(a=b"1")
    data_file, kept = server.directory / "hashrange.db", tmp_path / "kept"
    os.link(data_file, kept)
    vfs.fault = lambda *_call: apsw.SQLITE_IOERR_WRITE
    with pytest.raises(StorageError):
        server.put(b=b"2")
    replace_data_file(server.directory)
    server.look()
    vfs.fault = no_fault
    server.now_ns += RETRY_NS
    with pytest.raises(Unavailable, match="was replaced by another file"):
        server.read("a")
    assert not (server.directory / "hashrange.db-wal").exists()
    kept.replace(data_file)
    server.now_ns += RETRY_NS
    assert server.read("a") == [b"1"]
    server.put(c=b"3")
    server.engine.close()
    again = SqliteEngine.open(server.directory)
    assert asyncio.run(again.read([b"a", b"c"])) == [b"1", b"3"]
    again.close()
    vfs.unregister()
