"""Reads the values on which alarms are evaluated, and evaluates the rules of composite alarms."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from hashrange.api.aws_services.cloudwatch.alarm_rules import Rule, holds
from hashrange.api.aws_services.cloudwatch.alarm_states import Evaluated, Value, periods_of
from hashrange.api.aws_services.cloudwatch.data import Evaluation
from hashrange.api.aws_services.cloudwatch.reading import Range, Reader
from hashrange.api.aws_services.cloudwatch.requests import MINUTE, CloudWatchContext, named
from hashrange.api.aws_services.cloudwatch.statistics import statistic_of
from hashrange.model.structures.cloudwatch import PutMetricAlarm
from hashrange.tables.alarms.documents import period_of
from hashrange.tables.alarms.notifications import iso, text_of
from hashrange.tables.alarms.rows import ALARM, INSUFFICIENT_DATA, OK, Judgement, StoredAlarm

STEP_SECONDS: Final = 10
"""Between two evaluations of an alarm whose period is shorter than a minute."""
_CHILDREN_SHOWN_MAX: Final = 10


def step_of(put: PutMetricAlarm) -> int:
    """Seconds between two evaluations of an alarm."""
    return MINUTE if period_of(put) >= MINUTE else STEP_SECONDS


async def values_of(put: PutMetricAlarm, context: CloudWatchContext) -> Evaluated:
    """The values of the last periods of an alarm. Raises ApiError, StorageError."""
    step, period = step_of(put), period_of(put)
    end = context.now_seconds // step * step
    start = max(0, end - period * periods_of(put))
    if put.metrics is not None:
        found = await Evaluation(context, put.metrics, (start, end)).results()
        values = {at: Value(at, value) for _, each in found for at, value in each.values.items()}
    else:
        metric = named(context, put.namespace, put.metric_name, put.dimensions)
        statistic = statistic_of(put.statistic or put.extended_statistic or "")
        assert statistic is not None, "checked when it was put"
        periods = await Reader(context).values(metric, Range(start, end), period, put.unit)
        values = {
            at: Value(at, float(value), float(each.count))
            for at, each in periods.items()
            if (value := statistic(each)) is not None
        }
    return Evaluated(end=end, values=values, now_ms=context.now_ms)


def composite_judgement(
    alarm: StoredAlarm, rule: Rule, children: Mapping[str, StoredAlarm]
) -> Judgement | None:
    """The state of a composite alarm; None if it stays in its current one."""
    states = {name: each.state.value for name, each in children.items()}
    value = ALARM if holds(rule.node, states) else OK
    if value == alarm.state.value:
        return None
    known = [children[name] for name in rule.children if name in children]
    newest = max(known, key=lambda each: each.state.since_ms, default=None)
    if alarm.state.value == INSUFFICIENT_DATA or newest is None:
        reason = f"{alarm.arn} was created and its alarm rule evaluates to {value}"
    elif newest.state.since_ms < alarm.configured_ms:
        reason = f"{alarm.arn} was updated and its alarm rule evaluates to {value}"
    else:
        at = datetime.fromtimestamp(newest.state.since_ms // 1000, UTC)
        when = f"{at:%A %d %B, %Y %H:%M:%S} UTC"
        reason, known = f"{newest.arn} transitioned to {newest.state.value} at {when}", [newest]
    data = {"triggeringAlarms": [_triggering(each) for each in known[:_CHILDREN_SHOWN_MAX]]}
    return Judgement(value, reason, text_of(data))


def _triggering(alarm: StoredAlarm) -> dict[str, object]:
    state = alarm.state
    return {"arn": alarm.arn, "state": {"value": state.value, "timestamp": iso(state.since_ms)}}
