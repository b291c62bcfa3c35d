"""Backups and restores of all data, for the command line: their composition root."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import msgspec

from hashrange.assembly.engines.database_rows import opened_rows, restoring_rows
from hashrange.assembly.engines.kind import Made, Opened, ReportProgress
from hashrange.backups.directories.fetching import chosen, fetch
from hashrange.backups.directories.job import Order, back_up, back_up_rows, summary_of, warnings
from hashrange.backups.directories.manifests import BackupError, Manifest
from hashrange.backups.directories.requests import BACKUP_FILES, BackupAnswer, BackupRequest
from hashrange.backups.directories.retention import retention_of
from hashrange.backups.directories.row_chunks import load, of_rows
from hashrange.backups.directories.storing import Progress
from hashrange.backups.directories.target import Target
from hashrange.clock import SystemClock
from hashrange.settings.settings import Settings
from hashrange.storage.durable_files import DIRECTORY_MODE
from hashrange.storage.request_files import RequestFiles, ServerAnswer, ServerRequest
from hashrange.storage.sqlite.directory import DATA_FILE, holds_data, is_in_use
from hashrange.storage.sqlite.key_file import KEY_FILE
from hashrange.tables.catalog.secrets import stored_secret
from hashrange.tables.verifying.damage import unreadable
from hashrange.tables.writing.checked_values import CheckedEngine

Verify: TypeAlias = Callable[[Path], list[str]]
"""Returns what is wrong with the data in a directory."""

A = TypeVar("A", bound=ServerAnswer)
Q = TypeVar("Q", bound=ServerRequest)
T = TypeVar("T")

DIRECTORY_FILES: Final = (DATA_FILE, KEY_FILE)
"""The files of a data directory that are its data."""

TAKEN_SECONDS_MAX: Final = 30.0
"""A server that has not taken a request after this time does not know of requests."""
_POLL_SECONDS: Final = 0.2
_REQUEST_BYTES: Final = 8


def request_id() -> str:
    """The id of a new request to a server."""
    return SystemClock().random_bytes(_REQUEST_BYTES).hex()


class TargetBackup(msgspec.Struct, frozen=True):
    """A backup of a target: its manifest, or why that cannot be read."""

    id: str
    manifest: Manifest | None
    reason: str = ""


async def backed_up(
    settings: Settings,
    place: str,
    keep: str,
    report: ReportProgress,
    *,
    opened: Callable[[Settings], AbstractAsyncContextManager[Opened]],
) -> Made:
    """Make a backup of a data directory; a server that has it is asked to make it.

    Args:
        settings: with the directory, and the key of an encrypted one that no server has.
        place: the target.
        keep: the rule by which backups are kept.
        report: called with the progress.
        opened: opens the directory of settings.

    Raises:
        StorageOpenError: the data cannot be opened.
        BackupError: rows of a directory without a server cannot be read; nothing is stored.
        One of `backups.directories.job.FAILURES`.
    """
    if not holds_data(settings.data):
        raise BackupError(f"{settings.data} holds no data of hashrange")
    place = _made_place(place, settings.data)
    if is_in_use(settings.data):
        return await _asked(settings.data, place, keep, report)
    clock, progress = SystemClock(), Progress()
    async with opened(settings) as storage:
        assert storage.freeze is not None, "a data directory"
        found = await unreadable(CheckedEngine(storage.engine))
        if found:
            raise BackupError(f"{settings.data} is damaged: {found[0]}")
        secret = await stored_secret(storage.engine, clock.random_bytes)
        order = Order(place, retention_of(keep), progress)
        making = back_up(storage.freeze, order, secret=secret, clock=clock)
        return await _made(making, progress, report)


async def database_backed_up(url: str, place: str, keep: str, report: ReportProgress) -> Made:
    """Make a backup of a database, which servers may use meanwhile; as `backed_up`."""
    clock, progress = SystemClock(), Progress()
    order = Order(_made_place(place, None), retention_of(keep), progress)
    async with opened_rows(url, clock.random_bytes) as database:
        making = back_up_rows(database, order, new_id=clock.new_uuid)
        return await _made(making, progress, report)


async def _made(
    making: Coroutine[Any, Any, Manifest], progress: Progress, report: ReportProgress
) -> Made:
    manifest = await _followed(making, progress, report)
    return Made(summary_of(manifest, progress), warnings(progress))


def _made_place(place: str, data: Path | None) -> str:
    """The target as any process finds it; its directory is made."""
    if "://" in place:
        return place
    path = Path(place).expanduser().resolve()
    if data is not None and path.is_relative_to(data.resolve()):
        raise BackupError(f"{place} is within the data directory, and would be lost with it")
    path.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
    return str(path)


async def _followed(work: Coroutine[Any, Any, T], progress: Progress, report: ReportProgress) -> T:
    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.wait([task], timeout=_POLL_SECONDS)
        report(progress.done, progress.chunks)
    return task.result()


async def _asked(directory: Path, place: str, keep: str, report: ReportProgress) -> Made:
    """Ask the server that has the directory, and wait for its answer."""
    request = BackupRequest(request_id(), place, keep)

    def progress(found: BackupAnswer) -> None:
        report(found.done, found.chunks)

    found = await answer_of_server(BACKUP_FILES, directory, request, progress)
    if found.has_failed:
        variables = "; it uses its own AWS variables, not yours" if "://" in place else ""
        raise BackupError(f"the server that has {directory}{variables}: {found.text}")
    return Made(found.text, found.warnings)


async def answer_of_server(
    files: RequestFiles[Q, A], directory: Path, request: Q, report: Callable[[A], None]
) -> A:
    """Ask the server that has a directory, and wait for the end; `report` takes its progress.

    Raises BackupError: it does not answer.
    """
    files.withdraw(directory)
    files.ask(directory, request)
    waited = 0.0
    try:
        while True:  # bound: until the server answers or ends
            found = files.answered(directory, request.id)
            if found is not None and found.has_ended:
                return found
            if found is not None:
                report(found)
            elif waited > TAKEN_SECONDS_MAX:
                raise BackupError(
                    f"the server that has {directory} does not answer: is it of another version?"
                )
            if not is_in_use(directory):
                raise BackupError(f"the server that had {directory} has ended")
            await asyncio.sleep(_POLL_SECONDS)
            waited += _POLL_SECONDS
    finally:
        files.withdraw(directory)


async def restored(
    place: str,
    directory: Path,
    backup_id: str | None,
    *,
    verify: Callable[[Manifest], Verify | None],
    report: ReportProgress,
) -> Manifest:
    """Restore a data directory, which does not exist.

    Args:
        place: the target.
        directory: to be made.
        backup_id: None for the newest.
        verify: what looks at the data of a backup; None to compare the hashes of chunks only.
        report: called with the progress.

    Raises:
        One of `backups.directories.job.FAILURES`.
    """
    target = _target(place)
    manifest = await chosen(target, backup_id)
    progress = Progress()
    fetching = fetch(
        target,
        manifest,
        directory,
        names=DIRECTORY_FILES,
        verify=verify(manifest),
        progress=progress,
    )
    await _followed(fetching, progress, report)
    return manifest


async def database_restored(
    place: str,
    url: str,
    backup_id: str | None,
    *,
    verify: Callable[[str], list[str]],
    report: ReportProgress,
) -> Manifest:
    """Restore a database, into a schema that has nothing.

    Args:
        place: the target.
        url: of the database and the schema.
        backup_id: None for the newest.
        verify: what looks at the restored data.
        report: called with the progress.

    Raises:
        StorageOpenError: the schema has something, or cannot be made.
        One of `backups.directories.job.FAILURES`.
    """
    target = _target(place)
    found, progress = await chosen(target, backup_id), Progress()
    manifest = of_rows(found)
    async with restoring_rows(url, SystemClock().now_ms()) as sink:
        loading = load(target, manifest, sink, verify=verify, progress=progress)
        await _followed(loading, progress, report)
    return manifest


async def listed(place: str) -> list[TargetBackup]:
    """The backups of a target, the newest first. Raises one of `job.FAILURES`."""
    target = _target(place)
    found, unread = list[TargetBackup](), dict[str, str]()
    for backup_id, key in (await target.contents()).keys.items():
        manifest = await target.readable(key, unread)
        found.append(TargetBackup(backup_id, manifest, unread.get(key, "")))
    return found


def _target(place: str) -> Target:
    if "://" not in place and not Path(place).expanduser().is_dir():
        raise BackupError(f"there is no directory {place}")
    return Target.at(place, SystemClock().new_uuid)
