"""The most requested partition keys of a sample, in bounded memory.

The counters are those of the space-saving algorithm: a key without a counter takes over the
smallest counter with its count, so a key that makes up more than one in `KEYS_MAX` of the sample is
never missed. The count that was taken over is kept beside each counter. The difference is how often
the key was seen at least, so that a key seen once is not reported with the count of others.

Source: Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data
Streams", 2005.
"""

from typing import Final

KEYS_MAX: Final = 200
"""How many counters there are."""
AGED_AT: Final = 10_000
"""Counted keys after which all counts are halved, so that keys that are no longer hot vanish."""
KEY_CHARS_MAX: Final = 120
"""Longer keys are cut off after this many characters."""

HotKey = tuple[str, str]
"""A table, or table/index, and a partition key as text."""


class HotKeys:
    """Counts of one server.

    Attributes:
        total: keys counted, halved with their counts.
    """

    __slots__ = ("_counts", "_taken_over", "total")

    def __init__(self) -> None:
        self._counts: dict[HotKey, int] = {}
        self._taken_over: dict[HotKey, int] = {}
        self.total = 0

    def add(self, table: str, key: str) -> None:
        """Count a request for a key.

        Args:
            table: `table`, or `table/index`.
            key: the partition key as text.
        """
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
        # Rounded up: a key must not be reported more often than it was seen.
        halved = {hot: (count + 1) // 2 for hot, count in self._taken_over.items()}
        self._taken_over = {hot: count for hot, count in halved.items() if hot in self._counts}
        self.total //= 2

    def hottest(self, limit: int) -> list[tuple[HotKey, int]]:
        """The keys counted most, descending, each with how often it was seen at least."""
        least = {hot: count - self._taken_over.get(hot, 0) for hot, count in self._counts.items()}
        return sorted(least.items(), key=lambda each: (-each[1], each[0]))[:limit]

    def clear(self) -> None:
        """Remove all counts."""
        self._counts.clear()
        self._taken_over.clear()
        self.total = 0
