"""The one cache of what is made of requests: bounded, whatever clients send."""

from collections.abc import Hashable
from itertools import islice
from typing import Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_EVICTED: Final = 8
"""One in so many entries, the oldest, goes where there is no room for another."""


class BoundedCache(Generic[K, V]):
    """Values by key. A hit costs the look-up in a dict and does not reorder the entries.

    An entry takes about a hundred times the memory of its texts, so characters are counted besides
    entries. Entries in use that are evicted are soon made again.

    Attributes:
        entries: the values by key, to be looked up.
        get: the value of a key; None if there is none. Raises TypeError for a key that no dict can
            have.
        chars: of the texts in all entries.

    Args:
        entries_max: that are kept.
        chars_max: characters of the texts in all entries.
        entry_chars_max: in one entry; larger ones are not kept.
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
        """Keep a value; `chars` are those of all texts in it and in its key."""
        if chars > self._entry_chars_max:
            return
        self._drop(key)
        # Ends before the cache is empty: a single entry always has room.
        while len(self.entries) >= self._entries_max or self.chars + chars > self._chars_max:
            self._evict()
        self.entries[key] = value
        self._chars[key] = chars
        self.chars += chars

    def clear(self) -> None:
        """Forget all entries."""
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
