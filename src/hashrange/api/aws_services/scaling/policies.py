"""PutScalingPolicy, DeleteScalingPolicy, DescribeScalingPolicies."""

from typing import Any, Final

import msgspec

from hashrange.api.aws_services.scaling.requests import (
    ScalingContext,
    change_target,
    check_listed_target,
    check_target,
    delete_named,
    page_of,
    registered,
    target_refusal,
)
from hashrange.api.aws_services.scaling.service import invalid
from hashrange.api.aws_services.scaling.tracking_alarms import kinds_of
from hashrange.limits.tables import SCALING_POLICIES_PAGE_MAX
from hashrange.messages import scaling as messages
from hashrange.model.structures.scaling import (
    Alarm,
    DeleteScalingPolicy,
    DescribeScalingPolicies,
    DescribeScalingPoliciesAnswer,
    PredefinedMetricSpecification,
    PutScalingPolicy,
    PutScalingPolicyAnswer,
    ScalingPolicy,
    TargetTrackingScalingPolicyConfiguration,
)
from hashrange.tables.jobs.scaling_rows import INDEX_WRITE, TABLE_WRITE, StoredPolicy, StoredTarget
from hashrange.wire.model_constraints.scaling import (
    DELETE_SCALING_POLICY_ROWS,
    DESCRIBE_SCALING_POLICIES_ROWS,
    PUT_SCALING_POLICY_ROWS,
)
from hashrange.wire.service import ServiceOperation, by_name

_READ_METRIC: Final = "DynamoDBReadCapacityUtilization"
_WRITE_METRIC: Final = "DynamoDBWriteCapacityUtilization"
_TRACKING: Final = "TargetTrackingScaling"


async def put(request: PutScalingPolicy, context: ScalingContext) -> PutScalingPolicyAnswer:
    """Make a policy, or replace the one of this name."""
    resource, dimension = check_target(request)
    name = request.policy_name
    assert name is not None, "required"
    sent = _checked(request, dimension)
    metric_id = context.new_id()

    def change(before: StoredTarget | None) -> StoredTarget:
        target = registered(before, resource, dimension)
        old = next((each for each in target.policies if each.name == name), None)
        others = tuple(each for each in target.policies if each.name != name)
        if old is None and others:  # of a dimension there is one metric
            raise invalid(messages.one_policy_per_metric())
        assert sent.target_value is not None, "required"
        policy = StoredPolicy(
            name=name,
            id=metric_id if old is None else old.id,
            created_ms=context.now_ms if old is None else old.created_ms,
            percent=sent.target_value,
            out_cooldown_seconds=sent.scale_out_cooldown,
            in_cooldown_seconds=sent.scale_in_cooldown,
            in_disabled=sent.disable_scale_in,
        )
        return msgspec.structs.replace(target, policies=(*others, policy))

    target = await change_target(context, resource, dimension, change)
    assert target is not None, "it was put"
    policy = target.policies[-1]
    return PutScalingPolicyAnswer(
        policy_arn=target.policy_arn(policy), alarms=_alarms(target, policy)
    )


def _checked(request: PutScalingPolicy, dimension: str) -> TargetTrackingScalingPolicyConfiguration:
    step = request.step_scaling_policy_configuration
    predictive = request.predictive_scaling_policy_configuration
    if request.policy_type not in {None, _TRACKING} or step is not None or predictive is not None:
        raise invalid(messages.only_target_tracking())
    sent = request.target_tracking_scaling_policy_configuration
    if sent is None:
        # A policy without type is one of step scaling.
        has_type = request.policy_type is not None
        missing, other = messages.configuration_missing(), messages.only_target_tracking()
        raise invalid(missing if has_type else other)
    metric = sent.predefined_metric_specification
    if metric is None or sent.customized_metric_specification is not None:
        raise invalid(messages.metric_missing())
    if metric.predefined_metric_type != _metric_of(dimension):
        raise invalid(messages.wrong_metric(str(metric.predefined_metric_type), dimension))
    if metric.resource_label is not None:
        raise invalid(messages.label_of_other_metric())
    assert sent.target_value is not None, "required"
    text = target_refusal(sent.target_value, str(metric.predefined_metric_type))
    if text is not None:
        raise invalid(text)
    return sent


async def delete(request: DeleteScalingPolicy, context: ScalingContext) -> dict[str, Any]:
    """Delete a policy."""
    name = request.policy_name
    assert name is not None, "required"
    await delete_named(request, context, "policies", name, absent=messages.no_policy)
    return {}


async def describe(
    request: DescribeScalingPolicies, context: ScalingContext
) -> DescribeScalingPoliciesAnswer:
    """The policies of the caller."""
    check_listed_target(request)
    found = [
        _described(target, policy)
        async for target in context.rows.targets(context.scope)
        for policy in target.policies
        if request.resource_id in {None, target.resource}
        and request.scalable_dimension in {None, target.dimension}
        and (not request.policy_names or policy.name in request.policy_names)
    ]
    page, token = page_of(
        found, request.max_results, request.next_token, default=SCALING_POLICIES_PAGE_MAX
    )
    return DescribeScalingPoliciesAnswer(scaling_policies=page, next_token=token)


def _alarms(target: StoredTarget, policy: StoredPolicy) -> list[Alarm]:
    prefix = f"arn:aws:cloudwatch:{target.region}:{target.account}:alarm:"
    names = [target.alarm_name(policy, kind) for kind in kinds_of(policy)]
    return [Alarm(alarm_name=name, alarm_arn=prefix + name) for name in names]


def _described(target: StoredTarget, policy: StoredPolicy) -> ScalingPolicy:
    return ScalingPolicy(
        policy_arn=target.policy_arn(policy),
        policy_name=policy.name,
        service_namespace="dynamodb",
        resource_id=target.resource,
        scalable_dimension=target.dimension,
        policy_type=_TRACKING,
        target_tracking_scaling_policy_configuration=TargetTrackingScalingPolicyConfiguration(
            target_value=policy.percent,
            predefined_metric_specification=PredefinedMetricSpecification(
                predefined_metric_type=_metric_of(target.dimension)
            ),
            scale_out_cooldown=policy.out_cooldown_seconds,
            scale_in_cooldown=policy.in_cooldown_seconds,
            disable_scale_in=policy.in_disabled,
        ),
        alarms=_alarms(target, policy),
        creation_time=policy.created_ms / 1000,
    )


def _metric_of(dimension: str) -> str:
    return _WRITE_METRIC if dimension in {TABLE_WRITE, INDEX_WRITE} else _READ_METRIC


OPERATIONS: Final = by_name(
    ServiceOperation(
        request=DeleteScalingPolicy, run=delete, constraints=DELETE_SCALING_POLICY_ROWS
    ),
    ServiceOperation(
        request=DescribeScalingPolicies, run=describe, constraints=DESCRIBE_SCALING_POLICIES_ROWS
    ),
    ServiceOperation(request=PutScalingPolicy, run=put, constraints=PUT_SCALING_POLICY_ROWS),
)
