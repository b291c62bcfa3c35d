"""What a server logs of the backups that it makes at intervals."""

import asyncio
import logging

from hashrange.background.directory_backups import DirectoryBackups, Schedule
from hashrange.backups.directories.manifests import Manifest, id_of
from hashrange.backups.directories.retention import Retention
from hashrange.clock import MovableClock

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
