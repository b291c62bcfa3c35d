"""RegisterScalableTarget, DeregisterScalableTarget, DescribeScalableTargets."""

from typing import Any, Final

import msgspec

from hashrange.api.aws_services.scaling.requests import (
    ScalingContext,
    address,
    change_target,
    check_some_target,
    check_target,
    existing,
    given,
    page_of,
)
from hashrange.api.aws_services.scaling.service import invalid, limit_exceeded
from hashrange.api.aws_services.scaling.tags import check_tags
from hashrange.limits.tables import SCALING_TARGETS_MAX
from hashrange.messages import scaling as messages
from hashrange.model.structures.scaling import (
    DeregisterScalableTarget,
    DescribeScalableTargets,
    DescribeScalableTargetsAnswer,
    RegisterScalableTarget,
    RegisterScalableTargetAnswer,
    ScalableTarget,
    SuspendedState,
)
from hashrange.tables.jobs.scaling_rows import StoredTarget, Suspended, names_of, scaling_role
from hashrange.wire.model_constraints.scaling import (
    DEREGISTER_SCALABLE_TARGET_ROWS,
    DESCRIBE_SCALABLE_TARGETS_ROWS,
    REGISTER_SCALABLE_TARGET_ROWS,
)
from hashrange.wire.service import ServiceOperation, by_name


async def register(
    request: RegisterScalableTarget, context: ScalingContext
) -> RegisterScalableTargetAnswer:
    """Register a target, or change the given members of one."""
    resource, dimension = check_target(request)
    check_tags(request.tags or {})
    await _check_table(context, resource)
    address_text = address(context, resource, dimension)
    if await context.rows.target(address_text) is None:
        await _check_room(context)
    new_id = context.new_id().replace("-", "")

    def change(before: StoredTarget | None) -> StoredTarget:
        return _changed(before, request, context, new_id)

    target = await change_target(context, resource, dimension, change)
    assert target is not None, "it was put"
    return RegisterScalableTargetAnswer(scalable_target_arn=target.arn)


def _changed(
    before: StoredTarget | None,
    request: RegisterScalableTarget,
    context: ScalingContext,
    new_id: str,
) -> StoredTarget:
    least, most = request.min_capacity, request.max_capacity
    if before is None:
        if least is None or most is None:
            raise invalid(messages.capacities_missing())
        assert request.resource_id is not None
        assert request.scalable_dimension is not None, "checked"
        before = StoredTarget(
            scope=context.scope,
            resource=request.resource_id,
            dimension=request.scalable_dimension,
            account=context.account,
            region=context.region,
            id=new_id,
            created_ms=context.now_ms,
            min_units=least,
            max_units=most,
            role=scaling_role(context.account),
            tags=request.tags or {},
        )
    elif request.tags is not None:
        raise invalid(messages.tagged_already())
    sent = request.suspended_state
    suspended = before.suspended
    if sent is not None:
        members = given(
            scale_in=sent.dynamic_scaling_in_suspended,
            scale_out=sent.dynamic_scaling_out_suspended,
            scheduled=sent.scheduled_scaling_suspended,
        )
        suspended = msgspec.structs.replace(suspended, **members)
    members = given(min_units=least, max_units=most, role=request.role_arn)
    target = msgspec.structs.replace(before, suspended=suspended, **members)
    check_bounds(target.min_units, target.max_units)
    return target


def check_bounds(least: int, most: int) -> None:
    """Refuse bounds below 1, and a maximum below the minimum."""
    if least < 1:
        raise invalid(messages.minimum_too_small())
    if most < least:
        raise invalid(messages.maximum_below_minimum())


async def _check_table(context: ScalingContext, resource: str) -> None:
    name, *index = names_of(resource)
    opened = await context.catalog.open(name)
    if opened is None:
        raise invalid(messages.no_table(resource))
    if index:
        found = opened.table.index(index[0])
        if found is None or found.is_local:
            raise invalid(messages.no_index(resource))
    if opened.table.billing_mode != "PROVISIONED":
        raise invalid(messages.on_demand(resource))


async def _check_room(context: ScalingContext) -> None:
    count = 0
    async for _ in context.rows.targets(context.scope):
        count += 1
    if count >= SCALING_TARGETS_MAX:
        raise limit_exceeded(messages.too_many("scalable targets", SCALING_TARGETS_MAX))


async def deregister(request: DeregisterScalableTarget, context: ScalingContext) -> dict[str, Any]:
    """Remove a target with its policies and scheduled actions."""
    resource, dimension = check_target(request)

    def change(before: StoredTarget | None) -> None:
        existing(before, resource, dimension)

    await change_target(context, resource, dimension, change)
    return {}


async def describe(
    request: DescribeScalableTargets, context: ScalingContext
) -> DescribeScalableTargetsAnswer:
    """The targets of the caller."""
    check_some_target(request.service_namespace, None, request.scalable_dimension)
    wanted = request.resource_ids
    if request.scalable_dimension is not None and not wanted:
        raise invalid(messages.dimension_without_resource())
    found = [
        target
        async for target in context.rows.targets(context.scope)
        if (not wanted or target.resource in wanted)
        and request.scalable_dimension in {None, target.dimension}
    ]
    page, token = page_of(found, request.max_results, request.next_token)
    return DescribeScalableTargetsAnswer(
        scalable_targets=list(map(_described, page)), next_token=token
    )


def _described(target: StoredTarget) -> ScalableTarget:
    suspended: Suspended = target.suspended
    return ScalableTarget(
        service_namespace="dynamodb",
        resource_id=target.resource,
        scalable_dimension=target.dimension,
        min_capacity=target.min_units,
        max_capacity=target.max_units,
        role_arn=target.role,
        creation_time=target.created_ms / 1000,
        suspended_state=SuspendedState(
            dynamic_scaling_in_suspended=suspended.scale_in,
            dynamic_scaling_out_suspended=suspended.scale_out,
            scheduled_scaling_suspended=suspended.scheduled,
        ),
        scalable_target_arn=target.arn,
    )


OPERATIONS: Final = by_name(
    ServiceOperation(
        request=DeregisterScalableTarget,
        run=deregister,
        constraints=DEREGISTER_SCALABLE_TARGET_ROWS,
    ),
    ServiceOperation(
        request=DescribeScalableTargets, run=describe, constraints=DESCRIBE_SCALABLE_TARGETS_ROWS
    ),
    ServiceOperation(
        request=RegisterScalableTarget, run=register, constraints=REGISTER_SCALABLE_TARGET_ROWS
    ),
)
