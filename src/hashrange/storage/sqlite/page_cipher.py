"""Connections to data files, encrypted ones too: no other module opens one.

Pages of the data file, of its WAL and of its journal are encrypted by SQLite3 Multiple Ciphers,
which the package apsw-sqlite3mc contains. It is a VFS before another VFS; without a key, files are
opened without it.
"""

import os
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import apsw

from hashrange.optional_packages import reinstall_command
from hashrange.storage.durable_files import FILE_MODE, sync_file
from hashrange.storage.engine import StorageOpenError

PLAIN_VFS: Final = "win32" if sys.platform == "win32" else "unix"
"""SQLite's own default; that of apsw-sqlite3mc is the VFS that encrypts before this one."""
_CIPHER_VFS: Final = "multipleciphers-"
"""Before the name of another VFS. SQLite makes such a VFS when it is first named."""
_CIPHER: Final = "aegis"
"""AEGIS-256: each page has a nonce and a tag. Measured: a fifth more CPU for the engine's share of
a put, where the default, ChaCha20, doubles it."""

KEY_BYTES: Final = 32
KEY_ID_BYTES: Final = 16
PLAIN_START: Final = b"SQLite format 3\x00"
"""The first bytes of a plain data file; those of an encrypted one are the id of its key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCipher:
    """Encrypts the pages of one data file.

    Attributes:
        key: of the pages, random.
        key_id: random, the first bytes of the data file, in plain text.
        master_key_id: of the key that encrypts this key in the key file.
    """

    key: bytes = field(repr=False)
    key_id: bytes
    master_key_id: str


def connect(
    path: Path | str, *, flags: int, vfs: str | None, cipher: PageCipher | None
) -> apsw.Connection:
    """Open a data file. Raises apsw.Error.

    Args:
        path: of the file, or its URI.
        flags: of SQLite.
        vfs: the VFS of the files; None for the default.
        cipher: None for a file that is not encrypted.
    """
    name = vfs or PLAIN_VFS
    if cipher is None:
        connection = apsw.Connection(str(path), flags=flags, vfs=name)
    else:
        connection = apsw.Connection(str(path), flags=flags, vfs=_CIPHER_VFS + name)
        connection.pragma("cipher", _CIPHER)
        # raw: the bytes themselves are the key, without a derivation that takes 60 ms.
        connection.pragma("key", f"raw:{cipher.key.hex()}{cipher.key_id.hex()}")
    # This build of SQLite would overwrite what is deleted with zeros.
    connection.pragma("secure_delete", 0)
    return connection


def ensure_ciphers() -> None:
    """See that SQLite can encrypt. Raises StorageOpenError.

    The packages apsw and apsw-sqlite3mc install the same module, and the last one stays.
    """
    if not hasattr(apsw, "mc_version"):
        command = reinstall_command("apsw-sqlite3mc")
        raise StorageOpenError(
            "--encrypt needs the package apsw-sqlite3mc, whose files the package apsw has "
            f"replaced: {command}"
        )


def copy_to(path: Path, source: apsw.Connection, cipher: PageCipher | None) -> None:
    """Copy a database to a new file, which is on the disk afterwards. Raises apsw.Error, OSError.

    `cipher` is that of the source, and of the copy.
    """
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))
    flags = apsw.SQLITE_OPEN_READWRITE
    with closing(connect(path, flags=flags, vfs=None, cipher=cipher)) as target:
        target.pragma("journal_mode", "OFF")
        target.pragma("synchronous", "OFF")
        copy_pages(source, target)
    sync_file(path)


def copy_pages(source: apsw.Connection, target: apsw.Connection) -> None:
    """Replace all pages of a database by those of another, in one commit. Raises apsw.Error."""
    with target.backup("main", source, "main") as copy:
        copy.step(-1)
