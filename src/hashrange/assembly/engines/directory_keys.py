"""Encrypts data directories, decrypts them, and changes their keys, for the command line."""

from collections.abc import Callable
from pathlib import Path

from hashrange.clock import SystemClock
from hashrange.storage.encryption.sources import KeySource
from hashrange.storage.sqlite import rekeying
from hashrange.tables.log.conversion import Converter


def encrypt(directory: Path, key: KeySource, report: Callable[[str], None]) -> list[str]:
    """Encrypt a directory; returns the names of files that may still have plain data.

    As all functions here, it raises StorageOpenError.
    """
    return _rewritten(directory, (None, key), report)


def decrypt(directory: Path, key: KeySource, report: Callable[[str], None]) -> None:
    """Decrypt a directory."""
    _rewritten(directory, (key, None), report)


def rekey_data(
    directory: Path, keys: tuple[KeySource, KeySource], report: Callable[[str], None]
) -> list[str]:
    """Encrypt a directory with a new data key, and with the second of the master keys.

    Returns the names of files that may still have pages with the old data key.
    """
    return _rewritten(directory, keys, report)


def rekey(directory: Path, old: KeySource, new: KeySource) -> str:
    """Encrypt the data key with another master key, whose id is returned; a server may run."""
    master = new.read(directory)
    random_bytes = SystemClock().random_bytes
    rekeying.rewrap(directory, old.read(directory), master, random_bytes=random_bytes)
    return master.id


def _rewritten(
    directory: Path, keys: tuple[KeySource | None, KeySource | None], report: Callable[[str], None]
) -> list[str]:
    before, after = (None if key is None else key.read(directory) for key in keys)
    return rekeying.rewrite(
        directory,
        (before, after),
        converter=Converter(),
        random_bytes=SystemClock().random_bytes,
        report=report,
    )
