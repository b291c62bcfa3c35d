"""The interface of the logs of strong tables, which run above this layer."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from hashrange.errors import DynamoError, Fault
from hashrange.messages.items.throttling import not_led_here
from hashrange.storage.engine import Changes
from hashrange.tables.opened.open_table import OpenTable

R = TypeVar("R")


class StrongTables(Protocol):
    """The logs of the strong tables of a process."""

    async def write(
        self,
        table: OpenTable,
        key: bytes,
        decide: Callable[[Sequence[bytes | None]], Changes[R]],
    ) -> R:
        """Write an item so that all regions see it.

        Args:
            table: a strong one.
            key: of the item.
            decide: the changes for the stored item, which is the only element. Pure; may run again.

        Returns the answer of the changes when two regions hold them durably and this one shows
        them. Raises DynamoError: another region writes the item, or there is no majority.
        Raises StaleFenceError, and errors of `decide`.
        """

    async def read(self, table: OpenTable) -> None:
        """Wait until this region shows all writes of a table that were acknowledged anywhere.

        Raises DynamoError: there is no majority.
        """


class NoStrongTables:
    """Of a process that runs no logs."""

    async def write(self, table: OpenTable, key: bytes, decide: Any) -> Any:  # noqa: ARG002 - as `StrongTables`
        """Raises DynamoError."""
        raise DynamoError(Fault.UNAVAILABLE, not_led_here())

    async def read(self, table: OpenTable) -> None:  # noqa: ARG002 - as `StrongTables`
        """Raises DynamoError."""
        raise DynamoError(Fault.UNAVAILABLE, not_led_here())


class _Plan(Protocol):
    """The plan of a write."""

    @property
    def table(self) -> OpenTable:
        """The table."""

    @property
    def key(self) -> bytes:
        """Of the item."""

    @property
    def origin(self) -> object:
        """None for a write of this region that is not in a log yet."""


def is_proposed(write: _Plan) -> bool:
    """Whether a write goes through a log; one that comes from there does not."""
    return write.table.is_strong and write.origin is None


async def write_each(
    strong: StrongTables,
    writes: Sequence[tuple[_Plan, Callable[[Sequence[bytes | None]], Changes[R]]]],
) -> list[R | BaseException]:
    """Write several items, each for itself; the answers or errors, in order."""
    # Tasks, since they are to wait together for one round of messages.
    tasks = [
        asyncio.ensure_future(strong.write(write.table, write.key, decide))
        for write, decide in writes
    ]
    return await asyncio.gather(*tasks, return_exceptions=True)
