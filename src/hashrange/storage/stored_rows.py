"""All rows of a database, as backups read and restores write them: protocols, no I/O."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple, Protocol, TypeAlias


class RowKind(IntEnum):
    """The kind of a row."""

    PAIR = 1
    """A key and its value."""
    COUNTER = 2
    """A key and its number: 8 bytes, big-endian, signed."""
    LOG = 3
    """A log, and the number and the stamp of its last record: 8 bytes each, big-endian."""


class StoredRow(NamedTuple):
    """A row of a database."""

    kind: int
    key: bytes
    value: bytes


RowCounts: TypeAlias = Mapping[int, int]
"""The number of rows of each kind."""


class RowSource(Protocol):
    """A database that is read."""

    format: int
    """The version of its tables."""

    async def read(self, take: Callable[[Sequence[StoredRow]], Awaitable[None]]) -> None:
        """Hand all rows of one moment over, in parts; by kind and key, as far as is possible.

        Raises StorageError, and errors of `take`.
        """


class RowSink(Protocol):
    """A database that is restored, under another name until `publish`.

    Its methods raise StorageError.
    """

    formats: Collection[int]
    """The versions of tables whose rows it takes."""

    @property
    def place(self) -> str:
        """Where the rows are until then; `verify` can be given it."""

    @property
    def shown(self) -> str:
        """The same, for messages."""

    async def begin(self, backup_id: str) -> set[int]:
        """Begin to restore a backup, or go on: the numbers of the chunks that are loaded."""

    async def load(self, at: int, rows: Sequence[StoredRow]) -> None:
        """Load the rows of a chunk: all of them, and its number, or none."""

    async def counts(self) -> RowCounts:
        """The rows that are loaded."""

    async def publish(self) -> None:
        """Give all rows their place, in one transaction; refused if there is anything."""
