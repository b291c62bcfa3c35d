"""Finds the end of a request that arrives in parts, without reading a byte twice."""

from typing import Final

from hashrange.limits.dax import DAX_LEVELS_MAX, DAX_REQUEST_ITEMS_MAX
from hashrange.wire.cbor.reader import (
    ARRAY,
    BREAK,
    BYTES,
    INDEFINITE,
    MAP,
    TAG,
    TEXT,
    IncompleteError,
    MalformedError,
    read_head,
)

_STRINGS: Final = frozenset((BYTES, TEXT))


class Scanner:
    """Skips a number of items; each byte is looked at once, however the bytes arrive.

    Args:
        at: where the first item begins.
        count: how many items to skip.
        items_max: more of them, with those that they contain, are refused.

    Attributes:
        at: where the next head begins.
        needed: at least so many bytes must be there, if the end was not found.
    """

    __slots__ = ("_heads", "_items_max", "_left", "at", "needed")

    def __init__(self, at: int, count: int, items_max: int = DAX_REQUEST_ITEMS_MAX) -> None:
        self.at = at
        self._left = [count]
        self._heads = 0
        self._items_max = items_max
        self.needed = 0

    def extend(self, count: int) -> None:
        """Skip further items, after those before were skipped."""
        assert not self._left, "the end was found"
        self._left.append(count)

    def find_end(self, data: bytes | bytearray) -> int | None:
        """The position behind the last item; None if it has not arrived.

        Args:
            data: the bytes from the beginning, as in each call before, and perhaps more.

        Raises:
            MalformedError: the bytes are no items, or more or deeper than a request may have.
        """
        left = self._left
        if len(data) < self.needed:
            return None
        try:
            while left:
                if left[-1] == 0:
                    left.pop()
                elif left[-1] == INDEFINITE and self._ends(data):
                    self.at += 1
                    left.pop()
                else:
                    self._skip(data)
        except IncompleteError as error:
            self.needed = error.needed
            return None
        return self.at

    def _ends(self, data: bytes | bytearray) -> bool:
        if self.at >= len(data):
            raise IncompleteError(self.at + 1)
        return data[self.at] == BREAK

    def _skip(self, data: bytes | bytearray) -> None:
        """Skip a head and, if it is that of a string, the string."""
        major, argument, at = read_head(data, self.at)
        if major in _STRINGS and argument != INDEFINITE and at + argument > len(data):
            raise IncompleteError(at + argument)
        self._heads += 1
        left = self._left
        if self._heads > self._items_max:
            raise MalformedError("a request has too many items")
        if left[-1] != INDEFINITE:
            left[-1] -= 1
        if major in _STRINGS:
            if argument == INDEFINITE:
                left.append(INDEFINITE)
            else:
                at += argument
        elif major == ARRAY:
            left.append(argument)
        elif major == MAP:
            left.append(argument if argument == INDEFINITE else 2 * argument)
        elif major == TAG:
            left.append(1)
        self.at = at
        if len(left) > DAX_LEVELS_MAX:
            raise MalformedError("an item is nested too deeply")
