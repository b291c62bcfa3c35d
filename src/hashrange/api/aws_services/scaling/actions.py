"""PutScheduledAction, DeleteScheduledAction, DescribeScheduledActions."""

from typing import Any, Final

import msgspec

from hashrange.api.aws_services.scaling.evaluation import schedule_of
from hashrange.api.aws_services.scaling.requests import (
    ScalingContext,
    change_target,
    check_listed_target,
    check_target,
    delete_named,
    page_of,
    registered,
    seconds,
)
from hashrange.api.aws_services.scaling.service import invalid, limit_exceeded
from hashrange.api.aws_services.scaling.targets import check_bounds
from hashrange.capacity.schedules import (
    Schedule,
    ScheduleError,
    check_expression,
    next_run_ms,
    zone_of,
)
from hashrange.limits.tables import SCALING_ACTIONS_MAX
from hashrange.messages import scaling as messages
from hashrange.model.structures.scaling import (
    DeleteScheduledAction,
    DescribeScheduledActions,
    DescribeScheduledActionsAnswer,
    PutScheduledAction,
    ScalableTargetAction,
    ScheduledAction,
)
from hashrange.model.times import nearest_ms
from hashrange.optional_packages import MissingPackageError
from hashrange.tables.jobs.scaling_rows import StoredAction, StoredTarget
from hashrange.wire.model_constraints.scaling import (
    DELETE_SCHEDULED_ACTION_ROWS,
    DESCRIBE_SCHEDULED_ACTIONS_ROWS,
    PUT_SCHEDULED_ACTION_ROWS,
)
from hashrange.wire.service import ServiceOperation, by_name


async def put(request: PutScheduledAction, context: ScalingContext) -> dict[str, Any]:
    """Make an action, or change one; without times it has none."""
    resource, dimension = check_target(request)
    name = request.scheduled_action_name
    assert name is not None, "required"
    new_id = context.new_id()

    def change(before: StoredTarget | None) -> StoredTarget:
        target = registered(before, resource, dimension)
        old = next((each for each in target.actions if each.name == name), None)
        others = tuple(each for each in target.actions if each.name != name)
        if old is None and len(others) >= SCALING_ACTIONS_MAX:
            raise limit_exceeded(messages.too_many("scheduled actions", SCALING_ACTIONS_MAX))
        action = _changed(old, request, context, new_id)
        return msgspec.structs.replace(target, actions=(*others, action))

    await change_target(context, resource, dimension, change)
    return {}


def _changed(
    old: StoredAction | None, request: PutScheduledAction, context: ScalingContext, new_id: str
) -> StoredAction:
    text = request.schedule or (None if old is None else old.schedule)
    if text is None:
        raise invalid(messages.schedule_missing())
    sent = request.scalable_target_action
    least, most = (None, None) if old is None else (old.min_units, old.max_units)
    if sent is not None:
        least, most = sent.min_capacity, sent.max_capacity
    if least is None and most is None:
        raise invalid(messages.action_missing())
    check_bounds(1 if least is None else least, max(1, least or 1) if most is None else most)
    start_ms, end_ms = _ms(request.start_time), _ms(request.end_time)
    if start_ms is not None and end_ms is not None and end_ms <= start_ms:
        raise invalid(messages.end_before_start())
    assert request.scheduled_action_name is not None, "required"
    action = StoredAction(
        name=request.scheduled_action_name,
        id=new_id if old is None else old.id,
        created_ms=context.now_ms if old is None else old.created_ms,
        seen_ms=context.now_ms,
        schedule=text,
        timezone=request.timezone or (None if old is None else old.timezone),
        start_ms=start_ms,
        end_ms=end_ms,
        min_units=least,
        max_units=most,
    )
    try:
        zone_of(action.timezone or "UTC")
        if request.schedule is not None:
            check_expression(request.schedule)
        following = next_run_ms(_without_bounds(action), context.now_ms)
    except MissingPackageError as error:
        raise invalid(messages.schedule_invalid(error.without_command)) from error
    except (ScheduleError, OverflowError) as error:
        raise invalid(messages.schedule_invalid(str(error))) from error
    if following is None and text.startswith("at(") and request.schedule is not None:
        raise invalid(messages.time_is_past(text))
    return action


def _without_bounds(action: StoredAction) -> Schedule:
    return msgspec.structs.replace(schedule_of(action), start_ms=None, end_ms=None)


async def delete(request: DeleteScheduledAction, context: ScalingContext) -> dict[str, Any]:
    """Delete an action."""
    name = request.scheduled_action_name
    assert name is not None, "required"
    await delete_named(request, context, "actions", name, absent=messages.no_action)
    return {}


async def describe(
    request: DescribeScheduledActions, context: ScalingContext
) -> DescribeScheduledActionsAnswer:
    """The actions of the caller."""
    check_listed_target(request)
    names = request.scheduled_action_names
    found = [
        _described(target, action)
        async for target in context.rows.targets(context.scope)
        for action in target.actions
        if request.resource_id in {None, target.resource}
        and request.scalable_dimension in {None, target.dimension}
        and (not names or action.name in names)
    ]
    page, token = page_of(found, request.max_results, request.next_token)
    return DescribeScheduledActionsAnswer(scheduled_actions=page, next_token=token)


def _described(target: StoredTarget, action: StoredAction) -> ScheduledAction:
    return ScheduledAction(
        scheduled_action_name=action.name,
        scheduled_action_arn=(
            f"arn:aws:autoscaling:{target.region}:{target.account}:scheduledAction:{action.id}:"
            f"resource/dynamodb/{target.resource}:scheduledActionName/{action.name}"
        ),
        service_namespace="dynamodb",
        schedule=action.schedule,
        timezone=action.timezone,
        resource_id=target.resource,
        scalable_dimension=target.dimension,
        start_time=seconds(action.start_ms),
        end_time=seconds(action.end_ms),
        scalable_target_action=ScalableTargetAction(
            min_capacity=action.min_units, max_capacity=action.max_units
        ),
        creation_time=action.created_ms / 1000,
    )


def _ms(time_seconds: float | None) -> int | None:
    return None if time_seconds is None else nearest_ms(time_seconds)


OPERATIONS: Final = by_name(
    ServiceOperation(
        request=DeleteScheduledAction, run=delete, constraints=DELETE_SCHEDULED_ACTION_ROWS
    ),
    ServiceOperation(
        request=DescribeScheduledActions, run=describe, constraints=DESCRIBE_SCHEDULED_ACTIONS_ROWS
    ),
    ServiceOperation(request=PutScheduledAction, run=put, constraints=PUT_SCHEDULED_ACTION_ROWS),
)
