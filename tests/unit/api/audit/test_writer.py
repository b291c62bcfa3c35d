"""The thread that writes: a slow or full disk costs records, never requests; the gap is told."""

import asyncio
import json

import pytest

from hashrange.api.audit.anchors import stored_anchors
from hashrange.api.audit.backlog import Backlog
from hashrange.api.audit.chain import Head, Walk
from hashrange.api.audit.events import encoded
from hashrange.api.audit.files import created, files_in, is_being_written, last_line, surplus
from hashrange.api.audit.trail import Trail
from hashrange.api.audit.writer import (
    SPARE_FILES,
    SYNC_SECONDS,
    ChainWriter,
    Rotation,
    wait_seconds,
)
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.storage.engine import StorageUnavailableError
from tests.pace import loop_until, seconds, until
from tests.unit.api.audit.logs import NOW_MS, PLACE, Clock, SlowDisk, event, found_in, writer_on

LINE = encoded(event(1))


def lines_in(directory):
    texts = [(directory / file.name).read_bytes() for file in files_in(directory)]
    return [json.loads(line) for line in b"".join(texts).splitlines()]


def test_a_disk_that_hangs_holds_up_nobody_and_the_gap_is_told(tmp_path, caplog):
    disk, backlog = SlowDisk(), Backlog(records_max=3)
    writer = writer_on(tmp_path, disk, backlog)
    writer.start()
    assert backlog.put(1, LINE)
    assert disk.began.wait(seconds(20))
    # The thread hangs in its write; each further call returns at once.
    taken = [backlog.put(2, LINE) for _ in range(10)]
    assert taken == [True] * 3 + [False] * 7
    assert backlog.dropped_total == 7
    disk.goes_on.set()
    assert writer.end(seconds(20))
    records = lines_in(tmp_path)
    assert len(records) == 5
    assert records[-1]["eventName"] == "RecordsDropped"
    assert records[-1]["additionalEventData"] == {"droppedRecords": 7}
    assert "7 audit records were dropped" in caplog.text
    walk = Walk("0123456789abcdef", Head())
    path = tmp_path / files_in(tmp_path)[0].name
    assert [walk.step(line) for line in path.read_bytes().splitlines()] == [None] * 5
    assert writer.synced == walk.head


def test_a_full_disk_costs_records_and_the_chain_goes_on(tmp_path, caplog):
    disk, backlog = SlowDisk(), Backlog()
    disk.fails = True
    writer = writer_on(tmp_path, disk, backlog)
    writer.start()
    backlog.put(1, LINE)
    backlog.put(1, LINE)
    assert disk.began.wait(seconds(20))
    disk.goes_on.set()
    until(lambda: backlog.dropped_total >= 2)
    disk.fails = False
    backlog.put(2, LINE)
    assert writer.end(seconds(20))
    records = lines_in(tmp_path)
    dropped = [each["additionalEventData"]["droppedRecords"] for each in records]
    assert dropped[0] + dropped[-1] > 2
    assert [each["hashrange"]["sequence"] for each in records] == list(range(1, len(records) + 1))
    assert "cannot be written" in caplog.text


def test_the_end_does_not_wait_for_a_disk_that_hangs(tmp_path):
    disk, backlog = SlowDisk(), Backlog()
    writer = writer_on(tmp_path, disk, backlog)
    writer.start()
    backlog.put(1, LINE)
    assert disk.began.wait(seconds(20))
    assert not writer.end(0.01)
    disk.goes_on.set()
    assert writer.end(seconds(20))


def test_the_backlog_is_bounded_in_bytes():
    backlog = Backlog(bytes_max=10)
    assert backlog.put(1, b"12345")
    assert not backlog.put(1, b"123456")
    # What is missing is known by its place: nothing is taken before the thread was there.
    assert not backlog.put(1, b"1")
    batch = backlog.take(0)
    assert [each.record for each in batch.records] == [b"12345"]
    assert batch.dropped == 2
    assert backlog.put(1, b"1")


def test_time_never_goes_back_in_a_chain(tmp_path):
    disk, backlog = SlowDisk(), Backlog()
    disk.goes_on.set()
    writer = writer_on(tmp_path, disk, backlog)
    for ms in (5, 3, 9):
        backlog.put(ms, LINE)
    writer.start()
    assert writer.end(seconds(20))
    assert [each["hashrange"]["at"] for each in lines_in(tmp_path)] == [5, 5, 9]


def test_files_are_only_readable_by_their_owner(tmp_path):
    writer_on(tmp_path, SlowDisk(), Backlog())
    (file,) = files_in(tmp_path)
    assert (tmp_path / file.name).stat().st_mode & 0o777 == 0o600


def test_a_directory_that_fills_up_is_not_filled_further(tmp_path):
    rotation = Rotation(directory=tmp_path, file_bytes_max=1, files_max=1)
    for number in range(SPARE_FILES):
        (tmp_path / f"audit-{number:013}-{number:016x}-000001.jsonl").touch()

    def begin(chain):
        ChainWriter(chain, rotation, Backlog(), clock=Clock(), gap=lambda _: b"").open()

    begin("00000000000000aa")
    with pytest.raises(OSError, match="too many files"):
        begin("00000000000000bb")


def test_the_file_that_is_written_is_not_removed(tmp_path):
    old = tmp_path / "audit-0000000000001-0000000000000001-000001.jsonl"
    new = tmp_path / "audit-0000000000002-0000000000000002-000001.jsonl"
    created(old)
    new.write_bytes(b"1\n2\n")
    assert is_being_written(old)
    assert not is_being_written(new)
    assert surplus(tmp_path, 1) == []
    assert [each.name for each in surplus(tmp_path, 0)] == [new.name]
    assert (last_line(old), last_line(new)) == (None, b"2")


class LateEngine(DictEngine):
    """Refuses writes until it is let go, as a worker's engine does before it has its writer."""

    def __init__(self):
        super().__init__()
        self.refused = 0
        self.is_late = True

    async def write(self, keys, decide):
        if self.is_late:
            self.refused += 1
            raise StorageUnavailableError("no writer yet")
        return await super().write(keys, decide)


class FrozenLoop(asyncio.SelectorEventLoop):
    """An event loop in which no timer ever fires."""

    def time(self):
        return 0.0


# The end that a kill leaves unproved is as long as the wait for the sync, and no longer.
def test_a_head_is_kept_as_soon_as_it_is_synced(tmp_path):
    engine = DictEngine()

    async def run():
        rotation = Rotation(directory=tmp_path, file_bytes_max=10**6, files_max=9)
        trail = Trail(engine, Clock(), rotation, place=PLACE, gap=event)
        await trail.begin()
        trail.put(event(1), NOW_MS)

        async def is_kept():
            return (await stored_anchors(engine))[trail.chain].head.sequence >= 1

        await loop_until(is_kept)
        await trail.end()

    with asyncio.Runner(loop_factory=FrozenLoop) as runner:
        runner.run(run())


def test_a_written_record_is_synced_within_the_interval():
    assert SYNC_SECONDS < 1
    assert wait_seconds(0.1, is_behind=True) == pytest.approx(SYNC_SECONDS - 0.1)
    assert wait_seconds(SYNC_SECONDS + 1, is_behind=True) == 0
    assert wait_seconds(SYNC_SECONDS + 1, is_behind=False) > SYNC_SECONDS


def test_records_wait_for_the_anchor_of_their_chain(tmp_path):
    engine = LateEngine()

    async def run():
        rotation = Rotation(directory=tmp_path, file_bytes_max=10**6, files_max=9)
        trail = Trail(engine, Clock(), rotation, place=PLACE, gap=event)
        await trail.begin()
        trail.put(event(1), NOW_MS)
        await loop_until(lambda: engine.refused >= 3)
        assert lines_in(tmp_path) == []
        engine.is_late = False
        await loop_until(lambda: lines_in(tmp_path))
        assert len(await stored_anchors(engine)) == 1
        await trail.end()

    asyncio.run(run())
    assert found_in(tmp_path, engine) == []


# Rotation removes the oldest files, by their names: the newest ones must not be among them.
def test_files_are_named_in_order_when_the_clock_is_set_back(tmp_path):
    engine, clock = DictEngine(), Clock()

    async def run():
        rotation = Rotation(directory=tmp_path, file_bytes_max=1500, files_max=1000)
        trail = Trail(engine, clock, rotation, place=PLACE, gap=event)
        await trail.begin()
        for number in range(40):
            trail.put(event(number), clock.ms)
            clock.ms += 1000 if number != 20 else -3_600_000
        await trail.end()

    asyncio.run(run())
    assert found_in(tmp_path, engine) == []
    files = files_in(tmp_path)
    assert len(files) > 5
    assert [file.number for file in files] == sorted(file.number for file in files)
