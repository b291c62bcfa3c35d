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
from hashrange.backups.directories.requests import (
    LOOK_SECONDS,
    BackupAnswer,
    BackupRequest,
    answer,
    asked,
)
from hashrange.backups.directories.retention import Retention, retention_of
from hashrange.backups.directories.storing import Progress
from hashrange.backups.directories.target import Target
from hashrange.clock import Clock

AGAIN_MS: Final = 60_000
"""After a scheduled backup has failed."""

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

    async def run(self) -> None:
        """Make backups until this is cancelled."""
        due_ms = None if self._schedule is None else await self._first_ms(self._schedule)
        while True:
            directory = self._directory
            request = None if directory is None else asked(directory)
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
        newest_ms = made_ms_of(ids[0]) if ids else None
        return 0 if newest_ms is None else newest_ms + schedule.every_ms

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
        return summary_of(await self._make(order), order.progress)


def _log_damage(place: str, lines: list[str]) -> None:
    for line in lines:
        _log.error("a backup at %s is damaged: %s", place, line)


def _report(directory: Path, found: BackupAnswer) -> None:
    try:
        answer(directory, found)
    except OSError:
        _log.warning("the progress of a backup cannot be reported", exc_info=True)
