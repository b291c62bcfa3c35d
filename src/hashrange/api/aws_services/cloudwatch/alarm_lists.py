"""DescribeAlarms and DescribeAlarmsForMetric."""

import base64
import binascii
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from hashrange.api.aws_services.cloudwatch.alarms import children_of
from hashrange.api.aws_services.cloudwatch.requests import CloudWatchContext, dimensions_of
from hashrange.api.aws_services.cloudwatch.service import contradictory, refusal
from hashrange.limits.cloudwatch import ALARMS_PAGE
from hashrange.messages import cloudwatch as messages
from hashrange.model.structures.cloudwatch import (
    CompositeAlarm,
    DescribeAlarms,
    DescribeAlarmsAnswer,
    DescribeAlarmsForMetric,
    DescribeAlarmsForMetricAnswer,
    MetricAlarm,
)
from hashrange.tables.alarms.documents import composite_alarm, metric_alarm
from hashrange.tables.alarms.rows import METRIC_ALARM, StoredAlarm
from hashrange.wire.model_constraints.cloudwatch import (
    DESCRIBE_ALARMS_FOR_METRIC_ROWS,
    DESCRIBE_ALARMS_ROWS,
)
from hashrange.wire.service import ServiceOperation, by_name

_ONLY_METRIC: Final = (METRIC_ALARM,)
_RELATIVES: Final = {
    "children_of_alarm_name": "ChildrenOfAlarmName",
    "parents_of_alarm_name": "ParentsOfAlarmName",
}
_BESIDE_RELATIVES: Final = (
    "alarm_names",
    "alarm_name_prefix",
    "alarm_types",
    "state_value",
    "action_prefix",
)
_OF_METRIC: Final = ("statistic", "extended_statistic", "period", "unit")


async def describe(request: DescribeAlarms, context: CloudWatchContext) -> DescribeAlarmsAnswer:
    """A page of alarms in the order of their names."""
    _check(request)
    after = _name_of(request.next_token)
    found: list[StoredAlarm] = []
    most, token = request.max_records or ALARMS_PAGE, None
    async for each in _asked(request, context):
        if after is not None and each.name <= after:
            continue
        if len(found) == most:
            token = _token_of(found[-1].name)
            break
        found.append(each)
    shown = _shown(request)
    answers = [shown(each) for each in found]
    return DescribeAlarmsAnswer(
        composite_alarms=[each for each in answers if isinstance(each, CompositeAlarm)],
        metric_alarms=[each for each in answers if isinstance(each, MetricAlarm)],
        next_token=token,
    )


def _check(request: DescribeAlarms) -> None:
    if request.alarm_names is not None and request.alarm_name_prefix is not None:
        raise contradictory(messages.names_and_prefix())
    others = [getattr(request, member) is not None for member in _BESIDE_RELATIVES]
    given = [name for member, name in _RELATIVES.items() if getattr(request, member) is not None]
    if given and (any(others) or len(given) > 1):
        raise contradictory(messages.children_alone(name=given[0]))


async def _asked(request: DescribeAlarms, context: CloudWatchContext) -> AsyncIterator[StoredAlarm]:
    """The alarms that a request asks for, in the order of their names."""
    child, parent = request.parents_of_alarm_name, request.children_of_alarm_name
    if child is not None:
        async for each in context.alarms.all(context.scope):
            if each.composite is not None and child in children_of(each.composite):
                yield each
    elif parent is not None:
        for each in await _named(context, [parent]):
            names = () if each.composite is None else children_of(each.composite)
            for alarm in await _named(context, names):
                yield alarm
    else:
        async for each in _of_names(request, context):
            if _is_asked(each, request):
                yield each


async def _of_names(
    request: DescribeAlarms, context: CloudWatchContext
) -> AsyncIterator[StoredAlarm]:
    if request.alarm_names is None:
        async for each in context.alarms.all(context.scope, request.alarm_name_prefix or ""):
            yield each
        return
    for each in await _named(context, request.alarm_names):
        yield each


async def _named(context: CloudWatchContext, names: Sequence[str]) -> list[StoredAlarm]:
    if not names:
        return []
    found = await context.alarms.get(context.scope, sorted(set(names)))
    return [*found.values()]


def _is_asked(alarm: StoredAlarm, request: DescribeAlarms) -> bool:
    prefix = request.action_prefix
    return (
        alarm.kind in (request.alarm_types or _ONLY_METRIC)
        and request.state_value in {None, alarm.state.value}
        and (prefix is None or any(each.startswith(prefix) for each in alarm.all_actions))
    )


def _shown(request: DescribeAlarms) -> Callable[[StoredAlarm], MetricAlarm | CompositeAlarm]:
    if request.children_of_alarm_name is not None:
        return _child
    if request.parents_of_alarm_name is not None:
        return lambda alarm: CompositeAlarm(alarm_name=alarm.name, alarm_arn=alarm.arn)
    return lambda alarm: metric_alarm(alarm) if alarm.composite is None else composite_alarm(alarm)


def _child(alarm: StoredAlarm) -> MetricAlarm | CompositeAlarm:
    kind = MetricAlarm if alarm.composite is None else CompositeAlarm
    return kind(
        alarm_name=alarm.name,
        alarm_arn=alarm.arn,
        state_value=alarm.state.value,
        state_updated_timestamp=alarm.state.updated_ms / 1000,
    )


def _token_of(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode()


def _name_of(token: str | None) -> str | None:
    """The last name of the page before. Raises InvalidNextToken."""
    if token is None:
        return None
    try:
        return base64.b64decode(token, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        raise refusal("InvalidNextToken", messages.next_token()) from None


async def describe_for_metric(
    request: DescribeAlarmsForMetric, context: CloudWatchContext
) -> DescribeAlarmsForMetricAnswer:
    """The alarms on a metric with these dimensions, without those on metric math."""
    dimensions = dimensions_of(request.dimensions)
    found = []
    async for each in context.alarms.all(context.scope):
        put = each.metric
        if (
            put is not None
            and (put.namespace, put.metric_name) == (request.namespace, request.metric_name)
            and dimensions_of(put.dimensions) == dimensions
            and all(
                getattr(request, member) in {None, getattr(put, member)} for member in _OF_METRIC
            )
        ):
            found.append(metric_alarm(each))
    return DescribeAlarmsForMetricAnswer(found)


OPERATIONS: Final = by_name(
    ServiceOperation(request=DescribeAlarms, run=describe, constraints=DESCRIBE_ALARMS_ROWS),
    ServiceOperation(
        request=DescribeAlarmsForMetric,
        run=describe_for_metric,
        constraints=DESCRIBE_ALARMS_FOR_METRIC_ROWS,
    ),
)
