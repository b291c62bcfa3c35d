"""The format of a data file: how it is made, and how it is recognised."""

from pathlib import Path
from typing import Final

import apsw

from hashrange.storage.engine import StorageOpenError

FORMAT_VERSION: Final = 4
"""Kept in `user_version`. A file of a higher one is refused, one of a lower one is converted."""
_READABLE_VERSION: Final = 2
"""The least version of files whose rows need no conversion."""
APPLICATION_ID: Final = int.from_bytes(b"hrng")
"""Kept in `application_id`, by which `file` and other tools recognise a format."""

INLINE_BYTES_MAX: Final = 700
"""Of a key and its value that stand together in `kv`. Measured: below, one table makes updates and
scans cheaper; above, two make lookups and inserts cheaper, and over a quarter of a page there is
no choice. A tree WITHOUT ROWID has whole rows in its inner pages, and SQLite reads a row to its end
to compare its key: among values of 2, 10 and 100 kB a lookup took 11, 25 and 140 µs, against 2, 5
and 20 with the large values elsewhere."""

# STRICT: a value that is not bytes is a fault of ours, and must not be stored.
TABLES: Final = {
    # Exactly one of `v` and `large` is NULL.
    "kv": "CREATE TABLE kv (k BLOB PRIMARY KEY, v BLOB, large INTEGER) STRICT, WITHOUT ROWID",
    "large_values": "CREATE TABLE large_values (id INTEGER PRIMARY KEY, v BLOB NOT NULL) STRICT",
    # The number of the next record of each log, and the stamp of its last one. A table of its own,
    # for both must survive the records, and no scan may meet them.
    "logs": (
        "CREATE TABLE logs (log BLOB PRIMARY KEY, next INTEGER NOT NULL, time INTEGER NOT NULL)"
        " STRICT, WITHOUT ROWID"
    ),
}


def prepare(connection: apsw.Connection, path: Path | None, *, page_bytes: int) -> None:
    """Make the tables if the file is empty, otherwise see that it is ours.

    Raises StorageOpenError: not ours, or of a newer version.
    """
    application_id = connection.pragma("application_id")
    if application_id == 0 and not _names(connection) and connection.pragma("user_version") == 0:
        _create(connection, page_bytes=page_bytes)
        return
    recognise(connection, path)
    raise_version(connection)


def raise_version(connection: apsw.Connection) -> None:
    """Set the present version in a data file of ours, so that older builds refuse it."""
    if connection.pragma("user_version") < FORMAT_VERSION:
        connection.pragma("user_version", FORMAT_VERSION)


def recognise(connection: apsw.Connection, path: Path | None) -> None:
    """See that a data file is ours, and changes nothing.

    Raises StorageOpenError: not ours, of a newer version, or without its tables.
    """
    application_id = connection.pragma("application_id")
    if application_id != APPLICATION_ID:
        raise StorageOpenError(f"{path} is a database of another program")
    version = connection.pragma("user_version")
    if version > FORMAT_VERSION:
        raise StorageOpenError(
            f"{path} has format version {version}, this build knows up to {FORMAT_VERSION}: "
            "open it with a newer build"
        )
    if version < _READABLE_VERSION:
        raise StorageOpenError(
            f"{path} has format version {version}: start a server of this build on it once, which "
            f"converts it to version {FORMAT_VERSION}"
        )
    if not TABLES.keys() <= _names(connection):
        raise StorageOpenError(f"{path} is damaged: a table is missing")


def _names(connection: apsw.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}


def _create(connection: apsw.Connection, *, page_bytes: int) -> None:
    """One transaction in a rollback journal, so that a crash leaves an empty file or a whole one.

    `synchronous=EXTRA`: the journal's removal is on disk before anything is written after it.
    """
    connection.pragma("page_size", page_bytes)
    connection.pragma("auto_vacuum", "INCREMENTAL")
    connection.pragma("synchronous", "EXTRA")
    with connection:
        for statement in TABLES.values():
            connection.execute(statement)
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", FORMAT_VERSION)
