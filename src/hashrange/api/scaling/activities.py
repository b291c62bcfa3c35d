"""DescribeScalingActivities."""

from typing import Final

import msgspec

from hashrange.api.scaling.requests import (
    PAGE_ROWS,
    ScalingContext,
    check_listed_target,
    page_of,
    seconds,
)
from hashrange.model.structures.members import Integer
from hashrange.tables.jobs.scaling_rows import Activity
from hashrange.wire.constraints import rows
from hashrange.wire.service import ServiceOperation, by_name


class DescribeScalingActivities(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    service_namespace: str | None = None
    resource_id: str | None = None
    scalable_dimension: str | None = None
    max_results: Integer | None = None
    next_token: str | None = None
    include_not_scaled_activities: bool | None = None


class NotScaledReason(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """Why nothing was scaled."""

    code: str
    max_capacity: int | None = None
    min_capacity: int | None = None
    current_capacity: int | None = None


class ScalingActivity(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """An activity in an answer."""

    activity_id: str
    service_namespace: str
    resource_id: str
    scalable_dimension: str
    description: str
    cause: str
    start_time: float | None
    end_time: float | None = None
    status_code: str
    status_message: str | None = None
    not_scaled_reasons: list[NotScaledReason] | None = None


class ScalingActivities(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The answer to DescribeScalingActivities."""

    scaling_activities: list[ScalingActivity]
    next_token: str | None = None


_ROWS: Final = rows(*PAGE_ROWS)


async def describe(
    request: DescribeScalingActivities, context: ScalingContext
) -> ScalingActivities:
    """The activities of the caller's targets, newest first."""
    check_listed_target(request)
    found = [
        activity
        for activity in await context.rows.activities(context.scope)
        if request.resource_id in {None, activity.resource}
        and request.scalable_dimension in {None, activity.dimension}
        and (activity.not_scaled is None or request.include_not_scaled_activities)
    ]
    page, token = page_of(found, request.max_results, request.next_token)
    return ScalingActivities(scaling_activities=list(map(_described, page)), next_token=token)


def _described(activity: Activity) -> ScalingActivity:
    reasons = None
    if activity.not_scaled is not None:
        reasons = [
            NotScaledReason(
                code=activity.not_scaled,
                max_capacity=activity.max_units,
                min_capacity=activity.min_units,
                current_capacity=activity.current_units,
            )
        ]
    return ScalingActivity(
        activity_id=activity.id,
        service_namespace="dynamodb",
        resource_id=activity.resource,
        scalable_dimension=activity.dimension,
        description=activity.description,
        cause=activity.cause,
        start_time=seconds(activity.start_ms),
        end_time=seconds(activity.end_ms),
        status_code=activity.status,
        status_message=activity.message,
        not_scaled_reasons=reasons,
    )


OPERATIONS: Final = by_name(
    ServiceOperation(request=DescribeScalingActivities, run=describe, constraints=_ROWS),
)
