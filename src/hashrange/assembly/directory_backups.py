"""The task that makes backups of all data: on request of a data directory, and at intervals."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from hashrange.assembly.parts import Parts
from hashrange.background.tasks import Pacer
from hashrange.clock import Clock
from hashrange.settings.rules import interval_ms
from hashrange.storage.engine import Fences

if TYPE_CHECKING:
    from hashrange.assembly.engines.database_rows import OpenRows
    from hashrange.background.directory_backups import DirectoryBackups, Make
    from hashrange.backups.directories.job import Order
    from hashrange.backups.directories.manifests import Manifest


def directory_backups(
    parts: Parts, fences: Callable[[], Fences], pacer: Pacer
) -> "list[DirectoryBackups]":
    """The task of a server; none if no backup can be made of its data."""
    settings, schedule, storage = parts.settings, None, parts.storage
    if settings.memory:
        return []
    from hashrange.background.directory_backups import DirectoryBackups, Schedule  # noqa: PLC0415
    from hashrange.backups.directories.job import back_up  # noqa: PLC0415
    from hashrange.backups.directories.retention import retention_of  # noqa: PLC0415

    if settings.backup_to is not None and settings.backup_every is not None:
        every_ms = interval_ms(settings.backup_every)
        schedule = Schedule(settings.backup_to, every_ms, retention_of(settings.backup_keep))
    clock = parts.store.clock
    if storage.freeze is not None:
        make = partial(back_up, storage.freeze, secret=parts.store.secret, clock=clock)
        sound = partial(_of_sound_data, make, parts, pacer)
        return [DirectoryBackups(sound, clock, settings.data, schedule)]
    if schedule is None or storage.rows is None:
        return []
    return [DirectoryBackups(_of_rows(storage.rows, clock, fences), clock, None, schedule)]


async def _of_sound_data(make: "Make", parts: Parts, pacer: Pacer, order: "Order") -> "Manifest":
    """Make a backup, unless data are damaged: all rows are read. Raises BackupError, StorageError.

    The tags of encrypted pages are compared when these are read, which the backup does.
    """
    from hashrange.background.scrubber import Scrubber  # noqa: PLC0415
    from hashrange.backups.directories.manifests import BackupError  # noqa: PLC0415

    storage, notice = parts.storage, parts.damage.notice
    if storage.comparing is not None and not parts.damage.lines():
        await Scrubber(storage.engine, notice, 1, parts.store.clock, pacer=pacer).read_all()
    for line in parts.damage.lines():
        raise BackupError(f"the data are damaged: {line}")
    async with parts.freezing:
        return await make(order)


def _of_rows(opened_rows: "OpenRows", clock: Clock, fences: Callable[[], Fences]) -> "Make":
    """Makes backups of all rows, with connections of its own."""
    from hashrange.backups.directories.job import Order, back_up_rows  # noqa: PLC0415
    from hashrange.backups.directories.manifests import Manifest  # noqa: PLC0415

    async def make(order: Order) -> Manifest:
        async with opened_rows(clock.random_bytes, fences) as database:
            return await back_up_rows(database, order, new_id=clock.new_uuid)

    return make
