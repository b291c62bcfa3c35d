"""The protocol of saved states: all data of an engine, kept under names, to go back to.

Only SQLite has it (`hashrange.storage.sqlite.saved_states`): a database that several servers share
cannot be put back under them.
"""

import re
from collections.abc import Awaitable, Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeAlias

import msgspec

from hashrange.storage.engine import Engine

is_name: Final = partial(re.fullmatch, r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
"""Whether a text may name a state: it is the name of a file, too."""

Check: TypeAlias = Callable[[Engine], Awaitable[None]]
"""Looks at a state before it is loaded; raises to refuse it."""


class StateAction(StrEnum):
    """Actions on states."""

    LIST = "list"
    SAVE = "save"
    LOAD = "load"
    DELETE = "delete"


class SavedState(msgspec.Struct, frozen=True):
    """A state: its name, and its bytes in memory or on the disk."""

    name: str
    bytes: int


class StateError(Exception):
    """A state cannot be saved or loaded; nothing has changed. The text is for the operator."""


class SavedStates(Protocol):
    """The states of one engine. Each method blocks the event loop until it is done."""

    def save(self, name: str) -> None:
        """Keep the data as they are now, in the place of an earlier state of that name.

        Raises StateError, StorageError.
        """

    async def load(self, name: str, check: Check) -> None:
        """Put the data back to a state: all of it or nothing, durably.

        Raises StateError, StorageError, and errors of `check`, which come before any change.
        """

    def delete(self, name: str) -> None:
        """Forget a state. Raises StateError."""

    def all(self) -> list[SavedState]:
        """The states, in the order of their names. Raises StateError."""


class FrozenData(Protocol):
    """A data file that nothing changes until `close`."""

    @property
    def path(self) -> Path:
        """The file."""

    @property
    def size_bytes(self) -> int:
        """Its size."""

    @property
    def engine(self) -> Engine:
        """Reads its rows. Its reads do not suspend."""

    @property
    def data_id(self) -> str:
        """Distinguishes data of different origin."""

    @property
    def key_file(self) -> bytes | None:
        """The content of the key file; None if the data are not encrypted."""

    @property
    def master_key_id(self) -> str | None:
        """Of the key that encrypts the data keys."""

    def check(self) -> None:
        """Raises StorageError: the file may have changed since."""

    def damage(self) -> list[str]:
        """Faults of the pages of the file; reads all of it, and blocks."""

    def close(self) -> None:
        """Let the file change again."""
