"""Which cipher the data file of a directory has: of its key file and of the operator's key."""

from collections.abc import Callable
from enum import Enum, auto
from pathlib import Path
from typing import TypeAlias

from hashrange.storage.encryption.master_key import EncryptionKeyError, MasterKey
from hashrange.storage.engine import StorageOpenError
from hashrange.storage.sqlite.directory import DATA_FILE, DataDirectory
from hashrange.storage.sqlite.key_file import (
    KEY_FILE,
    KeyFile,
    RandomBytes,
    changing_keys,
    new_cipher,
    write_key_file,
)
from hashrange.storage.sqlite.page_cipher import (
    KEY_ID_BYTES,
    PLAIN_START,
    PageCipher,
    ensure_ciphers,
)

Unlock: TypeAlias = Callable[[Path], PageCipher | None]
"""Gives the cipher of a directory that is locked; None if it is not encrypted.

Raises StorageOpenError."""


def taken(directory: Path, unlock: Unlock) -> DataDirectory:
    """A data directory that is locked, with its cipher; it is made if it is missing.

    Raises StorageOpenError, as `DataDirectory.take` and `unlock` do.
    """
    found = DataDirectory.take(directory)
    try:
        found.cipher = unlock(directory)
    except BaseException:
        found.release()
        raise
    return found


class Content(Enum):
    """The content of the data file of a directory, by its first bytes."""

    NOTHING = auto()
    """It is missing or empty."""
    PLAIN = auto()
    OTHER = auto()
    """Encrypted pages, or a database of nobody."""


def start_of(directory: Path) -> bytes:
    """The first bytes of the data file; none if it is missing. Raises StorageOpenError."""
    path = directory / DATA_FILE
    try:
        with path.open("rb") as file:
            return file.read(KEY_ID_BYTES)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise StorageOpenError(f"cannot open {path}: {error.strerror}") from error


def content_of(start: bytes) -> Content:
    """The content of a file that begins with `start`."""
    if not start:
        return Content.NOTHING
    return Content.PLAIN if start == PLAIN_START else Content.OTHER


def is_encrypted(directory: Path) -> bool:
    """Whether a directory has encrypted data, or will have. Raises StorageOpenError."""
    is_plain = content_of(start_of(directory)) is Content.PLAIN
    return not is_plain and (directory / KEY_FILE).exists()


def no_key(directory: Path) -> PageCipher | None:
    """An `Unlock` without a key. Raises EncryptionKeyError: the directory is encrypted."""
    if content_of(start_of(directory)) is Content.PLAIN:
        return None
    keys = KeyFile.read(directory)
    if keys is not None:
        raise EncryptionKeyError(
            f"{directory} is encrypted with the key {keys.master_key_id}: give it by "
            "--encryption-key-file, --encryption-key-command or HASHRANGE_ENCRYPTION_KEY, and to a "
            "server --encrypt"
        )
    return None


def with_key(master: MasterKey) -> Unlock:
    """An `Unlock` with a key, where the directory is encrypted; others are left as they are."""

    def unlock(directory: Path) -> PageCipher | None:
        return _cipher(directory, master)

    return unlock


def encrypting(master: MasterKey, random_bytes: RandomBytes) -> Unlock:
    """An `Unlock` that makes the key file of a directory without data, and refuses plain data."""

    def unlock(directory: Path) -> PageCipher:
        found = _cipher(directory, master)
        if found is not None:
            return found
        match content_of(start_of(directory)):
            case Content.NOTHING:
                cipher = new_cipher(master, random_bytes)
                with changing_keys(directory):
                    write_key_file(directory, [cipher], master, random_bytes)
                return cipher
            case Content.PLAIN:
                raise StorageOpenError(
                    f"{directory} is not encrypted: start without --encrypt, or encrypt it, with "
                    f"no server on it: hashrange encrypt {directory}"
                )
            case Content.OTHER:
                raise StorageOpenError(
                    f"{directory / KEY_FILE} is missing: without it the data cannot be decrypted; "
                    "take it from a backup"
                )

    return unlock


def _cipher(directory: Path, master: MasterKey) -> PageCipher | None:
    ensure_ciphers()
    start = start_of(directory)
    if content_of(start) is Content.PLAIN:
        return None
    keys = KeyFile.read(directory)
    return None if keys is None else keys.cipher(start, master)
