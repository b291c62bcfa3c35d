"""Texts of Application Auto Scaling, and of the auto scaling of replicas.

Source of those of replicas that do not say otherwise: measurements of the service by users, October
2026; of others without another source: catalogue 287, and reports of users.
"""

from collections.abc import Sequence

from hashrange.messages.text import Text

# ValidationException: another service, resource or dimension. .
unsupported = Text("Unsupported service namespace, resource type or scalable dimension", 287)


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


# ValidationException. Source: reports of users.
no_table = Text("DynamoDB table does not exist: {resource}")
# ValidationException. Source: ours, after that of tables.
no_index = Text("DynamoDB index does not exist: {resource}")
# ValidationException of a table without provisioned capacity. Source: ours.
on_demand = Text("DynamoDB table is not in provisioned capacity mode: {resource}")
# ValidationException of a new target without its bounds. Source: ours.
capacities_missing = Text("MinCapacity and MaxCapacity are required when a new scalable target is registered")
# ValidationException. Source: reports of users.
maximum_below_minimum = Text("Maximum capacity cannot be less than minimum capacity")
# ValidationException. Source: ours.
minimum_too_small = Text("Minimum capacity cannot be less than 1")
# ValidationException of another type of policy. Source: ours.
only_target_tracking = Text("Only target tracking scaling policies are supported for DynamoDB")
# ValidationException of a policy without its configuration. Source: ours.
configuration_missing = Text("TargetTrackingScalingPolicyConfiguration is required for policy type TargetTrackingScaling")
# ValidationException of a policy without a predefined metric. Source: ours.
metric_missing = Text("A predefined metric must be specified; customized metrics are not supported")
# ValidationException of a metric of another dimension. Source: ours.
wrong_metric = Text("The metric {metric} cannot be used with the scalable dimension {dimension}")


def target_out_of_bounds(value: str, least: str, most: str) -> str:
    """ValidationException of a target that no metric can have. Source: users, October 2026."""
    return f"For target tracking scaling, target value must be between '{least}' and '{most}', but was '{value}'."


def percent_out_of_bounds(metric: str, percent: str, least: str, most: str) -> str:
    """ValidationException of a utilization. Source: users, October 2026."""
    return f"For predefined metric type {metric}, target value must be between '{least}' and '{most}', but was '{percent}'."


# ValidationException of a second policy of a target. Source: reports of users.
one_policy_per_metric = Text("Only one TargetTrackingScaling policy for a given metric specification is allowed.")
# ValidationException of ResourceLabel. Source: ours; the API's reference says it.
label_of_other_metric = Text("ResourceLabel can only be specified for the metric ALBRequestCountPerTarget")
# ValidationException of a list. Source: ours; the API's reference says it.
dimension_without_resource = Text("A resource ID must be specified with a scalable dimension")
# ValidationException of Tags for a target that is there. Source: reports of users.
tagged_already = Text("The scalable target that you tried to tag already exists. To update tags on an existing scalable target, use the TagResource API.")
# ValidationException of a tag of AWS's own. Source: ours.
tag_reserved = Text("Tag keys that begin with aws: are reserved: {key}")
# ValidationException of `at(...)` before now. Source: ours.
time_is_past = Text("The time of the schedule has passed: {schedule}")
# ValidationException of a schedule or a time zone. Source: ours.
schedule_invalid = Text("Invalid schedule: {reason}")
# ValidationException. Source: ours.
end_before_start = Text("The end time must be after the start time")
# ValidationException of a new action that sets nothing. Source: ours.
action_missing = Text("MinCapacity or MaxCapacity is required in ScalableTargetAction")
# ValidationException of a new action. Source: ours.
schedule_missing = Text("Schedule is required for a new scheduled action")
# LimitExceededException. Source: ours; the quotas are those of the User Guide.
too_many = Text("The maximum number of {kind} is {most}")
# InvalidNextTokenException. Source: ours.
next_token_invalid = Text("The next token is invalid")
# ResourceNotFoundException of the operations on tags. Source: ours.
no_resource = Text("No scalable target exists with the ARN {arn}")
# TooManyTagsException. Source: ours.
too_many_tags = Text("A scalable target can have at most {most} tags")
# ValidationException. Source: ours; the bounds are those of the API's model.
tag_too_long = Text("Tag keys have 1 to {key_chars_max} characters, tag values up to {value_chars_max}")
# AlarmDescription of an alarm of a policy. Source: alarms that users have published.
alarm_description = Text("DO NOT EDIT OR DELETE. For TargetTrackingScaling policy {arn}.")
# InternalServiceException. Source: API model.
internal = Text("The service encountered an internal error")
# UnknownOperationException of an operation that is not built. Source: ours.
unknown_operation = Text("hashrange does not support {operation} yet")


def _place(resource: str, dimension: str) -> str:
    namespace = "service namespace: dynamodb"
    return f"{namespace}, resource ID: {resource}, scalable dimension: {dimension}"


# ResourceNotFoundException: no table, or one without replicas.
no_global_table = Text("Global table with name: '{name}' does not exist.")
# ResourceNotFoundException: no replica in a region. A text of this server.
no_replica = Text("Global table with name: '{name}' has no replica in region: '{region}'.")


def no_indexes(name: str, indexes: Sequence[str]) -> str:
    """ResourceNotFoundException: global indexes that the table has not."""
    return f"{_failed(name)} because the global secondary indexes with names: \u2018[{', '.join(indexes)}]\u2019 do not exist."


def replica_on_demand(name: str, regions: Sequence[str], parameters: Sequence[str]) -> str:
    """Settings for an on-demand table."""
    named = _quoted([each.upper() for each in regions])
    convert = "You must convert table's BillingMode to PROVISIONED to set parameters:"
    return f"Failed to update global table with name \u2018{name}\u2018. Replicas {named} BillingMode is PayPerRequest. {convert} {_quoted(parameters)}."


def required(name: str, parameters: Sequence[str]) -> str:
    """Settings that are not complete."""
    return f"{_failed(name)}: Parameters {_quoted(parameters)} are required unless auto scaling is being disabled."


def left_blank(name: str, parameters: Sequence[str]) -> str:
    """Settings beside AutoScalingDisabled."""
    return f"Failed to update settings for global table with name \u2018{name}\u2019: Parameters {_quoted(parameters)} must be left blank when disabling auto scaling."


def nothing(name: str) -> str:
    """A request without settings. Source: captures of the service, September 2026."""
    return f"{_failed(name)} because at least one update parameter must be specified."


def nothing_for(name: str, region: str) -> str:
    """A replica without settings."""
    return f"{_failed(name)} because at least one update parameter must be specified for region: \u2018{region}\u2019."


def regions_twice(name: str, regions: Sequence[str]) -> str:
    """A region that is named twice."""
    named = ", ".join(regions)
    return f"{_failed(name)} because the regions: \u2018[{named}]\u2019 were specified more than once."


# Bounds that exclude each other.
replica_maximum_below_minimum = Text("Maximum capacity cannot be less than minimum capacity")
# An error of Application Auto Scaling.
passed_on = Text("{text} (Service: AWSApplicationAutoScaling; Status Code: 400; Error Code: ValidationException; Request ID: {request_id}; Proxy: null)")


def _failed(name: str) -> str:
    return f"Failed to update settings for global table with name: \u2018{name}\u2019"


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
