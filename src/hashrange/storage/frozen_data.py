"""The protocol of frozen data: a file as it was at one moment, while its engine serves."""

from pathlib import Path
from typing import Protocol


class FrozenData(Protocol):
    """A data file that nothing changes until `close`."""

    @property
    def path(self) -> Path:
        """The file."""

    @property
    def size_bytes(self) -> int:
        """Its size."""

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

    def close(self) -> None:
        """Let the file change again."""
