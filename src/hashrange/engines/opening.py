"""Opens the engines of servers of one process, and of databases.

That of databases is imported where it is opened, which few starts do.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import urlsplit

import msgspec

from hashrange.background.tasks import BackgroundTask
from hashrange.clock import SystemClock
from hashrange.engines.figures import figures_of_postgres, figures_of_sqlite
from hashrange.observe.figures import Figures
from hashrange.settings.kinds import DATABASE_URLS, Durability
from hashrange.settings.settings import Settings
from hashrange.storage.appended import Appended
from hashrange.storage.encryption.sources import KeySource
from hashrange.storage.engine import Engine, StorageOpenError
from hashrange.storage.frozen_data import FrozenData
from hashrange.storage.saved_states import SavedStates
from hashrange.storage.sqlite.directory import DATA_FILE, held_to_read
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.key_file import KEY_FILE
from hashrange.storage.sqlite.page_cipher import PageCipher
from hashrange.storage.sqlite.read_only import opened_read_only
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
from hashrange.tables.conversion import Converter

if TYPE_CHECKING:
    from hashrange.storage.postgres.engine import PostgresEngine


WriteFault: TypeAlias = Callable[[], Awaitable[str | None]]
"""Says why writes wait or fail although reads may go on; None if they do not."""


async def no_write_fault() -> str | None:
    """The answer of an engine that does not know of any."""
    return None


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """An open engine, and what a server must know of it.

    Attributes:
        figures: reads its figures for metrics.
        write_fault: asked for the readiness of the server.
        background_tasks: tasks of the storage, for one of all servers that share it.
        needs_tasks: its coroutines must run in a Task of asyncio.
        is_shared: other servers may use the same data.
        master_key_id: of the master key of the data; None if they are not encrypted.
        states: the states to which the data can be put back; None if there are none.
        stamp_ms: reads the engine's clock of stamps; None for that of the server.
        listen: lets something be told of records that this process has appended to logs.
        freeze: keeps the data file as it is, for a backup; None if there is none.
    """

    engine: Engine
    figures: Callable[[], Figures]
    write_fault: WriteFault = no_write_fault
    background_tasks: Sequence[BackgroundTask] = ()
    needs_tasks: bool
    is_shared: bool
    master_key_id: str | None = None
    states: SavedStates | None = None
    stamp_ms: Callable[[], Awaitable[int]] | None = None
    freeze: Callable[[str], FrozenData] | None = None
    listen: Callable[[Appended], None] = lambda _: None


@asynccontextmanager
async def opened(
    settings: Settings, *, now_ms: Callable[[], int] | None = None
) -> AsyncIterator[Opened]:
    """Open the engine of the settings, and close it at the end of the context.

    Args:
        settings: those of the server.
        now_ms: the clock that stamps records of the change log, by default that of the machine;
            PostgreSQL uses the clock of the database.

    Raises:
        StorageOpenError: the data cannot be opened.
    """
    if is_database(settings.engine):
        database = await on_postgres(
            settings.engine,
            durability=settings.durability,
            waiting_writes_max=settings.waiting_writes_max,
        )
        try:
            yield Opened(
                engine=database,
                figures=lambda: figures_of_postgres(database),
                background_tasks=[database.sweeper()],
                stamp_ms=database.stamp_ms,
                needs_tasks=True,
                is_shared=True,
                listen=database.listen,
            )
        finally:
            await database.close()
        return
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
        )


def stalled_of(engine: SqliteEngine) -> WriteFault:
    """Says whether the disk of an engine does not answer."""

    async def stalled() -> str | None:
        return engine.stalled()

    return stalled


def listen_to(engine: SqliteEngine, appended: Appended) -> None:
    """Let something be told of records that an engine has appended."""
    engine.committer.appended = appended


def master_key_id(cipher: PageCipher | None) -> str | None:
    """That of the master key; None if the data are not encrypted."""
    return None if cipher is None else cipher.master_key_id


def unlock(settings: Settings) -> Unlock:
    """What unlocks the data directory. Raises StorageOpenError: the key cannot be read."""
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


def shown(place: str) -> str:
    """A place as it may be printed: a URL without its user, password and parameters."""
    if not is_database(place):
        return place
    parts = urlsplit(place)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def is_database(place: str) -> bool:
    """Whether a place is the URL of a database rather than a directory."""
    return place.startswith(DATABASE_URLS)


def holds_data(directory: Path) -> bool:
    """Whether a directory has a data file of hashrange."""
    return (directory / DATA_FILE).is_file()


DIRECTORY_FILES: Final = (DATA_FILE, KEY_FILE)
"""The files of a data directory that are its data."""


def is_in_use(directory: Path) -> bool:
    """Whether a server or a command has a data directory."""
    try:
        with held_to_read(directory):
            return False
    except StorageOpenError:
        return True


def has_encrypted_data(directory: Path) -> bool:
    """Whether a directory has encrypted data, or a key for them. Raises StorageOpenError."""
    return is_encrypted(directory)


@asynccontextmanager
async def opened_to_verify(
    place: str, key: KeySource | None = None
) -> AsyncIterator[tuple[Engine, str | None]]:
    """Open existing data to read it: a directory that no server uses, or a database.

    A directory is opened read-only: no file in it is made or changed. `key` is that of an encrypted
    one. Yields the engine, and the id of the key if the data are encrypted.

    Raises:
        StorageOpenError: the data cannot be opened, or are not of hashrange.
    """
    if is_database(place):
        database = await on_postgres(place, durability=Durability.FULL, makes=False)
        try:
            yield database, None
        finally:
            await database.close()
        return
    if not holds_data(Path(place)):
        raise StorageOpenError(f"{place} holds no data of hashrange")
    directory = Path(place)
    unlock = no_key if key is None else with_key(key.read(directory))
    with opened_read_only(directory, unlock) as stored:
        yield stored, master_key_id(unlock(directory))


async def on_postgres(
    url: str, *, durability: Durability, makes: bool = True, waiting_writes_max: int = 1
) -> "PostgresEngine":
    """The engine of a database, which the caller closes. Raises StorageOpenError.

    Args:
        url: `postgresql://…`, with a schema among its parameters.
        durability: when a write is acknowledged.
        makes: create the schema and its tables if they do not exist.
        waiting_writes_max: bound of the queue of writes.
    """
    # Importing the driver takes some 60 ms, which only servers on PostgreSQL need.
    from hashrange.storage.postgres.engine import PostgresEngine  # noqa: PLC0415

    return await PostgresEngine.open(
        url, durability=durability, makes=makes, waiting_writes_max=waiting_writes_max
    )
