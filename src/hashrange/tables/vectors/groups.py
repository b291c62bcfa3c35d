"""The entries of a vector index with one HASH value, in memory.

Vectors are the bytes of 32-bit numbers, one behind the other. Of each filter attribute an entry has
a number of 64 bits in place of the value; equal values have equal numbers.
"""

from array import array
from collections.abc import Mapping, Sequence
from math import nan
from typing import Final

from hashrange.limits.requests import VECTOR_NUMBER_BYTES
from hashrange.model.table import Index
from hashrange.model.values import AttributeValue, Item
from hashrange.tables.keys.keyspace import hash16
from hashrange.tables.opened.vector_entries import from_binary

_CODE_BYTES: Final = 8
_ABSENT: Final = 0
"""In place of a value that is missing, or of another type than the declared one."""
_ENTRY_BYTES: Final = 250
"""Our own estimate of the memory of an entry besides its vector: its key, twice."""


def code_of(value: AttributeValue) -> int:
    """The number of a value of a filter attribute."""
    return int.from_bytes(hash16([value])[:_CODE_BYTES], "big", signed=True) or 1


class Group:
    """Entries, in no order.

    Args:
        index: the vector index.

    Attributes:
        dimensions: of the vectors.
        keys: of the entries, behind what all of them begin with.
        vectors: the bytes of the vectors, in the order of the keys.
        codes: the numbers of filter attributes, by attribute, likewise.
        squares: the sums of the squares of the numbers, likewise; NaN if they are not known yet.
    """

    __slots__ = (
        "_attribute",
        "_filters",
        "_places",
        "codes",
        "dimensions",
        "keys",
        "squares",
        "vectors",
    )

    def __init__(self, index: Index) -> None:
        assert index.vector is not None, "a vector index"
        self.dimensions = index.vector.dimensions
        self._attribute = index.vector.attribute
        self._filters = tuple((each.name, each.type) for each in index.vector.filters)
        self.clear()

    def clear(self) -> None:
        """Forget all entries."""
        self.keys: list[bytes] = []
        self._places: dict[bytes, int] = {}
        self.vectors = bytearray()
        self.squares = array("d")
        self.codes = {name: array("q") for name, _ in self._filters}

    @property
    def memory_bytes(self) -> int:
        """About as much memory as it takes."""
        of_codes = _CODE_BYTES * len(self._filters) * len(self.keys)
        return len(self.vectors) + of_codes + _ENTRY_BYTES * len(self.keys)

    def put(self, key: bytes, entry: Item) -> None:
        """Add an entry, or replace the one of its key."""
        data, size = from_binary(entry[self._attribute]), VECTOR_NUMBER_BYTES * self.dimensions
        assert len(data) == size, "an entry of the index"
        place = self._places.get(key)
        if place is None:
            self._places[key] = len(self.keys)
            self.keys.append(key)
            self.vectors += data
            self.squares.append(nan)
            for name, kind in self._filters:
                self.codes[name].append(_code(entry, name, kind))
            return
        self.vectors[place * size : (place + 1) * size] = data
        self.squares[place] = nan
        for name, kind in self._filters:
            self.codes[name][place] = _code(entry, name, kind)

    def remove(self, key: bytes) -> None:
        """Remove the entry of a key, if there is one; the last entry takes its place."""
        place = self._places.pop(key, None)
        if place is None:
            return
        size, last = VECTOR_NUMBER_BYTES * self.dimensions, self.keys.pop()
        if last != key:
            self.keys[place] = last
            self._places[last] = place
            self.vectors[place * size : (place + 1) * size] = self.vectors[-size:]
        del self.vectors[-size:]
        square = self.squares.pop()
        if last != key:
            self.squares[place] = square
        for codes in self.codes.values():
            code = codes.pop()
            if last != key:
                codes[place] = code

    def vector(self, place: int) -> bytes:
        """The bytes of the vector at a place."""
        size = VECTOR_NUMBER_BYTES * self.dimensions
        return bytes(self.vectors[place * size : (place + 1) * size])

    def matching(self, required: Mapping[str, AttributeValue]) -> Sequence[int]:
        """The places of entries that have values of filter attributes."""
        places: Sequence[int] = range(len(self.keys))
        for name, value in required.items():
            codes, code = self.codes[name], code_of(value)
            places = [place for place in places if codes[place] == code]
        return places


def _code(entry: Mapping[str, AttributeValue], name: str, kind: str) -> int:
    value = entry.get(name)
    return code_of(value) if value is not None and kind in value else _ABSENT
