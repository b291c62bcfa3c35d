"""The partition keys that are asked for most, of a sample, in bounded memory.

The counters are those of the space-saving algorithm: a key without one takes over the smallest,
with its count, so a key that makes up more than one in `KEYS_MAX` of the sample is never missed,
and its count is at most that smallest one too high.

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

    __slots__ = ("_counts", "total")

    def __init__(self) -> None:
        self._counts: dict[HotKey, int] = {}
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
            counts[hot] = counts.pop(least) + 1
        if self.total >= AGED_AT:
            self._counts = {hot: count // 2 for hot, count in counts.items() if count > 1}
            self.total //= 2

    def hottest(self, limit: int) -> list[tuple[HotKey, int]]:
        """The keys with the highest counts, descending."""
        ranked = sorted(self._counts.items(), key=lambda each: (-each[1], each[0]))
        return ranked[:limit]

    def clear(self) -> None:
        """Forget all."""
        self._counts.clear()
        self.total = 0
