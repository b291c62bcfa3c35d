"""How long changes of tables took to reach other regions: CloudWatch's ReplicationLatency."""

from collections.abc import Set as AbstractSet

from hashrange.limits.server import METRIC_TABLES_MAX
from hashrange.observe.figures import Figures, labelled


class ReplicationLatencies:
    """The age of the oldest change that was replicated last, by table and receiving region.

    Tables have their names in the whole catalog. Beyond METRIC_TABLES_MAX, those that were added
    first are dropped.
    """

    def __init__(self) -> None:
        self._ms: dict[str, dict[str, int]] = {}

    def note(self, table: str, region: str, ms: int) -> None:
        """Changes of a table have reached a region."""
        if table not in self._ms and len(self._ms) >= METRIC_TABLES_MAX:
            del self._ms[next(iter(self._ms))]
        self._ms.setdefault(table, {})[region] = ms

    def keep(self, table: str, regions: AbstractSet[str]) -> None:
        """Drop what is known of regions in which a table has no replica."""
        by_region = self._ms.get(table)
        if by_region is None:
            return
        for region in by_region.keys() - regions:
            del by_region[region]
        if not by_region:
            del self._ms[table]

    def figures(self) -> Figures:
        """Figures for metrics, in seconds."""
        return {
            labelled("replication_latency_seconds", table, region): ms / 1000
            for table, by_region in self._ms.items()
            for region, ms in by_region.items()
        }
