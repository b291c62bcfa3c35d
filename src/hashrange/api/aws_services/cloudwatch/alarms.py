"""Changes of alarms: PutMetricAlarm, DeleteAlarms, SetAlarmState, and their actions on and off."""

import logging
from collections.abc import Collection, Sequence
from typing import Any, Final

import msgspec

from hashrange.api.aws_services.cloudwatch.alarm_checks import check_metric_alarm, full
from hashrange.api.aws_services.cloudwatch.alarm_rules import name_in, rule_of
from hashrange.api.aws_services.cloudwatch.data import Evaluation
from hashrange.api.aws_services.cloudwatch.requests import CloudWatchContext, check_text, tags_of
from hashrange.api.aws_services.cloudwatch.service import invalid, refusal
from hashrange.limits.cloudwatch import ALARMS_MAX
from hashrange.messages import cloudwatch as messages
from hashrange.model.structures.cloudwatch import (
    DeleteAlarms,
    DisableAlarmActions,
    EnableAlarmActions,
    PutCompositeAlarm,
    PutMetricAlarm,
    SetAlarmState,
)
from hashrange.tables.alarms.documents import period_of
from hashrange.tables.alarms.rows import Change, Judgement, StoredAlarm
from hashrange.tables.alarms.transitions import created, deleted, initial_state, moved, updated
from hashrange.wire.model_constraints.cloudwatch import (
    DELETE_ALARMS_ROWS,
    DISABLE_ALARM_ACTIONS_ROWS,
    ENABLE_ALARM_ACTIONS_ROWS,
    PUT_METRIC_ALARM_ROWS,
    SET_ALARM_STATE_ROWS,
)
from hashrange.wire.service import ServiceOperation, by_name

_SCALING_POLICY: Final = ":scalingPolicy:"

_log: Final = logging.getLogger(__name__)


async def put(request: PutMetricAlarm, context: CloudWatchContext) -> None:
    """Make an alarm on a metric or on metric math, or configure one anew."""
    check_metric_alarm(request)
    if request.metrics is not None:
        # Once, so that an expression that cannot be computed is refused here.
        now, period = context.now_seconds, period_of(request)
        found = await Evaluation(context, request.metrics, (now - period, now)).results()
        if len(found) != 1:
            raise invalid(messages.one_returned())
    await keep(context, request)


async def keep(context: CloudWatchContext, put: PutMetricAlarm | PutCompositeAlarm) -> None:
    """Store what was put; the state of an alarm that is there stays."""
    name = str(put.alarm_name)
    tags, stored = tags_of(put.tags), msgspec.structs.replace(put, tags=None)
    is_metric = isinstance(stored, PutMetricAlarm)
    configured: dict[str, Any] = {
        "metric" if is_metric else "composite": stored,
        "configured_ms": context.now_ms,
    }
    await _check_room(context, name)

    def decide(before: StoredAlarm | None) -> Change:
        if before is None:
            new = StoredAlarm(
                scope=context.scope,
                account=context.account,
                region=context.region,
                name=name,
                state=initial_state(context.now_ms),
                tags=tags,
                **configured,
            )
            return created(new, context.now_ms)
        if (before.composite is None) != is_metric:
            raise invalid(messages.other_type(name=name))
        return updated(msgspec.structs.replace(before, **configured), context.now_ms)

    alarm = await context.alarms.change(context.scope, name, decide)
    assert alarm is not None, "it was put"
    for action in dict.fromkeys(alarm.all_actions):
        if action not in context.webhooks and _SCALING_POLICY not in action:
            _log.warning(
                "alarm %s: the action %s will fail: no --alarm-webhook has its ARN", name, action
            )


async def _check_room(context: CloudWatchContext, name: str) -> None:
    if await context.alarms.get(context.scope, [name]):
        return
    count = 0
    async for _ in context.alarms.all(context.scope):
        count += 1
    if count >= ALARMS_MAX:
        raise full()


async def delete(request: DeleteAlarms, context: CloudWatchContext) -> None:
    """Delete alarms, if no rule of another one names them; names without an alarm are ignored."""
    names = _names(request.alarm_names)
    found = await context.alarms.get(context.scope, names)
    composites = [name for name, each in found.items() if each.composite is not None]
    if len(composites) > 1:
        raise invalid(messages.several_composites())
    if found:
        await _check_parents(context, found.keys())

    def decide(before: StoredAlarm | None) -> Change | None:
        return None if before is None else deleted(before, context.now_ms)

    for name in sorted(found, key=lambda name: name not in composites):
        await context.alarms.change(context.scope, name, decide)


async def _check_parents(context: CloudWatchContext, names: Collection[str]) -> None:
    async for each in context.alarms.all(context.scope):
        if each.composite is None or each.name in names:
            continue
        for name in children_of(each.composite):
            if name in names:
                raise invalid(messages.has_parents(name=name))


def children_of(composite: PutCompositeAlarm) -> Sequence[str]:
    """The names of the alarms on which a composite alarm depends."""
    children = rule_of(str(composite.alarm_rule)).children
    suppressor = composite.actions_suppressor
    return children if suppressor is None else [*children, name_in(suppressor)]


async def set_state(request: SetAlarmState, context: CloudWatchContext) -> None:
    """Set the state of an alarm, until it is evaluated next."""
    name, value, data = str(request.alarm_name), str(request.state_value), request.state_reason_data
    check_text("AlarmName", name)
    if data is not None:
        try:
            msgspec.json.decode(data)
        except (msgspec.DecodeError, RecursionError):
            raise refusal("InvalidFormatFault", messages.reason_data()) from None
    suppressor = await _suppressor_of(context, name)
    judgement = Judgement(value, str(request.state_reason), data)

    def decide(before: StoredAlarm | None) -> Change:
        if before is None:
            raise refusal("ResourceNotFound", messages.no_alarm(name=name), status=404)
        return moved(
            before,
            judgement,
            suppressor=suppressor,
            now_ms=context.now_ms,
            new_id=context.new_id,
        )

    await context.alarms.change(context.scope, name, decide)
    _log.info("alarm %s was set to %s", name, value)


async def _suppressor_of(context: CloudWatchContext, name: str) -> str | None:
    """The state of the alarm that suppresses the actions of another one."""
    found = (await context.alarms.get(context.scope, [name])).get(name)
    if found is None or found.composite is None or found.composite.actions_suppressor is None:
        return None
    other = name_in(found.composite.actions_suppressor)
    suppressor = (await context.alarms.get(context.scope, [other])).get(other)
    return None if suppressor is None else suppressor.state.value


async def enable(request: EnableAlarmActions, context: CloudWatchContext) -> None:
    """Do the actions of alarms from now on."""
    await _switch(context, _names(request.alarm_names), on=True)


async def disable(request: DisableAlarmActions, context: CloudWatchContext) -> None:
    """Do no actions of alarms from now on."""
    await _switch(context, _names(request.alarm_names), on=False)


async def _switch(context: CloudWatchContext, names: Sequence[str], *, on: bool) -> None:
    def decide(before: StoredAlarm | None) -> Change | None:
        if before is None or before.does_actions is on:
            return None
        member = "metric" if before.composite is None else "composite"
        put = msgspec.structs.replace(before.put, actions_enabled=on)
        changed: dict[str, Any] = {member: put, "configured_ms": context.now_ms}
        return updated(msgspec.structs.replace(before, **changed), context.now_ms)

    for name in names:
        await context.alarms.change(context.scope, name, decide)


def _names(names: Sequence[str] | None) -> list[str]:
    found = list(dict.fromkeys(names or ()))
    for each in found:
        check_text("AlarmNames", each)
    return found


OPERATIONS: Final = by_name(
    ServiceOperation(request=PutMetricAlarm, run=put, constraints=PUT_METRIC_ALARM_ROWS),
    ServiceOperation(request=DeleteAlarms, run=delete, constraints=DELETE_ALARMS_ROWS),
    ServiceOperation(request=SetAlarmState, run=set_state, constraints=SET_ALARM_STATE_ROWS),
    ServiceOperation(request=EnableAlarmActions, run=enable, constraints=ENABLE_ALARM_ACTIONS_ROWS),
    ServiceOperation(
        request=DisableAlarmActions, run=disable, constraints=DISABLE_ALARM_ACTIONS_ROWS
    ),
)
