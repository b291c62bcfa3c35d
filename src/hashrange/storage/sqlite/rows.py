"""How keys and values become rows: small values beside their keys, large ones apart."""

from collections.abc import Collection, Mapping
from typing import Final

import apsw

from hashrange.storage.sqlite.schema import INLINE_BYTES_MAX

# UPSERT and not REPLACE, which makes an update an insert: 6.0 to 6.5 µs.
_PUT: Final = (
    "INSERT INTO kv (k, v) VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v, large = NULL"
)
_DELETE: Final = "DELETE FROM kv WHERE k = ?"
_DELETE_LARGE: Final = "DELETE FROM large_values WHERE id = (SELECT large FROM kv WHERE k = ?)"
_UPDATE_LARGE: Final = "UPDATE large_values SET v = ? WHERE id = (SELECT large FROM kv WHERE k = ?)"
_INSERT_LARGE: Final = "INSERT INTO large_values (v) VALUES (?)"
_POINT_TO_LARGE: Final = (
    "INSERT INTO kv (k, large) VALUES (?, last_insert_rowid())"
    " ON CONFLICT (k) DO UPDATE SET v = NULL, large = excluded.large"
)
_SET_LAST: Final = "REPLACE INTO logs VALUES (?, ?, ?)"
_LAST_STAMP: Final = "SELECT coalesce(max(time), 0) FROM logs"
_LAST: Final = "SELECT next, time FROM logs WHERE log = ?"


class Rows:
    """Writes rows, within a transaction that somebody else begins and ends.

    Args:
        cursor: of the writing connection, on a data file that has its tables.
    """

    def __init__(self, cursor: apsw.Cursor) -> None:
        self._cursor = cursor
        self.has_large = bool(cursor.execute("SELECT EXISTS (SELECT 1 FROM large_values)").get)
        """Where all values are small, nobody pays for looking whether one was large."""
        self.last_stamp: int = cursor.execute(_LAST_STAMP).get
        """The newest stamp of all logs, in milliseconds since the epoch; 0 for none."""

    def change(self, changes: Mapping[bytes, bytes | None], doubtful: Collection[bytes]) -> None:
        """Put the values, and delete the keys whose value is None.

        `doubtful` are keys among them whose value before may be large; needed with `has_large`.
        """
        small: list[tuple[bytes, bytes]] = []
        large: list[tuple[bytes, bytes]] = []
        gone: list[tuple[bytes]] = []
        for key, value in changes.items():
            if value is None:
                gone.append((key,))
            elif len(key) + len(value) <= INLINE_BYTES_MAX:
                small.append((key, value))
            else:
                large.append((key, value))
        many = self._cursor.executemany
        if doubtful and self.has_large:
            stay = {key for key, _ in large}
            # Sorted: the order of a set of bytes, and so of the written pages, differs by process.
            many(_DELETE_LARGE, [(key,) for key in sorted(doubtful) if key not in stay])
        if small:
            many(_PUT, small)
        if gone:
            many(_DELETE, gone)
        for key, value in large:
            self._put_large(key, value)

    def _put_large(self, key: bytes, value: bytes) -> None:
        self._cursor.execute(_UPDATE_LARGE, (value, key))
        if not self._cursor.connection.changes():
            self._cursor.execute(_INSERT_LARGE, (value,))
            self._cursor.execute(_POINT_TO_LARGE, (key,))
            self.has_large = True

    def last(self, log: bytes) -> tuple[int, int]:
        """A log's next number and its last stamp, as the transaction sees them.

        Of a log without records 1 and 0.
        """
        found: tuple[int, int] | None = self._cursor.execute(_LAST, (log,)).get
        return found or (1, 0)

    def set_last(self, logs: Mapping[bytes, tuple[int, int]]) -> None:
        """Set the number of the next record of each log, and its last stamp; of some logs."""
        rows = [(log, number, stamp) for log, (number, stamp) in logs.items()]
        self._cursor.executemany(_SET_LAST, rows)
        self.last_stamp = max(stamp for _, stamp in logs.values())
