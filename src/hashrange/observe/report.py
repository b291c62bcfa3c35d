"""The counts of one process, to be sent to another process and added up there."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from hashrange.observe.counts import Durations, OperationCounts, UnitCounts
from hashrange.observe.figures import Figure, Figures, Traffic
from hashrange.observe.metrics import Metrics
from hashrange.observe.snapshot import (
    Contributor,
    Contributors,
    JobState,
    KeyCount,
    KeyCounts,
    Requests,
    SlowRequest,
    Spread,
)

SUMMED_KEYS_MAX: Final = 100
"""Keys of one rule that a sum keeps."""


def summed_contributors(reports: Iterable[Sequence[Contributors]]) -> list[Contributors]:
    """The sums by table, index, rule and minutes."""
    found: dict[tuple[str, str, str, int], Contributors] = {}
    for report in reports:
        for each in report:
            name = (each.table, each.index, each.rule, each.minutes)
            known = found.get(name)
            found[name] = each if known is None else _sum(known, each)
    return list(found.values())


def _sum(one: Contributors, other: Contributors) -> Contributors:
    """A key that one of them lacks may count as much there as its error."""
    here = {each.key: each for each in one.keys}
    there = {each.key: each for each in other.keys}
    keys = [
        _both(
            here.get(key, Contributor(key, 0.0, one.error)),
            there.get(key, Contributor(key, 0.0, other.error)),
        )
        for key in {**here, **there}
    ]
    keys.sort(key=lambda each: (-each.count, each.key))
    dropped = [each.count_max for each in keys[SUMMED_KEYS_MAX:]]
    return msgspec.structs.replace(
        one,
        total=one.total + other.total,
        error=max([one.error + other.error, *dropped]),
        keys=keys[:SUMMED_KEYS_MAX],
    )


def _both(one: Contributor, other: Contributor) -> Contributor:
    return Contributor(one.key, one.count + other.count, one.count_max + other.count_max)


KEYS_MAX: Final = 20
"""Hot keys that a sum of reports keeps."""
SLOW_KEPT: Final = 100
"""Slow requests that a process remembers."""
_GROWS: Final = "_total"


class Units(msgspec.Struct, frozen=True, array_like=True):
    """Capacity units that one operation has consumed on one table."""

    table: str
    operation: str
    read_units: float
    write_units: float


class Throttles(msgspec.Struct, frozen=True, array_like=True):
    """How often a throttle event happened at a table or index."""

    table: str
    index: str
    event: str
    count: int


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of one process at one time, or the sum of several.

    Attributes:
        operations: requests, by operation.
        units: consumed capacity units.
        throttles: throttle events.
        traffic: counts of `Traffic`, by name.
        numbers: figures that are numbers, with those of the operating system.
        durations: figures that are histograms.
        hot_keys: None if keys are not sampled.
        contributors: of tables with contributor insights.
        jobs: those that are being done.
        slow: the last slow requests, in the order of their answers.
    """

    operations: Mapping[str, Requests] = {}
    units: Sequence[Units] = ()
    throttles: Sequence[Throttles] = ()
    traffic: Mapping[str, int] = {}
    numbers: Mapping[str, float] = {}
    durations: Mapping[str, Spread] = {}
    hot_keys: KeyCounts | None = None
    contributors: Sequence[Contributors] = ()
    jobs: Sequence[JobState] = ()
    slow: Sequence[SlowRequest] = ()


def report_of(
    metrics: Metrics,
    figures: Figures,
    hot_keys: KeyCounts | None = None,
    contributors: Sequence[Contributors] = (),
    *,
    jobs: Sequence[JobState] = (),
    slow: Sequence[SlowRequest] = (),
) -> Report:
    """The report of this process, with copies of its counts."""
    return Report(
        operations={
            name: Requests(counts.codes, Spread.of(counts))
            for name, counts in metrics.requests().items()
        },
        units=[
            Units(table, operation, counts.read_units, counts.write_units)
            for (table, operation), counts in metrics.units.items()
        ],
        throttles=[Throttles(*labels, count) for labels, count in metrics.throttles.items()],
        traffic={name: getattr(metrics.traffic, name) for name in Traffic.__slots__},
        numbers={
            name: float(value)
            for name, value in figures.items()
            if not isinstance(value, Durations)
        },
        durations={
            name: Spread.of(value)
            for name, value in figures.items()
            if isinstance(value, Durations)
        },
        hot_keys=hot_keys,
        contributors=contributors,
        jobs=jobs,
        slow=slow,
    )


def left_of(report: Report) -> Report:
    """The counts that a process that has ended contributes to sums: all counts that only grow."""
    return msgspec.structs.replace(
        report,
        traffic={**report.traffic, "connections_closed": report.traffic["connections_opened"]}
        if report.traffic
        else {},
        numbers={name: value for name, value in report.numbers.items() if name.endswith(_GROWS)},
        hot_keys=None,
        contributors=(),
        jobs=(),
        slow=(),
    )


def summed(reports: Iterable[Report]) -> Report:
    """The sum of reports; of the hot keys, the `KEYS_MAX` that were counted most."""
    operations: dict[str, Requests] = {}
    units: dict[tuple[str, str], Units] = {}
    throttles: dict[tuple[str, str, str], int] = {}
    traffic: dict[str, int] = {}
    numbers: dict[str, float] = {}
    durations: dict[str, Spread] = {}
    hot_keys: KeyCounts | None = None
    contributors: list[Sequence[Contributors]] = []
    jobs: list[JobState] = []
    slow: list[SlowRequest] = []
    for report in reports:
        for name, requests in report.operations.items():
            operations[name] = _requests(operations.get(name), requests)
        for each in report.units:
            key = (each.table, each.operation)
            units[key] = _units(units.get(key), each)
        for event in report.throttles:
            labels = (event.table, event.index, event.event)
            throttles[labels] = throttles.get(labels, 0) + event.count
        for name, count in report.traffic.items():
            traffic[name] = traffic.get(name, 0) + count
        for name, number in report.numbers.items():
            numbers[name] = numbers.get(name, 0.0) + number
        for name, spread in report.durations.items():
            durations[name] = _spread(durations.get(name), spread)
        hot_keys = _keys(hot_keys, report.hot_keys)
        contributors.append(report.contributors)
        jobs += report.jobs
        slow += report.slow
    return Report(
        operations=operations,
        units=[*units.values()],
        throttles=[Throttles(*labels, count) for labels, count in throttles.items()],
        traffic=traffic,
        numbers=numbers,
        durations=durations,
        hot_keys=hot_keys,
        contributors=summed_contributors(contributors),
        jobs=jobs,
        slow=sorted(slow, key=lambda each: each.at_ns)[-SLOW_KEPT:],
    )


def _requests(before: Requests | None, more: Requests) -> Requests:
    if before is None:
        return more
    codes = dict(before.codes)
    for code, count in more.codes.items():
        codes[code] = codes.get(code, 0) + count
    return Requests(codes, _spread(before.durations, more.durations))


def _spread(before: Spread | None, more: Spread) -> Spread:
    if before is None:
        return more
    buckets = [a + b for a, b in zip(before.buckets, more.buckets, strict=True)]
    return Spread(buckets, before.total_ns + more.total_ns)


def _units(before: Units | None, more: Units) -> Units:
    if before is None:
        return more
    return msgspec.structs.replace(
        before,
        read_units=before.read_units + more.read_units,
        write_units=before.write_units + more.write_units,
    )


def _keys(before: KeyCounts | None, more: KeyCounts | None) -> KeyCounts | None:
    if before is None or more is None:
        return before or more
    counts: dict[tuple[str, str], int] = {}
    hashes = {(each.table, each.key): each.hash for each in (*before.keys, *more.keys)}
    for each in (*before.keys, *more.keys):
        counts[each.table, each.key] = counts.get((each.table, each.key), 0) + each.count
    hottest = sorted(counts.items(), key=lambda pair: -pair[1])[:KEYS_MAX]
    keys = [KeyCount(*hot, count, hashes[hot]) for hot, count in hottest]
    return KeyCounts(before.total + more.total, keys)


def metrics_of(report: Report) -> Metrics:
    """The counts of a report as `Metrics`, for `exposition`."""
    metrics = Metrics()
    for name, requests in report.operations.items():
        counts = metrics.operations[name] = OperationCounts()
        counts.faults = {code: count for code, count in requests.codes.items() if code}
        _fill(counts, requests.durations)
    for each in report.units:
        units = metrics.units[each.table, each.operation] = UnitCounts()
        units.read_units, units.write_units = each.read_units, each.write_units
    for event in report.throttles:
        metrics.throttles[event.table, event.index, event.event] = event.count
    for name, count in report.traffic.items():
        setattr(metrics.traffic, name, count)
    return metrics


def figures_of(report: Report) -> Figures:
    """The figures of a report, numbers and histograms."""
    figures: dict[str, Figure] = dict(report.numbers)
    for name, spread in report.durations.items():
        durations = figures[name] = Durations()
        _fill(durations, spread)
    return figures


def _fill(durations: Durations, spread: Spread) -> None:
    durations.buckets = [*spread.buckets]
    durations.total_ns = spread.total_ns
