"""The protocols of targets, and of the places where positions are kept."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, runtime_checkable

from hashrange.tools.copying.place import CopyError
from hashrange.tools.sinks.changes import Change, newest
from hashrange.tools.sinks.positions import TablePosition


class TargetError(Exception):
    """The target did not take changes; they are sent again. The text is for the operator."""


class Target(Protocol):
    """Receives changes. Methods raise TargetError, CopyError, OSError."""

    def opened(self) -> AbstractAsyncContextManager[None]:
        """Open the target for as long as the context lasts."""

    async def prepare(self, table: str, shown: Mapping[str, Any]) -> None:
        """Make ready for a table, which DescribeTable describes, before its first change."""

    async def deliver(self, changes: Sequence[Change]) -> None:
        """Take changes, in order; a change may come again, with the ones that followed it."""

    async def end_snapshot(self, table: str, version: int) -> None:
        """Remove the items that the snapshot of this version did not have: those of less."""


@runtime_checkable
class Positions(Protocol):
    """Keeps positions. A target that keeps its own stores them together with the changes."""

    tables: dict[str, TablePosition]

    async def write(self, table: str, position: TablePosition) -> None:
        """Store a position: all changes before it have been delivered.

        Raises TargetError, CopyError, OSError.
        """


async def write_newest(
    changes: Sequence[Change], write: Callable[[Change], Awaitable[None]], connections: int
) -> None:
    """Write the last of the changes of each item, some at a time. Raises TargetError."""
    parallel = asyncio.Semaphore(connections)

    async def write_one(change: Change) -> None:
        async with parallel:
            await write(change)

    try:
        async with asyncio.TaskGroup() as tasks:
            for change in newest(changes):
                tasks.create_task(write_one(change))
    except ExceptionGroup as group:
        raise TargetError(str(group.exceptions[0])) from group


def refuse_same_name(table: str, others: Iterable[str], names: str) -> None:
    """Raise CopyError if another table differs in upper and lower case only.

    Args:
        table: the table.
        others: those that the target has; it may be among them.
        names: the names that do not distinguish case, and what to do instead.
    """
    for other in others:
        if other != table and other.lower() == table.lower():
            raise CopyError(f"{table} and {other} are one name in {names} for each")


class TransactionalTarget:
    """The part of a target that stores changes and the position at once, in `write`.

    Attributes:
        pending: the last change of each item.
        ended: by table, the version of a snapshot that is complete.
    """

    def __init__(self) -> None:
        self.pending: Sequence[Change] = ()
        self.ended: dict[str, int] = {}

    async def deliver(self, changes: Sequence[Change]) -> None:
        """As of `Target`; it replaces changes whose position was not stored."""
        self.pending = newest(changes)

    async def end_snapshot(self, table: str, version: int) -> None:
        """As of `Target`."""
        self.ended[table] = version

    def stored(self) -> None:
        """Forget what was stored."""
        self.pending = ()
        self.ended.clear()
