"""Computes trees of metric math. Pure, but for what the environment reads."""

import itertools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.api.aws_services.cloudwatch.expressions import (
    Call,
    Chain,
    ExpressionError,
    Name,
    Negative,
    Node,
    Number,
    Quoted,
    Several,
    nodes_of,
)
from hashrange.messages import cloudwatch as messages


class Series(msgspec.Struct, frozen=True):
    """A time series.

    Attributes:
        values: by times in seconds, ascending.
        properties: of its metric, for labels.
    """

    label: str
    period: int
    values: Mapping[int, float]
    properties: Mapping[str, str] = {}


Value: TypeAlias = float | str | Series | list[Series]
"""A number, a text, a time series, or several."""
_Operation: TypeAlias = Callable[[float, float], float]
_Partial: TypeAlias = Callable[[float, float], object]
"""An operation whose result may be no number."""
_Combine: TypeAlias = Callable[[Sequence[float]], float]


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """The names of expressions, and their bounds.

    Attributes:
        times: the beginnings of the periods of the request, by the length of a period.
        named: the value of an id. Raises ExpressionError.
        metrics: the series of all queries of metrics whose ids contain a text.
        searched: the series that SEARCH found, by its arguments.
        spend: counts values that are computed. Raises ExpressionError if they are too many.
    """

    times: Callable[[int], range]
    named: Callable[[str], Value]
    metrics: Callable[[str], list[Series]]
    searched: Mapping[tuple[str, str, int], list[Series]]
    spend: Callable[[int], None]


def computed(node: Node, environment: Environment) -> Value:
    """The value of a tree. Raises ExpressionError."""
    value = _computed(node, environment)
    environment.spend(_size(value))
    return value


def _size(value: Value) -> int:
    if isinstance(value, Series):
        return 1 + len(value.values)
    return sum(map(_size, value)) if isinstance(value, list) else 1


def _computed(node: Node, environment: Environment) -> Value:
    found: Value
    match node:
        case Number(value=found) | Quoted(text=found):
            pass
        case Name(text=text):
            found = environment.named(text)
        case Several(elements=elements):
            found = [one for each in elements for one in _several(computed(each, environment))]
        case Negative(operand=operand):
            found = _binary("-", 0.0, computed(operand, environment))
        case Chain(first=first, steps=steps):
            found = computed(first, environment)
            for name, operand in steps:
                found = _binary(name, found, computed(operand, environment))
                environment.spend(_size(found))
        case Call(name=name, arguments=arguments):
            found = _called(name, arguments, environment)
    return found


def _called(name: str, arguments: Sequence[Node], environment: Environment) -> Value:
    if name == "METRICS":
        (text,) = [computed(each, environment) for each in arguments[:1]] or [""]
        if not isinstance(text, str) or len(arguments) > 1:
            raise ExpressionError(messages.operand_types(name))
        return environment.metrics(text)
    if name == "SEARCH":
        return environment.searched[search_of(Call(name, arguments))]
    if name == "FILL":
        return _filled(arguments, environment)
    values = [computed(each, environment) for each in arguments]
    if name in _OF_VALUES:
        return _OF_VALUES[name](values)
    if name in _COMBINED:
        return _combined(name, values)
    if name in _OF_SERIES:
        return _each(name, values, _OF_SERIES[name])
    raise ExpressionError(messages.unknown_function(name))


def search_of(call: Call) -> tuple[str, str, int]:
    """The arguments of SEARCH: expression, statistic, period in seconds. Raises ExpressionError."""
    match call.arguments:
        case [Quoted(text=text), Quoted(text=statistic), Number(value=period)] if period >= 1:
            return text, statistic, int(period)
        case _:
            raise ExpressionError(messages.operand_types("SEARCH"))


def searches_of(node: Node) -> list[tuple[str, str, int]]:
    """The searches of an expression. Raises ExpressionError."""
    return [
        search_of(each)
        for each in nodes_of(node)
        if isinstance(each, Call) and each.name == "SEARCH"
    ]


def _several(value: Value) -> list[Series]:
    if isinstance(value, Series):
        return [value]
    if isinstance(value, list):
        return value
    raise ExpressionError(messages.operand_types("[]"))


def _guarded(operation: _Partial) -> _Operation:
    """A value that is not a number is left out, as the service leaves it out."""

    def guarded(left: float, right: float) -> float:
        try:
            found = operation(left, right)
        except (ArithmeticError, ValueError):
            return math.nan
        return found if isinstance(found, float) else math.nan  # not a complex number

    return guarded


_OPERATORS: Final[Mapping[str, _Operation]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _guarded(operator.truediv),
    "^": _guarded(operator.pow),
    "<": lambda left, right: float(left < right),
    ">": lambda left, right: float(left > right),
    "<=": lambda left, right: float(left <= right),
    ">=": lambda left, right: float(left >= right),
    "==": lambda left, right: float(left == right),
    "!=": lambda left, right: float(left != right),
    "AND": lambda left, right: float(bool(left and right)),
    "&&": lambda left, right: float(bool(left and right)),
    "OR": lambda left, right: float(bool(left or right)),
    "||": lambda left, right: float(bool(left or right)),
}


def _binary(name: str, left: Value, right: Value) -> Value:
    """An operator on numbers, series, and lists of which one is an operand at most."""
    operation = _OPERATORS[name]
    if isinstance(left, str) or isinstance(right, str):
        raise ExpressionError(messages.operand_types(name))
    if isinstance(left, list):
        if isinstance(right, list):
            raise ExpressionError(messages.operand_types(name))
        return [_joined(operation, each, right) for each in left]
    if isinstance(right, list):
        return [_joined(operation, left, each) for each in right]
    if isinstance(left, Series) or isinstance(right, Series):
        return _joined(operation, left, right)
    return operation(left, right)


def _joined(operation: _Operation, left: float | Series, right: float | Series) -> Series:
    """An operator on series, at the times at which all of them have values."""
    shape = left if isinstance(left, Series) else right
    assert isinstance(shape, Series), "one of them is"
    times = [*shape.values]
    if isinstance(left, Series) and isinstance(right, Series):
        times = [at for at in times if at in right.values]
    values = {at: operation(_at(left, at), _at(right, at)) for at in times}
    return _series(shape, values)


def _at(value: float | Series, at: int) -> float:
    return value.values[at] if isinstance(value, Series) else value


def _series(shape: Series, values: Mapping[int, float]) -> Series:
    kept = {at: value for at, value in values.items() if math.isfinite(value)}
    return msgspec.structs.replace(shape, values=kept)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


_COMBINED: Final[Mapping[str, _Combine]] = {
    "AVG": _mean,
    "MAX": max,
    "MIN": min,
    "SUM": math.fsum,
}
"""Functions that make a number of a series, and a series of several."""


def _combined(name: str, values: Sequence[Value]) -> Value:
    if len(values) != 1:
        raise ExpressionError(messages.operand_types(name))
    (value,), combine = values, _COMBINED[name]
    if isinstance(value, Series):
        return combine([*value.values.values()]) if value.values else math.nan
    if not isinstance(value, list):
        raise ExpressionError(messages.operand_types(name))
    found: dict[int, list[float]] = {}
    for each in value:
        for at, number in each.values.items():
            found.setdefault(at, []).append(number)
    period = max((each.period for each in value), default=1)
    shape = Series("", period, {})
    return _series(shape, {at: combine(found[at]) for at in sorted(found)})


def _rate(series: Series) -> Series:
    times = [*series.values]
    pairs = itertools.pairwise(times)
    found = {
        now: (series.values[now] - series.values[before]) / (now - before) for before, now in pairs
    }
    return _series(series, found)


def _difference(series: Series) -> Series:
    times = [*series.values]
    pairs = itertools.pairwise(times)
    return _series(
        series, {now: series.values[now] - series.values[before] for before, now in pairs}
    )


def _running_sum(series: Series) -> Series:
    total, found = 0.0, {}
    for at, value in series.values.items():
        total += value
        found[at] = total
    return _series(series, found)


def _by_value(compute: Callable[[float], float]) -> Callable[[Series], Series]:
    return lambda series: _series(
        series, {at: compute(value) for at, value in series.values.items()}
    )


_OF_SERIES: Final[Mapping[str, Callable[[Series], Series | float]]] = {
    "ABS": _by_value(abs),
    "CEIL": _by_value(lambda value: float(math.ceil(value))),
    "DIFF": _difference,
    "FLOOR": _by_value(lambda value: float(math.floor(value))),
    "PERIOD": lambda series: float(series.period),
    "RATE": _rate,
    "RUNNING_SUM": _running_sum,
}


def _each(name: str, values: Sequence[Value], compute: Callable[[Series], Series | float]) -> Value:
    """A function of one series, on it or on each of several."""
    if len(values) == 1:
        (value,) = values
        if isinstance(value, Series):
            return compute(value)
        if isinstance(value, list):
            found = [compute(each) for each in value]
            series = [each for each in found if isinstance(each, Series)]
            if len(series) == len(found):
                return series
    raise ExpressionError(messages.operand_types(name))


def _chosen(values: Sequence[Value]) -> Value:
    """IF: by a number or a series of conditions, where 0 is false."""
    if len(values) == 2:  # noqa: PLR2004 - the third is optional
        values = [*values, math.nan]
    singles = [each for each in values if isinstance(each, int | float | Series)]
    if len(values) != 3 or len(singles) != 3:  # noqa: PLR2004 - see above
        raise ExpressionError(messages.operand_types("IF"))
    condition, met, unmet = singles
    if not isinstance(condition, Series):
        return met if condition else unmet
    found: dict[int, float] = {}
    for at, value in condition.values.items():
        chosen = met if value else unmet
        if not isinstance(chosen, Series):
            found[at] = chosen
        elif at in chosen.values:
            found[at] = chosen.values[at]
    return _series(condition, found)


def _not_empty(values: Sequence[Value]) -> Value:
    """REMOVE_EMPTY: the series that have values."""
    if len(values) != 1:
        raise ExpressionError(messages.operand_types("REMOVE_EMPTY"))
    return [each for each in _several(values[0]) if each.values]


_OF_VALUES: Final[Mapping[str, Callable[[Sequence[Value]], Value]]] = {
    "IF": _chosen,
    "REMOVE_EMPTY": _not_empty,
}


def _filled(arguments: Sequence[Node], environment: Environment) -> Value:
    """FILL: values for the periods without a value."""
    if len(arguments) != 2:  # noqa: PLR2004 - both are required
        raise ExpressionError(messages.operand_types("FILL"))
    value = computed(arguments[0], environment)
    match arguments[1]:
        case Name(text=text) if text.upper() in _FILLINGS:
            filling: str | float | Series = text.upper()
        case other:
            found = computed(other, environment)
            if isinstance(found, list | str):
                raise ExpressionError(messages.operand_types("FILL"))
            filling = found
    several = value if isinstance(value, list) else [value]
    filled = list[Series]()
    for each in several:
        if not isinstance(each, Series):
            raise ExpressionError(messages.operand_types("FILL"))
        times = environment.times(each.period)
        environment.spend(len(times))
        filled.append(_fill(each, filling, times))
    return filled if isinstance(value, list) else filled[0]


_FILLINGS: Final = frozenset({"LINEAR", "REPEAT"})


def _fill(series: Series, filling: str | float | Series, times: range) -> Series:
    if filling == "LINEAR":
        return _interpolated(series, times)
    found: dict[int, float] = {}
    last: float | None = None
    for at in times:
        value = series.values.get(at)
        if value is None:
            value = _filler(filling, at, last)
        if value is not None:
            found[at] = last = value
    return _series(series, found)


def _filler(filling: str | float | Series, at: int, last: float | None) -> float | None:
    if isinstance(filling, Series):
        return filling.values.get(at)
    return last if isinstance(filling, str) else filling


def _interpolated(series: Series, times: range) -> Series:
    known = [*series.values]
    found: dict[int, float] = {}
    following = 0
    for at in times:
        while following < len(known) and known[following] < at:
            following += 1
        if at in series.values:
            found[at] = series.values[at]
        elif 0 < following < len(known):
            before, after = known[following - 1], known[following]
            share = (at - before) / (after - before)
            found[at] = series.values[before] * (1 - share) + series.values[after] * share
    return _series(series, found)
