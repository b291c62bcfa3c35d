"""The engine on SQLite: data directories, their encryption, and memory."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from hashrange.assembly.engines.kind import (
    EngineKind,
    Made,
    Opened,
    ReportProgress,
    Verify,
    WriteFault,
)
from hashrange.clock import SystemClock
from hashrange.observe.figures import Figures
from hashrange.settings.kinds import Durability
from hashrange.settings.settings import Settings
from hashrange.storage.encryption.sources import KeySource
from hashrange.storage.engine import Engine, OnDamage, StorageOpenError
from hashrange.storage.pending_write import Appended
from hashrange.storage.sqlite import rekeying
from hashrange.storage.sqlite.damage import DamageReports
from hashrange.storage.sqlite.directory import holds_data
from hashrange.storage.sqlite.engine import SqliteEngine, comparing
from hashrange.storage.sqlite.page_cipher import PageCipher
from hashrange.storage.sqlite.read_only import ReadOnlyEngine, opened_read_only
from hashrange.storage.sqlite.saved_states import states_of
from hashrange.storage.sqlite.tuning import Tuning
from hashrange.storage.sqlite.unlocking import (
    Unlock,
    encrypting,
    is_encrypted,
    no_key,
    taken,
    with_key,
)
from hashrange.tables.log.conversion import Converter

if TYPE_CHECKING:
    from hashrange.assembly.engines.trials.subject import Opener
    from hashrange.backups.directories.manifests import Manifest


@asynccontextmanager
async def _opened(settings: Settings, now_ms: Callable[[], int] | None) -> AsyncIterator[Opened]:
    tuning = Tuning(queue_works_max=settings.waiting_writes_max)
    directory = None if settings.memory else taken(settings.data, unlock(settings))
    embedded = SqliteEngine.open(
        directory,
        durability=settings.durability,
        tuning=tuning,
        now_ms=now_ms,
        converter=Converter(),
    )
    with closing(embedded):
        yield Opened(
            engine=embedded,
            figures=lambda: figures_of_sqlite(embedded),
            write_fault=stalled_of(embedded),
            background_tasks=[embedded.watch()],
            needs_tasks=False,
            is_shared=False,
            master_key_id=None if directory is None else master_key_id(directory.cipher),
            states=states_of(embedded.standstill),
            freeze=embedded.standstill.freeze,
            listen=partial(listen_to, embedded),
            watch_damage=partial(report_damage, embedded.database.damage),
            comparing=None
            if directory is None or directory.cipher
            else partial(comparing, embedded),
        )


@asynccontextmanager
async def _opened_to_verify(
    place: str, key: KeySource | None
) -> AsyncIterator[tuple[Engine, str | None]]:
    with opened_to_read(Path(place), key) as stored:
        yield stored


@contextmanager
def opened_to_read(
    directory: Path, key: KeySource | None, *, is_whole: bool = True
) -> Iterator[tuple[ReadOnlyEngine, str | None]]:
    """A directory that no server uses, read-only: no file in it is made or changed.

    A file that was cut off is opened only without `is_whole`. Raises StorageOpenError.
    """
    if not holds_data(directory):
        raise StorageOpenError(f"{directory} holds no data of hashrange")
    unlock = no_key if key is None else with_key(key.read(directory))
    with opened_read_only(directory, unlock, is_whole=is_whole) as stored:
        yield stored, master_key_id(unlock(directory))


def _page_findings(engine: Engine) -> list[str]:
    assert isinstance(engine, ReadOnlyEngine), "opened to verify"
    return engine.page_findings()


@contextmanager
def _on_trial(place: str, name: str) -> Iterator["Opener"]:
    import shutil  # noqa: PLC0415 - no server needs it

    directory = Path(place) / name

    @asynccontextmanager
    async def in_sqlite() -> AsyncIterator[Engine]:
        with closing(SqliteEngine.open(directory, durability=Durability.FULL)) as embedded:
            yield embedded

    directory.mkdir()
    try:
        yield in_sqlite
    finally:
        shutil.rmtree(directory)


def _described(settings: Settings) -> str:
    if settings.memory:
        return "The data are kept in memory only, and are lost when the server stops."
    encrypted = ", encrypted" if settings.encrypt else ""
    where = settings.data.absolute()
    return f"The data are in {where}, durability {settings.durability}{encrypted}."


def figures_of_sqlite(engine: SqliteEngine) -> Figures:
    """Of an engine on SQLite."""
    stats = engine.stats()
    return {
        "engine_commits_total": stats.groups,
        "engine_writes_total": stats.works,
        "engine_writes_refused_total": stats.refused,
        "engine_commit_duration_seconds": stats.commits,
        "engine_sync_duration_seconds": stats.syncs,
        "engine_write_queue_length": stats.queue_length,
        "engine_recoveries_total": stats.recoveries,
        "engine_wal_pages": stats.wal_pages,
        "engine_wal_bytes": stats.wal_bytes,
        "engine_data_bytes": stats.data_bytes,
        "engine_disk_full": stats.disk_full,
        "engine_down": stats.down,
    }


def stalled_of(engine: SqliteEngine) -> WriteFault:
    """Says whether the disk of an engine does not answer."""

    async def stalled() -> str | None:
        return engine.stalled()

    return stalled


def listen_to(engine: SqliteEngine, appended: Appended) -> None:
    """Set what is called after an engine has appended records."""
    engine.committer.appended = appended


def report_damage(reports: DamageReports, report: OnDamage) -> None:
    """Set what takes the reports of an engine."""
    reports.report = report


def master_key_id(cipher: PageCipher | None) -> str | None:
    """The id of the master key; None if the data are not encrypted."""
    return None if cipher is None else cipher.master_key_id


def unlock(settings: Settings) -> Unlock:
    """The unlocking of the data directory. Raises StorageOpenError: the key cannot be read."""
    source = key_source(settings)
    if source is None:
        return no_key
    return encrypting(source.read(settings.data), SystemClock().random_bytes)


def key_source(settings: Settings) -> KeySource | None:
    """Where the key of an encrypted data directory is; None without `encrypt`."""
    if not settings.encrypt:
        return None
    return KeySource(
        file=settings.encryption_key_file,
        text=settings.encryption_key,
        command=settings.encryption_key_command,
    )


def has_encrypted_data(directory: Path) -> bool:
    """Whether a directory has encrypted data, or a key for them. Raises StorageOpenError."""
    return is_encrypted(directory)


async def _backed_up(
    place: str, key: Settings, target: str, keep: str, *, report: ReportProgress
) -> Made:
    from hashrange.assembly.engines.backing_up import backed_up  # noqa: PLC0415 - few commands need it

    at = msgspec.structs.replace(key, data=Path(place))
    return await backed_up(at, target, keep, report, opened=partial(_opened, now_ms=None))


async def _restored(
    target: str,
    place: str,
    backup_id: str | None,
    *,
    key: KeySource | None,
    verify: Verify,
    report: ReportProgress,
) -> tuple["Manifest", str]:
    from hashrange.assembly.engines.backing_up import restored  # noqa: PLC0415 - as above

    unread: list[str] = []

    def verifier(manifest: "Manifest") -> Callable[[Path], list[str]] | None:
        if manifest.master_key_id is not None and key is None:
            unread.append(f"; not decrypted, for the key {manifest.master_key_id} was not given")
            return None
        return lambda path: verify(path, key)

    manifest = await restored(target, Path(place), backup_id, verify=verifier, report=report)
    return manifest, "".join(unread)


SQLITE: Final = EngineKind(
    encrypts=True,
    settings_of=lambda place: Settings(data=Path(place)),
    place_of=lambda settings: str(settings.data),
    described=_described,
    opened=_opened,
    opened_to_verify=_opened_to_verify,
    page_findings=_page_findings,
    backed_up=_backed_up,
    restored=_restored,
    on_trial=_on_trial,
)


def encrypt(directory: Path, key: KeySource, report: Callable[[str], None]) -> list[str]:
    """Encrypt a directory; returns the names of files that may still have plain data.

    As all functions here, it raises StorageOpenError.
    """
    return _rewritten(directory, (None, key), report)


def decrypt(directory: Path, key: KeySource, report: Callable[[str], None]) -> None:
    """Decrypt a directory."""
    _rewritten(directory, (key, None), report)


def rekey_data(
    directory: Path, keys: tuple[KeySource, KeySource], report: Callable[[str], None]
) -> list[str]:
    """Encrypt a directory with a new data key, and with the second of the master keys.

    Returns the names of files that may still have pages with the old data key.
    """
    return _rewritten(directory, keys, report)


def rekey(directory: Path, old: KeySource, new: KeySource) -> str:
    """Encrypt the data key with another master key, whose id is returned; a server may run."""
    master = new.read(directory)
    random_bytes = SystemClock().random_bytes
    rekeying.rewrap(directory, old.read(directory), master, random_bytes=random_bytes)
    return master.id


def _rewritten(
    directory: Path, keys: tuple[KeySource | None, KeySource | None], report: Callable[[str], None]
) -> list[str]:
    before, after = (None if key is None else key.read(directory) for key in keys)
    return rekeying.rewrite(
        directory,
        (before, after),
        converter=Converter(),
        random_bytes=SystemClock().random_bytes,
        report=report,
    )
