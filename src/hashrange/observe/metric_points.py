"""The growth of the counts of a process, as metrics of CloudWatch. Pure.

docs/metrics.md lists the metrics, with those of Prometheus beside them.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

import msgspec

from hashrange.model.operations import OPERATION_FACTS
from hashrange.observe.counts import LATENCY_BOUNDS_S, OTHER, OperationCounts, StreamReads
from hashrange.observe.figure_points import (
    BYTES,
    COUNT,
    FIGURES,
    INDEX,
    MILLISECONDS,
    Point,
    on_table,
    points_of_figures,
)
from hashrange.observe.figures import name_and_labels
from hashrange.observe.metrics import Metrics
from hashrange.observe.statistic_sets import StatisticSet, of_counted, of_equal

_VECTOR_INDEX: Final = "VectorIndexName"
_OPERATION: Final = "Operation"
_STREAM: Final = "StreamLabel"
_MS: Final = 1000.0
_NS_PER_MS: Final = 1_000_000
_FAULTS: Final = {
    "ConditionalCheckFailedException": "ConditionalCheckFailedRequests",
    "InternalServerError": "SystemErrors",
    "ProvisionedThroughputExceededException": "ThrottledRequests",
    "ThrottlingException": "ThrottledRequests",
    "TransactionConflictException": "TransactionConflict",
}
"""Metrics by the faults that are counted by table."""
_BY_TABLE: Final = frozenset(("ConditionalCheckFailedRequests", "TransactionConflict"))
"""Metrics of them without the dimension of the operation."""
_NO_USER_ERRORS: Final = frozenset(
    (
        "ConditionalCheckFailedException",
        "InternalServerError",
        "ProvisionedThroughputExceededException",
        "ServiceUnavailable",
        "ThrottlingException",
    )
)
_BOUNDS_MS: Final = tuple(bound * _MS for bound in LATENCY_BOUNDS_S)
_LONGEST: Final = _BOUNDS_MS[-1]
_MIDDLES: Final = (
    _BOUNDS_MS[0] / 2,
    *(math.sqrt(low * high) for low, high in pairwise(_BOUNDS_MS)),
)
_PAGES: Final = frozenset(("Query", "Scan"))
"""Operations of which each request returns items; of others only some do."""


class Latency(msgspec.Struct, frozen=True):
    """The counts of the requests of an operation on a table."""

    buckets: Sequence[int]
    total_ns: int
    faults: Mapping[str, int]

    @classmethod
    def of(cls, counts: OperationCounts) -> "Latency":
        """A copy of the counts as they are now."""
        return cls([*counts.buckets], counts.total_ns, dict(counts.faults))


_NOTHING: Final = Latency([0] * (len(LATENCY_BOUNDS_S) + 1), 0, {})


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """A copy of the counts of a process at one time.

    Attributes:
        units: consumed read and write units by table and index; empty for the table itself.
        vectors: bytes of searches and writes of vector indexes, likewise.
        items: those that an operation has returned, by operation and table.
        conflicts: of actions of transactions, likewise.
        streams: reads, records, their bytes and latencies by operation, table and label of the
            stream.
        latencies: by operation and table.
        throttles: by table, index and event.
        user_errors: of all tables; None if accounts have tables of their own.
        figures: numbers that grow, ages and latencies, by name with labels.
    """

    units: Mapping[tuple[str, str], tuple[float, float]] = {}
    vectors: Mapping[tuple[str, str], tuple[float, float]] = {}
    items: Mapping[tuple[str, str], int] = {}
    conflicts: Mapping[tuple[str, str], int] = {}
    streams: Mapping[tuple[str, str, str], tuple[int, int, int, Latency]] = {}
    latencies: Mapping[tuple[str, str], Latency] = {}
    throttles: Mapping[tuple[str, str, str], int] = {}
    user_errors: int | None = 0
    figures: Mapping[str, float] = {}


def counts_of(metrics: Metrics, figures: Mapping[str, object]) -> Counts:
    """The counts of a process as they are now."""
    units: dict[tuple[str, str], tuple[float, float]] = {}
    vectors: dict[tuple[str, str], tuple[float, float]] = {}
    for (table, _), found in metrics.units.items():
        _add(units, (table, ""), found.read_units, found.write_units)
        for index, part in found.indexes.items():
            _add(units, (table, ""), -part.read_units, -part.write_units)
            _add(units, (table, index), part.read_units, part.write_units)
        for index, part in found.vectors.items():
            _add(vectors, (table, index), part.read_units, part.write_units)
    user_errors = sum(
        count
        for found in metrics.operations.values()
        for code, count in found.faults.items()
        if code not in _NO_USER_ERRORS
    )
    return Counts(
        units=units,
        vectors=vectors,
        items={(name, table): found.items for (table, name), found in metrics.units.items()},
        conflicts={
            (name, table): found.conflicts
            for (table, name), found in metrics.units.items()
            if found.conflicts
        },
        streams={
            (name, table, label): _of_stream(each)
            for (table, name), found in metrics.units.items()
            for label, each in found.streams.items()
        },
        latencies=_latencies(metrics),
        throttles=dict(metrics.throttles),
        user_errors=None if metrics.separate else user_errors,
        figures={
            name: value
            for name, value in figures.items()
            if isinstance(value, int | float) and name_and_labels(name)[0] in FIGURES
        },
    )


def _of_stream(counts: StreamReads) -> tuple[int, int, int, Latency]:
    return counts.reads, counts.records, counts.item_bytes, Latency.of(counts.latencies)


def _latencies(metrics: Metrics) -> dict[tuple[str, str], Latency]:
    """Requests by operation and table; those on several tables are of each."""
    found = {labels: Latency.of(counts) for labels, counts in metrics.latencies.items()}
    for labels, counts in metrics.shared.items():
        own, more = found.get(labels, _NOTHING), Latency.of(counts)
        found[labels] = Latency(
            [a + b for a, b in zip(own.buckets, more.buckets, strict=True)],
            own.total_ns + more.total_ns,
            Counter(own.faults) + Counter(more.faults),
        )
    return found


def _add(
    units: dict[tuple[str, str], tuple[float, float]],
    label: tuple[str, str],
    read: float,
    write: float,
) -> None:
    reads, writes = units.get(label, (0.0, 0.0))
    units[label] = reads + read, writes + write


def points(before: Counts, after: Counts) -> Iterator[Point]:
    """The growth of the counts; only metrics of what happened. Some 30 microseconds each."""
    for kind in (_units, _vectors, _items, _conflicts, _streams, _requests, _throttles):
        yield from kind(before, after)
    yield from points_of_figures(before.figures, after.figures)
    if after.user_errors is not None and before.user_errors is not None:
        grown = after.user_errors - before.user_errors
        if grown > 0:
            yield Point(name="UserErrors", values=of_equal(grown))


def _units(before: Counts, after: Counts) -> Iterator[Point]:
    for (table, index), units in after.units.items():
        if table == OTHER:
            continue
        old = before.units.get((table, index), (0.0, 0.0))
        more = {INDEX: index} if index else {}
        for name, new, earlier in zip(("Read", "Write"), units, old, strict=True):
            if new > earlier:
                values = of_equal(new - earlier)
                yield on_table(table, more, name=f"Consumed{name}CapacityUnits", values=values)


def _vectors(before: Counts, after: Counts) -> Iterator[Point]:
    for (table, index), now in after.vectors.items():
        if table == OTHER or not index:
            continue
        old = before.vectors.get((table, index), (0.0, 0.0))
        for name, new, earlier in zip(("Search", "Write"), now, old, strict=True):
            if new > earlier:
                metric, more = f"Vector{name}RequestBytes", {_VECTOR_INDEX: index}
                yield on_table(table, more, name=metric, unit=BYTES, values=of_equal(new - earlier))


def _items(before: Counts, after: Counts) -> Iterator[Point]:
    """Items by operation: of queries and scans a value a request, which is their average."""
    for (operation, table), now in after.items.items():
        items = now - before.items.get((operation, table), 0)
        requests = int(items > 0)
        if operation in _PAGES and (operation, table) in after.latencies:
            requests = sum(_buckets(before, after, (operation, table))) or requests
        if table != OTHER and requests:
            values = of_equal(items / requests, requests)
            whole = msgspec.structs.replace(values, sum=items)
            yield on_table(table, {_OPERATION: operation}, name="ReturnedItemCount", values=whole)


def _conflicts(before: Counts, after: Counts) -> Iterator[Point]:
    for (operation, table), now in after.conflicts.items():
        grown = now - before.conflicts.get((operation, table), 0)
        if grown > 0 and table != OTHER:
            yield on_table(table, {}, name="TransactionConflict", values=of_equal(1, grown))


def _streams(before: Counts, after: Counts) -> Iterator[Point]:
    for (operation, table, label), (*now, latency) in after.streams.items():
        *old, earlier = before.streams.get((operation, table, label), (0, 0, 0, _NOTHING))
        reads, records, size = (new - was for new, was in zip(now, old, strict=True))
        if table == OTHER or not label:
            continue
        more = {_OPERATION: operation, _STREAM: label}
        yield from _growth(table, more, earlier, latency)
        if not reads:
            continue
        for name, unit, grown in (
            ("ReturnedRecordsCount", COUNT, records),
            ("ReturnedBytes", BYTES, size),
        ):
            values = msgspec.structs.replace(of_equal(grown / reads, reads), sum=grown)
            yield on_table(table, more, name=name, unit=unit, values=values)


def _buckets(before: Counts, after: Counts, labels: tuple[str, str]) -> list[int]:
    """The growth of the buckets of an operation and a table."""
    old = before.latencies.get(labels, _NOTHING)
    return [
        new - was for new, was in zip(after.latencies[labels].buckets, old.buckets, strict=True)
    ]


def _requests(before: Counts, after: Counts) -> Iterator[Point]:
    for (operation, table), now in after.latencies.items():
        if table == OTHER or not OPERATION_FACTS[operation].is_data_event:
            continue
        old = before.latencies.get((operation, table), _NOTHING)
        yield from _growth(table, {_OPERATION: operation}, old, now)


def _growth(table: str, more: Mapping[str, str], old: Latency, now: Latency) -> Iterator[Point]:
    """The latencies and faults of requests with some dimensions beside the table."""
    buckets = [new - was for new, was in zip(now.buckets, old.buckets, strict=True)]
    if any(buckets):
        values = latencies(buckets, (now.total_ns - old.total_ns) / _NS_PER_MS)
        name = "SuccessfulRequestLatency"
        yield on_table(table, more, name=name, unit=MILLISECONDS, values=values)
    for code, name in _FAULTS.items():
        grown = now.faults.get(code, 0) - old.faults.get(code, 0)
        if grown > 0:
            dimensions = {} if name in _BY_TABLE else {_OPERATION: more[_OPERATION]}
            yield on_table(table, dimensions, name=name, values=of_equal(1, grown))


def latencies(buckets: Sequence[int], total_ms: float) -> StatisticSet:
    """The values of a histogram of durations, whose sum is known.

    Those of a bucket are its middle: the geometric mean of its bounds.
    """
    values = [(middle, count) for middle, count in zip(_MIDDLES, buckets, strict=False) if count]
    if buckets[-1]:
        known = sum([middle * count for middle, count in values])
        values.append((max(_LONGEST, (total_ms - known) / buckets[-1]), buckets[-1]))
    if len(values) == 1:
        ((_, count),) = values
        average = total_ms / count
        return StatisticSet(count, total_ms, average, average)
    return of_counted(values, total_ms)


def _throttles(before: Counts, after: Counts) -> Iterator[Point]:
    for (table, index, event), count in after.throttles.items():
        grown = count - before.throttles.get((table, index, event), 0)
        # Of requests they are counted by operation: see `_FAULTS`.
        if grown > 0 and table != OTHER and event != "ThrottledRequests":
            more = {INDEX: index} if index else {}
            yield on_table(table, more, name=event, values=of_equal(1, grown))
