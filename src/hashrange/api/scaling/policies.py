"""PutScalingPolicy, DeleteScalingPolicy, DescribeScalingPolicies."""

from decimal import Decimal
from typing import Final

import msgspec

from hashrange.api.scaling.requests import (
    PAGE_ROWS,
    TARGET_ROWS,
    ScalingContext,
    change_target,
    check_listed_target,
    check_target,
    delete_named,
    names_rows,
    page_of,
    registered,
    seconds,
    text_rows,
)
from hashrange.api.scaling.service import invalid
from hashrange.api.scaling.targets import Nothing
from hashrange.limits.tables import (
    SCALING_LABEL_CHARS_MAX,
    SCALING_NAME_CHARS_MAX,
    SCALING_POLICIES_PAGE_MAX,
    SCALING_TARGET_MAX,
    SCALING_TARGET_MIN,
    SCALING_TARGET_PERCENT_MAX,
    SCALING_TARGET_PERCENT_MIN,
)
from hashrange.messages import scaling as messages
from hashrange.model.structures.members import Integer
from hashrange.tables.jobs.scaling_rows import INDEX_WRITE, TABLE_WRITE, StoredPolicy, StoredTarget
from hashrange.wire.constraints import inside, length, matches, one_of, required, rows
from hashrange.wire.enums import EnumSet
from hashrange.wire.service import ServiceOperation, by_name

_READ_METRIC: Final = "DynamoDBReadCapacityUtilization"
_WRITE_METRIC: Final = "DynamoDBWriteCapacityUtilization"
_TRACKING: Final = "TargetTrackingScaling"
_TYPE_NAMES: Final = ("PredictiveScaling", "StepScaling", _TRACKING)
_TYPES: Final = EnumSet(frozenset(_TYPE_NAMES), _TYPE_NAMES, _TYPE_NAMES)
_ALARMS: Final = ("AlarmHigh", "AlarmLow", "ProvisionedCapacityHigh", "ProvisionedCapacityLow")


class PredefinedMetricSpecification(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The metric of a policy."""

    predefined_metric_type: str | None = None
    resource_label: str | None = None


class CustomizedMetricSpecification(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A metric that is refused."""

    metric_name: str | None = None


class TargetTrackingScalingPolicyConfiguration(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The configuration of a policy, in requests and answers."""

    target_value: float | None = None
    predefined_metric_specification: PredefinedMetricSpecification | None = None
    customized_metric_specification: CustomizedMetricSpecification | None = None
    scale_out_cooldown: Integer | None = None
    scale_in_cooldown: Integer | None = None
    disable_scale_in: bool | None = None


class PutScalingPolicy(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it; without configurations of other types."""

    policy_name: str | None = None
    service_namespace: str | None = None
    resource_id: str | None = None
    scalable_dimension: str | None = None
    policy_type: str | None = None
    target_tracking_scaling_policy_configuration: (
        TargetTrackingScalingPolicyConfiguration | None
    ) = None


class DeleteScalingPolicy(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    policy_name: str | None = None
    service_namespace: str | None = None
    resource_id: str | None = None
    scalable_dimension: str | None = None


class DescribeScalingPolicies(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    policy_names: list[str] | None = None
    service_namespace: str | None = None
    resource_id: str | None = None
    scalable_dimension: str | None = None
    max_results: Integer | None = None
    next_token: str | None = None


class Alarm(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """An alarm of a policy; there is no CloudWatch that has it."""

    alarm_name: str
    alarm_arn: str = msgspec.field(name="AlarmARN")


class PolicyPut(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The answer to PutScalingPolicy."""

    policy_arn: str = msgspec.field(name="PolicyARN")
    alarms: list[Alarm]


class ScalingPolicy(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A policy in an answer."""

    policy_arn: str = msgspec.field(name="PolicyARN")
    policy_name: str
    service_namespace: str
    resource_id: str
    scalable_dimension: str
    policy_type: str
    target_tracking_scaling_policy_configuration: TargetTrackingScalingPolicyConfiguration
    alarms: list[Alarm]
    creation_time: float | None


class ScalingPolicies(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The answer to DescribeScalingPolicies."""

    scaling_policies: list[ScalingPolicy]
    next_token: str | None = None


_CONFIGURATION: Final = "target_tracking_scaling_policy_configuration"
_PUT_ROWS: Final = rows(
    required("policy_name"),
    length("policy_name", 1, SCALING_NAME_CHARS_MAX),
    matches("policy_name", r"\p{Print}+", linear=r"[ -~]+"),
    *TARGET_ROWS,
    one_of("policy_type", _TYPES),
    inside(
        _CONFIGURATION,
        required("target_value"),
        inside(
            "predefined_metric_specification",
            required("predefined_metric_type"),
            length("resource_label", 1, SCALING_LABEL_CHARS_MAX),
        ),
    ),
)
_DELETE_ROWS: Final = rows(required("policy_name"), *text_rows("policy_name"), *TARGET_ROWS)
_DESCRIBE_ROWS: Final = rows(*PAGE_ROWS, *names_rows("policy_names"))


async def put(request: PutScalingPolicy, context: ScalingContext) -> PolicyPut:
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
    return PolicyPut(policy_arn=policy_arn(target, policy), alarms=_alarms(target, policy))


def _checked(request: PutScalingPolicy, dimension: str) -> TargetTrackingScalingPolicyConfiguration:
    if request.policy_type not in {None, _TRACKING}:
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


def target_refusal(value: float, metric: str) -> str | None:
    """The text of the refusal of a target; None for one that a utilization can have."""
    least, most = SCALING_TARGET_MIN, SCALING_TARGET_MAX
    if not least <= value <= most:
        return messages.target_out_of_bounds(_double(value), _double(least), _double(most))
    least, most = SCALING_TARGET_PERCENT_MIN, SCALING_TARGET_PERCENT_MAX
    if not least <= value <= most:
        return messages.percent_out_of_bounds(metric, _double(value), _double(least), _double(most))
    return None


def _double(value: float) -> str:
    """A number as the service writes it, in Java."""
    text = repr(float(value))
    if value == 0 or 1e-3 <= abs(value) < 1e7:  # noqa: PLR2004
        return text
    sign, digits, exponent = Decimal(text).normalize().as_tuple()
    assert isinstance(exponent, int), "JSON has no other numbers"
    first, rest = digits[0], "".join(map(str, digits[1:])) or "0"
    return f"{'-' if sign else ''}{first}.{rest}E{len(digits) - 1 + exponent}"


async def delete(request: DeleteScalingPolicy, context: ScalingContext) -> Nothing:
    """Delete a policy."""
    name = request.policy_name
    assert name is not None, "required"
    await delete_named(request, context, "policies", name, absent=messages.no_policy)
    return Nothing()


async def describe(request: DescribeScalingPolicies, context: ScalingContext) -> ScalingPolicies:
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
    return ScalingPolicies(scaling_policies=page, next_token=token)


def policy_arn(target: StoredTarget, policy: StoredPolicy) -> str:
    """The ARN of a policy."""
    return (
        f"arn:aws:autoscaling:{target.region}:{target.account}:scalingPolicy:{policy.id}:"
        f"resource/dynamodb/{target.resource}:policyName/{policy.name}"
    )


def alarm_name(target: StoredTarget, policy: StoredPolicy, alarm: str) -> str:
    """The name of an alarm of a policy."""
    return f"TargetTracking-{target.resource}-{alarm}-{policy.id}"


def _alarms(target: StoredTarget, policy: StoredPolicy) -> list[Alarm]:
    prefix = f"arn:aws:cloudwatch:{target.region}:{target.account}:alarm:"
    # Without scaling in there is no alarm for it. Source: captures of the service, September 2026.
    kinds = [each for each in _ALARMS if each != "AlarmLow" or not policy.in_disabled]
    names = [alarm_name(target, policy, alarm) for alarm in kinds]
    return [Alarm(alarm_name=name, alarm_arn=prefix + name) for name in names]


def _described(target: StoredTarget, policy: StoredPolicy) -> ScalingPolicy:
    return ScalingPolicy(
        policy_arn=policy_arn(target, policy),
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
        creation_time=seconds(policy.created_ms),
    )


def _metric_of(dimension: str) -> str:
    return _WRITE_METRIC if dimension in {TABLE_WRITE, INDEX_WRITE} else _READ_METRIC


OPERATIONS: Final = by_name(
    ServiceOperation(request=DeleteScalingPolicy, run=delete, constraints=_DELETE_ROWS),
    ServiceOperation(request=DescribeScalingPolicies, run=describe, constraints=_DESCRIBE_ROWS),
    ServiceOperation(request=PutScalingPolicy, run=put, constraints=_PUT_ROWS),
)
