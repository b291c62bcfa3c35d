"""Metrics in Prometheus' text format, made at scrape time from the plain counts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from hashrange.observe.counts import LATENCY_BOUNDS_S, OperationCounts, UnitCounts
from hashrange.observe.traffic import Traffic

_SUCCESS: Final = "OK"
_NS_PER_S: Final = 1_000_000_000


def text(
    operations: Mapping[str, OperationCounts],
    units: Mapping[tuple[str, str], UnitCounts],
    traffic: Traffic,
    engine: Mapping[str, float],
) -> bytes:
    """All metrics of one server, and none of the process: several may run in one.

    Args:
        operations: by name.
        units: by table and operation.
        traffic: of the listener.
        engine: figures by name; those in `_total` are counters, the others gauges.
    """
    families = [*_requests(operations), *_units(units), *_traffic(traffic), *_engine(engine)]
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected(families))
    return generate_latest(registry)


class _Collected(Collector):
    def __init__(self, families: Sequence[Metric]) -> None:
        self._families = families

    def collect(self) -> Sequence[Metric]:
        return self._families


def _requests(operations: Mapping[str, OperationCounts]) -> Iterator[Metric]:
    requests = CounterMetricFamily(
        "hashrange_requests", "Requests answered.", labels=["operation", "code"]
    )
    latency = HistogramMetricFamily(
        "hashrange_request_duration_seconds",
        "From the whole request to the whole answer.",
        labels=["operation"],
    )
    for operation, counts in operations.items():
        for code, count in counts.codes.items():
            requests.add_metric([operation, code or _SUCCESS], count)
        buckets: list[tuple[str, float]] = []
        total = 0
        for bound, count in zip([*LATENCY_BOUNDS_S, "+Inf"], counts.buckets, strict=True):
            total += count
            buckets.append((str(bound), total))
        latency.add_metric([operation], buckets, counts.duration_ns / _NS_PER_S)
    yield requests
    yield latency


def _units(units: Mapping[tuple[str, str], UnitCounts]) -> Iterator[Metric]:
    labels = ["table", "operation"]
    reads = CounterMetricFamily(
        "hashrange_consumed_read_units", "Read capacity units consumed.", labels=labels
    )
    writes = CounterMetricFamily(
        "hashrange_consumed_write_units", "Write capacity units consumed.", labels=labels
    )
    for (table, operation), counts in units.items():
        reads.add_metric([table, operation], counts.read_units)
        writes.add_metric([table, operation], counts.write_units)
    yield reads
    yield writes


def _traffic(traffic: Traffic) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "hashrange_connections",
        "Connections open.",
        traffic.connections_opened - traffic.connections_closed,
    )
    for name, sentence, value in (
        ("connections_opened", "Connections accepted.", traffic.connections_opened),
        (
            "connections_refused",
            "Connections over the maximum, or during shutdown.",
            traffic.connections_refused,
        ),
        (
            "requests_refused",
            "Requests malformed, too large or too slow.",
            traffic.requests_refused,
        ),
        ("received_bytes", "Bytes read from clients.", traffic.bytes_received),
        ("sent_bytes", "Bytes written to clients.", traffic.bytes_sent),
    ):
        yield CounterMetricFamily(f"hashrange_{name}", sentence, value)


def _engine(figures: Mapping[str, float]) -> Iterator[Metric]:
    for name, value in figures.items():
        family = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
        yield family(f"hashrange_engine_{name}", "Of the storage engine.", value)
