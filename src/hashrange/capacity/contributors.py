"""Contributor insights: the most frequent keys of a table or index, in bounded memory.

Source: Developer Guide, "CloudWatch contributor insights for DynamoDB: how it works". An access
counts three times its write units plus its read units. A throttled request counts one, except for
a write that is throttled because of an index. PartiQL requests are not counted.

The algorithm is that of Misra and Gries. When there are more than twice KEYS_KEPT counters, the
count of the first counter beyond KEYS_KEPT is subtracted from all counters, and counters at zero
are removed. Each such cut subtracts this count from more than KEYS_KEPT keys, so the sum of all
cuts is at most the total divided by KEYS_KEPT + 1. A count is too low by at most this sum, and
never too high. Source: Misra, Gries, "Finding repeated elements", 1982; Agarwal and others,
"Mergeable summaries", 2012.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.limits import CONTRIBUTORS_MAX

KEYS_KEPT: Final = 1000
"""Counters after a cut; a count is too low by less than a thousandth of the total."""
WRITE_WEIGHT: Final = 3

Rule: TypeAlias = Literal["PKC", "PKT", "SKC", "SKT"]
"""Accessed or throttled: partition keys (PKC, PKT), partition and sort keys (SKC, SKT)."""
Mode: TypeAlias = Literal["ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"]


class Contributor(msgspec.Struct, frozen=True):
    """A key and its count: at least `count`, at most `count_max`."""

    key: str
    count: float
    count_max: float


class Sketch(msgspec.Struct):
    """Counters of the most frequent keys.

    Attributes:
        kept: counters after a cut; there are at most twice as many.
        counts: counts by key, too low by at most `error`. A missing key has a count of at most
            `error`.
        total: the sum of the counts of all keys.
    """

    kept: int = KEYS_KEPT
    counts: dict[str, float] = {}
    error: float = 0.0
    total: float = 0.0

    def add(self, key: str, weight: float = 1.0) -> None:
        """Count a key."""
        self.total += weight
        self.counts[key] = self.counts.get(key, 0.0) + weight
        if len(self.counts) > 2 * self.kept:
            self._cut()

    def merge(self, other: "Sketch") -> None:
        """Add the counts of another sketch, for example of another process."""
        for key, count in other.counts.items():
            self.counts[key] = self.counts.get(key, 0.0) + count
        self.error += other.error
        self.total += other.total
        if len(self.counts) > 2 * self.kept:
            self._cut()

    def top(self, most: int = CONTRIBUTORS_MAX) -> list[Contributor]:
        """The keys with the highest counts, in descending order."""
        ranked = sorted(self.counts.items(), key=lambda each: (-each[1], each[0]))
        return [Contributor(key, count, count + self.error) for key, count in ranked[:most]]

    def _cut(self) -> None:
        cut = sorted(self.counts.values(), reverse=True)[self.kept]
        self.error += cut
        self.counts = {key: count - cut for key, count in self.counts.items() if count > cut}


class Insights(msgspec.Struct):
    """The rules of a table or index in a minute. Keys are strings.

    Attributes:
        sketches: counters by rule.
    """

    sketches: dict[Rule, Sketch]

    def access(
        self, partition: str, sort: str | None, read_units: float, write_units: float
    ) -> None:
        """Count an access."""
        weight = WRITE_WEIGHT * write_units + read_units
        self._add(("PKC", "SKC"), partition, sort, weight)

    def throttle(self, partition: str, sort: str | None, *, is_back_pressure: bool = False) -> None:
        """Count a throttled request, unless an index throttled a write of its table."""
        if not is_back_pressure:
            self._add(("PKT", "SKT"), partition, sort, 1.0)

    def reports(self) -> Mapping[Rule, list[Contributor]]:
        """The most frequent keys by rule."""
        return {rule: sketch.top() for rule, sketch in self.sketches.items()}

    def _add(
        self, rules: tuple[Rule, Rule], partition: str, sort: str | None, weight: float
    ) -> None:
        of_partition, of_sort = rules
        if of_partition in self.sketches:
            self.sketches[of_partition].add(partition, weight)
        if of_sort in self.sketches and sort is not None:
            self.sketches[of_sort].add(f"{partition},{sort}", weight)


def new_insights(mode: Mode, *, has_sort_key: bool, kept: int = KEYS_KEPT) -> Insights:
    """Empty counters for the rules of a mode."""
    rules: list[Rule] = ["PKT"] if mode == "THROTTLED_KEYS" else ["PKC", "PKT"]
    if has_sort_key:
        rules += ["SKT"] if mode == "THROTTLED_KEYS" else ["SKC", "SKT"]
    return Insights({rule: Sketch(kept=kept) for rule in rules})
