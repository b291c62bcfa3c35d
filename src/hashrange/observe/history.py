"""The last hour of a server, minute by minute, in memory: what its counts have grown by.

Nothing here is on the way of a request: once a minute the sum of all counts is compared with that
of the minute before. `History.minutes` is what pages ask.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.observe.counts import LATENCY_BOUNDS_S
from hashrange.observe.rates import percentile_ms
from hashrange.observe.report import Report

MINUTE_MS: Final = 60_000
MINUTES_MAX: Final = 60
MINUTE_TABLES_MAX: Final = 200
"""Tables of a minute that are kept: those with the most units and throttled requests."""
CONFLICTS: Final = frozenset(
    (
        "TransactionConflictException",
        "TransactionCanceledException",
        "ReplicatedWriteConflictException",
    )
)
_FAILED_CONDITION: Final = "ConditionalCheckFailedException"
_MS: Final = 1000
_EVENTS: Final = {"ReadThrottleEvents": 2, "WriteThrottleEvents": 3}

Units: TypeAlias = tuple[float, float] | None
"""Provisioned read and write units of a table with its indexes; None on demand, or unknown."""
_Counts: TypeAlias = list[float]
"""Of a table: read units, write units, throttled reads, throttled writes."""


class TableMinute(msgspec.Struct, frozen=True):
    """A table with its indexes in one minute; all values are a second.

    Attributes:
        read_provisioned: None on demand, or if it is not known.
    """

    read_units: float = 0.0
    write_units: float = 0.0
    throttled_reads: float = 0.0
    throttled_writes: float = 0.0
    read_provisioned: float | None = None
    write_provisioned: float | None = None


class Minute(msgspec.Struct, frozen=True, kw_only=True):
    """One minute of a server, or what has passed of it.

    Attributes:
        at_ms: when it began.
        requests: of all operations and tables, a second; so are the next two.
        conflicts: requests refused since a transaction, or another region, had the item.
        conditions: requests whose condition was not met.
        p50_ms: the median of the durations of all requests.
        tables: by stored name, those that were used.
    """

    at_ms: int
    seconds: float
    requests: float
    conflicts: float
    conditions: float
    p50_ms: float
    p99_ms: float
    tables: Mapping[str, TableMinute]


class History:
    """The minutes of a server; the first one may be shorter.

    Args:
        provisioned: the units of a table, by stored name.
    """

    def __init__(self, provisioned: Callable[[str], Units]) -> None:
        self._provisioned = provisioned
        self._minutes: deque[Minute] = deque(maxlen=MINUTES_MAX)
        self._last: tuple[int, Report] | None = None

    def take(self, report: Report, now_ms: int) -> None:
        """Take the sum of all counts; finishes the present minute once it is over."""
        if self._last is None or now_ms < self._last[0]:
            self._last = now_ms, report
        elif now_ms // MINUTE_MS > self._last[0] // MINUTE_MS:
            self._minutes.append(self._between(*self._last, report, now_ms))
            self._last = now_ms, report

    def minutes(self, report: Report, now_ms: int) -> list[Minute]:
        """The finished minutes, oldest first, and what has passed of the present one."""
        self.take(report, now_ms)
        assert self._last is not None, "it was taken now"
        if now_ms - self._last[0] < _MS:
            return [*self._minutes]
        return [*self._minutes, self._between(*self._last, report, now_ms)]

    def _between(self, from_ms: int, before: Report, after: Report, now_ms: int) -> Minute:
        seconds = (now_ms - from_ms) / _MS
        pairs = zip(_buckets(after), _buckets(before), strict=True)
        buckets = [max(0, new - old) for new, old in pairs]
        codes, old_codes = _codes(after), _codes(before)
        grown = {code: codes[code] - old_codes.get(code, 0) for code in codes}
        return Minute(
            at_ms=from_ms,
            seconds=seconds,
            requests=sum(buckets) / seconds,
            conflicts=sum(grown.get(code, 0) for code in CONFLICTS) / seconds,
            conditions=grown.get(_FAILED_CONDITION, 0) / seconds,
            p50_ms=percentile_ms(buckets, 0.5),
            p99_ms=percentile_ms(buckets, 0.99),
            tables=self._tables(_tables(before), _tables(after), seconds),
        )

    def _tables(
        self, before: Mapping[str, _Counts], after: Mapping[str, _Counts], seconds: float
    ) -> dict[str, TableMinute]:
        used = dict[str, list[float]]()
        for name, counts in after.items():
            grown = _grown(counts, before.get(name, [0.0] * len(counts)))
            if any(grown):
                used[name] = grown
        busiest = sorted(used, key=lambda name: -sum(used[name]))[:MINUTE_TABLES_MAX]
        found = dict[str, TableMinute]()
        for name in busiest:
            reads, writes = self._provisioned(name) or (None, None)
            rates = [each / seconds for each in used[name]]
            found[name] = TableMinute(rates[0], rates[1], rates[2], rates[3], reads, writes)
        return found


def _grown(after: Sequence[float], before: Sequence[float]) -> list[float]:
    return [max(0, new - old) for new, old in zip(after, before, strict=True)]


def _buckets(report: Report) -> list[int]:
    total = [0] * (len(LATENCY_BOUNDS_S) + 1)
    for requests in report.operations.values():
        for index, count in enumerate(requests.durations.buckets):
            total[index] += count
    return total


def _codes(report: Report) -> dict[str, int]:
    total = dict[str, int]()
    for requests in report.operations.values():
        for code, count in requests.codes.items():
            total[code] = total.get(code, 0) + count
    return total


def _tables(report: Report) -> dict[str, _Counts]:
    total = dict[str, _Counts]()
    for each in report.units:
        counts = total.setdefault(each.table, [0.0] * 4)
        counts[0] += each.read_units
        counts[1] += each.write_units
    for event in report.throttles:
        if event.event in _EVENTS:
            total.setdefault(event.table, [0.0] * 4)[_EVENTS[event.event]] += event.count
    return total
