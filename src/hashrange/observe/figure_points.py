"""Figures of the parts of a server as metrics of CloudWatch. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from hashrange.model.operations import OPERATION_FACTS
from hashrange.observe.figures import name_and_labels
from hashrange.observe.statistic_sets import StatisticSet, of_equal

DYNAMODB: Final = "AWS/DynamoDB"
DAX: Final = "AWS/DAX"
BYTES: Final = "Bytes"
COUNT: Final = "Count"
MILLISECONDS: Final = "Milliseconds"
PERCENT: Final = "Percent"
TABLE: Final = "TableName"
INDEX: Final = "GlobalSecondaryIndexName"

_MS: Final = 1000.0
_KINESIS: Final = {"DelegatedOperation": "ChangeDataCaptureForKinesisDataStreams"}
"""Of metrics of destinations. The service's pages name the dimension, and not its value."""
_OF_TABLES: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "destination_failed_records_total": ("FailedToReplicateRecordCount", _KINESIS),
    "destination_throttled_records_total": ("ThrottledPutRecordCount", _KINESIS),
    "destination_units_total": ("ConsumedChangeDataCaptureUnits", _KINESIS),
    "table_expired_items_total": ("TimeToLiveDeletedItemCount", {}),
}
"""Metrics of tables, and further dimensions, by figures with the label of a table."""
_OF_INDEXES: Final = {"online_index_write_units_total": "OnlineIndexConsumedWriteCapacity"}
"""Metrics of indexes, by figures with the labels of a table and an index."""
_LAG: Final = "destination_lag_seconds"
_REPLICATED: Final = "replication_latency_seconds"
_BUILT: Final = "online_index_percent"
_RECEIVER: Final = "ReceivingRegion"

_CACHES: Final = {"item": "ItemCache", "query": "QueryCache", "scan": "ScanCache"}
_FAILED: Final = {
    "error": "ErrorRequestCount",
    "fault": "FaultRequestCount",
    "throttled": "ThrottledRequestCount",
}


def _of_call(operation: str) -> tuple[str, ...]:
    metric = OPERATION_FACTS[operation].dax_metric
    return ("TotalRequestCount",) if metric is None else ("TotalRequestCount", metric)


_CLUSTER_COUNTS: Final[Mapping[str, Callable[[str], tuple[str, ...]]]] = {
    "dax_cluster_cache_hits_total": lambda cache: (f"{_CACHES[cache]}Hits",),
    "dax_cluster_cache_misses_total": lambda cache: (f"{_CACHES[cache]}Misses",),
    "dax_cluster_calls_total": _of_call,
    "dax_cluster_failed_calls_total": lambda kind: ("FailedRequestCount", _FAILED[kind]),
}
"""Metrics of clusters by figures that grow, from the last label of the figure."""
_EVICTED: Final = "dax_cluster_evicted_bytes_total"
_CLUSTER_GAUGES: Final = {
    "dax_cluster_cache_bytes": ("EstimatedDbSize", BYTES),
    "dax_cluster_cache_memory_percent": ("CacheMemoryUtilization", PERCENT),
    "dax_cluster_connections": ("ClientConnections", COUNT),
}
"""Metrics of clusters, and their units, by figures of which each minute has a sample."""
FIGURES: Final = frozenset(
    (
        *(*_OF_TABLES, *_OF_INDEXES, _LAG, _REPLICATED, _BUILT),
        *(*_CLUSTER_COUNTS, *_CLUSTER_GAUGES, _EVICTED),
    )
)
"""Names of the figures that are metrics."""


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """Values of a metric.

    Attributes:
        scope: account ':' region if each has tables of its own; empty if not.
    """

    scope: str = ""
    namespace: str = DYNAMODB
    name: str
    dimensions: Mapping[str, str] = {}
    unit: str = COUNT
    values: StatisticSet


def on_table(
    table: str, more: Mapping[str, str], *, name: str, values: StatisticSet, unit: str = COUNT
) -> Point:
    """Values of a metric of a table, by its stored name, with further dimensions."""
    scope, _, plain = table.rpartition(":")
    dimensions = {TABLE: plain, **more}
    return Point(scope=scope, name=name, dimensions=dimensions, unit=unit, values=values)


def points_of_figures(before: Mapping[str, float], after: Mapping[str, float]) -> Iterator[Point]:
    """The growth of figures, and the values of those that are gauges, by name with labels."""
    for figure, value in after.items():
        name, labels = name_and_labels(figure)
        grown = value - before.get(figure, 0.0)
        if name in _CLUSTER_COUNTS or name in _CLUSTER_GAUGES or name == _EVICTED:
            yield from _of_cluster(name, labels, value, grown)
        elif name == _LAG:
            metric, age = "AgeOfOldestUnreplicatedRecord", of_equal(value * _MS)
            yield on_table(labels[0], _KINESIS, name=metric, unit=MILLISECONDS, values=age)
        elif name == _BUILT:
            of_index, metric = {INDEX: labels[1]}, "OnlineIndexPercentageProgress"
            yield on_table(labels[0], of_index, name=metric, values=of_equal(value))
        elif name == _REPLICATED:
            # The latency of the last changes, which remains while there are no others.
            if value != before.get(figure):
                receiver, metric = {_RECEIVER: labels[1]}, "ReplicationLatency"
                latency = of_equal(value * _MS)
                yield on_table(labels[0], receiver, name=metric, unit=MILLISECONDS, values=latency)
        elif grown <= 0:
            continue
        elif name in _OF_INDEXES:
            of_index, metric = {INDEX: labels[1]}, _OF_INDEXES[name]
            yield on_table(labels[0], of_index, name=metric, values=of_equal(grown))
        else:
            metric, more = _OF_TABLES[name]
            yield on_table(labels[0], more, name=metric, values=of_equal(grown))


def _of_cluster(name: str, labels: Sequence[str], value: float, grown: float) -> Iterator[Point]:
    _account, _region, cluster, *kind = labels
    found: list[tuple[str, str, float]] = []
    if name in _CLUSTER_GAUGES:
        found.append((*_CLUSTER_GAUGES[name], value))
    elif grown > 0 and name == _EVICTED:
        found.append(("EvictedSize", BYTES, grown))
    elif grown > 0:
        found += [(metric, COUNT, grown) for metric in _CLUSTER_COUNTS[name](kind[0])]
    for metric, unit, number in found:
        yield Point(
            namespace=DAX,
            name=metric,
            dimensions={"ClusterId": cluster},
            unit=unit,
            values=of_equal(number),
        )
