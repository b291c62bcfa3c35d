"""Contributor insights: the most frequent keys of a table or index, in bounded memory.

Source: Developer Guide, "CloudWatch contributor insights for DynamoDB: how it works". An access
counts three times its write units plus its read units. A throttled request counts one.

The algorithm is that of Misra and Gries. When there are more than twice KEYS_KEPT counters, the
count of the first counter beyond KEYS_KEPT is subtracted from all counters, and counters at zero
are removed. Each such cut subtracts this count from more than KEYS_KEPT keys, so the sum of all
cuts is at most the total divided by KEYS_KEPT + 1. A count is too low by at most this sum, and
never too high. Source: Misra, Gries, "Finding repeated elements", 1982; Agarwal and others,
"Mergeable summaries", 2012.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.limits.tables import (
    CONTRIBUTORS_MAX,
    INSIGHT_MINUTES_MAX,
    INSIGHT_RULE_CHARS_MAX,
)
from hashrange.model.table import Index, Table
from hashrange.model.table_features import Mode
from hashrange.observe.snapshot import Contributor

KEYS_KEPT: Final = 500
"""Counters after a cut; a count is too low by less than a five-hundredth of the total."""
KEYS_OF_PAST: Final = 100
"""The same of a minute that is over: less than a hundredth."""
WRITE_WEIGHT: Final = 3
MINUTE_MS: Final = 60_000
_PREFIX: Final = "DynamoDBContributorInsights"

Rule: TypeAlias = Literal["PKC", "PKT", "SKC", "SKT"]
"""Accessed or throttled: partition keys (PKC, PKT), partition and sort keys (SKC, SKT)."""


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

    def shrink(self, kept: int) -> None:
        """Keep at most so many counters from now on."""
        self.kept = kept
        if len(self.counts) > kept:
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
    """The rules of a table or index in a minute. Keys are texts.

    Attributes:
        sketches: counters by rule.
    """

    sketches: dict[Rule, Sketch]

    def access(
        self, partition: str, whole: str | None, read_units: float, write_units: float
    ) -> None:
        """Count an access; `whole` is the partition key with the sort key, if that is known."""
        weight = WRITE_WEIGHT * write_units + read_units
        if weight:
            self._add(("PKC", "SKC"), partition, whole, weight)

    def throttle(self, partition: str, whole: str | None) -> None:
        """Count a throttled request; not one that is throttled because of another index."""
        self._add(("PKT", "SKT"), partition, whole, 1.0)

    def reports(self) -> Mapping[Rule, list[Contributor]]:
        """The most frequent keys by rule."""
        return {rule: sketch.top() for rule, sketch in self.sketches.items()}

    def merge(self, other: "Insights") -> None:
        """Add the counts of the same rules in another minute, or in another process."""
        for rule, sketch in other.sketches.items():
            self.sketches.setdefault(rule, Sketch(kept=sketch.kept)).merge(sketch)

    def _add(
        self, rules: tuple[Rule, Rule], partition: str, whole: str | None, weight: float
    ) -> None:
        of_partition, of_whole = rules
        if of_partition in self.sketches:
            self.sketches[of_partition].add(partition, weight)
        if of_whole in self.sketches and whole is not None:
            self.sketches[of_whole].add(whole, weight)


class CountedKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The keys that a process has counted for a rule in a minute since the epoch.

    Attributes:
        place: the ARN of the table or index.
    """

    place: str
    rule: Rule
    minute: int
    keys: Sketch


def rules_of(mode: Mode, *, has_sort_key: bool) -> list[Rule]:
    """The rules of a mode, in the order of the service."""
    rules: list[Rule] = ["PKT"] if mode == "THROTTLED_KEYS" else ["PKC", "PKT"]
    if has_sort_key:
        rules += ["SKT"] if mode == "THROTTLED_KEYS" else ["SKC", "SKT"]
    return rules


def rules_by_name(table: Table, index: Index | None) -> dict[str, Rule]:
    """The rules of a table or index by their names in CloudWatch; none while they are disabled."""
    setting = table.insights if index is None else index.insights
    if setting is None or setting.since_ms is None:
        return {}
    has_sort_key = table.sort is not None if index is None else bool(index.sort)
    resource = table.name if index is None else f"{table.name}-{index.name}"
    rules = rules_of(setting.mode, has_sort_key=has_sort_key)
    return {_rule_name(rule, resource, setting.since_ms): rule for rule in rules}


def _rule_name(rule: Rule, resource: str, since_ms: int) -> str:
    """A name of at most 128 characters; how the service cuts longer names is not published."""
    head, tail = f"{_PREFIX}-{rule}-", f"-{since_ms}"
    return head + resource[: INSIGHT_RULE_CHARS_MAX - len(head) - len(tail)] + tail


def new_insights(rules: Iterable[Rule], *, kept: int = KEYS_KEPT) -> Insights:
    """Empty counters of rules."""
    return Insights({rule: Sketch(kept=kept) for rule in rules})


class Minutes(msgspec.Struct):
    """The counters of a table or index in the present minute and in the last ones.

    Attributes:
        rules: those that are counted.
        minute: the present one, since the epoch.
        now: its counters.
        past: counters of finished minutes with requests, oldest first.
    """

    rules: tuple[Rule, ...]
    minute: int
    now: Insights
    past: list[tuple[int, Insights]] = []

    def at(self, now_ms: float) -> Insights:
        """The counters of the present minute; a minute that is over is kept with fewer counters."""
        minute = int(now_ms // MINUTE_MS)
        if minute != self.minute:
            if any(sketch.total for sketch in self.now.sketches.values()):
                for sketch in self.now.sketches.values():
                    sketch.shrink(KEYS_OF_PAST)
                self.past.append((self.minute, self.now))
            self.minute, self.now = minute, new_insights(self.rules)
            oldest = minute - INSIGHT_MINUTES_MAX
            self.past = [each for each in self.past if oldest <= each[0] < minute]
        return self.now

    def since(self, minute: int, now_ms: float) -> list[tuple[int, Insights]]:
        """Copies of the counters of a minute and of the later ones, each of few keys."""
        self.at(now_ms)
        found = []
        for at, insights in (*self.past, (self.minute, self.now)):
            if at >= minute:
                copy = new_insights(self.rules, kept=KEYS_OF_PAST)
                copy.merge(insights)
                found.append((at, copy))
        return found

    def count_rules(self, rules: tuple[Rule, ...]) -> None:
        """Count other rules from now on; counts of rules that stay are kept."""
        self.rules = rules
        kept = self.now.sketches
        self.now = Insights({rule: kept.get(rule) or Sketch(kept=KEYS_KEPT) for rule in rules})

    def last(self, minutes: int, now_ms: float) -> Insights:
        """The sums of so many finished minutes; of 0 minutes, of the present one."""
        present = self.at(now_ms)
        found = new_insights(self.rules)
        if not minutes:
            found.merge(present)
        for minute, insights in self.past:
            if minute >= self.minute - minutes:
                found.merge(insights)
        return found


def new_minutes(rules: tuple[Rule, ...], now_ms: float) -> Minutes:
    """The counters of a table or index that has no counts yet."""
    return Minutes(rules, int(now_ms // MINUTE_MS), new_insights(rules))
