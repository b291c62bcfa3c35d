"""What triggers have done since the server started, for its metrics."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from hashrange.triggers.positions import Place

_MS: Final = 1000

Reader: TypeAlias = tuple[str, Place]
"""The name of a trigger, and one of its shards."""


class Tally:
    """Counts of all triggers of a server.

    Attributes:
        delivered: records that a destination took.
        failures: calls that failed.
        given_up: records that are not sent again.
        waiting: when the oldest record was made that is being delivered, in ms.
    """

    def __init__(self) -> None:
        self.delivered = self.failures = self.given_up = 0
        self.waiting: dict[Reader, int] = {}

    def figures(self, now_ms: int) -> Mapping[str, float]:
        """By the names of metrics."""
        oldest_ms = min(self.waiting.values(), default=now_ms)
        return {
            "trigger_records_total": self.delivered,
            "trigger_failures_total": self.failures,
            "trigger_records_given_up_total": self.given_up,
            "trigger_lag_seconds": max(0, now_ms - oldest_ms) / _MS,
        }
