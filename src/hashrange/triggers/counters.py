"""Counters of the triggers of a server, for its metrics."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from hashrange.triggers.positions import ShardKey

_MS: Final = 1000

Reader: TypeAlias = tuple[str, ShardKey]
"""The name of a trigger, and one of its shards."""


class TriggerCounters:
    """Counters of all triggers since the server started.

    Attributes:
        delivered: records that a destination accepted.
        failures: calls that failed.
        given_up: records that were given up.
        waiting: the time, in ms, of the oldest record that each reader is delivering.
    """

    def __init__(self) -> None:
        self.delivered = self.failures = self.given_up = 0
        self.waiting: dict[Reader, int] = {}

    def figures(self, now_ms: int) -> Mapping[str, float]:
        """The values of the counters, by the names of their metrics."""
        oldest_ms = min(self.waiting.values(), default=now_ms)
        return {
            "trigger_records_total": self.delivered,
            "trigger_failures_total": self.failures,
            "trigger_records_given_up_total": self.given_up,
            "trigger_lag_seconds": max(0, now_ms - oldest_ms) / _MS,
        }
