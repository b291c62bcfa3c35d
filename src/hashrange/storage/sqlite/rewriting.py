"""A second data file with the rows of the first, which then takes its place.

Until it does, the first file is as it was, so the process may be killed at any moment: what is left
of the second file is removed by the next call, which begins anew.
"""

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, Protocol

import apsw

from hashrange.storage.durable_files import FILE_MODE, sync_directory, sync_file
from hashrange.storage.engine import StorageOpenError
from hashrange.storage.sqlite.page_cipher import PageCipher, connect
from hashrange.storage.sqlite.recovery import reason_of
from hashrange.storage.sqlite.schema import INLINE_BYTES_MAX, prepare, recognise
from hashrange.storage.sqlite.wal import renew

SUFFIX: Final = ".converting"
ROWS_A_BATCH: Final = 2_000
PROGRESS_BYTES: Final = 256 * 1024 * 1024
"""Progress is reported each time that so many bytes of keys and values were copied."""

ROWS_WITH_VALUES: Final = (
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


def remove_rewritten(path: Path) -> None:
    """Remove what a call that was killed has left. Raises OSError."""
    target = _target_of(path)
    for name in (target.name, f"{target.name}-journal"):
        target.with_name(name).unlink(missing_ok=True)


def rewrite_file(
    path: Path,
    *,
    ciphers: tuple[PageCipher | None, PageCipher | None],
    converter: RowConverter | None,
    page_bytes: int,
    report: Callable[[str], None] = _log.info,
) -> None:
    """Replace a data file, which no process has open, by another one with the same rows.

    Args:
        path: of the file.
        ciphers: of the file, and of the one that takes its place.
        converter: converts rows of format 1; None for a file of the present format.
        page_bytes: of the new file.
        report: called with the progress.

    Raises StorageOpenError: it cannot be read, or the disk is full; then it is as it was.
    """
    target = _target_of(path)
    flags = apsw.SQLITE_OPEN_READWRITE
    source_cipher, target_cipher = ciphers
    try:
        remove_rewritten(path)
        renew(path, vfs=None)
        with closing(connect(path, flags=flags, vfs=None, cipher=source_cipher)) as source:
            if converter is None:
                recognise(source, path)
            # What is in a write-ahead log is copied too, and the log is gone when this is closed.
            source.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            # As private as the first file.
            os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))
            with closing(connect(target, flags=flags, vfs=None, cipher=target_cipher)) as written:
                prepare(written, target, page_bytes=page_bytes)
                _copy(source, written, converter, count=_progress(report, path.stat().st_size))
        sync_file(target)
        target.replace(path)
        sync_directory(path.parent)
    except (apsw.Error, OSError) as error:
        with suppress(OSError):
            remove_rewritten(path)
        raise StorageOpenError(f"cannot convert {path}: {reason_of(error)}") from error


def _target_of(path: Path) -> Path:
    return path.with_name(path.name + SUFFIX)


def _progress(report: Callable[[str], None], bytes_in_all: int) -> Callable[[int], None]:
    """Reports from time to time how much was copied."""
    following = PROGRESS_BYTES

    def count(copied: int) -> None:
        nonlocal following
        if copied >= following:
            following += PROGRESS_BYTES
            percent = min(99, 100 * copied // bytes_in_all)
            report(f"converted {copied // 1_000_000} MB, about {percent} %")

    return count


def _copy(
    source: apsw.Connection,
    target: apsw.Connection,
    converter: RowConverter | None,
    *,
    count: Callable[[int], None],
) -> None:
    target.pragma("journal_mode", "OFF")
    target.pragma("synchronous", "OFF")
    small: list[tuple[bytes, bytes]] = []
    copied = 0
    with target:
        for key, value in source.execute(ROWS_WITH_VALUES):
            converted = value if converter is None else converter.value(key, value)
            if len(key) + len(converted) <= INLINE_BYTES_MAX:
                small.append((key, converted))
            else:
                target.execute("INSERT INTO large_values (v) VALUES (?)", (converted,))
                target.execute("INSERT INTO kv (k, large) VALUES (?, last_insert_rowid())", (key,))
            if len(small) == ROWS_A_BATCH:
                target.executemany("INSERT INTO kv (k, v) VALUES (?, ?)", small)
                small.clear()
            copied += len(key) + len(value)
            count(copied)
        target.executemany("INSERT INTO kv (k, v) VALUES (?, ?)", small)
        if converter is not None:
            target.execute("INSERT OR REPLACE INTO kv (k, v) VALUES (?, ?)", converter.marker)
        target.executemany("INSERT INTO logs VALUES (?, ?, ?)", _logs(source, converter))


def _logs(
    source: apsw.Connection, converter: RowConverter | None
) -> Iterable[tuple[bytes, int, int]]:
    if converter is None:
        return list(source.execute("SELECT log, next, time FROM logs"))
    return [
        (log, following, converter.stamps.get(log, 0))
        for log, following in source.execute("SELECT log, next FROM logs")
    ]
