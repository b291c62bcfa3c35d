"""Metrics in Prometheus' text format, made from the counts at each scrape.

prometheus_client takes 30 ms to import: import this module only for a scrape.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from hashrange.observe.counts import LATENCY_BOUNDS_S, Durations, OperationCounts, UnitCounts
from hashrange.observe.figures import (
    LABELS,
    SENTENCES,
    Figures,
    TableFigures,
    Traffic,
    name_and_labels,
)
from hashrange.observe.metrics import Metrics
from hashrange.observe.process_figures import process_figures, program_version
from hashrange.observe.snapshot import CapacityUse, Contributors


def capacity_families(uses: Sequence[CapacityUse]) -> Iterator[Metric]:
    """Partitions, burst, and of each partition its bytes, units and throttled requests."""
    if not uses:
        return
    counts = GaugeMetricFamily(
        "hashrange_partitions", "Partitions of a table or index.", labels=["table", "index"]
    )
    left = GaugeMetricFamily(
        "hashrange_units_left",
        "Units that are left, with those kept for bursts; negative after large requests.",
        labels=["table", "index", "kind"],
    )
    labels = ["table", "index", "partition"]
    size = GaugeMetricFamily(
        "hashrange_partition_bytes", "Bytes of a partition, estimated.", labels=labels
    )
    units = CounterMetricFamily(
        "hashrange_partition_units",
        "Units that a partition consumed since it exists.",
        labels=[*labels, "kind"],
    )
    throttled = CounterMetricFamily(
        "hashrange_partition_throttled",
        "Requests that were throttled at a partition.",
        labels=[*labels, "kind"],
    )
    for use in uses:
        place = [use.table, use.index]
        counts.add_metric(place, use.partition_count)
        left.add_metric([*place, "read"], use.read_left)
        left.add_metric([*place, "write"], use.write_left)
        for each in use.partitions:
            at = [*place, str(each.number)]
            size.add_metric(at, each.item_bytes)
            units.add_metric([*at, "read"], each.read_units)
            units.add_metric([*at, "write"], each.write_units)
            throttled.add_metric([*at, "read"], each.throttled_reads)
            throttled.add_metric([*at, "write"], each.throttled_writes)
    yield from (counts, left, size, units, throttled)


_SUCCESS: Final = "OK"
_NS_PER_S: Final = 1_000_000_000


def text(
    metrics: Metrics,
    figures: Figures | None = None,
    tables: Mapping[str, TableFigures] | None = None,
    process: Mapping[str, float] | None = None,
    *,
    contributors: Sequence[Contributors] = (),
    capacity: Sequence[CapacityUse] = (),
) -> bytes:
    """All metrics of one server. A millisecond for some hundred labels.

    Args:
        metrics: the counts.
        figures: rows of `observe.figures`, by name.
        tables: items and bytes of tables, by name.
        process: figures of the operating system for all processes; for this process if None.
        contributors: what contributor insights have counted; no key is shown.
        capacity: of tables, with their partitions.
    """
    families = [
        InfoMetricFamily("hashrange_build", "The program.", {"version": program_version()}),
        *_requests(metrics.requests()),
        *_units(metrics.units),
        *_throttles(metrics.throttles),
        *_contributors(contributors),
        *capacity_families(capacity),
        *_traffic(metrics.traffic),
        *_figures(figures or {}),
        *_tables(tables or {}),
        *_process(process or process_figures()),
    ]
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
        _add(latency, counts, [operation])
    yield requests
    yield latency


def _add(family: HistogramMetricFamily, durations: Durations, labels: Sequence[str] = ()) -> None:
    buckets: list[tuple[str, float]] = []
    total = 0
    for bound, count in zip([*LATENCY_BOUNDS_S, "+Inf"], durations.buckets, strict=True):
        total += count
        buckets.append((str(bound), total))
    family.add_metric(labels, buckets, durations.total_ns / _NS_PER_S)


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


def _throttles(throttles: Mapping[tuple[str, str, str], int]) -> Iterator[Metric]:
    family = CounterMetricFamily(
        "hashrange_throttle_events",
        "Throttle events, by the names of CloudWatch's metrics; the index of a table is empty.",
        labels=["table", "index", "event"],
    )
    for labels, count in throttles.items():
        family.add_metric(labels, count)
    yield family


def _contributors(found: Sequence[Contributors]) -> Iterator[Metric]:
    family = GaugeMetricFamily(
        "hashrange_contributor_count_max",
        "Count of the most frequent key in the last minute, by rule of contributor insights.",
        labels=["table", "index", "rule"],
    )
    for each in found:
        if each.minutes == 1 and each.keys:
            family.add_metric((each.table, each.index, each.rule), each.keys[0].count)
    yield family


def _traffic(traffic: Traffic) -> Iterator[Metric]:
    yield GaugeMetricFamily("hashrange_connections", "Connections open.", traffic.connections)
    for name, sentence, value in (
        ("connections_opened", "Connections accepted.", traffic.connections_opened),
        (
            "connections_refused",
            "Connections over the maximum, or during shutdown.",
            traffic.connections_refused,
        ),
        (
            "requests_refused",
            "Requests malformed, too large, too slow, or too long for the memory left.",
            traffic.requests_refused,
        ),
        (
            "answers_abandoned",
            "Connections closed as clients left too many answers unread.",
            traffic.answers_abandoned,
        ),
        ("received_bytes", "Bytes read from clients.", traffic.bytes_received),
        ("sent_bytes", "Bytes written to clients.", traffic.bytes_sent),
    ):
        yield CounterMetricFamily(f"hashrange_{name}", sentence, value)


def _figures(figures: Figures) -> Iterator[Metric]:
    families: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}
    for key, figure in figures.items():
        name, labels = name_and_labels(key)
        full, sentence = f"hashrange_{name}", SENTENCES[name]
        if labels:
            assert not isinstance(figure, Durations), "no histogram has labels"
            family = families.get(name) or _kind(name)(full, sentence, labels=LABELS[name])
            families[name] = family
            family.add_metric(labels, figure)
        elif isinstance(figure, Durations):
            histogram = HistogramMetricFamily(full, sentence)
            _add(histogram, figure)
            yield histogram
        else:
            yield _number(full, sentence, figure)
    yield from families.values()


def _tables(tables: Mapping[str, TableFigures]) -> Iterator[Metric]:
    items = GaugeMetricFamily("hashrange_table_items", "Items of a table.", labels=["table"])
    size = GaugeMetricFamily(
        "hashrange_table_bytes", "Their bytes, as DynamoDB counts them.", labels=["table"]
    )
    for name, figures in tables.items():
        items.add_metric([name], figures.items)
        size.add_metric([name], figures.size)
    yield items
    yield size


def _process(figures: Mapping[str, float]) -> Iterator[Metric]:
    for name, value in figures.items():
        yield _number(name, "Of the process.", value)


def _number(name: str, sentence: str, value: float) -> Metric:
    return _kind(name)(name, sentence, value)


def _kind(name: str) -> type[CounterMetricFamily] | type[GaugeMetricFamily]:
    return CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
