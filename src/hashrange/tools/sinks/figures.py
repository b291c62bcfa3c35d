"""Figures of a sink, for Prometheus."""

from collections.abc import Callable, Sequence
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, start_http_server

from hashrange.tools.sinks.changes import Change

_MS: Final = 1000


class SinkFigures:
    """Counts since the start of the process, by table."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self.registry = CollectorRegistry()
        of, tables = self.registry, ["table"]
        self._delivered = Counter(
            "hashrange_sink_records", "Changes that the target took.", tables, registry=of
        )
        self._failures = Counter(
            "hashrange_sink_failures", "Reads and deliveries that failed.", tables, registry=of
        )
        self._snapshots = Counter(
            "hashrange_sink_snapshots",
            "Snapshots that began because changes were lost.",
            tables,
            registry=of,
        )
        self._lag = Gauge(
            "hashrange_sink_lag_seconds",
            "Age of the oldest change that waits.",
            tables,
            registry=of,
        )

    def serve(self, host: str, port: int) -> int:
        """Answer GET /metrics in a thread; the port. Raises OSError."""
        server, _ = start_http_server(port, host, self.registry)
        return int(server.server_port)

    def waits(self, table: str, changes: Sequence[Change]) -> None:
        """Note the oldest change that is being delivered."""
        times = [
            each.record["dynamodb"]["ApproximateCreationDateTime"]
            for each in changes
            if "ApproximateCreationDateTime" in each.record["dynamodb"]
        ]
        if times:
            oldest = min(times)
            # At each scrape: the lag grows while the target fails.
            self._lag.labels(table).set_function(lambda: max(0.0, self._now_ms() / _MS - oldest))

    def caught_up(self, table: str) -> None:
        """Note that nothing waits."""
        self._lag.labels(table).set_function(lambda: 0.0)

    def delivered(self, table: str, count: int) -> None:
        """Count changes that the target took."""
        self._delivered.labels(table).inc(count)

    def failed(self, table: str) -> None:
        """Count a failure."""
        self._failures.labels(table).inc()

    def snapshot_began(self, table: str) -> None:
        """Count a snapshot that began because changes were lost."""
        self._snapshots.labels(table).inc()
