"""Replication that stands still for a while, as where a network is cut: for tests."""

from collections.abc import Callable, Sequence

from hashrange.settings.rules import ALL, CutRule


class Cuts:
    """The regions that get no changes now.

    Args:
        rules: those of the settings; any of them cuts.
        now_ms: the time.
    """

    def __init__(self, rules: Sequence[CutRule], now_ms: Callable[[], int]) -> None:
        self._rules = rules
        self._now_ms = now_ms
        self._began_ms = now_ms()

    def between(self, source: str, target: str) -> bool:
        """Whether changes of a region do not reach another one now."""
        age_ms = self._now_ms() - self._began_ms
        return any(
            rule.source in {ALL, source}
            and rule.target in {ALL, target}
            and rule.begin_ms <= age_ms
            and (rule.end_ms is None or age_ms < rule.end_ms)
            for rule in self._rules
        )
