"""How far a sink has come in the streams of its tables, and the file that keeps it."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from hashrange.storage.durable_files import replace_file
from hashrange.storage.sqlite.directory import lock_file
from hashrange.tools.copying.place import CopyError


class ChangesGoneError(Exception):
    """The stream no longer has changes that the sink has not read; the text says why."""


class ListedShard(msgspec.Struct, frozen=True):
    """A shard as DescribeStream lists it."""

    id: str
    parent: str | None
    start: str
    """The sequence number that is before those of all its records."""
    is_closed: bool


class TablePosition(msgspec.Struct, frozen=True, kw_only=True):
    """The position in one table.

    Attributes:
        stream: the ARN of its stream.
        epoch: how many snapshots were begun before this one.
        shards: the sequence number of the last record that was read, by shard; empty at the start
            of the shard.
        finished: shards that were read to their ends.
        is_copied: the snapshot is complete.
        next_key: where the next page of the snapshot begins; None at its start.
    """

    stream: str
    epoch: int = 0
    shards: Mapping[str, str] = {}
    finished: frozenset[str] = frozenset()
    is_copied: bool = False
    next_key: dict[str, Any] | None = None


def begun(stream: str, listed: Mapping[str, ListedShard], epoch: int) -> TablePosition:
    """The position of a new snapshot: the closed shards are older than it."""
    return TablePosition(
        stream=stream,
        epoch=epoch,
        shards={each.id: "" for each in listed.values() if not each.is_closed},
        finished=frozenset(each.id for each in listed.values() if each.is_closed),
    )


def with_listed(position: TablePosition, listed: Mapping[str, ListedShard]) -> TablePosition:
    """The position after a look at the shards of the stream.

    Raises ChangesGoneError: a shard was removed before it was read to its end.
    """
    gone = [shard for shard in position.shards if shard not in listed]
    if gone:
        raise ChangesGoneError(f"the shard {gone[0]} has expired")
    known = {*position.shards, *position.finished}
    shards = dict(position.shards)
    for shard in sorted(listed.values(), key=lambda each: each.id):
        if shard.id in known:
            continue
        if shard.parent is not None and shard.parent not in known:
            raise ChangesGoneError(f"the shard {shard.parent} has expired")
        known.add(shard.id)
        shards[shard.id] = ""
    finished = position.finished & {*listed}
    return msgspec.structs.replace(position, shards=shards, finished=finished)


def due(position: TablePosition, listed: Mapping[str, ListedShard]) -> list[str]:
    """The shards that may be read: a child only after its parent, so that items keep an order."""
    return sorted(shard for shard in position.shards if listed[shard].parent not in position.shards)


def with_end(position: TablePosition, shard: str) -> TablePosition:
    """The position after a shard was read to its end."""
    shards = {each: last for each, last in position.shards.items() if each != shard}
    finished = position.finished | {shard}
    return msgspec.structs.replace(position, shards=shards, finished=finished)


class State(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the file of a sink: its name, and the positions by table."""

    sink: str
    tables: Mapping[str, TablePosition] = {}


class StateFile:
    """The file with the positions of a sink, of which one process at a time is the owner."""

    def __init__(self, path: Path, sink: str) -> None:
        self._path = path
        self._sink = sink
        self.tables: dict[str, TablePosition] = {}

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Read the positions; no other process can use the file meanwhile. Raises CopyError."""
        lock = os.open(self._path.with_name(self._path.name + ".lock"), os.O_RDWR | os.O_CREAT)
        try:
            try:
                lock_file(lock)
            except OSError as error:
                raise CopyError(f"{self._path}: another process uses it") from error
            self._read()
            yield
        finally:
            os.close(lock)

    def _read(self) -> None:
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return
        try:
            state = msgspec.json.decode(content, type=State)
        except msgspec.MsgspecError as error:
            raise CopyError(f"{self._path} is not the file of a sink: {error}") from error
        if state.sink != self._sink:
            raise CopyError(f"{self._path} is the file of another sink: {state.sink}")
        self.tables = dict(state.tables)

    async def write(self, table: str, position: TablePosition) -> None:
        """Store the position in a table. Raises OSError."""
        self.tables[table] = position
        replace_file(self._path, msgspec.json.encode(State(sink=self._sink, tables=self.tables)))
