"""The rows that a process has compared with their checksums when it read them first.

A row that is altered later is noticed once it is compared again. So the rows are forgotten
whenever they are too many.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from hashrange.limits.server import COMPARED_BYTES_MAX
from hashrange.storage.engine import Pair

Compare: TypeAlias = Callable[[bytes, bytes], None]
"""Raises DamagedError if the value at a key is not as it was stored."""
_KEY_BYTES: Final = 96
"""Of memory, that a key in a set takes besides its own: 33, and up to 53 of the set."""


class FirstReads:
    """Compares rows that were not compared before.

    Args:
        compare: compares a row.
        bytes_max: bound of the memory of what is remembered.

    Attributes:
        known: the keys of rows that were compared, and hashes of pages: of the bound where a page
            begins and the key of its last row. What else is between the two by now, was written
            since. Of two pages with one hash, of 64 bits, only the first is compared.
    """

    __slots__ = ("_bytes_max", "_compare", "_room", "known")

    def __init__(self, compare: Compare, *, bytes_max: int = COMPARED_BYTES_MAX) -> None:
        self._compare = compare
        self._bytes_max = self._room = bytes_max
        self.known: set[bytes | int] = set()

    def compare(self, keys: Sequence[bytes], values: Sequence[bytes | None]) -> None:
        """Compare those rows that are there and not known. Raises DamagedError."""
        if values.count(None) == len(values) or self.known.issuperset(keys):
            return
        for key, value in zip(keys, values, strict=True):
            if value is not None and key not in self.known:
                self._compare(key, value)
                self._remember(key, len(key))

    def compare_page(self, bound: bytes, rows: Sequence[Pair]) -> None:
        """Compare the rows of a page, at least one, that are not known. Raises DamagedError."""
        page = hash((bound, rows[-1][0]))
        if page in self.known:
            return
        for key, value in rows:
            if key not in self.known:
                self._compare(key, value)
                self._remember(key, len(key))
        self._remember(page, 0)

    def _remember(self, row: bytes | int, key_bytes: int) -> None:
        self._room -= key_bytes + _KEY_BYTES
        if self._room < 0:
            self.forget()
            self._room -= key_bytes + _KEY_BYTES
        self.known.add(row)

    def forget(self) -> None:
        """Compare all rows again."""
        self.known.clear()
        self._room = self._bytes_max
