"""What a server logs of the backups that it makes at intervals."""

import asyncio
import logging

import msgspec

from hashrange.background.directory_backups import DirectoryBackups, Schedule
from hashrange.backups.directories.manifests import BackupError, Manifest, id_of
from hashrange.backups.directories.retention import Retention
from hashrange.clock import MovableClock
from tests.unit.regions.strong.fast_loop import run

NOON_MS = 1_795_348_800_000
MANIFEST = Manifest(
    id=id_of(NOON_MS), made_ms=NOON_MS, data_id="d", data_bytes=3, chunk_bytes=2, chunks=["a"]
)


class Errors(logging.Handler):
    """The first error of a log."""

    def __init__(self):
        super().__init__(logging.ERROR)
        self.first = asyncio.get_running_loop().create_future()

    def emit(self, record):
        if not self.first.done():
            self.first.set_result(record.getMessage())


async def figures_of(place, outcomes):
    """Figures an hour after the last of these backups, and of a server that no more makes them.

    An outcome is the bytes that a backup stores, or None for one that fails.
    """
    clock, left, ended = MovableClock(), [*outcomes], asyncio.Event()

    async def make(order):
        if not left:
            ended.set()
            await asyncio.Event().wait()
        stored = left.pop(0)
        if stored is None:
            raise BackupError("the bucket is away")
        order.progress.stored_bytes = stored
        return msgspec.structs.replace(MANIFEST, made_ms=clock.now_ms())

    backups = DirectoryBackups(make, clock, None, Schedule(str(place), 1.0, Retention()))
    before = backups.figures()
    task = asyncio.ensure_future(backups.run())
    await ended.wait()
    clock.advance(3_600_000)
    during = backups.figures()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return before, during, backups.figures()


# An alert compares the age with the interval; a server that does not make backups has neither.
def test_figures_of_backups(tmp_path):
    before, during, after = run(figures_of(tmp_path, [None, 700, None]))
    assert before == {"backups_total": 0, "backup_failures_total": 0}
    assert after == {"backups_total": 1, "backup_failures_total": 2}
    assert 3600 <= during.pop("backup_age_seconds") < 3700
    assert during.pop("backup_last_success_time_seconds") > NOON_MS / 1000 - 1e9
    assert during == {
        **after,
        "backup_interval_seconds": 0.001,
        "backup_last_bytes": 3,
        "backup_last_stored_bytes": 700,
    }


def test_no_age_without_a_backup(tmp_path):
    _, during, _ = run(figures_of(tmp_path, [None]))
    assert during == {
        "backups_total": 0,
        "backup_failures_total": 1,
        "backup_interval_seconds": 0.001,
    }


# Nobody reads the output of a command here: the log is all that tells.
def test_a_damaged_manifest_is_an_error_of_the_log_though_a_backup_is_made(tmp_path):
    async def make(order):
        order.progress.unread["manifests/x.json"] = "manifests/x.json: a manifest is damaged"
        return MANIFEST

    async def go():
        log = logging.getLogger("hashrange.background.directory_backups")
        errors = Errors()
        log.addHandler(errors)
        schedule = Schedule(str(tmp_path), 3_600_000, Retention())
        task = asyncio.ensure_future(DirectoryBackups(make, MovableClock(), None, schedule).run())
        try:
            return await errors.first
        finally:
            log.removeHandler(errors)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    told = asyncio.run(go())
    assert told.startswith(f"a backup at {tmp_path} is damaged: manifests/x.json: ")
    assert "no old backup of the place is removed" in told
