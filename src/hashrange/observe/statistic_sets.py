"""Statistic sets: count, sum, minimum, maximum, and the values for percentiles. Pure.

Values are kept exactly while a set has few of them; then those that are close to each other share
one, so that the bytes of a set are bounded. A set whose values are not known has no percentiles, as
on CloudWatch: it was sent as a statistic set.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import msgspec

VALUES_MAX: Final = 32
"""Different values that a set keeps."""
_GROWTH: Final = 1.02
"""The ratio of neighbours when values are first brought together; it is squared until they fit."""

Weighted: TypeAlias = tuple[float, float]
"""A value, and how often it occurred."""


class StatisticSet(msgspec.Struct, frozen=True, array_like=True):
    """A set of values.

    Attributes:
        values: in ascending order; empty if they are not known, or all are the minimum.
    """

    count: float
    sum: float
    minimum: float
    maximum: float
    values: tuple[Weighted, ...] = ()

    @property
    def known(self) -> Sequence[Weighted]:
        """The values in ascending order; empty if they are not known."""
        if not self.values and self.minimum == self.maximum:
            return ((self.minimum, self.count),)
        return self.values

    @property
    def average(self) -> float:
        """The sum divided by the count; 0 for a count of 0."""
        return self.sum / self.count if self.count else 0.0


def of_equal(value: float, count: int = 1) -> StatisticSet:
    """The set of one value that occurred several times."""
    value = _whole(value)
    return StatisticSet(count, _whole(value * count), value, value)


def of_counted(values: Sequence[Weighted], total: float) -> StatisticSet:
    """The set of several different values, at most `VALUES_MAX`, in ascending order.

    Args:
        values: with whole counts.
        total: their sum, which the values need not have exactly.
    """
    count = sum([each for _, each in values])
    return StatisticSet(count, total, values[0][0], values[-1][0], tuple(values))


def of_values(values: Iterable[Weighted]) -> StatisticSet:
    """The set of some values, of which there is at least one."""
    found = [(_whole(value), _whole(count)) for value, count in values]
    minimum, maximum = min(found)[0], max(found)[0]
    return StatisticSet(
        count=_whole(math.fsum(count for _, count in found)),
        sum=_whole(math.fsum(value * count for value, count in found)),
        minimum=minimum,
        maximum=maximum,
        values=() if minimum == maximum else _bounded(found),
    )


def of_statistics(count: float, total: float, minimum: float, maximum: float) -> StatisticSet:
    """The set of statistics; its values are not known unless all are the same."""
    return StatisticSet(_whole(count), _whole(total), _whole(minimum), _whole(maximum))


def merged(sets: Sequence[StatisticSet]) -> StatisticSet:
    """The set of the values of several, of which there is at least one."""
    if len(sets) == 1:
        return sets[0]
    known = [each.known for each in sets]
    minimum = min(each.minimum for each in sets)
    maximum = max(each.maximum for each in sets)
    values: tuple[Weighted, ...] = ()
    if minimum != maximum and all(known):
        values = _bounded([pair for each in known for pair in each])
    return StatisticSet(
        count=_whole(math.fsum(each.count for each in sets)),
        sum=_whole(math.fsum(each.sum for each in sets)),
        minimum=minimum,
        maximum=maximum,
        values=values,
    )


def _bounded(values: Iterable[Weighted]) -> tuple[Weighted, ...]:
    """Values in ascending order, each once; those that are close share one if there are many."""
    counts: dict[float, float] = {}
    for value, count in values:
        counts[value] = counts.get(value, 0) + count
    growth = _GROWTH
    while len(counts) > VALUES_MAX:
        counts = _coarser(counts, growth)
        growth *= growth
    return tuple(sorted((value, _whole(count)) for value, count in counts.items()))


def _coarser(counts: dict[float, float], growth: float) -> dict[float, float]:
    """Values of which those within a ratio are one: their mean."""
    logarithm = math.log(growth)
    groups: dict[tuple[int, int], list[Weighted]] = {}
    for value, count in counts.items():
        size = 0 if value == 0 else round(math.log(abs(value)) / logarithm)
        groups.setdefault(((value > 0) - (value < 0), size), []).append((value, count))
    found: dict[float, float] = {}
    for group in groups.values():
        weight = math.fsum(count for _, count in group)
        mean = math.fsum(value * (count / weight) for value, count in group) if weight else 0.0
        value = _whole(mean)
        found[value] = found.get(value, 0) + weight
    return found


def _whole(number: float) -> float:
    """A number without a fraction as an integer, which takes fewer bytes in a row."""
    whole = int(number)
    return whole if whole == number and abs(whole) < 2**53 else number
