"""Rows that this server has read or written for writes: what the next write is tried on.

No outcome rests on the cache. A write that changes something compares the versions in its
statement, and one that changes nothing is decided again on rows that are read for it.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

Row: TypeAlias = tuple[bytes | None, int]
"""Value and version; a value of None is a tombstone."""

CACHED_BYTES_MAX: Final = 32 * 1024 * 1024
"""Of one server, `ROW_BYTES` for each row included."""
ROW_BYTES: Final = 400
"""The memory that a row takes besides its key and value."""
SKIPPED_GROUPS_MAX: Final = 64


class RowCache:
    """The rows that were used last, up to a number of bytes.

    Args:
        bytes_max: of keys and values with what they take in memory.

    Attributes:
        size_bytes: of the rows that are cached.
    """

    def __init__(self, bytes_max: int = CACHED_BYTES_MAX) -> None:
        self.size_bytes = 0
        self._bytes_max = bytes_max
        self._rows: OrderedDict[bytes, Row | None] = OrderedDict()
        self._skipped = 0
        """Groups that are still to read their rows."""
        self._penalty = 0

    def known(self, keys: Iterable[bytes]) -> dict[bytes, Row | None]:
        """The cached rows among those of the keys; None for a key that has no row."""
        rows = self._rows
        return {key: rows[key] for key in keys if key in rows}

    def learn(self, rows: Mapping[bytes, Row | None]) -> None:
        """Put rows into the cache, in place of those that were not used for longest."""
        self.forget(rows.keys() & self._rows.keys())
        self._rows.update(rows)
        self.size_bytes += sum(_size(key, row) for key, row in rows.items())
        while self.size_bytes > self._bytes_max:
            self.size_bytes -= _size(*self._rows.popitem(last=False))

    def forget(self, keys: Iterable[bytes]) -> None:
        """Remove rows that may have changed."""
        for key in keys:
            if key in self._rows:
                self.size_bytes -= _size(key, self._rows.pop(key))

    def is_worth_trying(self) -> bool:
        """Whether the next group uses the cache: not for a while after groups that have lost.

        Where other servers write the same keys, a try costs more than it saves.
        """
        if self._skipped:
            self._skipped -= 1
            return False
        return True

    def tried(self, *, lost: bool) -> None:
        """Note whether a group that used the cache found a row of it changed."""
        self._penalty = min(max(1, 2 * self._penalty), SKIPPED_GROUPS_MAX) if lost else 0
        self._skipped = self._penalty


def _size(key: bytes, row: Row | None) -> int:
    value = None if row is None else row[0]
    return ROW_BYTES + len(key) + (0 if value is None else len(value))
