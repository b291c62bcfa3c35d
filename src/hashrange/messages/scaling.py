"""Texts of Application Auto Scaling.

Source of those without another source: catalogue 287, and reports of users.
"""


def unsupported() -> str:
    """ValidationException: another service, resource or dimension. Source: catalogue 287."""
    return "Unsupported service namespace, resource type or scalable dimension"


def no_target(resource: str, dimension: str) -> str:
    """ObjectNotFoundException of an operation on a target. Source: catalogue 287."""
    return f"No scalable target found for {_place(resource, dimension)}"


def no_target_registered(resource: str, dimension: str) -> str:
    """ObjectNotFoundException of a policy or action without target. Source: reports of users."""
    return f"No scalable target registered for {_place(resource, dimension)}"


def no_policy(resource: str, dimension: str, name: str) -> str:
    """ObjectNotFoundException of a policy. Source: catalogue 287."""
    return f"No scaling policy found for {_place(resource, dimension)}, policy name: {name}"


def no_action(resource: str, dimension: str, name: str) -> str:
    """ObjectNotFoundException of a scheduled action. Source: ours, after that of policies."""
    place = _place(resource, dimension)
    return f"No scheduled action found for {place}, scheduled action name: {name}"


def no_table(resource: str) -> str:
    """ValidationException. Source: reports of users."""
    return f"DynamoDB table does not exist: {resource}"


def no_index(resource: str) -> str:
    """ValidationException. Source: ours, after that of tables."""
    return f"DynamoDB index does not exist: {resource}"


def on_demand(resource: str) -> str:
    """ValidationException of a table without provisioned capacity. Source: ours."""
    return f"DynamoDB table is not in provisioned capacity mode: {resource}"


def capacities_missing() -> str:
    """ValidationException of a new target without its bounds. Source: ours."""
    return "MinCapacity and MaxCapacity are required when a new scalable target is registered"


def maximum_below_minimum() -> str:
    """ValidationException. Source: reports of users."""
    return "Maximum capacity cannot be less than minimum capacity"


def minimum_too_small() -> str:
    """ValidationException. Source: ours."""
    return "Minimum capacity cannot be less than 1"


def only_target_tracking() -> str:
    """ValidationException of another type of policy. Source: ours."""
    return "Only target tracking scaling policies are supported for DynamoDB"


def configuration_missing() -> str:
    """ValidationException of a policy without its configuration. Source: ours."""
    return (
        "TargetTrackingScalingPolicyConfiguration is required for policy type TargetTrackingScaling"
    )


def metric_missing() -> str:
    """ValidationException of a policy without a predefined metric. Source: ours."""
    return "A predefined metric must be specified; customized metrics are not supported"


def wrong_metric(metric: str, dimension: str) -> str:
    """ValidationException of a metric of another dimension. Source: ours."""
    return f"The metric {metric} cannot be used with the scalable dimension {dimension}"


def target_out_of_bounds(value: str, least: str, most: str) -> str:
    """ValidationException of a target that no metric can have. Source: users, October 2026."""
    return (
        f"For target tracking scaling, target value must be between '{least}' and '{most}', but "
        f"was '{value}'."
    )


def percent_out_of_bounds(metric: str, percent: str, least: str, most: str) -> str:
    """ValidationException of a utilization. Source: users, October 2026."""
    return (
        f"For predefined metric type {metric}, target value must be between '{least}' and "
        f"'{most}', but was '{percent}'."
    )


def one_policy_per_metric() -> str:
    """ValidationException of a second policy of a target. Source: reports of users."""
    return "Only one TargetTrackingScaling policy for a given metric specification is allowed."


def label_of_other_metric() -> str:
    """ValidationException of ResourceLabel. Source: ours; the API's reference says it."""
    return "ResourceLabel can only be specified for the metric ALBRequestCountPerTarget"


def dimension_without_resource() -> str:
    """ValidationException of a list. Source: ours; the API's reference says it."""
    return "A resource ID must be specified with a scalable dimension"


def tagged_already() -> str:
    """ValidationException of Tags for a target that is there. Source: reports of users."""
    return (
        "The scalable target that you tried to tag already exists. To update tags on an existing "
        "scalable target, use the TagResource API."
    )


def tag_reserved(key: str) -> str:
    """ValidationException of a tag of AWS's own. Source: ours."""
    return f"Tag keys that begin with aws: are reserved: {key}"


def time_is_past(schedule: str) -> str:
    """ValidationException of `at(...)` before now. Source: ours."""
    return f"The time of the schedule has passed: {schedule}"


def schedule_invalid(reason: str) -> str:
    """ValidationException of a schedule or a time zone. Source: ours."""
    return f"Invalid schedule: {reason}"


def end_before_start() -> str:
    """ValidationException. Source: ours."""
    return "The end time must be after the start time"


def action_missing() -> str:
    """ValidationException of a new action that sets nothing. Source: ours."""
    return "MinCapacity or MaxCapacity is required in ScalableTargetAction"


def schedule_missing() -> str:
    """ValidationException of a new action. Source: ours."""
    return "Schedule is required for a new scheduled action"


def too_many(kind: str, most: int) -> str:
    """LimitExceededException. Source: ours; the quotas are those of the User Guide."""
    return f"The maximum number of {kind} is {most}"


def next_token_invalid() -> str:
    """InvalidNextTokenException. Source: ours."""
    return "The next token is invalid"


def no_resource(arn: str) -> str:
    """ResourceNotFoundException of the operations on tags. Source: ours."""
    return f"No scalable target exists with the ARN {arn}"


def too_many_tags(most: int) -> str:
    """TooManyTagsException. Source: ours."""
    return f"A scalable target can have at most {most} tags"


def tag_too_long(key_chars_max: int, value_chars_max: int) -> str:
    """ValidationException. Source: ours; the bounds are those of the API's model."""
    return f"Tag keys have 1 to {key_chars_max} characters, tag values up to {value_chars_max}"


def internal() -> str:
    """InternalServiceException. Source: API model."""
    return "The service encountered an internal error"


def unknown_operation(operation: str) -> str:
    """UnknownOperationException of an operation that is not built. Source: ours."""
    return f"hashrange does not support {operation} yet"


def _place(resource: str, dimension: str) -> str:
    namespace = "service namespace: dynamodb"
    return f"{namespace}, resource ID: {resource}, scalable dimension: {dimension}"
