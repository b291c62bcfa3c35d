"""Moves changes of tables to a target, and stores how far it has come after each delivery."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from hashrange.background.triggers.patterns import Fields
from hashrange.clock import Clock
from hashrange.tables.streams.byte_bounds import BYTES_TAG
from hashrange.tables.streams.trimming import RETENTION_TAG
from hashrange.tools.copying.endpoint import RANDOM_BYTES, Endpoint, retry_delay_seconds
from hashrange.tools.copying.place import CopyError, Pause, RefusedError, ask
from hashrange.tools.sinks.changes import Change, snapshot_version, wanted
from hashrange.tools.sinks.figures import SinkFigures
from hashrange.tools.sinks.positions import ChangesGoneError, TablePosition
from hashrange.tools.sinks.reading import TableReader
from hashrange.tools.sinks.targets import Positions, Target, TargetError

T = TypeVar("T")

POLL_SECONDS: Final = 0.2
_FAILURES: Final = (TargetError, CopyError, OSError)


class Sink(msgspec.Struct, frozen=True, kw_only=True):
    """The tables of a sink, and how it delivers their changes.

    Attributes:
        tables: their names.
        filters: patterns of the changes that are delivered; all if there are none.
        keep_seconds: how long the streams are to keep changes.
        keep_bytes: how many bytes of changes beyond the retention of streams are to be kept; None
            to ask for no bound.
        is_once: end when all changes have been delivered.
    """

    tables: Sequence[str]
    filters: Sequence[Fields] = ()
    keep_seconds: int
    keep_bytes: int | None = None
    is_once: bool = False


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """The clock of a process, and how it waits and reports.

    Attributes:
        clock: time and randomness.
        pause: waits until there may be more, or a target may be up again.
        note: shows a line to the operator.
        figures: counts.
    """

    clock: Clock
    pause: Pause
    note: Callable[[str], None]
    figures: SinkFigures


class Replication:
    """Replicates the tables of a sink to its target.

    Args:
        place: holds the tables.
        sink: what to do.
        target: receives the changes; it is open.
        positions: keeps the positions.
        process: the clock, and how it waits and reports.
    """

    def __init__(
        self,
        place: Endpoint,
        sink: Sink,
        target: Target,
        positions: Positions,
        *,
        process: Process,
    ) -> None:
        self._place = place
        self._sink = sink
        self._target = target
        self._positions = positions
        self._clock, self._pause = process.clock, process.pause
        self._note, self._figures = process.note, process.figures

    async def run(self) -> None:
        """Replicate; ends if the sink is to do so once. Raises CopyError: it cannot begin."""
        readers = {name: await self._begun(name) for name in self._sink.tables}
        while True:
            has_more = False
            for name, reader in readers.items():
                has_more |= await self._step(name, reader)
            if not has_more:
                if self._sink.is_once:
                    return
                await self._pause(POLL_SECONDS)

    async def _begun(self, name: str) -> TableReader:
        table = self._place.named(name)
        request = {"TableName": name}
        shown = (await ask(self._place, table.caller, "DescribeTable", request))["Table"]
        await self._retain(name, shown)
        await self._target.prepare(name, shown)
        position = self._positions.tables.get(name)
        reader = TableReader(self._place, name, position)
        try:
            await reader.open()
        except ChangesGoneError as error:
            await self._begin_again(name, reader, error)
            return reader
        if position is None:
            self._note(f"{name}: a snapshot begins")
            await self._positions.write(name, reader.position)
        return reader

    async def _retain(self, name: str, shown: Mapping[str, Any]) -> None:
        """Ask the server to keep the stream for as long as the sink may be away."""
        caller, arn = self._place.named(name).caller, shown["TableArn"]
        tags = await ask(self._place, caller, "ListTagsOfResource", {"ResourceArn": arn})
        kept = {tag["Key"]: tag["Value"] for tag in tags.get("Tags") or ()}
        asked = {RETENTION_TAG: self._sink.keep_seconds}
        if self._sink.keep_bytes is not None:
            asked[BYTES_TAG] = self._sink.keep_bytes
        # Another reader may have asked for more.
        new = [
            {"Key": tag, "Value": str(least)}
            for tag, least in asked.items()
            if not _is_enough(kept.get(tag, "0"), least)
        ]
        if not new:
            return
        try:
            await ask(self._place, caller, "TagResource", {"ResourceArn": arn, "Tags": new})
        except RefusedError as error:
            self._note(f"{name}: the retention of its stream stays as it is: {error.text}")

    async def _begin_again(self, name: str, reader: TableReader, reason: ChangesGoneError) -> None:
        self._note(f"{name}: {reason}; a new snapshot begins")
        await reader.begin_again()
        await self._positions.write(name, reader.position)
        self._figures.snapshot_began(name)

    async def _step(self, name: str, reader: TableReader) -> bool:
        """Move the next changes of a table; whether there may be more."""
        stored = reader.position

        async def read() -> tuple[list[Change], bool] | None:
            try:
                changes, has_more = await reader.changes()
                if changes or has_more or reader.position.is_copied:
                    return changes, has_more
                rows = await reader.rows()
            except ChangesGoneError as error:
                await self._begin_again(name, reader, error)
                return [], True
            if rows is None:
                reader.go_back(stored)
                return None
            return rows, True

        found = await self._persistent(name, read, lambda: reader.go_back(stored))
        if found is None:
            return True
        changes, has_more = found
        position = reader.position
        if position != stored:
            await self._persistent(
                name, lambda: self._deliver(name, changes, stored, position), lambda: None
            )
        if changes:
            return True
        self._figures.caught_up(name)
        return has_more

    async def _deliver(
        self,
        name: str,
        changes: Sequence[Change],
        stored: TablePosition,
        position: TablePosition,
    ) -> None:
        self._figures.waits(name, changes)
        chosen = wanted(changes, self._sink.filters)
        if chosen:
            await self._target.deliver(chosen)
        if position.is_copied and not stored.is_copied:
            await self._target.end_snapshot(name, snapshot_version(position.epoch))
            self._note(f"{name}: the snapshot is complete; its changes follow")
        await self._positions.write(name, position)
        self._figures.delivered(name, len(chosen))

    async def _persistent(
        self, name: str, work: Callable[[], Awaitable[T]], undo: Callable[[], None]
    ) -> T:
        """Do work until it succeeds, with growing pauses."""
        tries = 0
        while True:
            try:
                return await work()
            except _FAILURES as error:
                tries += 1
                self._figures.failed(name)
                undo()
                if tries == 1:
                    self._note(f"{name}: {error}; will retry")
                drawn = self._clock.random_bytes(RANDOM_BYTES)
                await self._pause(retry_delay_seconds(tries, drawn))


def _is_enough(text: str, least: int) -> bool:
    """Whether a tag asks for enough; one that is no number is left as it is."""
    return not text.isdecimal() or int(text) >= least
