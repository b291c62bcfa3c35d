"""Backups of all data of a server that runs: at intervals, and when a command asks."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from hashrange.backups.directories.job import FAILURES, Order, summary_of, warnings
from hashrange.backups.directories.manifests import Manifest, made_ms_of
from hashrange.backups.directories.requests import BACKUP_FILES, BackupAnswer, BackupRequest
from hashrange.backups.directories.retention import Retention, retention_of
from hashrange.backups.directories.storing import Progress
from hashrange.backups.directories.target import Target
from hashrange.clock import Clock
from hashrange.observe.figures import Figures
from hashrange.storage.request_files import LOOK_SECONDS

AGAIN_MS: Final = 60_000
"""After a scheduled backup has failed."""
_MS: Final = 1000

_log: Final = logging.getLogger(__name__)


class Schedule(msgspec.Struct, frozen=True):
    """Where, how often, and which of them are kept."""

    place: str
    every_ms: float
    retention: Retention


Make: TypeAlias = Callable[[Order], Awaitable[Manifest]]
"""Makes a backup. Raises one of `backups.directories.job.FAILURES`."""


class DirectoryBackups:
    """Makes backups; one at a time.

    Args:
        make: makes one.
        clock: that of the server.
        directory: the data directory, where commands ask; None for a database, which they read.
        schedule: None for backups on request only.
    """

    def __init__(
        self, make: Make, clock: Clock, directory: Path | None, schedule: Schedule | None
    ) -> None:
        self._make = make
        self._clock = clock
        self._directory = directory
        self._schedule = schedule
        self._made_total = self._failures_total = 0
        self._runs = False
        self._newest_ms: int | None = None
        self._sizes: Figures = {}

    def figures(self) -> Figures:
        """Counts of all backups; age and sizes of the newest.

        That is the newest at the place of the schedule; without a schedule, at any place. Its age
        is known from the start, its sizes only if it was made by this process.
        """
        found: dict[str, float] = {
            "backups_total": self._made_total,
            "backup_failures_total": self._failures_total,
        }
        if not self._runs:  # another server of the database makes them
            return found
        if self._schedule is not None:
            found["backup_interval_seconds"] = self._schedule.every_ms / _MS
        if self._newest_ms is not None:
            found["backup_last_success_time_seconds"] = self._newest_ms / _MS
            age_ms = self._clock.now_ms() - self._newest_ms
            found["backup_age_seconds"] = max(0, age_ms) / _MS
        return {**found, **self._sizes}

    async def run(self) -> None:
        """Make backups until this is cancelled."""
        self._runs = True
        try:
            await self._run()
        finally:
            self._runs = False

    async def _run(self) -> None:
        due_ms = None if self._schedule is None else await self._first_ms(self._schedule)
        while True:
            directory = self._directory
            request = None if directory is None else BACKUP_FILES.asked(directory)
            if directory is not None and request is not None:
                await self._answer(directory, request)
            elif self._schedule is not None and due_ms is not None:
                now_ms = self._clock.now_ms()
                # A time that is further away was found before the clock was set back.
                if now_ms >= due_ms or due_ms > now_ms + self._schedule.every_ms:
                    due_ms = now_ms + await self._scheduled(self._schedule)
            await asyncio.sleep(LOOK_SECONDS)

    async def _first_ms(self, schedule: Schedule) -> float:
        """When the next one is due, by the newest at the target."""
        try:
            ids = (await Target.at(schedule.place, self._clock.new_uuid).contents()).ids
        except FAILURES:
            return 0
        self._newest_ms = made_ms_of(ids[0]) if ids else None
        return 0 if self._newest_ms is None else self._newest_ms + schedule.every_ms

    async def _scheduled(self, schedule: Schedule) -> float:
        """Make one; the milliseconds until the next."""
        order = Order(schedule.place, schedule.retention, Progress())
        try:
            line = await self._made(order)
        except FAILURES as error:
            _log.error("no backup was made at %s: %s", schedule.place, error)
            return min(AGAIN_MS, schedule.every_ms)
        _log.info("%s", line)
        _log_damage(order.place, warnings(order.progress))
        return schedule.every_ms

    async def _answer(self, directory: Path, request: BackupRequest) -> None:
        """Make the backup of a request. Its progress is reported meanwhile."""
        progress = Progress()
        making = asyncio.create_task(self._requested(request, progress))
        try:
            while not making.done():
                found = BackupAnswer(id=request.id, done=progress.done, chunks=progress.chunks)
                _report(directory, found)
                await asyncio.wait([making], timeout=LOOK_SECONDS)
        finally:
            making.cancel()
            with suppress(asyncio.CancelledError):
                await making
        failed, text = making.result()
        if failed:
            _log.error("no backup was made at %s: %s", request.target, text)
        damage = [] if failed else warnings(progress)
        _log_damage(request.target, damage)
        ended = BackupAnswer(
            id=request.id, has_ended=True, has_failed=failed, text=text, warnings=damage
        )
        _report(directory, ended)

    async def _requested(self, request: BackupRequest, progress: Progress) -> tuple[bool, str]:
        try:
            retention = retention_of(request.keep)
            return False, await self._made(Order(request.target, retention, progress))
        except (*FAILURES, ValueError) as error:
            return True, str(error) or type(error).__name__

    async def _made(self, order: Order) -> str:
        try:
            manifest = await self._make(order)
        except FAILURES:
            self._failures_total += 1
            raise
        self._made_total += 1
        if self._schedule is None or order.place == self._schedule.place:
            self._newest_ms = manifest.made_ms
            self._sizes = {
                "backup_last_bytes": manifest.data_bytes,
                "backup_last_stored_bytes": order.progress.stored_bytes,
            }
        return summary_of(manifest, order.progress)


def _log_damage(place: str, lines: list[str]) -> None:
    for line in lines:
        _log.error("a backup at %s is damaged: %s", place, line)


def _report(directory: Path, found: BackupAnswer) -> None:
    try:
        BACKUP_FILES.answer(directory, found)
    except OSError:
        _log.warning("the progress of a backup cannot be reported", exc_info=True)
