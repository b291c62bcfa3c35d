"""The entries of a vector index with one HASH value, in memory.

Of each filter attribute an entry has a number of 64 bits in place of the value; equal values have
equal numbers. Its vector is kept without its last bits, so a search has candidates: all entries
that can be among the best.
"""

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from hashrange.model.table import Index
from hashrange.model.values import AttributeValue, Item
from hashrange.optional_packages import MissingPackageError, imported
from hashrange.tables.keys.keyspace import HASH_BYTES, digest, hash16
from hashrange.tables.opened.vector_entries import from_binary
from hashrange.tables.vectors.scores import Search

if TYPE_CHECKING:
    from types import ModuleType

    from hashrange.tables.vectors.packed import Beside, PackedVectors
    from hashrange.tables.vectors.plain import PlainVectors

_CODE_BYTES: Final = 8
_ABSENT: Final = 0
"""In place of a value that is missing, or of another type than the declared one."""
_ENTRY_BYTES: Final = 260
"""Our own estimate of the memory of an entry besides its vector: its key, twice."""


class Packages(msgspec.Struct, frozen=True):
    """Optional packages that make searches fast; None for one that is not installed."""

    numpy: "ModuleType | None" = None
    simsimd: "ModuleType | None" = None


class Candidate(msgspec.Struct, frozen=True, order=True):
    """An entry that can be among the best: the end of its key, and a number of its vector."""

    key: bytes
    mark: int


def installed() -> Packages:
    """The packages that are installed."""
    purpose = "Fast searches of vectors need numpy"
    try:
        numpy = imported("numpy", "numpy>=1.26", purpose)
    except MissingPackageError:
        return Packages()
    try:
        return Packages(numpy, imported("simsimd", "simsimd>=6.5", purpose))
    except MissingPackageError:
        return Packages(numpy)


def code_of(value: AttributeValue) -> int:
    """The number of a value of a filter attribute."""
    return int.from_bytes(hash16([value])[:_CODE_BYTES], "big", signed=True) or 1


def mark_of(vector: bytes) -> int:
    """A number of a vector; other vectors have other numbers."""
    return int.from_bytes(digest(vector)[:_CODE_BYTES], "big", signed=True)


class Group:
    """Entries, in no order.

    Args:
        index: the vector index.
        packages: that are installed.
    """

    __slots__ = (
        "_attribute",
        "_codes",
        "_filters",
        "_keys",
        "_marks",
        "_np",
        "_packed",
        "_places",
        "_vectors",
    )

    def __init__(self, index: Index, packages: Packages) -> None:
        vector = index.vector
        assert vector is not None, "a vector index"
        self._attribute = vector.attribute
        self._filters = tuple((each.name, each.type) for each in vector.filters)
        self._np: Any = packages.numpy
        self._keys: list[bytes] = []
        self._places: dict[bytes, int] = {}
        self._marks = array("q")
        self._codes = {name: array("q") for name, _ in self._filters}
        self._packed = _packed(vector.dimensions, packages)
        self._vectors = self._packed or _plain(vector.dimensions)

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def memory_bytes(self) -> int:
        """About as much memory as it takes."""
        of_entry = _ENTRY_BYTES + _CODE_BYTES * len(self._filters)
        return self._vectors.memory_bytes + of_entry * len(self._keys)

    @property
    def is_small(self) -> bool:
        """A search takes less time than a thread takes to begin."""
        numbers = len(self._keys) * self._vectors.dimensions
        return numbers <= self._vectors.numbers_inline_max

    def put(self, entries: Sequence[tuple[bytes, Item]]) -> None:
        """Add entries of distinct keys, or replace those of their keys."""
        if not entries:
            return
        places: list[int] = []
        vectors = [from_binary(entry[self._attribute]) for _, entry in entries]
        for (key, entry), vector in zip(entries, vectors, strict=True):
            place = self._places.setdefault(key, len(self._keys))
            if place == len(self._keys):
                self._keys.append(key)
                self._marks.append(0)
                for codes in self._codes.values():
                    codes.append(_ABSENT)
            self._marks[place] = mark_of(vector)
            for name, kind in self._filters:
                self._codes[name][place] = _code(entry, name, kind)
            places.append(place)
        self._vectors.put(places, vectors)

    def remove(self, key: bytes) -> None:
        """Remove the entry of a key, if there is one; the last entry takes its place."""
        place = self._places.pop(key, None)
        if place is None:
            return
        last = self._keys.pop()
        if last != key:
            self._keys[place] = last
            self._places[last] = place
        for column in (self._marks, *self._codes.values()):
            number = column.pop()
            if last != key:
                column[place] = number
        self._vectors.move_last(place)

    def columns(self) -> list[Any] | None:
        """All entries, for a file; None without numpy."""
        if self._packed is None:
            return None
        of_vectors = self._packed.columns()
        return [b"".join(self._keys), self._marks, *self._codes.values(), *of_vectors]

    def fill(self, columns: Sequence[memoryview]) -> bool:
        """Take the entries of `columns`, in place of those that are here; whether it can."""
        if self._packed is None:
            return False
        data, marks, *others = columns
        keys = bytes(data)
        self._keys = [keys[at : at + HASH_BYTES] for at in range(0, len(keys), HASH_BYTES)]
        self._places = {key: place for place, key in enumerate(self._keys)}
        self._marks = array("q", bytes(marks))
        for name in self._codes:
            self._codes[name] = array("q", bytes(others.pop(0)))
        self._packed.fill(others)
        return True

    def candidates(self, search: Search, beside: "Beside | None" = None) -> list[Candidate]:
        """All entries that can be among the best, in the order of keys.

        `beside` begins a call in another thread, which is used if there are many entries.
        """
        if not self._keys:
            return []
        matching = self._matching(search.required)
        count = len(self._keys) if matching is None else len(matching)
        packed = self._packed
        if packed is not None and count * packed.dimensions > packed.numbers_alone_max:
            places: Sequence[int] = packed.nearest(search, matching, beside)
        else:
            places = self._vectors.nearest(search, matching)
        found = sorted(Candidate(self._keys[place], self._marks[place]) for place in places)
        if len(found) <= search.top:
            return found
        # Of entries with one vector, the first by their keys are the best.
        counts: Counter[int] = Counter()
        kept: list[Candidate] = []
        for each in found:
            counts[each.mark] += 1
            if counts[each.mark] <= search.top:
                kept.append(each)
        return kept

    def _matching(self, required: Mapping[str, AttributeValue]) -> Any:
        """The places of entries that have values of filter attributes; None for all."""
        if not required:
            return None
        if self._np is not None:
            mask = self._np.ones(len(self._keys), dtype=bool)
            for name, value in required.items():
                mask &= self._np.frombuffer(self._codes[name], dtype="q") == code_of(value)
            return self._np.flatnonzero(mask)
        places: Sequence[int] = range(len(self._keys))
        for name, value in required.items():
            codes, code = self._codes[name], code_of(value)
            places = [place for place in places if codes[place] == code]
        return places


def _packed(dimensions: int, packages: Packages) -> "PackedVectors | None":
    if packages.numpy is None:
        return None
    from hashrange.tables.vectors.packed import PackedVectors  # noqa: PLC0415 - few servers search

    return PackedVectors(dimensions, packages.numpy, packages.simsimd)


def _plain(dimensions: int) -> "PlainVectors":
    from hashrange.tables.vectors.plain import PlainVectors  # noqa: PLC0415 - few servers search

    return PlainVectors(dimensions)


def _code(entry: Mapping[str, AttributeValue], name: str, kind: str) -> int:
    value = entry.get(name)
    return code_of(value) if value is not None and kind in value else _ABSENT
