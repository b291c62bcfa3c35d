"""Keys and values as rows: small values beside their keys, large ones apart."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import apsw

from hashrange.storage.engine import Pair
from hashrange.storage.sqlite.schema import INLINE_BYTES_MAX

Execute: TypeAlias = Callable[..., apsw.Cursor]
"""`Cursor.execute`. One cursor for all statements of a connection: the next one ends the last, so
that no SELECT stays open and keeps the WAL from starting anew."""
ExecuteMany: TypeAlias = Callable[[str, Iterable[tuple[bytes]]], Iterator[Any]]
"""`apsw.Cursor.executemany`."""
KEYS_MAX: Final = 16
"""Keys in one statement. Measured, in µs, against a statement for each key: 1.2 to 1.7 for 2
keys, 4.1 to 6.5 for 8, 8.8 to 12.9 for 16; with more there is little left to win, and each number
of keys takes a place among the 100 statements that stay prepared."""

# A value that is missing in `large_values` must not be read as an absent key: a key with neither is
# an error, as `abs` has no answer for the least integer.
_V: Final = (
    "coalesce(v, (SELECT l.v FROM large_values AS l WHERE l.id = kv.large),"
    " abs(-9223372036854775807 - 1))"
)
_VALUE: Final = f"SELECT {_V} FROM kv WHERE k = ?"  # noqa: S608 - constants
# Scalar subqueries and not `k IN (...)`: they answer in the order of the keys, with NULL for what
# is absent, and need no dict to sort it out.
_VALUES: Final = tuple(
    "SELECT " + ", ".join([f"({_VALUE})"] * count) for count in range(KEYS_MAX + 1)
)
_PAGE: Final = f"SELECT k, {_V} FROM kv WHERE k >= ? AND k < ? ORDER BY k LIMIT ?"  # noqa: S608
_PAGE_REVERSE: Final = _PAGE.replace("ORDER BY k", "ORDER BY k DESC")

# UPSERT and not REPLACE, which makes an update an insert: 6.0 to 6.5 µs.
# Where the value is large, puts and deletes change no row, so that the number of changed rows shows
# whether one is: a look at each key that was not read cost as much as the put.
_PUT: Final = (
    "INSERT INTO kv (k, v) VALUES (?, ?)"
    " ON CONFLICT (k) DO UPDATE SET v = excluded.v WHERE large IS NULL"
)
_DELETE: Final = "DELETE FROM kv WHERE k = ? AND large IS NULL"
_PUT_OVER_LARGE: Final = "UPDATE kv SET v = ?, large = NULL WHERE k = ?"
_DELETE_POINTER: Final = "DELETE FROM kv WHERE k = ? AND large IS NOT NULL"
_LARGE: Final = "SELECT k FROM kv WHERE k = ? AND large IS NOT NULL"
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


def values(
    execute: Execute, execute_many: ExecuteMany | None, keys: Sequence[bytes]
) -> list[bytes | None]:
    """The values of keys, in their order; None for what is absent.

    Each row that is written takes a place among the statements that stay prepared, so that those of
    many keys would be prepared anew for each page: 3 instead of 2 µs a key. The connection that
    writes has `execute_many` for them, others None.
    """
    count = len(keys)
    if count == 1:
        return [execute(_VALUE, keys).get]
    if count == 0:
        return []
    if count <= KEYS_MAX:
        return list(execute(_VALUES[count], keys).get)
    if execute_many is not None:
        return [value for (value,) in execute_many(_VALUES[1], [(key,) for key in keys])]
    return values(execute, None, keys[:KEYS_MAX]) + values(execute, None, keys[KEYS_MAX:])


def page(
    execute: Execute, start: bytes, end: bytes, *, limit: int, bytes_max: int, reverse: bool
) -> list[Pair]:
    """The pairs of start <= key < end, as `Engine.scan` counts a page.

    Steps row by row, 0.2 µs each: never reads past the page, and pages cut by SQL (a running sum,
    or several statements) were slower at every size.
    """
    pairs: list[Pair] = []
    room = bytes_max
    for pair in execute(_PAGE_REVERSE if reverse else _PAGE, (start, end, limit)):
        pairs.append(pair)
        room -= len(pair[1])
        if room <= 0:
            break
    return pairs


class Rows:
    """Reads and writes rows, within a transaction that somebody else begins and ends.

    Args:
        cursor: of the writing connection, on a data file that has its tables.
    """

    def __init__(self, cursor: apsw.Cursor) -> None:
        self._cursor = cursor
        self.read = partial(values, cursor.execute, cursor.executemany)
        """The values of keys, as the transaction sees them."""
        self.has_large = bool(cursor.execute("SELECT EXISTS (SELECT 1 FROM large_values)").get)
        """Where all values are small, nobody pays for looking whether one was large."""
        self.last_stamp: int = cursor.execute(_LAST_STAMP).get
        """The newest stamp of all logs, in milliseconds since the epoch; 0 for none."""

    def change(
        self,
        changed: Mapping[bytes, bytes | None],
        logs: Mapping[bytes, tuple[int, int]],
    ) -> None:
        """Put the values, and delete the keys whose value is None.

        Args:
            changed: values by key; at least one.
            logs: the next number and the last stamp of those with new records.
        """
        many = self._cursor.executemany
        values: Collection[Any] = changed.values()
        small: Collection[Any] = changed.items()
        gone: list[tuple[bytes]] = []
        large: list[tuple[bytes, bytes]] = []
        if None in values or max(map(len, changed)) + max(map(len, values)) > INLINE_BYTES_MAX:
            small, gone, large = _split(changed)
        count = self._cursor.connection.total_changes
        before = count()
        if small:
            many(_PUT, small)
        if gone:
            many(_DELETE, gone)
        if self.has_large and count() - before < len(small) + len(gone):
            self._change_large(dict(small), gone)
        for key, value in large:
            self._put_large(key, value)
        if logs:
            many(_SET_LAST, [(log, number, stamp) for log, (number, stamp) in logs.items()])
            self.last_stamp = max(stamp for _, stamp in logs.values())

    def _change_large(self, small: Mapping[bytes, bytes], gone: Sequence[tuple[bytes]]) -> None:
        """Put small values over those that are large, and delete those that are large."""
        many = self._cursor.executemany
        found = [*many(_LARGE, [*[(key,) for key in small], *gone])]
        many(_DELETE_LARGE, found)
        many(_PUT_OVER_LARGE, [(small[key], key) for (key,) in found if key in small])
        many(_DELETE_POINTER, gone)

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


def _split(
    changed: Mapping[bytes, bytes | None],
) -> tuple[list[tuple[bytes, bytes]], list[tuple[bytes]], list[tuple[bytes, bytes]]]:
    """Small values with their keys, the keys that are deleted, and large values with their keys."""
    small: list[tuple[bytes, bytes]] = []
    large: list[tuple[bytes, bytes]] = []
    gone: list[tuple[bytes]] = []
    for key, value in changed.items():
        if value is None:
            gone.append((key,))
        elif len(key) + len(value) <= INLINE_BYTES_MAX:
            small.append((key, value))
        else:
            large.append((key, value))
    return small, gone, large
