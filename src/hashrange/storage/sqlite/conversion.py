"""A data file of format 1 becomes one of format 2: a second file, which then takes its place.

Until it does, the first file is as it was, so the process may be killed at any moment: what is left
of the second file is removed by the next start, which begins anew.
"""

import logging
import os
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, Protocol

import apsw

from hashrange.storage.engine import StorageOpenError
from hashrange.storage.sqlite.directory import FILE_MODE, DataDirectory
from hashrange.storage.sqlite.schema import FORMAT_VERSION, INLINE_BYTES_MAX, prepare
from hashrange.storage.sqlite.wal import renew

OLD_VERSION: Final = 1
_VERSION_START: Final = 60
_VERSION_END: Final = 64
"""Where SQLite's file format has `user_version`, big-endian."""
SUFFIX: Final = ".converting"
ROWS_A_BATCH: Final = 2_000
PROGRESS_BYTES: Final = 256 * 1024 * 1024
"""A line is logged each time that so many bytes of keys and values were copied."""

_ROWS: Final = (
    "SELECT k, coalesce(v, (SELECT l.v FROM large_values AS l WHERE l.id = kv.large))"
    " FROM kv ORDER BY k"
)

_log: Final = logging.getLogger(__name__)


class RowConverter(Protocol):
    """Knows what the rows are."""

    @property
    def stamps(self) -> Mapping[bytes, int]:
        """The stamp of the last record of each log, as far as its rows were given to `value`."""

    @property
    def marker(self) -> tuple[bytes, bytes]:
        """A row to add when all others are converted."""

    def value(self, key: bytes, value: bytes) -> bytes:
        """The new value of a key. Keys come in their order."""


def convert_directory(
    directory: DataDirectory, converter: RowConverter, *, page_bytes: int
) -> None:
    """As `convert_file`, of a directory that is taken; its data file is made if it is missing."""
    if convert_file(directory.make_data_file(), converter, page_bytes=page_bytes):
        directory.note_files()


def convert_file(path: Path, converter: RowConverter, *, page_bytes: int) -> bool:
    """Convert a data file of format 1 that no process has open; False if it has another format.

    Raises StorageOpenError: it cannot be read, or the disk is full; then it is as it was.
    """
    target = path.with_name(path.name + SUFFIX)
    _remove(target)
    try:
        # Not by a connection, which would copy a write-ahead log to the file when it is closed.
        with path.open("rb") as file:
            if file.read(_VERSION_END)[_VERSION_START:] != OLD_VERSION.to_bytes(4):
                return False
        renew(path, vfs=None)
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as source:
            # What is in a write-ahead log is copied too, and the log is gone when this is closed.
            source.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            _log.info("converting %s to format %d: do not stop it", path, FORMAT_VERSION)
            # As private as the first file.
            os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))
            with closing(apsw.Connection(str(target))) as connection:
                prepare(connection, target, page_bytes=page_bytes)
                _copy(source, connection, converter, source_bytes=path.stat().st_size)
        _sync(target)
        target.replace(path)
        _sync(path.parent)
    except (apsw.Error, OSError) as error:
        with suppress(OSError):
            _remove(target)
        raise StorageOpenError(f"cannot convert {path} to the present format: {error}") from error
    _log.info("converted %s", path)
    return True


def _copy(
    source: apsw.Connection,
    target: apsw.Connection,
    converter: RowConverter,
    *,
    source_bytes: int,
) -> None:
    target.pragma("journal_mode", "OFF")
    target.pragma("synchronous", "OFF")
    small: list[tuple[bytes, bytes]] = []
    copied, following = 0, PROGRESS_BYTES
    with target:
        for key, value in source.execute(_ROWS):
            converted = converter.value(key, value)
            if len(key) + len(converted) <= INLINE_BYTES_MAX:
                small.append((key, converted))
            else:
                target.execute("INSERT INTO large_values (v) VALUES (?)", (converted,))
                target.execute("INSERT INTO kv (k, large) VALUES (?, last_insert_rowid())", (key,))
            if len(small) == ROWS_A_BATCH:
                target.executemany("INSERT INTO kv (k, v) VALUES (?, ?)", small)
                small.clear()
            copied += len(key) + len(value)
            if copied >= following:
                following += PROGRESS_BYTES
                percent = min(99, 100 * copied // source_bytes)
                _log.info("converted %d MB, about %d %%", copied // 1_000_000, percent)
        target.executemany("INSERT INTO kv (k, v) VALUES (?, ?)", small)
        target.execute("INSERT OR REPLACE INTO kv (k, v) VALUES (?, ?)", converter.marker)
        logs = [
            (log, following_number, converter.stamps.get(log, 0))
            for log, following_number in source.execute("SELECT log, next FROM logs")
        ]
        target.executemany("INSERT INTO logs VALUES (?, ?, ?)", logs)


def _remove(target: Path) -> None:
    for name in (target.name, f"{target.name}-journal"):
        target.with_name(name).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Make a file, or the entries of a directory, durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
