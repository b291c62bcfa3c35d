"""Statistics of sets of values, by their names. Pure.

Source: CloudWatch User Guide, "CloudWatch statistics definitions".
"""

import re
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Final, TypeAlias

from hashrange.observe.statistic_sets import StatisticSet, Weighted

Statistic: TypeAlias = Callable[[StatisticSet], float | None]
"""None if the values that it needs are not known."""
_Compute: TypeAlias = Callable[[Sequence[Weighted]], float]
_Bounds: TypeAlias = tuple[float, float]

SIMPLE: Final[dict[str, Statistic]] = {
    "SampleCount": attrgetter("count"),
    "Average": attrgetter("average"),
    "Sum": attrgetter("sum"),
    "Minimum": attrgetter("minimum"),
    "Maximum": attrgetter("maximum"),
}
"""Statistics that need no single values."""
_PERCENTS: Final = 100.0
_MIDDLE: Final = (25.0, 75.0)
_NUMBER: Final = r"(?:100|[0-9]{1,2})(?:\.[0-9]{1,10})?"
_is_short: Final = re.compile(rf"(p|tm|wm|tc|ts)({_NUMBER})", re.IGNORECASE).fullmatch
_is_percents: Final = re.compile(
    rf"(tm|wm|tc|ts)\((?:({_NUMBER})%)?:(?:({_NUMBER})%)?\)", re.IGNORECASE
).fullmatch
_BOUND: Final = r"-?[0-9]{1,20}(?:\.[0-9]{1,10})?"
_is_values: Final = re.compile(
    rf"(tm|wm|tc|ts|pr)\(({_BOUND})?:({_BOUND})?\)", re.IGNORECASE
).fullmatch


def statistic_of(name: str) -> Statistic | None:
    """The statistic of a name; None if there is none."""
    if name.lower() == "iqm":
        return _trimmed("tm", _MIDDLE)
    return SIMPLE.get(name) or _of_percent(name) or _of_percents(name) or _of_values(name)


def _of_percent(name: str) -> Statistic | None:
    match = _is_short(name)
    if match is None or float(match[2]) > _PERCENTS:
        return None
    kind, percent = match[1].lower(), float(match[2])
    if kind == "p":
        return _of_known(lambda found: percentile(found, percent))
    return _trimmed(kind, (0.0, percent))


def _of_percents(name: str) -> Statistic | None:
    match = _is_percents(name)
    if match is None:
        return None
    low, high = float(match[2] or 0), float(match[3] or _PERCENTS)
    return _trimmed(match[1].lower(), (low, high)) if low < high <= _PERCENTS else None


def _of_values(name: str) -> Statistic | None:
    match = _is_values(name)
    if match is None or not (match[2] or match[3]):
        return None
    bounds = float(match[2] or "-inf"), float(match[3] or "inf")
    return _within(match[1].lower(), bounds) if bounds[0] < bounds[1] else None


def percentile(values: Sequence[Weighted], percent: float) -> float:
    """The least value below or at which so many percent of the values are."""
    rank = sum(count for _, count in values) * percent / _PERCENTS
    seen = 0.0
    for value, count in values:
        seen += count
        if seen >= rank:
            return value
    return values[-1][0]


def _of_known(compute: _Compute) -> Statistic:
    def statistic(found: StatisticSet) -> float | None:
        known = found.known
        return compute(known) if known and found.count else None

    return statistic


def _trimmed(kind: str, percents: _Bounds) -> Statistic:
    """Trimmed mean, count and sum, and winsorized mean, between two percentiles."""
    if kind == "wm":
        return _of_known(lambda found: _winsorized(found, percents))
    return _of_known(lambda found: _TRIMMED[kind](_between(found, percents)))


def _within(kind: str, bounds: _Bounds) -> Statistic:
    """The same between two values, of which the first is not included; and the percentile rank."""
    low, high = bounds

    def inside(found: Sequence[Weighted]) -> list[Weighted]:
        return [pair for pair in found if low < pair[0] <= high]

    if kind == "wm":
        return _of_known(
            lambda found: _mean([(min(max(each, low), high), count) for each, count in found])
        )
    if kind == "pr":
        return _of_known(lambda found: _PERCENTS * _count(inside(found)) / _count(found))
    return _of_known(lambda found: _TRIMMED[kind](inside(found)))


def _between(found: Sequence[Weighted], percents: _Bounds) -> list[Weighted]:
    """The values between two percentiles; one at a bound counts with a part of its count."""
    total = _count(found)
    low, high = (total * each / _PERCENTS for each in percents)
    kept: list[Weighted] = []
    seen = 0.0
    for value, count in found:
        part = min(seen + count, high) - max(seen, low)
        seen += count
        if part > 0:
            kept.append((value, part))
    return kept


def _winsorized(found: Sequence[Weighted], percents: _Bounds) -> float:
    low, high = (percentile(found, each) for each in percents)
    return _mean([(min(max(value, low), high), count) for value, count in found])


def _count(found: Sequence[Weighted]) -> float:
    return sum(count for _, count in found)


def _sum(found: Sequence[Weighted]) -> float:
    return sum(value * count for value, count in found)


def _mean(found: Sequence[Weighted]) -> float:
    count = _count(found)
    return _sum(found) / count if count else 0.0


_TRIMMED: Final[dict[str, _Compute]] = {"tm": _mean, "tc": _count, "ts": _sum}
