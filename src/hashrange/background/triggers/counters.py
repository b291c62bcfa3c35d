"""Counters of the triggers of a server, for its metrics."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from hashrange.background.triggers.positions import ShardKey
from hashrange.observe.figures import labelled

_MS: Final = 1000

Reader: TypeAlias = tuple[str, ShardKey]
"""The name of a trigger, and one of its shards."""


class TriggerCounts:
    """Counts of one trigger since the server started.

    Attributes:
        table: the table whose changes it delivers, as its definition names it.
        delivered: records that a destination accepted.
        failures: calls that failed; their records are sent again, or given up.
        given_up: records that were given up.
    """

    __slots__ = ("delivered", "failures", "given_up", "table")

    def __init__(self, table: str) -> None:
        self.table = table
        self.delivered = self.failures = self.given_up = 0


class TriggerCounters:
    """Counters of all triggers since the server started.

    Attributes:
        waiting: the time, in ms, of the oldest record that each reader is delivering.
    """

    def __init__(self) -> None:
        self._counts: dict[str, TriggerCounts] = {}
        self.waiting: dict[Reader, int] = {}

    def of(self, name: str, table: str) -> TriggerCounts:
        """The counts of a trigger, by its name."""
        return self._counts.setdefault(name, TriggerCounts(table))

    def figures(self, now_ms: int) -> Mapping[str, float]:
        """The values of the counters, by the names of their metrics."""
        found = dict[str, float]()
        for name, counts in self._counts.items():
            times = [at_ms for (each, _), at_ms in self.waiting.items() if each == name]
            oldest_ms = min(times, default=now_ms)
            for figure, value in (
                ("trigger_records_total", counts.delivered),
                ("trigger_failures_total", counts.failures),
                ("trigger_records_given_up_total", counts.given_up),
                ("trigger_lag_seconds", max(0, now_ms - oldest_ms) / _MS),
            ):
                found[labelled(figure, name, counts.table)] = value
        return found
