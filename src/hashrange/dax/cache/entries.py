"""Entries with a time to live, in a bound of bytes; the least recently used one is evicted."""

from collections import OrderedDict
from collections.abc import Sized
from enum import IntEnum
from typing import Any, Final, Generic, TypeAlias, TypeVar

V = TypeVar("V")

ENTRY_BYTES: Final = 330
"""The bytes of an entry beside its value and its key: measured on CPython 3.11, rounded up."""


class Kind(IntEnum):
    """Which of the caches an entry is in."""

    ITEM = 0
    QUERY = 1


CacheKey: TypeAlias = bytes
"""The key of an entry, with the account, the region and the table in it: the key of an item
in the engine, which begins with the number of its table; or all parameters of a Query or Scan.
"""


def entry_bytes(value: Sized | None) -> int:
    """The bytes of an item in the cache: the item, and what a protocol makes of it."""
    return 0 if value is None else 2 * len(value)


class Found(Generic[V]):
    """The cached value of a key. `value` is None if there is no item: a negative entry.

    `made` is free for readers: what they have made of the value. It is counted as large as that.
    """

    __slots__ = ("kept_ms", "made", "size", "ttl_ms", "value")

    def __init__(self, value: V | None, size: int, kept_ms: int, ttl_ms: int) -> None:
        self.value = value
        self.size = size
        self.kept_ms = kept_ms
        self.ttl_ms = ttl_ms
        self.made: Any = None


class Entries(Generic[V]):
    """The entries of all caches of a node, in the order of their last use.

    Attributes:
        bytes_max: the bound of `size`.
        size: the bytes of all entries.
        evicted: how many entries were evicted to make room.
        evicted_bytes: their bytes.

    Args:
        bytes_max: bound of `size`; larger values are not kept.
    """

    __slots__ = ("_entries", "bytes_max", "evicted", "evicted_bytes", "size")

    def __init__(self, bytes_max: int) -> None:
        self._entries: OrderedDict[tuple[Kind, CacheKey], Found[V]] = OrderedDict()
        self.bytes_max = bytes_max
        self.size = 0
        self.evicted = 0
        self.evicted_bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, kind: Kind, key: CacheKey, now_ms: int) -> Found[V] | None:
        """The entry of a key, which is used now; None if there is none or its time is over.

        Or if the clock was set back since.
        """
        place = (kind, key)
        found = self._entries.get(place)
        if found is None:
            return None
        if found.ttl_ms and not 0 <= now_ms - found.kept_ms < found.ttl_ms:
            self._remove(place)
            return None
        self._entries.move_to_end(place)
        return found

    def keep(
        self, kind: Kind, key: CacheKey, value: V | None, *, size: int, now_ms: int, ttl_ms: int
    ) -> None:
        """Set the entry of a key, and evict others until it has room.

        A value that never has room leaves no entry: the one before it would be out of date.

        Args:
            kind: which cache.
            key: what it is found by.
            value: None for an item that does not exist.
            size: the bytes of the value.
            now_ms: the time.
            ttl_ms: for how long it is kept; 0 for ever.
        """
        place = (kind, key)
        self._remove(place)
        size += len(key) + ENTRY_BYTES
        if size > self.bytes_max:
            return
        self._entries[place] = Found(value, size, now_ms, ttl_ms)
        self.size += size
        while self.size > self.bytes_max:
            _, oldest = self._entries.popitem(last=False)
            self.size -= oldest.size
            self.evicted += 1
            self.evicted_bytes += oldest.size

    def drop(self, kind: Kind, key: CacheKey) -> None:
        """Remove the entry of a key, if there is one."""
        self._remove((kind, key))

    def clear(self) -> None:
        """Remove all entries; they do not count as evicted."""
        self._entries.clear()
        self.size = 0

    def _remove(self, place: tuple[Kind, CacheKey]) -> None:
        found = self._entries.pop(place, None)
        if found is not None:
            self.size -= found.size
