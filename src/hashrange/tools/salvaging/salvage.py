"""Copies the tables of a damaged data directory to a new one, and reports what is lost."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from hashrange.clock import Clock
from hashrange.model.table import Table
from hashrange.settings.settings import Settings
from hashrange.storage.engine import Engine, StorageError
from hashrange.storage.sqlite.read_only import ReadOnlyEngine
from hashrange.tables.catalog.dropped_tables import DroppedTables
from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_spaces import Copying
from hashrange.tables.keys.system_keys import catalog_key
from hashrange.tables.opened.reader import read_size
from hashrange.tables.verifying.damage import all_rows, gap
from hashrange.tables.verifying.verify import strays
from hashrange.tables.verifying.verify_system_rows import (
    backup_findings,
    export_findings,
    witness_findings,
)
from hashrange.tools.copying.copy import Copy, CopyOptions
from hashrange.tools.copying.local import LocalPlace, opened_target
from hashrange.tools.copying.place import CopyError, TableRef
from hashrange.tools.copying.progress import Progress
from hashrange.tools.salvaging.readable import ReadableEngine, readable_tables

_OPTIONS: Final = CopyOptions(names=(), overwrite=False, parallel=1)
_LEFT: Final = {
    key_spaces.IDENTITIES: "users, roles and policies",
    key_spaces.BACKUP: "backups of tables within the directory",
    key_spaces.KINESIS: "Kinesis data streams",
    key_spaces.DAX: "DAX clusters",
    key_spaces.SCALING: "scaling policies",
    key_spaces.ALARMS: "alarms",
    key_spaces.TRIGGER: "positions of triggers",
}
"""Spaces whose rows a copy of tables does not have."""


class Report:
    """Prints the lines about a salvage, and counts them.

    Args:
        show: prints a line.

    Attributes:
        lost: the number of lines about what is lost.
        tables: the number of tables that were written.
        items: the number of their items.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self.lost = self.tables = self.items = 0

    def lose(self, line: str) -> None:
        """Say what is lost."""
        self.lost += 1
        self._show(f"lost: {line}")

    def note(self, text: str) -> None:
        """Say what is not lost, but otherwise than before."""
        self._show(f"note: {text}")


class _Watcher:
    """`tools.copying.copy.Watcher` that knows how many items a table got."""

    def __init__(self, report: Report) -> None:
        self.note = report.note
        self.items: int | None = None

    def begins(self, label: str, *, items_about: int, items_before: int) -> None:
        """Say nothing."""

    def compares(self, label: str) -> None:
        """Say nothing."""

    def moved(self, items: int) -> None:
        """Say nothing."""

    def ends(self, label: str, items: int) -> None:  # noqa: ARG002 - as every watcher has it
        """Keep the number of items."""
        self.items = items

    def differs(self, text: str) -> None:
        """Say nothing: `Copy.run` returns it."""


class Salvage:
    """The salvage of one engine, which nobody writes.

    Args:
        place: the damaged directory, as it was given.
        engine: of its data.
        master_key_id: of the key of encrypted data.
        clock: of the operations.
        report: takes what is found.
    """

    def __init__(
        self,
        place: str,
        engine: ReadOnlyEngine,
        *,
        master_key_id: str | None,
        clock: Clock,
        report: Report,
    ) -> None:
        self._place = place
        self._engine = engine
        self._master_key_id = master_key_id
        self._clock = clock
        self._report = report

    async def run(self, target: Settings) -> None:
        """Write what can be read into a new directory.

        Raises CopyError: there is no readable table, so nothing was made; StorageOpenError.
        """
        report = self._report
        tables = await readable_tables(self._engine, report.lose)
        if not tables:
            raise CopyError(f"{self._place} has no table whose definition can be read")
        for line in self._engine.page_findings():
            report.note(f"SQLite says: {line}")
        await self._note_rows(self._engine)
        readable = ReadableEngine(self._engine, tables, report.lose)
        await self._lose_strays(readable, {table.number for table in tables.values()})
        of_names = {(each.account, each.region, each.name): each for each in tables.values()}
        separate = any(key != catalog_key(table.name) for key, table in tables.items())
        source = LocalPlace(
            self._place,
            readable,
            self._clock,
            separate=separate,
            master_key_id=self._master_key_id,
        )
        refs = await source.tables()
        async with opened_target(target, self._clock, separate=separate) as written:
            for ref in refs:
                table = of_names[ref.caller.account, ref.caller.region, ref.name]
                await self._copy((source, written), ref, table, readable)

    async def _copy(
        self,
        ends: tuple[LocalPlace, LocalPlace],
        ref: TableRef,
        table: Table,
        readable: ReadableEngine,
    ) -> None:
        report, watcher = self._report, _Watcher(self._report)
        for words in _left_of(table):
            report.note(f"{table.name}: {words} not taken over")
        with TemporaryDirectory() as folder:
            progress = Progress.of(Path(folder) / "progress.json", self._place, ends[1].shown)
            copying = Copy(*ends, options=_OPTIONS, progress=progress, watcher=watcher)
            differing: list[str] = []
            try:
                differing += await copying.run([ref])
            except* CopyError as errors:
                differing += map(str, errors.exceptions)
        for text in differing:
            report.lose(f"{table.name} is not whole: {text}")
        items = watcher.items
        if items is None:
            return
        report.tables += 1
        report.items += items
        try:
            counted = (await read_size(self._engine, table.number)).items
        except StorageError as error:
            report.lose(f"{table.name}: how many items it had is not known: {error}")
            return
        if counted != items:
            alone = readable.left_out[table.number]
            report.lose(
                f"{table.name}: its counter says {counted:,} items: {items:,} were taken, "
                f"{alone:,} were left out one by one, {counted - items - alone:,} could not be read"
            )

    async def _note_rows(self, engine: Engine) -> None:
        """Say which rows are damaged that are not copied, and which are not copied at all."""
        for rows in await all_rows(engine):
            if rows.copying is Copying.COPIED:
                continue
            made = "are made anew" if rows.copying is Copying.MADE else "are not taken over"
            for line in await gap(engine, rows):
                self._report.note(f"{line}; they {made}")
        for space, words in _LEFT.items():
            try:
                found = await engine.scan(*space.range(), limit=1, bytes_max=1)
            except StorageError:
                found = []  # noted above
            if found:
                self._report.note(f"{words} are not taken over")

    async def _lose_strays(self, readable: ReadableEngine, numbers: set[int]) -> None:
        """Say of which numbers there are rows, but no definition that can be read."""
        _, witnesses = await witness_findings(readable, set())
        _, exports = await export_findings(readable)
        _, backups = await backup_findings(readable, set())
        try:
            dropped = {table.number for table in await DroppedTables(readable, "").tables()}
        except msgspec.MsgspecError as error:
            dropped = set()
            self._report.note(f"the list of deleted tables cannot be read: {error}")
        for line in await strays(readable, numbers | witnesses | exports | backups | dropped):
            self._report.lose(line)


def _left_of(table: Table) -> list[str]:
    """The parts of a table that its copy does not have."""
    left = {
        "its change records are": table.log.shards,
        "its resource policy is": table.policy,
        "its point-in-time recovery is": table.recovery,
        "its Kinesis destinations are": table.destinations,
    }
    return [words for words, there in left.items() if there]
