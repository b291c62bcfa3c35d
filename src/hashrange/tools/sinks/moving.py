"""A table that moves to another endpoint while it is written: copied, followed, compared, finished.

The table in TO has no other writer until it is finished, so changes are applied in their order and
without conditions. Those that a kill repeats are followed again by the ones after them.
"""

import contextlib
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from typing import Any, Final

from hashrange.tools.copying.comparing import chunks, items_of_keys, named_differences
from hashrange.tools.copying.definitions import Definition, not_copied, without_encryption
from hashrange.tools.copying.digests import digest_of_any_text
from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.copying.items import Route, tally_of
from hashrange.tools.copying.place import CopyError, Pause, TableRef, ask
from hashrange.tools.copying.tables import (
    create_table,
    definition_of_table,
    describe_table,
    finish_table,
)
from hashrange.tools.sinks.changes import Change
from hashrange.tools.sinks.positions import StateFile
from hashrange.tools.sinks.replication import Process, Replication, Sink
from hashrange.tools.sinks.targets import write_newest

CONNECTIONS: Final = 16
KEEP_SECONDS: Final = 8 * 86_400
"""How long the stream in FROM keeps changes while the command does not run."""
ROUNDS_MAX: Final = 5
"""Comparisons at the end, between which the source has changed."""
QUIET_SECONDS: Final = 2.0
"""Without a change after a comparison: requests that were on their way have ended."""
_PARALLEL: Final = 4


class MovedTables:
    """The tables in TO, as a target.

    Args:
        source: FROM.
        place: TO.
        begun: the tables that were created, by name.
        pause: waits for tables to become active.
    """

    def __init__(
        self, source: Endpoint, place: Endpoint, begun: Callable[[], Collection[str]], pause: Pause
    ) -> None:
        self._source = source
        self._place = place
        self._begun = begun
        self._pause = pause
        self.wanted: dict[str, Definition] = {}
        self.not_copied: dict[str, Sequence[str]] = {}

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Nothing: the place is open."""
        yield

    async def prepare(self, table: str, shown: Mapping[str, Any]) -> None:
        """Create the table with its indexes, if no earlier run has. Raises CopyError."""
        described, ref = dict(shown), self._place.named(table)
        definition = await definition_of_table(self._source, self._source.named(table), described)
        self.wanted[table] = without_encryption(definition)
        self.not_copied[table] = not_copied(described, keeps_encryption=False)
        if table not in self._begun():
            await create_table(self._place, ref, self.wanted[table], self._pause)
        elif await describe_table(self._place, ref) is None:
            raise CopyError(f"{self._place.shown} no longer has the table {table}")

    async def deliver(self, changes: Sequence[Change]) -> None:
        """Write the last of the changes of each item. Raises TargetError."""
        await write_newest(changes, self._write, CONNECTIONS)

    async def _write(self, change: Change) -> None:
        request = {"Key": change.keys} if change.new is None else {"Item": change.new}
        operation = "DeleteItem" if change.new is None else "PutItem"
        caller = self._place.named(change.table).caller
        await ask(self._place, caller, operation, {"TableName": change.table, **request})

    async def end_snapshot(self, table: str, version: int) -> None:
        """Delete what is not in FROM any more; before the first snapshot the table was empty.

        Changes that come meanwhile are delivered later.
        """
        if not version:
            return
        ref, names = self._place.named(table), key_names(self.wanted[table])
        async for keys, _ in chunks(self._place, ref, names):
            there = await items_of_keys(
                self._source, self._source.named(table), list(keys.values()), self._pause
            )
            for text in keys.keys() - there.keys():
                request = {"TableName": table, "Key": keys[text]}
                await ask(self._place, ref.caller, "DeleteItem", request)


class Move:
    """Moves tables from one endpoint to another.

    Args:
        source: FROM.
        target: TO.
        tables: their names.
        state: the positions; it is open.
        process: the clock, and how it waits and reports.
    """

    def __init__(
        self,
        source: Endpoint,
        target: Endpoint,
        tables: Sequence[str],
        state: StateFile,
        *,
        process: Process,
    ) -> None:
        self._source = source
        self._target = target
        self._tables = tables
        self._state = state
        self._process = process
        self._moved = MovedTables(source, target, lambda: state.tables, process.pause)

    async def follow(self) -> None:
        """Copy the tables and follow them until cancelled. Raises CopyError: it cannot begin."""
        await self._replicate(is_once=False)

    async def finish(self) -> list[str]:
        """Bring the tables up to date, compare them, and apply their other settings.

        Returns the differences, a line each. FROM must not be written any more: if a change comes
        during a comparison or soon after it, it is done again; CopyError after ROUNDS_MAX.
        """
        await self._replicate(is_once=True)
        for _ in range(ROUNDS_MAX):
            before = dict(self._state.tables)
            differing = [text for name in self._tables for text in await self._compared(name)]
            await self._process.pause(QUIET_SECONDS)
            await self._replicate(is_once=True)
            if _read_so_far(before) == _read_so_far(self._state.tables):
                break
        else:
            raise CopyError(f"{self._source.shown} is still written; stop the writes first")
        if differing:
            return differing
        for name in self._tables:
            for words in self._moved.not_copied[name]:
                self._process.note(f"{name}: {words} cannot be copied")
            wanted, pause = self._moved.wanted[name], self._process.pause
            left = await finish_table(self._target, self._target.named(name), wanted, pause)
            differing += [f"{name}: {text}" for text in left]
        return differing

    async def _replicate(self, *, is_once: bool) -> None:
        sink = Sink(tables=self._tables, keep_seconds=KEEP_SECONDS, is_once=is_once)
        replication = Replication(
            self._source, sink, self._moved, self._state, process=self._process
        )
        await replication.run()

    async def _compared(self, name: str) -> list[str]:
        """How the items of a table differ."""
        read, written = self._source.named(name), self._target.named(name)
        if await _tally(self._source, read) == await _tally(self._target, written):
            return []
        route = Route(
            source=self._source,
            target=self._target,
            read=read,
            written=written,
            key_names=key_names(self._moved.wanted[name]),
            digest=digest_of_any_text,
            pause=self._process.pause,
        )
        return [f"{name}: {text}" for text in await named_differences(route)]


def key_names(definition: Definition) -> list[str]:
    """The names of the key attributes."""
    return [each["AttributeName"] for each in definition["KeySchema"]]


async def _tally(place: Endpoint, table: TableRef) -> object:
    return await tally_of(
        place, table, digest_of_any_text, parallel=_PARALLEL, on_items=lambda _items: None
    )


def _read_so_far(tables: Mapping[str, Any]) -> Mapping[str, Mapping[str, str]]:
    return {name: position.shards for name, position in tables.items()}
