"""The vectors of a group without numpy: bytes of 32-bit numbers, one vector behind the other."""

from array import array
from collections.abc import Sequence
from heapq import nsmallest
from typing import Final

from hashrange.limits.requests import VECTOR_NUMBER_BYTES
from hashrange.tables.vectors.scores import Search, rank, score


class PlainVectors:
    """Vectors by their places.

    Args:
        dimensions: of the vectors.
    """

    numbers_inline_max: Final = 20_000
    """So many numbers are searched in less time than a thread takes to begin."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._bytes = VECTOR_NUMBER_BYTES * dimensions
        self._data = bytearray()

    @property
    def memory_bytes(self) -> int:
        """Of all vectors."""
        return len(self._data)

    def put(self, places: Sequence[int], vectors: Sequence[bytes]) -> None:
        """Set the vectors of distinct places, which may continue those that are used."""
        for place, vector in zip(places, vectors, strict=True):
            self._data[place * self._bytes : (place + 1) * self._bytes] = vector

    def move_last(self, place: int) -> None:
        """Move the vector of the last place to another one, and forget the last place."""
        last = self._data[-self._bytes :]
        self._data[place * self._bytes : (place + 1) * self._bytes] = last
        del self._data[-self._bytes :]

    def nearest(self, search: Search, places: Sequence[int] | None) -> Sequence[int]:
        """The places of all vectors that can be among the best.

        Args:
            search: what is searched for.
            places: where to search, in ascending order; None for all.
        """
        ranks: dict[bytes, float] = {}
        ranked: list[tuple[float, int]] = []
        for place in range(len(self._data) // self._bytes) if places is None else places:
            data = bytes(self._data[place * self._bytes : (place + 1) * self._bytes])
            if data not in ranks:
                found = score(search.distance, search.query, array("f", data).tolist())
                ranks[data] = rank(search.distance, found)
            ranked.append((ranks[data], place))
        best = nsmallest(search.top, ranked)
        return [place for found, place in ranked if best and found <= best[-1][0]]
