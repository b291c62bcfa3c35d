"""Rates of a server, computed from two snapshots. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from hashrange.observe.counts import LATENCY_BOUNDS_S
from hashrange.observe.figures import labelled, name_and_labels
from hashrange.observe.partition_rates import PartitionRate, partition_rates
from hashrange.observe.snapshot import (
    Contributors,
    JobState,
    KeyCounts,
    Requests,
    Snapshot,
    Spread,
    TableUse,
)

_NS: Final = 1_000_000_000
_MS: Final = 1000
_NOTHING: Final = Spread([0] * (len(LATENCY_BOUNDS_S) + 1), 0)
_MEDIAN: Final = 0.5
_TAIL: Final = 0.99


class Latency(msgspec.Struct, frozen=True):
    """Rate and latency of an event between two snapshots.

    Percentiles are interpolated within a bucket of the histogram; in the last bucket, which has no
    upper bound, they are its lower bound. All are 0 if nothing happened.
    """

    per_second: float
    p50_ms: float
    p99_ms: float


class OperationRate(msgspec.Struct, frozen=True):
    """Rate of requests of one operation, and of those that ended with a fault."""

    name: str
    errors_per_second: float
    latency: Latency


class TableRate(msgspec.Struct, frozen=True):
    """Capacity units consumed on a table in a second, and its items and bytes."""

    name: str
    read_units: float
    write_units: float
    items: int
    size: int


class PeerRate(msgspec.Struct, frozen=True):
    """Replication to another server: changes in a second, and how far it is behind."""

    region: str
    changes: float
    lag_seconds: float


class PeerRates(msgspec.Struct, frozen=True, kw_only=True):
    """Replication to servers of other regions; bytes and failed calls in a second, of all."""

    regions: Sequence[PeerRate]
    sent_bytes: float
    failures: float


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """The load of a server between two snapshots.

    Attributes:
        version: that of hashrange.
        seconds: the time between the snapshots.
        operations: the most frequent first.
        tables: those with the most consumed units first; then the largest.
        connections: open now.
        commits: of groups of writes.
        syncs: of the write-ahead log.
        writes: decided in a second.
        refused: writes refused in a second because the queue was full.
        queue: writes that wait now.
        cpu: processors used: 0.5 is half of a processor.
        resident_bytes: memory; None on systems without /proc.
        is_full: the disk is full.
        is_down: the storage has failed.
        hot_keys: the most requested partition keys; None if the server does not show them.
        contributors: as in the second snapshot.
        partitions: those that were used, with `--throttle on`.
        peers: None without servers of other regions.
        jobs: as in the second snapshot.
    """

    version: str
    seconds: float
    operations: Sequence[OperationRate]
    tables: Sequence[TableRate]
    connections: int
    commits: Latency
    syncs: Latency
    writes: float
    refused: float
    queue: int
    cpu: float
    resident_bytes: float | None
    is_full: bool
    is_down: bool
    hot_keys: KeyCounts | None
    contributors: Sequence[Contributors] = ()
    partitions: Sequence[PartitionRate] = ()
    peers: PeerRates | None = None
    jobs: Sequence[JobState] = ()


def rates(before: Snapshot, after: Snapshot) -> Rates:
    """Rates between two snapshots; if the server was restarted, all that it did, in a second."""
    if after.at_ns <= before.at_ns or _requests_of(after) < _requests_of(before):
        before = _zero(after)
    seconds = (after.at_ns - before.at_ns) / _NS

    def grown(name: str) -> float:
        return (after.figures.get(name, 0.0) - before.figures.get(name, 0.0)) / seconds

    return Rates(
        version=after.version,
        seconds=seconds,
        operations=sorted(
            _operations(before.operations, after.operations, seconds),
            key=lambda each: (-each.latency.per_second, each.name),
        ),
        tables=sorted(
            _tables(before.tables, after.tables, seconds),
            key=lambda each: (-each.read_units - each.write_units, -each.size, each.name),
        ),
        connections=after.connections,
        commits=_latency(before.commits, after.commits, seconds),
        syncs=_latency(before.syncs, after.syncs, seconds),
        writes=grown("engine_writes_total"),
        refused=grown("engine_writes_refused_total"),
        queue=round(after.figures.get("engine_write_queue_length", 0.0)),
        cpu=grown("process_cpu_seconds_total"),
        resident_bytes=after.figures.get("process_resident_memory_bytes"),
        is_full=bool(after.figures.get("engine_disk_full")),
        is_down=bool(after.figures.get("engine_down")),
        hot_keys=after.hot_keys,
        contributors=after.contributors,
        partitions=partition_rates(before.capacity, after.capacity, after.hot_keys, seconds),
        peers=_peers(after.figures, grown),
        jobs=after.jobs,
    )


def _peers(figures: Mapping[str, float], grown: Callable[[str], float]) -> PeerRates | None:
    lags = {
        labels[0]: seconds
        for each, seconds in figures.items()
        if (name := name_and_labels(each))[0] == "peer_lag_seconds" and (labels := name[1])
    }
    if not lags:
        return None
    return PeerRates(
        regions=[
            PeerRate(region, grown(labelled("peer_changes_total", region)), lags[region])
            for region in sorted(lags)
        ],
        sent_bytes=grown("peer_sent_bytes_total"),
        failures=grown("peer_call_failures_total"),
    )


def _requests_of(snapshot: Snapshot) -> int:
    return sum(sum(each.durations.buckets) for each in snapshot.operations.values())


def _zero(after: Snapshot) -> Snapshot:
    """A snapshot with all counts at zero, a second before another."""
    return msgspec.structs.replace(
        after,
        at_ns=after.at_ns - _NS,
        operations={},
        tables={},
        figures={},
        commits=_NOTHING,
        syncs=_NOTHING,
    )


def _operations(
    before: Mapping[str, Requests], after: Mapping[str, Requests], seconds: float
) -> Iterator[OperationRate]:
    for name, requests in after.items():
        old = before.get(name, Requests({}, _NOTHING))
        errors = _errors(requests) - _errors(old)
        latency = _latency(old.durations, requests.durations, seconds)
        yield OperationRate(name, errors / seconds, latency)


def _errors(requests: Requests) -> int:
    return sum(count for code, count in requests.codes.items() if code)


def _tables(
    before: Mapping[str, TableUse], after: Mapping[str, TableUse], seconds: float
) -> Iterator[TableRate]:
    for name, use in after.items():
        old = before.get(name, TableUse())
        read = (use.read_units - old.read_units) / seconds
        write = (use.write_units - old.write_units) / seconds
        yield TableRate(name, read, write, use.items, use.size)


def _latency(before: Spread, after: Spread, seconds: float) -> Latency:
    counts = [new - old for new, old in zip(after.buckets, before.buckets, strict=True)]
    rate = sum(counts) / seconds
    return Latency(rate, percentile_ms(counts, _MEDIAN), percentile_ms(counts, _TAIL))


def percentile_ms(counts: Sequence[int], share: float) -> float:
    """Milliseconds within which a share of all durations lies.

    Args:
        counts: those of a histogram's buckets.
        share: from 0 to 1: 0.5 for the median.
    """
    rank = share * sum(counts)
    begin_s = 0.0
    for bound_s, count in zip(LATENCY_BOUNDS_S, counts, strict=False):
        if count and rank <= count:
            return (begin_s + (bound_s - begin_s) * rank / count) * _MS
        rank -= count
        begin_s = bound_s
    return begin_s * _MS if any(counts) else 0.0
