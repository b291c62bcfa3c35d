"""Copies of a database, page by page: as it is, encrypted or not."""

import os
from contextlib import closing
from pathlib import Path

import apsw

from hashrange.storage.durable_files import FILE_MODE, sync_file
from hashrange.storage.sqlite.page_cipher import PageCipher, connect


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
