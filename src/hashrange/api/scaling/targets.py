"""RegisterScalableTarget, DeregisterScalableTarget, DescribeScalableTargets."""

from typing import Final

import msgspec

from hashrange.api.scaling.requests import (
    PAGE_ROWS,
    TARGET_ROWS,
    ScalingContext,
    address,
    change_target,
    check_some_target,
    check_target,
    existing,
    given,
    names_rows,
    page_of,
    seconds,
    text_rows,
)
from hashrange.api.scaling.service import invalid, limit_exceeded
from hashrange.api.scaling.tags import check_tags
from hashrange.limits.tables import SCALING_TARGETS_MAX, TAGS_MAX
from hashrange.messages import scaling as messages
from hashrange.model.structures.members import Integer
from hashrange.tables.jobs.scaling_rows import StoredTarget, Suspended, names_of
from hashrange.wire.constraints import length, rows
from hashrange.wire.service import ServiceOperation, by_name

_ROLE: Final = (
    "arn:aws:iam::{account}:role/aws-service-role/dynamodb.application-autoscaling.amazonaws.com/"
    "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable"
)


class SuspendedState(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The suspended parts of scaling, in requests and answers."""

    dynamic_scaling_in_suspended: bool | None = None
    dynamic_scaling_out_suspended: bool | None = None
    scheduled_scaling_suspended: bool | None = None


class RegisterScalableTarget(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    service_namespace: str | None = None
    resource_id: str | None = None
    scalable_dimension: str | None = None
    min_capacity: Integer | None = None
    max_capacity: Integer | None = None
    role_arn: str | None = msgspec.field(default=None, name="RoleARN")
    suspended_state: SuspendedState | None = None
    tags: dict[str, str] | None = None


class DeregisterScalableTarget(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    service_namespace: str | None = None
    resource_id: str | None = None
    scalable_dimension: str | None = None


class DescribeScalableTargets(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    service_namespace: str | None = None
    resource_ids: list[str] | None = None
    scalable_dimension: str | None = None
    max_results: Integer | None = None
    next_token: str | None = None


class ScalableTarget(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A target in an answer."""

    service_namespace: str
    resource_id: str
    scalable_dimension: str
    min_capacity: int
    max_capacity: int
    role_arn: str = msgspec.field(name="RoleARN")
    creation_time: float | None
    suspended_state: SuspendedState
    scalable_target_arn: str = msgspec.field(name="ScalableTargetARN")


class Registered(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The answer to RegisterScalableTarget."""

    scalable_target_arn: str = msgspec.field(name="ScalableTargetARN")


class ScalableTargets(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The answer to DescribeScalableTargets."""

    scalable_targets: list[ScalableTarget]
    next_token: str | None = None


class Nothing(msgspec.Struct, frozen=True):
    """An empty answer."""


_REGISTER_ROWS: Final = rows(*TARGET_ROWS, *text_rows("role_arn"), length("tags", 0, TAGS_MAX))
_DEREGISTER_ROWS: Final = rows(*TARGET_ROWS)
_DESCRIBE_ROWS: Final = rows(*PAGE_ROWS, *names_rows("resource_ids"))


async def register(request: RegisterScalableTarget, context: ScalingContext) -> Registered:
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
    return Registered(scalable_target_arn=target.arn)


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
            role=role_of(context.account),
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


def role_of(account: str) -> str:
    """The ARN of the role that scales the tables of an account."""
    return _ROLE.format(account=account)


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


async def deregister(request: DeregisterScalableTarget, context: ScalingContext) -> Nothing:
    """Remove a target with its policies and scheduled actions."""
    resource, dimension = check_target(request)

    def change(before: StoredTarget | None) -> None:
        existing(before, resource, dimension)

    await change_target(context, resource, dimension, change)
    return Nothing()


async def describe(request: DescribeScalableTargets, context: ScalingContext) -> ScalableTargets:
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
    return ScalableTargets(scalable_targets=list(map(_described, page)), next_token=token)


def _described(target: StoredTarget) -> ScalableTarget:
    suspended: Suspended = target.suspended
    return ScalableTarget(
        service_namespace="dynamodb",
        resource_id=target.resource,
        scalable_dimension=target.dimension,
        min_capacity=target.min_units,
        max_capacity=target.max_units,
        role_arn=target.role,
        creation_time=seconds(target.created_ms),
        suspended_state=SuspendedState(
            dynamic_scaling_in_suspended=suspended.scale_in,
            dynamic_scaling_out_suspended=suspended.scale_out,
            scheduled_scaling_suspended=suspended.scheduled,
        ),
        scalable_target_arn=target.arn,
    )


OPERATIONS: Final = by_name(
    ServiceOperation(
        request=DeregisterScalableTarget, run=deregister, constraints=_DEREGISTER_ROWS
    ),
    ServiceOperation(request=DescribeScalableTargets, run=describe, constraints=_DESCRIBE_ROWS),
    ServiceOperation(request=RegisterScalableTarget, run=register, constraints=_REGISTER_ROWS),
)
