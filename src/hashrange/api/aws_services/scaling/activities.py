"""DescribeScalingActivities."""

from typing import Final

from hashrange.api.aws_services.scaling.requests import (
    ScalingContext,
    check_listed_target,
    page_of,
    seconds,
)
from hashrange.model.structures.scaling import (
    DescribeScalingActivities,
    DescribeScalingActivitiesAnswer,
    NotScaledReason,
    ScalingActivity,
)
from hashrange.tables.jobs.scaling_rows import Activity
from hashrange.wire.model_constraints.scaling import DESCRIBE_SCALING_ACTIVITIES_ROWS
from hashrange.wire.service import ServiceOperation, by_name


async def describe(
    request: DescribeScalingActivities, context: ScalingContext
) -> DescribeScalingActivitiesAnswer:
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
    return DescribeScalingActivitiesAnswer(
        scaling_activities=list(map(_described, page)), next_token=token
    )


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
        start_time=activity.start_ms / 1000,
        end_time=seconds(activity.end_ms),
        status_code=activity.status,
        status_message=activity.message,
        not_scaled_reasons=reasons,
    )


OPERATIONS: Final = by_name(
    ServiceOperation(
        request=DescribeScalingActivities,
        run=describe,
        constraints=DESCRIBE_SCALING_ACTIVITIES_ROWS,
    ),
)
