"""Reports of what SQLite finds damaged while an engine runs."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import apsw

from hashrange.storage.engine import DamagedError, OnDamage, StorageError, ignore_damage

_ALTERED: Final = (UnicodeDecodeError, TypeError)
"""A bit of a row's header makes a text, or a number, of its bytes."""
UNREADABLE: Final = (apsw.Error, *_ALTERED)
"""Errors of reads."""
_DAMAGE: Final = (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, *_ALTERED)
"""Errors of a page whose structure, or tag, is wrong; and of a value that is missing: `rows`."""
_QUICK_CHECK: Final = "PRAGMA quick_check(1)"


def page_findings(connection: apsw.Connection) -> list[str]:
    """The first fault of the pages of a file, all of which are read; empty if there is none."""
    try:
        rows = connection.execute(_QUICK_CHECK).fetchall()
    except apsw.Error as error:
        return [f"a page cannot be read: {error}"]
    return [" ".join(str(text).split()) for (text,) in rows if text != "ok"]


class DamageReports:
    """Reports damage, which is not a failure of the disk.

    Attributes:
        report: takes the reports.
    """

    def __init__(self) -> None:
        self.report: OnDamage = ignore_damage

    def error_of(
        self,
        error: Exception,
        keys: Sequence[bytes],
        read: Callable[[Sequence[bytes]], object] | None = None,
    ) -> StorageError:
        """The error of a call whose reading has failed.

        Args:
            error: one of UNREADABLE.
            keys: that were to be read; the first one of a range.
            read: reads one of several keys, to find which one is damaged.
        """
        text = f"cannot read: {error}"
        if not isinstance(error, _DAMAGE):
            return StorageError(text)
        if read is None or len(keys) == 1:
            damaged = list(keys[:1])
        else:
            damaged = [key for key in keys if not _is_readable(key, read)] or list(keys[:1])
        for key in damaged:
            self.report(key, text)
        return DamagedError(text)

    def written(
        self, error: BaseException, keys: Iterable[bytes], read: Callable[[Sequence[bytes]], object]
    ) -> None:
        """Report the keys that cannot be read after a write of them has failed."""
        if isinstance(error, _DAMAGE):
            for key in keys:
                if not _is_readable(key, read):
                    self.report(key, f"cannot write: {error}")


def _is_readable(key: bytes, read: Callable[[Sequence[bytes]], object]) -> bool:
    try:
        read([key])
    except UNREADABLE as error:
        return not isinstance(error, _DAMAGE)
    return True
