"""A data file of format 1 becomes one of format 2, when a server first opens it."""

import logging
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw

from hashrange.storage.engine import StorageOpenError
from hashrange.storage.sqlite.directory import DataDirectory
from hashrange.storage.sqlite.page_cipher import PageCipher, connect
from hashrange.storage.sqlite.recovery import reason_of
from hashrange.storage.sqlite.rewriting import RowConverter, remove_rewritten, rewrite_file
from hashrange.storage.sqlite.schema import FORMAT_VERSION

OLD_VERSION: Final = 1
_VERSION_START: Final = 60
_VERSION_END: Final = 64
"""Where SQLite's file format has `user_version`, big-endian."""

_log: Final = logging.getLogger(__name__)


def convert_directory(
    directory: DataDirectory, converter: RowConverter, *, page_bytes: int
) -> None:
    """As `convert_file`, of a directory that is taken; its data file is made if it is missing."""
    path = directory.make_data_file()
    if convert_file(path, converter, page_bytes=page_bytes, cipher=directory.cipher):
        directory.note_files()


def convert_file(
    path: Path, converter: RowConverter, *, page_bytes: int, cipher: PageCipher | None = None
) -> bool:
    """Convert a data file of format 1 that no process has open; False if it has another format.

    Raises StorageOpenError: it cannot be read, or the disk is full; then it is as it was.
    """
    try:
        remove_rewritten(path)
        if not is_old(path, cipher):
            return False
    except OSError as error:
        raise StorageOpenError(f"cannot open {path}: {reason_of(error)}") from error
    _log.info("converting %s to format %d: do not stop it", path, FORMAT_VERSION)
    rewrite_file(path, ciphers=(cipher, cipher), converter=converter, page_bytes=page_bytes)
    _log.info("converted %s", path)
    return True


def is_old(path: Path, cipher: PageCipher | None) -> bool:
    """Whether a data file has format 1, and not the present one. Raises OSError."""
    if cipher is None:
        # Not by a connection, which would copy a write-ahead log to the file when it is closed.
        with path.open("rb") as file:
            return file.read(_VERSION_END)[_VERSION_START:] == OLD_VERSION.to_bytes(4)
    # There are such files only if another program has encrypted one: `hashrange encrypt` converts.
    # A file that cannot be read so may need its journal or its write-ahead log.
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    uri = f"{path.absolute().as_uri()}?immutable=1"
    try:
        with closing(connect(uri, flags=flags, vfs=None, cipher=cipher)) as connection:
            return bool(connection.pragma("user_version") == OLD_VERSION)
    except apsw.Error:
        return False
