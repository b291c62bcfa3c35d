"""The state of a metric alarm, by the values of its last periods. Pure.

Source: CloudWatch User Guide, "Evaluating an alarm", "Configuring how CloudWatch alarms treat
missing data"; reasons of the service that users have published.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from hashrange.model.structures.cloudwatch import PutMetricAlarm
from hashrange.observe.figure_points import DYNAMODB
from hashrange.tables.alarms.documents import VERSION, period_of
from hashrange.tables.alarms.notifications import iso, text_of
from hashrange.tables.alarms.rows import ALARM, INSUFFICIENT_DATA, OK, Judgement

MORE_PERIODS: Final = 2
"""Periods that are read beyond those of the alarm, for values in place of missing ones."""
_MISSING: Final = "missing"
_IGNORE: Final = "ignore"
_BREACHING: Final = "breaching"
_NOT_BREACHING: Final = "notBreaching"
_TREATED: Final = {_BREACHING: "Breaching", _NOT_BREACHING: "NonBreaching"}
_LOW_COUNT: Final = 10
_HALF: Final = 0.5
_PERCENTS: Final = 100
_SHOWN_MAX: Final = 5
"""Values in a reason, whose length is bounded."""
_EVALUATED_MAX: Final = 25
"""Values in the data of a reason, likewise."""

Compare = Callable[[float, float], bool]
_COMPARE: Final[Mapping[str, tuple[Compare, str]]] = {
    "GreaterThanOrEqualToThreshold": (operator.ge, "greater than or equal to"),
    "GreaterThanThreshold": (operator.gt, "greater than"),
    "LessThanThreshold": (operator.lt, "less than"),
    "LessThanOrEqualToThreshold": (operator.le, "less than or equal to"),
}


class Value(msgspec.Struct, frozen=True):
    """The value of a period, which began at a time in seconds, and how many samples it has."""

    at: int
    value: float
    count: float | None = None


class Evaluated(msgspec.Struct, frozen=True, kw_only=True):
    """The values on which an alarm is evaluated.

    Attributes:
        end: of the last period, in seconds.
        values: of periods that have one, by their beginning.
        now_ms: the time.
    """

    end: int
    values: Mapping[int, Value]
    now_ms: int


def periods_of(put: PutMetricAlarm) -> int:
    """How many periods are read."""
    return (put.evaluation_periods or 1) + MORE_PERIODS


def treatment_of(put: PutMetricAlarm) -> str:
    """The treatment of missing values; those of tables are always ignored, as on AWS."""
    on = [each.metric_stat for each in put.metrics or () if each.metric_stat is not None]
    namespaces = {put.namespace, *(each.metric.namespace for each in on if each.metric)}
    return _IGNORE if DYNAMODB in namespaces else put.treat_missing_data or _MISSING


def judgement_on(put: PutMetricAlarm, found: Evaluated, current: str) -> Judgement | None:
    """The state of an alarm; None if it stays in its current one."""
    periods, count = put.evaluation_periods or 1, put.datapoints_to_alarm
    needed, threshold, period = count or periods, put.threshold or 0.0, period_of(put)
    compare, words = _COMPARE[str(put.comparison_operator)]
    starts = [found.end - period * age for age in range(1, periods_of(put) + 1)]
    real = [found.values[at] for at in starts if at in found.values]
    used = real[:periods]
    missing = periods - len(used)
    breaching = [each for each in used if compare(each.value, threshold)]
    rest = [each for each in used if each not in breaching]
    if used and _is_low_count(put, used[0]):
        return None
    treatment = treatment_of(put)
    state = _state(len(breaching), len(used), missing, needed=needed, treatment=treatment)
    if state is None and treatment == _MISSING and breaching:
        # The oldest value is too old for the next ones to be others: it is no false alarm.
        age = starts.index(breaching[-1].at) + 1
        state = ALARM if age >= needed else None
    if state is None or state == current:
        return None
    treated = f" and {_counted(missing, 'missing datapoint')} treated as [{{}}]"
    ending = treated.format(_TREATED[treatment]) if missing and treatment in _TREATED else ""
    reason = _reason(put, state, used, words=words, ending=ending)
    if put.datapoints_to_alarm is not None and state != INSUFFICIENT_DATA and used:
        reason = _reason_of_several(
            put, state, breaching if state == ALARM else rest or used, words=words, current=current
        )
    return Judgement(state, reason, text_of(_data(put, used, found.now_ms)))


def _state(breaching: int, used: int, missing: int, *, needed: int, treatment: str) -> str | None:
    """The state, if the values decide it."""
    if breaching >= needed:
        return ALARM
    if treatment == _BREACHING:
        return ALARM if breaching + missing >= needed else OK
    if treatment == _NOT_BREACHING or not missing or used > breaching:
        return OK
    return INSUFFICIENT_DATA if treatment == _MISSING and not used else None


def _is_low_count(put: PutMetricAlarm, value: Value) -> bool:
    """Whether a percentile is of too few samples to be judged, if the alarm cares."""
    statistic = put.extended_statistic or ""
    if put.evaluate_low_sample_count_percentile != _IGNORE or value.count is None:
        return False
    if not statistic.startswith("p") or not statistic[1:].replace(".", "", 1).isdigit():
        return False
    share = float(statistic[1:]) / _PERCENTS
    tail = 1 - share if share >= _HALF else share
    return value.count * tail < _LOW_COUNT


def _counted(count: int, what: str) -> str:
    return f"{count} {what} was" if count == 1 else f"{count} {what}s were"


def _shown(values: Sequence[Value]) -> str:
    texts = [f"{each.value!r} ({_short(each.at)})" for each in values[:_SHOWN_MAX]]
    return f"[{', '.join(texts)}{', ...' if len(values) > _SHOWN_MAX else ''}]"


def _short(at: int) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%d/%m/%y %H:%M:%S}"


def _reason(
    put: PutMetricAlarm, state: str, used: Sequence[Value], *, words: str, ending: str
) -> str:
    periods = put.evaluation_periods or 1
    if state == INSUFFICIENT_DATA:
        return f"Insufficient Data: {_counted(periods, 'datapoint')} unknown."
    if not used:
        several = "period" if periods == 1 else "periods"
        return f"Threshold Crossed: no datapoints were received for {periods} {several}{ending}."
    count = f"{len(used)} datapoint{'' if len(used) == 1 else 's'}"
    verb = "was" if len(used) == 1 else "were"
    negation = "" if state == ALARM else " not"
    return (
        f"Threshold Crossed: {count} {_shown(used)} {verb}{negation} {words} the threshold "
        f"({put.threshold!r}){ending}."
    )


def _reason_of_several(
    put: PutMetricAlarm, state: str, shown: Sequence[Value], *, words: str, current: str
) -> str:
    """The reason of an alarm that has DatapointsToAlarm."""
    periods, needed = put.evaluation_periods or 1, put.datapoints_to_alarm or 1
    least = needed if state == ALARM else periods - needed + 1
    verb, negation = "was" if len(shown) == 1 else "were", "" if state == ALARM else " not"
    datapoints = "datapoint" if least == 1 else "datapoints"
    return (
        f"Threshold Crossed: {len(shown)} out of the last {periods} datapoints {_shown(shown)} "
        f"{verb}{negation} {words} the threshold ({put.threshold!r}) (minimum {least} "
        f"{datapoints} for {current} -> {state} transition)."
    )


def _data(put: PutMetricAlarm, used: Sequence[Value], now_ms: int) -> dict[str, object]:
    found: dict[str, object] = {"version": VERSION, "queryDate": iso(now_ms)}
    if used:
        found["startDate"] = iso(used[-1].at * 1000)
    statistic = put.statistic or put.extended_statistic
    if statistic is not None:
        found["statistic"] = statistic
    if put.unit is not None:
        found["unit"] = put.unit
    evaluated = [
        {
            "timestamp": iso(each.at * 1000),
            **({} if each.count is None else {"sampleCount": each.count}),
            "value": each.value,
        }
        for each in used[:_EVALUATED_MAX]
    ]
    oldest_first = [each.value for each in reversed(used[:_EVALUATED_MAX])]
    return {
        **found,
        "period": period_of(put),
        "recentDatapoints": oldest_first,
        "threshold": put.threshold,
        **({"evaluatedDatapoints": evaluated} if evaluated else {}),
    }
