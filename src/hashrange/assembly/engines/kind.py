"""A kind of engine: the row of the table in `kinds`, and an engine that a server has opened."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from hashrange.background.tasks import BackgroundTask
from hashrange.observe.figures import Figures
from hashrange.settings.settings import Settings
from hashrange.storage.encryption.sources import KeySource
from hashrange.storage.engine import Engine, OnDamage
from hashrange.storage.first_reads import FirstReads
from hashrange.storage.pending_write import Appended
from hashrange.storage.saved_states import FrozenData, SavedStates
from hashrange.tables.catalog.leases import Sessions

if TYPE_CHECKING:
    from hashrange.assembly.engines.database_rows import OpenRows
    from hashrange.assembly.engines.trials.subject import Opener
    from hashrange.backups.directories.manifests import Manifest

Verify: TypeAlias = Callable[[Any, KeySource | None], list[str]]
"""Finds what is wrong with the data at a place."""
ReportProgress: TypeAlias = Callable[[int, int], None]
"""Is called with the number of chunks that are done, and of all."""
WriteFault: TypeAlias = Callable[[], Awaitable[str | None]]
"""Says why writes wait or fail although reads may go on; None if they do not."""


async def no_write_fault() -> str | None:
    """The answer of an engine that does not know of any."""
    return None


class Made(msgspec.Struct, frozen=True):
    """A backup that was made: a line that says what was stored, and lines about damage found."""

    line: str
    warnings: list[str]


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """An open engine, and what a server must know of it.

    Attributes:
        figures: reads its figures for metrics.
        write_fault: asked for the readiness of the server.
        warnings: lines that the readiness of the server mentions, although it is ready.
        background_tasks: tasks of the storage, for one of all servers that share it.
        needs_tasks: its coroutines must run in a Task of asyncio.
        is_shared: other servers may use the same data.
        master_key_id: of the master key of the data; None if they are not encrypted.
        states: the states to which the data can be put back; None if there are none.
        stamp_ms: reads the engine's clock of stamps; None for that of the server.
        listen: sets what is called after records that this process has appended to logs.
        watch_damage: sets what takes reports of rows that cannot be read.
        comparing: the engine whose rows are compared when they are read first; None if its pages
            are compared, or are never read from a disk.
        sessions: of the processes that share the data; None if they are not known.
        freeze: keeps the data file as it is, for a backup; None if there is none.
        rows: opens all rows, for a backup; None if the data file is backed up.
    """

    engine: Engine
    figures: Callable[[], Figures]
    write_fault: WriteFault = no_write_fault
    warnings: Callable[[], Sequence[str]] = tuple
    background_tasks: Sequence[BackgroundTask] = ()
    needs_tasks: bool
    is_shared: bool
    master_key_id: str | None = None
    states: SavedStates | None = None
    stamp_ms: Callable[[], Awaitable[int]] | None = None
    sessions: Sessions | None = None
    freeze: Callable[[str], FrozenData] | None = None
    rows: "OpenRows | None" = None
    listen: Callable[[Appended], None] = lambda _: None
    watch_damage: Callable[[OnDamage], None] = lambda _: None
    comparing: Callable[[FirstReads], Engine] | None = None


class EngineKind(msgspec.Struct, frozen=True, kw_only=True):
    """An engine by the places of its data.

    Attributes:
        schemes: how the URLs of its places begin; none for directories.
        is_shared: several servers, and commands beside them, may use the same data.
        encrypts: its data can be encrypted with a key of the operator.
        settings_of: the settings with the data at a place.
        place_of: the place of the data of settings.
        shown: a place as it may be printed, without passwords.
        described: a sentence about the data of settings.
        opened: opens the engine of settings; the clock of its stamps is an argument, None for that
            of the machine. Raises StorageOpenError.
        opened_to_verify: opens existing data to read them, with the key of encrypted ones: the
            engine, and the id of the key. Raises StorageOpenError.
        page_findings: the faults of the pages of an engine that was so opened.
        backed_up: makes a backup: the place of the data, the settings of their key, the target, and
            the rule of the backups that are kept.
        restored: restores a backup of a target, the newest for None, to a place that does not
            exist, and verifies it: the manifest, and a note on what was not verified.
        on_trial: an opener of engines on a new schema or directory of this name at a place, which
            is removed at the end.
    """

    schemes: tuple[str, ...] = ()
    is_shared: bool = False
    encrypts: bool = False
    settings_of: Callable[[str], Settings]
    place_of: Callable[[Settings], str]
    shown: Callable[[str], str] = str
    described: Callable[[Settings], str]
    opened: Callable[[Settings, Callable[[], int] | None], AbstractAsyncContextManager[Opened]]
    opened_to_verify: Callable[
        [str, KeySource | None], AbstractAsyncContextManager[tuple[Engine, str | None]]
    ]
    page_findings: Callable[[Engine], list[str]] = lambda _: []
    backed_up: Callable[..., Coroutine[Any, Any, Made]]
    restored: Callable[..., Coroutine[Any, Any, tuple["Manifest", str]]]
    on_trial: Callable[[str, str], AbstractContextManager["Opener"]]
