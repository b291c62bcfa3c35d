"""A cache with a bound of entries and of memory, for everything that is derived from requests."""

from collections.abc import Hashable
from itertools import islice
from typing import Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_EVICTED: Final = 8
"""The oldest entries, one in this many, are evicted when there is no room for another."""


class BoundedCache(Generic[K, V]):
    """Values by key. A hit costs a dict look-up and does not reorder the entries.

    The memory of an entry grows with its texts, about a hundredfold, so the bounds are of
    characters besides entries. Eviction is by age of insertion: an entry that is in use is soon
    added again.

    Attributes:
        entries: the values by key, to be looked up.
        get: the value of a key, or None. Raises TypeError for a key that is not hashable.
        chars: characters of the texts in all entries.

    Args:
        entries_max: bound of entries.
        chars_max: bound of `chars`.
        entry_chars_max: bound of the characters of one entry; larger entries are not cached.
    """

    __slots__ = (
        "_chars",
        "_chars_max",
        "_entries_max",
        "_entry_chars_max",
        "chars",
        "entries",
        "get",
    )

    def __init__(self, *, entries_max: int, chars_max: int, entry_chars_max: int) -> None:
        self.entries: dict[K, V] = {}
        self._chars: dict[K, int] = {}
        self.chars = 0
        self._entries_max = entries_max
        self._chars_max = chars_max
        self._entry_chars_max = entry_chars_max
        self.get = self.entries.get

    def __len__(self) -> int:
        return len(self.entries)

    def keep(self, key: K, value: V, chars: int) -> None:
        """Add a value; `chars` are the characters of all texts in it and in its key."""
        if chars > self._entry_chars_max:
            return
        if key in self.entries:
            self._drop(key)
        # Ends before the cache is empty: a single entry always has room.
        while len(self.entries) >= self._entries_max or self.chars + chars > self._chars_max:
            self._evict()
        self.entries[key] = value
        self._chars[key] = chars
        self.chars += chars

    def clear(self) -> None:
        """Remove all entries."""
        self.entries.clear()
        self._chars.clear()
        self.chars = 0

    def _evict(self) -> None:
        count = -(-len(self.entries) // _EVICTED)
        for key in list(islice(self.entries, count)):
            self._drop(key)

    def _drop(self, key: K) -> None:
        self.entries.pop(key, None)
        self.chars -= self._chars.pop(key, 0)
