"""The partition keys that are asked for most, of a sample, in bounded memory.

The counters are those of the space-saving algorithm: a key without one takes over the smallest,
with its count, so a key that makes up more than one in `KEYS_MAX` of the sample is never missed.
How much of a count was taken over is kept beside it: the rest is how often the key was seen at
least, so that a key seen once among many others is not reported with their count.

Source: Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data
Streams", 2005.
"""

from typing import Final

KEYS_MAX: Final = 200
"""Counters."""
AGED_AT: Final = 10_000
"""Counted keys after which all counts are halved: what was hot long ago cools down."""
KEY_CHARS_MAX: Final = 120
"""Characters of a key that are kept."""

HotKey = tuple[str, str]
"""A table, or table/index, and a partition key as text."""


class HotKeys:
    """Counts of one server.

    Attributes:
        total: keys counted, aged as their counts are.
    """

    __slots__ = ("_counts", "_taken_over", "total")

    def __init__(self) -> None:
        self._counts: dict[HotKey, int] = {}
        self._taken_over: dict[HotKey, int] = {}
        self.total = 0

    def add(self, table: str, key: str) -> None:
        """Count a key that was asked for."""
        hot = (table, key if len(key) <= KEY_CHARS_MAX else key[:KEY_CHARS_MAX] + "…")
        counts = self._counts
        self.total += 1
        if hot in counts:
            counts[hot] += 1
        elif len(counts) < KEYS_MAX:
            counts[hot] = 1
        else:
            least = min(counts, key=counts.__getitem__)
            self._taken_over.pop(least, None)
            self._taken_over[hot] = counts.pop(least)
            counts[hot] = self._taken_over[hot] + 1
        if self.total >= AGED_AT:
            self._age()

    def _age(self) -> None:
        self._counts = {hot: count // 2 for hot, count in self._counts.items() if count > 1}
        # Rounded up: what is reported of a key must not be more than was seen.
        halved = {hot: (count + 1) // 2 for hot, count in self._taken_over.items()}
        self._taken_over = {hot: count for hot, count in halved.items() if hot in self._counts}
        self.total //= 2

    def hottest(self, limit: int) -> list[tuple[HotKey, int]]:
        """The keys seen most, descending, and how often each was seen at least."""
        seen = {hot: count - self._taken_over.get(hot, 0) for hot, count in self._counts.items()}
        return sorted(seen.items(), key=lambda each: (-each[1], each[0]))[:limit]

    def clear(self) -> None:
        """Forget all."""
        self._counts.clear()
        self._taken_over.clear()
        self.total = 0
