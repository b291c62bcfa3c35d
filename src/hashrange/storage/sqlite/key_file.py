"""The key file of a data directory: its data keys, encrypted with the master key.

It contains no secret that is of use without the master key, and belongs to the data: copy it with
them. It has one data key, and two while `rekey --data-key` is under way; the data file begins with
the id of the key that it has.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from hashrange.storage.durable_files import FILE_MODE, replace_file, sync_directory
from hashrange.storage.encryption.master_key import (
    NONCE_BYTES,
    EncryptionKeyError,
    MasterKey,
)
from hashrange.storage.engine import StorageOpenError
from hashrange.storage.sqlite.directory import lock_file
from hashrange.storage.sqlite.page_cipher import KEY_BYTES, KEY_ID_BYTES, PageCipher

KEY_FILE: Final = "hashrange.keys"
KEY_LOCK_FILE: Final = "hashrange.keys.lock"
KEY_FILE_VERSION: Final = 1

RandomBytes = Callable[[int], bytes]


class WrappedKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A data key, encrypted."""

    id: bytes
    nonce: bytes
    wrapped: bytes


class _Content(msgspec.Struct, frozen=True, kw_only=True):
    format: int
    master_key_id: str
    data_keys: list[WrappedKey]
    checksum: str = ""

    def sum(self) -> str:
        unsummed = msgspec.structs.replace(self, checksum="")
        return hashlib.sha256(msgspec.json.encode(unsummed)).hexdigest()


class KeyFile:
    """The key file of a directory, as it was read.

    Args:
        path: of the file.
        content: what is in it.

    Attributes:
        master_key_id: the id of the key that encrypts the data keys.
        keys: the data keys, the newest last.
    """

    def __init__(self, path: Path, content: _Content) -> None:
        self._path = path
        self.master_key_id = content.master_key_id
        self.keys = content.data_keys

    @classmethod
    def read(cls, directory: Path) -> "KeyFile | None":
        """The key file of a directory; None if there is none. Raises StorageOpenError."""
        path = directory / KEY_FILE
        try:
            content = msgspec.json.decode(path.read_bytes(), type=_Content)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageOpenError(f"cannot read {path}: {error.strerror}") from error
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise StorageOpenError(f"{path} is damaged: take it from a backup") from error
        if content.format > KEY_FILE_VERSION:
            raise StorageOpenError(
                f"{path} has format {content.format}: open it with a newer build"
            )
        if content.checksum != content.sum() or not content.data_keys:
            raise StorageOpenError(f"{path} is damaged: take it from a backup")
        return cls(path, content)

    def cipher(self, start: bytes, master: MasterKey) -> PageCipher:
        """The cipher of a data file that begins with `start`; the newest for a new file.

        Raises EncryptionKeyError: `master` is not the master key of the data.
        """
        by_id = {key.id: key for key in self.keys}
        return self._unwrapped(by_id.get(start, self.keys[-1]), master)

    def _unwrapped(self, key: WrappedKey, master: MasterKey) -> PageCipher:
        if master.id != self.master_key_id:
            raise EncryptionKeyError(
                f"{self._path.parent} is encrypted with the key {self.master_key_id}, and the key "
                f"{master.id} was given"
            )
        data_key = master.unwrapped(key.wrapped, key.nonce, _bound_to(master, key.id))
        if data_key is None or len(data_key) != KEY_BYTES:
            raise StorageOpenError(f"{self._path} is damaged: take it from a backup")
        return PageCipher(key=data_key, key_id=key.id, master_key_id=master.id)

    def ciphers(self, master: MasterKey) -> list[PageCipher]:
        """The ciphers of all data keys, the newest last. Raises EncryptionKeyError."""
        return [self._unwrapped(key, master) for key in self.keys]


@contextmanager
def changing_keys(directory: Path) -> Iterator[None]:
    """Keep others from changing the key file. Raises StorageOpenError: others do just now."""
    path = directory / KEY_LOCK_FILE
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
    except OSError as error:
        raise StorageOpenError(f"cannot open {path}: {error.strerror}") from error
    try:
        try:
            lock_file(descriptor)
        except OSError as error:
            raise StorageOpenError(f"the keys of {directory} are being changed") from error
        yield
    finally:
        os.close(descriptor)


def new_cipher(master: MasterKey, random_bytes: RandomBytes) -> PageCipher:
    """A cipher with a new data key."""
    return PageCipher(
        key=random_bytes(KEY_BYTES), key_id=random_bytes(KEY_ID_BYTES), master_key_id=master.id
    )


def write_key_file(
    directory: Path, ciphers: list[PageCipher], master: MasterKey, random_bytes: RandomBytes
) -> None:
    """Write the key file, atomically and durably. Raises EncryptionKeyError, StorageOpenError."""
    keys = []
    for cipher in ciphers:
        nonce = random_bytes(NONCE_BYTES)
        wrapped = master.wrapped(cipher.key, nonce, _bound_to(master, cipher.key_id))
        keys.append(WrappedKey(cipher.key_id, nonce, wrapped))
    content = _Content(format=KEY_FILE_VERSION, master_key_id=master.id, data_keys=keys)
    summed = msgspec.structs.replace(content, checksum=content.sum())
    path = directory / KEY_FILE
    try:
        replace_file(path, msgspec.json.format(msgspec.json.encode(summed)) + b"\n")
    except OSError as error:
        raise StorageOpenError(f"cannot write {path}: {error.strerror}") from error


def remove_key_file(directory: Path) -> None:
    """Remove the key file of data that are not encrypted any more. Raises OSError."""
    (directory / KEY_FILE).unlink(missing_ok=True)
    sync_directory(directory)


def _bound_to(master: MasterKey, key_id: bytes) -> bytes:
    """The associated data of a wrapped key: it cannot be put into another place."""
    return b"hashrange %d %s %s" % (KEY_FILE_VERSION, master.id.encode(), key_id)
