"""Checks of alarms that are put. Raise ApiError."""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from hashrange.api.aws_services.cloudwatch.data import check_queries
from hashrange.api.aws_services.cloudwatch.expressions import (
    Call,
    ExpressionError,
    nodes_of,
    parsed,
)
from hashrange.api.aws_services.cloudwatch.requests import (
    MINUTE,
    check_text,
    dimensions_of,
    tags_of,
)
from hashrange.api.aws_services.cloudwatch.service import contradictory, invalid, missing, refusal
from hashrange.api.aws_services.cloudwatch.statistics import SIMPLE, statistic_of
from hashrange.limits.cloudwatch import (
    ALARM_DAY_SECONDS,
    ALARM_METRICS_MAX,
    ALARM_PERIODS,
    ALARM_WEEK_SECONDS,
)
from hashrange.messages import cloudwatch as messages
from hashrange.model.structures.cloudwatch import (
    MetricDataQuery,
    PutCompositeAlarm,
    PutMetricAlarm,
)
from hashrange.tables.alarms.documents import period_of

MISSING_DATA: Final = ("breaching", "notBreaching", "ignore", "missing")
IGNORE: Final = "ignore"
LOW_COUNTS: Final = ("evaluate", IGNORE)
_BAND: Final = "ANOMALY_DETECTION_BAND"
_HOUR: Final = 3600
_ARN_PARTS: Final = 6
_OF_BANDS: Final = frozenset(
    (
        "LessThanLowerOrGreaterThanUpperThreshold",
        "LessThanLowerThreshold",
        "GreaterThanUpperThreshold",
    )
)
_UNBUILT: Final = {
    "threshold_metric_id": "ThresholdMetricId: anomaly detection",
    "evaluation_criteria": "EvaluationCriteria: PromQL",
    "evaluation_interval": "EvaluationInterval: PromQL",
    "warm_up_configuration": "WarmUpConfiguration",
    "action_configuration": "ActionConfiguration",
}
_OF_ONE_METRIC: Final = {
    "namespace": "Namespace",
    "dimensions": "Dimensions",
    "period": "Period",
    "unit": "Unit",
    "statistic": "Statistic",
    "extended_statistic": "ExtendedStatistic",
}


def check_metric_alarm(put: PutMetricAlarm) -> None:
    """Check an alarm on a metric, or on metric math."""
    check_named(put)
    for member, name in _UNBUILT.items():
        if getattr(put, member) is not None:
            raise invalid(messages.unsupported(name=name))
    if put.evaluation_window is not None and put.evaluation_window.wall_clock_window is not None:
        raise invalid(messages.unsupported(name="EvaluationWindow.WallClockWindow"))
    if put.comparison_operator in _OF_BANDS:
        name = f"ComparisonOperator {put.comparison_operator}: anomaly detection"
        raise invalid(messages.unsupported(name=name))
    if (put.metric_name is None) == (put.metrics is None):
        raise contradictory(messages.not_both(first="MetricName", second="Metrics"))
    _check_threshold(put)
    if put.metrics is None:
        _check_metric(put)
    else:
        _check_math(put, put.metrics)
    _check_length(put)


def check_named(put: PutMetricAlarm | PutCompositeAlarm) -> None:
    """Check the name, the actions and the tags of an alarm."""
    check_text("AlarmName", str(put.alarm_name))
    actions = (put.ok_actions, put.alarm_actions, put.insufficient_data_actions)
    for arn in (each for found in actions for each in found or ()):
        if not arn.startswith("arn:") or arn.count(":") < _ARN_PARTS - 1 or not arn.isprintable():
            raise invalid(messages.arn_invalid(arn=arn))
    tags_of(put.tags)


def _check_threshold(put: PutMetricAlarm) -> None:
    required = {
        "EvaluationPeriods": put.evaluation_periods,
        "ComparisonOperator": put.comparison_operator,
        "Threshold": put.threshold,
    }
    for name, value in required.items():
        if value is None:
            raise missing(messages.parameter_missing(name=name))
    if put.threshold is not None and not math.isfinite(put.threshold):
        raise invalid(messages.not_a_value(value=put.threshold, name="Threshold"))
    if (put.datapoints_to_alarm or 1) > (put.evaluation_periods or 1):
        raise invalid(messages.datapoints_to_alarm())
    _check_option("TreatMissingData", put.treat_missing_data, MISSING_DATA)
    low = put.evaluate_low_sample_count_percentile
    _check_option("EvaluateLowSampleCountPercentile", low, LOW_COUNTS)


def _check_option(name: str, value: str | None, options: Iterable[str]) -> None:
    if value is not None and value not in options:
        raise invalid(messages.option(value=value, name=name, options=", ".join(options)))


def _check_metric(put: PutMetricAlarm) -> None:
    for member in ("namespace", "period"):
        if getattr(put, member) is None:
            raise missing(messages.parameter_missing(name=_OF_ONE_METRIC[member]))
    if (put.statistic is None) == (put.extended_statistic is None):
        raise contradictory(messages.not_both(first="Statistic", second="ExtendedStatistic"))
    check_text("Namespace", put.namespace or "")
    check_text("MetricName", put.metric_name or "")
    dimensions_of(put.dimensions)
    extended = put.extended_statistic
    if extended is not None and (extended in SIMPLE or statistic_of(extended) is None):
        raise invalid(messages.statistic(name="ExtendedStatistic", value=extended))
    _check_period(put.period)


def _check_period(period: int | None) -> None:
    if period is not None and period % MINUTE and period not in ALARM_PERIODS:
        raise invalid(messages.alarm_period())


def _check_math(put: PutMetricAlarm, queries: Sequence[MetricDataQuery]) -> None:
    for member, name in _OF_ONE_METRIC.items():
        if getattr(put, member) is not None:
            raise contradictory(messages.beside_metrics(name=name))
    metrics = [each.metric_stat for each in queries if each.metric_stat is not None]
    if len(metrics) > ALARM_METRICS_MAX:
        raise invalid(messages.too_many(name="Metrics", most=ALARM_METRICS_MAX))
    if sum(each.return_data is not False for each in queries) != 1 or not metrics:
        raise invalid(messages.one_returned())
    for period in {each.period for each in metrics}:
        _check_period(period)
    if len({each.period for each in metrics}) > 1:
        raise invalid(messages.one_period())
    check_queries(queries)
    for each in queries:
        if each.expression is not None:
            _check_expression(str(each.id), each.expression)


def _check_expression(name: str, expression: str) -> None:
    try:
        nodes = list(nodes_of(parsed(expression)))
    except ExpressionError as error:
        raise invalid(messages.expression(id=name, reason=str(error))) from None
    calls = {each.name for each in nodes if isinstance(each, Call)}
    if "SEARCH" in calls:
        raise invalid(messages.searches())
    if _BAND in calls:
        raise invalid(messages.unsupported(name=f"{_BAND}: anomaly detection"))


def _check_length(put: PutMetricAlarm) -> None:
    period = period_of(put)
    text, most = "a day", ALARM_DAY_SECONDS
    if period >= _HOUR:
        text, most = "seven days", ALARM_WEEK_SECONDS
    if period * (put.evaluation_periods or 1) > most:
        raise invalid(messages.alarm_too_long(text=text, most=most))


def full() -> Exception:
    """The refusal of an alarm more than there may be."""
    return refusal("LimitExceededFault", messages.alarms_full())
