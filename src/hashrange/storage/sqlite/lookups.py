"""The two questions that are put to the table: the values of keys, and a page of a range."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from hashrange.storage.engine import Pair
from hashrange.storage.sqlite.read_view import Execute

ExecuteMany: TypeAlias = Callable[[str, Iterable[tuple[bytes]]], Iterator[Any]]
"""`apsw.Cursor.executemany`."""
KEYS_MAX: Final = 16
"""Keys in one statement. Measured, in µs, against a statement for each key: 1.2 to 1.7 for 2
keys, 4.1 to 6.5 for 8, 8.8 to 12.9 for 16; with more there is little left to win, and each number
of keys takes a place among the 100 statements that stay prepared."""

_V: Final = "coalesce(v, (SELECT l.v FROM large_values AS l WHERE l.id = kv.large))"
_VALUE: Final = f"SELECT {_V} FROM kv WHERE k = ?"  # noqa: S608 - constants
# Scalar subqueries and not `k IN (...)`: they answer in the order of the keys, with NULL for what
# is absent, and need no dict to sort it out.
_VALUES: Final = tuple(
    "SELECT " + ", ".join([f"({_VALUE})"] * count) for count in range(KEYS_MAX + 1)
)
_PAGE: Final = f"SELECT k, {_V} FROM kv WHERE k >= ? AND k < ? ORDER BY k LIMIT ?"  # noqa: S608
_PAGE_REVERSE: Final = _PAGE.replace("ORDER BY k", "ORDER BY k DESC")


def values(execute: Execute, keys: Sequence[bytes]) -> list[bytes | None]:
    """The values of keys, in their order; None for what is absent."""
    count = len(keys)
    if count == 1:
        return [execute(_VALUE, keys).get]
    if count == 0:
        return []
    if count <= KEYS_MAX:
        return list(execute(_VALUES[count], keys).get)
    return values(execute, keys[:KEYS_MAX]) + values(execute, keys[KEYS_MAX:])


def many_values(execute_many: ExecuteMany, keys: Sequence[bytes]) -> list[bytes | None]:
    """As `values`, of the connection that writes, for many keys.

    Each row that is written takes a place among the statements that stay prepared, so that those of
    many keys would be prepared anew for each page: 3 instead of 2 µs a key.
    """
    return [value for (value,) in execute_many(_VALUES[1], [(key,) for key in keys])]


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
