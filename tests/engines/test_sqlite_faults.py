"""A disk that fails: no lie is told, nothing is half done, and service comes back by itself."""

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from hashrange.storage.engine import Changes, StaleFenceError, StorageError, StorageOpenError
from hashrange.storage.sqlite.directory import RESERVE_FILE
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.recovery import FULL_NS, RETRY_NS
from hashrange.storage.sqlite.tuning import Tuning
from tests.power.faulty import FaultyVfs, no_fault

WAL = "hashrange.db-wal"
DATA = "hashrange.db"
RESERVE_BYTES = 256 * 1024


@dataclass(slots=True)
class Machine:
    """An engine on a faulty disk, with a clock that stands still unless it is moved."""

    vfs: FaultyVfs
    directory: Path
    now_ns: int = 0
    engine: SqliteEngine | None = None
    sync_aside: bool = False

    def open(self) -> None:
        self.engine = SqliteEngine.open(
            self.directory,
            monotonic_ns=lambda: self.now_ns,
            tuning=Tuning(
                vfs=self.vfs.name,
                checkpoint_pages=16,
                inline_sync_ns_max=-1 if self.sync_aside else 1 << 62,
                lone_sync_ns_max=-1,
                reserve_bytes=RESERVE_BYTES,
                free_bytes=self.vfs.free_bytes,
            ),
        )

    def fail(self, call: str, file: str, code: int, *, times: int = 1 << 30) -> None:
        left = iter(range(times))

        def fault(made: str, of: str) -> int | None:
            return code if (made, of) == (call, file) and next(left, None) is not None else None

        self.vfs.fault = fault

    def heal(self) -> None:
        self.vfs.fault = no_fault
        self.vfs.quota_bytes = None

    def change(self, *writes: Changes) -> list[object]:
        """The outcomes of writes that wait together."""

        async def scenario():
            made = (self.engine.write([b"k"], lambda _, write=write: write) for write in writes)
            return await asyncio.gather(*made, return_exceptions=True)

        return asyncio.run(scenario())

    def put(self, **pairs: bytes) -> object:
        puts = {key.encode(): value for key, value in pairs.items()}
        return self.change(Changes(answer="done", puts=puts))[0]

    def delete(self, *keys: str) -> object:
        deletes = [key.encode() for key in keys]
        return self.change(Changes(answer="done", deletes=deletes))[0]

    def read(self, *keys: str) -> list[bytes | None]:
        return asyncio.run(self.engine.read([key.encode() for key in keys]))


names = (f"faulty-{number}" for number in itertools.count())


@pytest.fixture(params=[False, True], ids=["inline", "aside"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Machine]:
    vfs = FaultyVfs(next(names))
    machine = Machine(vfs=vfs, directory=tmp_path / "data", sync_aside=request.param)
    machine.open()
    yield machine
    machine.heal()
    machine.engine.close()
    vfs.unregister()


def failed(outcome: object) -> bool:
    return isinstance(outcome, StorageError)


WRITE_FAILURES = [
    ("write", WAL, apsw.SQLITE_FULL),
    ("write", WAL, apsw.SQLITE_IOERR_WRITE),
    ("sync", WAL, apsw.SQLITE_IOERR_FSYNC),
]


# All who wait for a commit that fails are told so, the refused and the empty ones included.
@pytest.mark.parametrize(("call", "file", "code"), WRITE_FAILURES)
def test_a_commit_that_fails_fails_for_all(machine: Machine, call: str, file: str, code: int):
    machine.put(a=b"1")
    machine.fail(call, file, code, times=1)

    def refuse(_):
        raise ValueError

    async def scenario():
        return await asyncio.gather(
            machine.engine.write([b"a"], lambda _: Changes(answer=1, puts={b"a": b"2"})),
            machine.engine.write([b"b"], refuse),
            machine.engine.write([b"c"], lambda _: Changes(answer=1)),
            return_exceptions=True,
        )

    assert all(map(failed, asyncio.run(scenario())))
    assert machine.engine.stats().recoveries == 1


# The frame of the commit may be in the WAL although its sync failed. Whichever way it is read
# then, it must stay so when the file is opened again.
@pytest.mark.parametrize(("call", "file", "code"), WRITE_FAILURES)
def test_after_a_failure_the_outcome_is_settled(machine: Machine, call: str, file: str, code: int):
    machine.put(a=b"1", b=b"1")
    machine.fail(call, file, code, times=1)
    machine.change(
        Changes(answer=None, puts={b"a": b"2"}, adds={b"n": 1}),
        Changes(answer=None, puts={b"b": b"2"}, appends=[(b"log", b"r")]),
    )
    found = machine.read("a", "b", "n")
    assert found in ([b"1", b"1", None], [b"2", b"2", (1).to_bytes(8)])
    machine.now_ns += FULL_NS
    assert machine.put(c=b"3") == "done"
    machine.engine.close()
    machine.open()
    assert machine.read("a", "b", "n", "c") == [*found, b"3"]


# What the engine keeps in memory is of a state that may not have come to be.
def test_a_fence_is_read_anew_after_a_failure(machine: Machine):
    machine.put(f=b"1")
    asyncio.run(machine.engine.read([], fences={b"f": b"1"}))
    machine.fail("sync", WAL, apsw.SQLITE_IOERR_FSYNC, times=1)
    assert failed(machine.put(f=b"2"))
    (now,) = machine.read("f")
    stale = b"1" if now == b"2" else b"2"
    asyncio.run(machine.engine.read([], fences={b"f": now}))
    with pytest.raises(StaleFenceError):
        asyncio.run(machine.engine.read([], fences={b"f": stale}))


# The kernel forgets what it could not write, and the next sync of the same pages says "done": the
# WAL is written and synced once more before any of it is copied to the data file.
def test_recovery_writes_the_wal_again_before_it_copies_it(machine: Machine):
    machine.put(a=b"1")
    machine.fail("sync", WAL, apsw.SQLITE_IOERR_FSYNC, times=1)
    machine.vfs.calls.clear()
    machine.put(a=b"2")
    calls = [call for call in machine.vfs.calls if call[0] in ("write", "sync")]
    recovery = calls[calls.index(("sync", WAL)) + 1 :]
    assert recovery.index(("write", WAL)) < recovery.index(("sync", WAL))
    assert recovery.index(("sync", WAL)) < recovery.index(("write", DATA))


def test_a_disk_that_stays_broken_is_tried_again_later(machine: Machine):
    machine.put(a=b"1")
    machine.fail("sync", WAL, apsw.SQLITE_IOERR_FSYNC)
    assert failed(machine.put(a=b"2"))
    assert machine.engine.stats().down
    machine.vfs.calls.clear()
    assert failed(machine.put(a=b"3"))
    with pytest.raises(StorageError, match="down"):
        machine.read("a")
    assert machine.vfs.calls == [], "it takes time to try, and every request would"
    machine.now_ns += RETRY_NS
    assert failed(machine.put(a=b"4"))
    assert machine.vfs.calls != []
    machine.heal()
    machine.now_ns += RETRY_NS
    assert machine.put(a=b"5") == "done"
    assert not machine.engine.stats().down
    assert machine.read("a") == [b"5"]


# Nobody may write, and readers must not wait for somebody who does.
def test_a_read_brings_a_broken_disk_back_too(machine: Machine):
    machine.put(a=b"1")
    machine.fail("sync", WAL, apsw.SQLITE_IOERR_FSYNC)
    machine.put(b=b"2")
    machine.heal()
    machine.now_ns += RETRY_NS
    assert machine.read("a") == [b"1"]


def test_a_checkpoint_that_fails_hurts_nobody(machine: Machine):
    machine.fail("sync", DATA, apsw.SQLITE_IOERR_FSYNC, times=1)
    for index in range(40):
        assert machine.put(**{f"k{index}": bytes(2000)}) == "done"
    assert machine.engine.stats().recoveries == 1
    assert machine.read("k0", "k39") == [bytes(2000), bytes(2000)]


def test_a_page_that_cannot_be_read_fails_its_readers_alone(machine: Machine):
    machine.put(a=b"1", **{f"k{index:02}": bytes(3000) for index in range(30)})
    machine.engine.close()
    machine.open()
    assert machine.read("a") == [b"1"]
    machine.fail("read", DATA, apsw.SQLITE_IOERR_READ)
    with pytest.raises(StorageError, match="cannot read"):
        machine.read("k20")
    machine.heal()
    assert machine.read("a", "k20") == [b"1", bytes(3000)]
    assert machine.put(a=b"2") == "done"


def test_a_write_whose_key_cannot_be_read_fails_alone(machine: Machine):
    machine.put(a=b"1", **{f"k{index:02}": bytes(3000) for index in range(30)})
    machine.engine.close()
    machine.open()

    async def scenario():
        def write(key: bytes):
            return machine.engine.write([key], lambda _: Changes(answer="done", puts={key: b"2"}))

        await write(b"a")  # so that the page of "a" is at hand
        machine.fail("read", DATA, apsw.SQLITE_IOERR_READ)
        return await asyncio.gather(write(b"a"), write(b"k20"), return_exceptions=True)

    first, second = asyncio.run(scenario())
    machine.heal()
    assert first == "done"
    assert failed(second)
    assert machine.read("a", "k20") == [b"2", bytes(3000)]


# A full disk -----------------------------------------------------------------------------------


def fill(machine: Machine) -> int:
    """Put until it is refused; how many were put."""
    used = sum(path.stat().st_size for path in machine.directory.iterdir())
    machine.vfs.quota_bytes = used + 512 * 1024
    for index in itertools.count():
        if failed(machine.put(**{f"fill-{index:04}": bytes(10_000)})):
            return index
    raise AssertionError


def test_a_full_disk_can_be_read_and_deleted_from(machine: Machine):
    count = fill(machine)
    assert count > 10
    assert machine.engine.stats().disk_full
    assert not (machine.directory / RESERVE_FILE).exists()
    assert machine.read("fill-0000", f"fill-{count:04}") == [bytes(10_000), None]
    for index in range(count):
        assert machine.delete(f"fill-{index:04}") == "done"
    assert machine.read("fill-0000") == [None]


# Otherwise the puts that go on arriving would use up the reserve before the first delete.
def test_while_the_disk_is_full_only_what_deletes_is_done(machine: Machine):
    machine.put(small=b"12345")
    fill(machine)
    assert failed(machine.put(new=b"1"))
    assert failed(machine.put(small=b"123456"))

    async def replace():
        smaller = Changes(answer="done", puts={b"small": b"1"})
        return await machine.engine.write([b"small"], lambda _: smaller)

    assert asyncio.run(replace()) == "done"
    both = Changes(answer="done", puts={b"new": b"1"}, deletes=[b"fill-0000"])
    assert machine.change(both) == ["done"]
    assert machine.change(Changes(answer="done", adds={b"n": 1})) == ["done"]


def test_deletes_alone_end_a_full_disk(machine: Machine):
    count = fill(machine)
    for index in range(count):
        machine.delete(f"fill-{index:04}")
    machine.now_ns += FULL_NS
    assert machine.put(new=b"1") == "done"
    assert not machine.engine.stats().disk_full
    assert (machine.directory / RESERVE_FILE).stat().st_size == RESERVE_BYTES


def test_space_that_somebody_else_frees_ends_a_full_disk(machine: Machine):
    fill(machine)
    machine.vfs.quota_bytes += 10 * RESERVE_BYTES
    assert failed(machine.put(new=b"1")), "a quota may say that there is space where is none"
    machine.now_ns += FULL_NS
    assert machine.put(new=b"1") == "done"
    assert (machine.directory / RESERVE_FILE).stat().st_size == RESERVE_BYTES


# An operator finds the cause in the log, and not a line for each request.
def test_a_full_disk_is_told_once_and_its_end(machine: Machine, caplog: pytest.LogCaptureFixture):
    fill(machine)
    for index in range(5):
        assert failed(machine.put(**{f"new-{index}": b"1"}))
        machine.now_ns += FULL_NS
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.startswith(f"the disk of {machine.directory} is full: until ")
    caplog.clear()
    machine.vfs.quota_bytes += 10 * RESERVE_BYTES
    for _ in range(2):
        assert machine.put(new=b"1") == "done"
    assert [record.getMessage() for record in caplog.records] == ["the disk has free space again"]


def test_a_broken_disk_is_told_once_and_its_end(machine: Machine, caplog: pytest.LogCaptureFixture):
    machine.fail("sync", WAL, apsw.SQLITE_IOERR_FSYNC)
    for _ in range(3):
        assert failed(machine.put(a=b"1"))
        machine.now_ns += RETRY_NS
    machine.heal()
    assert machine.put(a=b"1") == "done"
    told = [record.getMessage() for record in caplog.records]
    assert told == [
        "the storage is down until it can be opened again: IOError",
        "the storage works again",
    ]


def test_a_full_disk_can_be_opened(machine: Machine):
    count = fill(machine)
    machine.engine.close()
    machine.vfs.quota_bytes = sum(path.stat().st_size for path in machine.directory.iterdir())
    machine.open()
    assert machine.read("fill-0000") == [bytes(10_000)]
    assert failed(machine.put(new=b"1"))
    machine.vfs.quota_bytes += RESERVE_BYTES
    for index in range(count):
        assert machine.delete(f"fill-{index:04}") == "done"


def test_a_disk_that_is_full_from_the_start_is_refused(tmp_path: Path):
    vfs = FaultyVfs(next(names))
    vfs.quota_bytes = 4096
    machine = Machine(vfs=vfs, directory=tmp_path / "data")
    with pytest.raises(StorageOpenError, match="the disk is full"):
        machine.open()
    vfs.quota_bytes = None
    machine.open()
    assert machine.put(a=b"1") == "done"
    machine.engine.close()
    vfs.unregister()
