"""A definition as a CloudFormation template. Pure."""

from collections.abc import Mapping
from typing import Any, Final

from hashrange.tools.definition import ON_DEMAND, PROVISIONED, TableDefinition
from hashrange.tools.design.alarms import alarms_of
from hashrange.tools.design.choices import ENVIRONMENT_TAG
from hashrange.tools.design.steps import identifiers, policy_of, scalable_units

_FORMAT: Final = "2010-09-09"
TABLE: Final = "Table"
_REF: Final = {"Ref": TABLE}
_NOTHING: Final = {"Ref": "AWS::NoValue"}
_KEPT: Final = (
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "LocalSecondaryIndexes",
    "GlobalSecondaryIndexes",
    "TableClass",
    "DeletionProtectionEnabled",
    "Tags",
)
"""Members of CreateTable that are properties of the same form."""
_SCALED: Final = "IsProvisioned"
_ENVIRONMENTS: Final = ("prod", "staging", "test", "dev")


def template_of(definition: TableDefinition, *, parameters: bool = False) -> dict[str, Any]:
    """The template.

    Args:
        definition: the table.
        parameters: whether mode, ranges of units, environment and the topic of alarms can be chosen
            when the stack is made. The defaults make the same table as the definition. In another
            environment than production its name is a suffix of the table's.
    """
    template: dict[str, Any] = {
        "AWSTemplateFormatVersion": _FORMAT,
        "Description": f"The DynamoDB table {definition.name}",
    }
    resources: dict[str, Any] = {TABLE: _table(definition)}
    resources |= _scaling(definition) if definition.is_provisioned or parameters else {}
    if definition.alarms:
        resources |= _alarms(definition)
    if parameters:
        template |= _parametrised(definition, resources)
    template["Resources"] = resources
    template["Outputs"] = {
        "TableName": {"Value": _REF},
        "TableArn": {"Value": {"Fn::GetAtt": [TABLE, "Arn"]}},
    }
    if "StreamSpecification" in definition.request:
        stream = {"Fn::GetAtt": [TABLE, "StreamArn"]}
        template["Outputs"]["StreamArn"] = {"Value": stream}
    return template


def _table(definition: TableDefinition) -> dict[str, Any]:
    request = definition.request
    properties: dict[str, Any] = {"TableName": definition.name}
    properties |= {name: request[name] for name in _KEPT if name in request}
    if definition.insights:
        enabled = {"ContributorInsightsSpecification": {"Enabled": True}}
        properties |= enabled
        if "GlobalSecondaryIndexes" in properties:
            indexes = [index | enabled for index in properties["GlobalSecondaryIndexes"]]
            properties["GlobalSecondaryIndexes"] = indexes
    stream = request.get("StreamSpecification") or {}
    if stream.get("StreamEnabled"):
        properties["StreamSpecification"] = {"StreamViewType": stream["StreamViewType"]}
    if "SSESpecification" in request:
        properties["SSESpecification"] = _encryption(request["SSESpecification"])
    if definition.time_to_live is not None:
        expiry = {"AttributeName": definition.time_to_live, "Enabled": True}
        properties["TimeToLiveSpecification"] = expiry
    if definition.recovery_days is not None:
        properties["PointInTimeRecoverySpecification"] = {
            "PointInTimeRecoveryEnabled": True,
            "RecoveryPeriodInDays": definition.recovery_days,
        }
    return {
        "Type": "AWS::DynamoDB::Table",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": properties,
    }


def _encryption(specification: Mapping[str, Any]) -> dict[str, Any]:
    """The member `Enabled` has another name in templates."""
    return {
        "SSEEnabled" if name == "Enabled" else name: value for name, value in specification.items()
    }


def _scaling(definition: TableDefinition) -> dict[str, Any]:
    scaling, resources = definition.scaling, {}
    if scaling is None:
        return {}
    names = identifiers(definition.global_indexes)
    for units in scalable_units(definition):
        of = "" if units.index is None else names[units.index]
        name = f"{of}{units.member.removesuffix('CapacityUnits')}"
        target = {
            "ServiceNamespace": "dynamodb",
            "ResourceId": {"Fn::Sub": units.resource_id(f"${{{TABLE}}}")},
            "ScalableDimension": units.dimension,
            "MinCapacity": scaling.units_min,
            "MaxCapacity": scaling.units_max,
        }
        resources[f"{name}Target"] = {
            "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
            "Properties": target,
        }
        policy = policy_of(units, scaling.target_percent)
        resources[f"{name}Policy"] = {
            "Type": "AWS::ApplicationAutoScaling::ScalingPolicy",
            "Properties": policy | {"ScalingTargetId": {"Ref": f"{name}Target"}},
        }
    return resources


def _alarms(definition: TableDefinition) -> dict[str, Any]:
    """The alarms, whose table is that of the stack, whatever its name is."""
    table = definition.name
    alarms = alarms_of(definition)
    suffixes = [alarm["AlarmName"].removeprefix(table) for alarm in alarms]
    names = identifiers(suffixes)
    resources = {}
    for alarm, suffix in zip(alarms, suffixes, strict=True):
        properties = alarm | {"AlarmName": {"Fn::Sub": f"${{{TABLE}}}{suffix}"}}
        if "Dimensions" in alarm:
            properties["Dimensions"] = _of_stack(alarm["Dimensions"])
        else:
            properties["Metrics"] = [_metric_of_stack(metric) for metric in alarm["Metrics"]]
        resources[f"{names[suffix]}Alarm"] = {
            "Type": "AWS::CloudWatch::Alarm",
            "Properties": properties,
        }
    return resources


def _of_stack(dimensions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each | {"Value": _REF} if each["Name"] == "TableName" else each for each in dimensions]


def _metric_of_stack(metric: dict[str, Any]) -> dict[str, Any]:
    if "MetricStat" not in metric:
        return metric
    stat = metric["MetricStat"]
    dimensions = _of_stack(stat["Metric"]["Dimensions"])
    return metric | {"MetricStat": stat | {"Metric": stat["Metric"] | {"Dimensions": dimensions}}}


def _parametrised(definition: TableDefinition, resources: dict[str, Any]) -> dict[str, Any]:
    """Put parameters in place of what the template has; the sections that declare them."""
    properties = resources[TABLE]["Properties"]
    is_production = {"Fn::Equals": [{"Ref": "Environment"}, _ENVIRONMENTS[0]]}
    parameters: dict[str, Any] = {"Environment": _choice(_ENVIRONMENTS, "Names the stack's tables")}
    conditions: dict[str, Any] = {"IsProduction": is_production}
    name = {"Fn::Sub": f"{definition.name}-${{Environment}}"}
    properties["TableName"] = {"Fn::If": ["IsProduction", definition.name, name]}
    key = ENVIRONMENT_TAG["Key"]
    properties["Tags"] = [
        {"Key": key, "Value": {"Ref": "Environment"}} if tag == ENVIRONMENT_TAG else tag
        for tag in properties.get("Tags") or ()
    ]
    if definition.scaling is not None:
        modes = (PROVISIONED, ON_DEMAND) if definition.is_provisioned else (ON_DEMAND, PROVISIONED)
        parameters["BillingMode"] = _choice(modes, "How reads and writes are paid")
        parameters |= _ranges(definition)
        conditions[_SCALED] = {"Fn::Equals": [{"Ref": "BillingMode"}, PROVISIONED]}
        _choose_mode(definition, properties)
        for resource in resources.values():
            _choose_range(resource)
    if definition.alarms:
        parameters["AlarmTopic"] = {
            "Type": "String",
            "Default": "",
            "Description": "ARN of the SNS topic that alarms are sent to; empty for none",
        }
        conditions["HasAlarmTopic"] = {"Fn::Not": [{"Fn::Equals": [{"Ref": "AlarmTopic"}, ""]}]}
        actions = {"Fn::If": ["HasAlarmTopic", [{"Ref": "AlarmTopic"}], _NOTHING]}
        for resource in resources.values():
            if resource["Type"] == "AWS::CloudWatch::Alarm":
                resource["Properties"]["AlarmActions"] = actions
    return {"Parameters": parameters, "Conditions": conditions}


def _choice(values: tuple[str, ...], description: str) -> dict[str, Any]:
    """A parameter whose first value is the default."""
    return {
        "Type": "String",
        "AllowedValues": list(values),
        "Default": values[0],
        "Description": description,
    }


def _ranges(definition: TableDefinition) -> dict[str, Any]:
    """The parameters of the ranges of units."""
    scaling = definition.scaling
    assert scaling is not None, "there is a range"
    parameters = {}
    own = definition.provisioned().request["ProvisionedThroughput"]
    for kind in ("Read", "Write"):
        for bound, default in (
            ("Min", scaling.units_min),
            ("Max", scaling.units_max),
            ("Initial", own[f"{kind}CapacityUnits"]),
        ):
            text = {"Min": "Least", "Max": "Most", "Initial": "First"}[bound]
            parameters[f"{bound}{kind}Units"] = {
                "Type": "Number",
                "Default": default,
                "MinValue": 1,
                "Description": f"{text} {kind.lower()} units of the table and of each index",
            }
    parameters["TargetUtilization"] = {
        "Type": "Number",
        "Default": scaling.target_percent,
        "MinValue": 20,
        "MaxValue": 90,
        "Description": "Consumed units as a percentage of the provisioned ones",
    }
    return parameters


def _choose_mode(definition: TableDefinition, properties: dict[str, Any]) -> None:
    """Let the parameter decide whether the table and its indexes have provisioned units."""
    request = definition.provisioned().request
    own = request["ProvisionedThroughput"]
    given = {f"{kind}CapacityUnits": {"Ref": f"Initial{kind}Units"} for kind in ("Read", "Write")}
    properties["BillingMode"] = {"Ref": "BillingMode"}
    properties["ProvisionedThroughput"] = {"Fn::If": [_SCALED, given, _NOTHING]}
    if indexes := properties.get("GlobalSecondaryIndexes"):
        units = [index["ProvisionedThroughput"] for index in request["GlobalSecondaryIndexes"]]
        properties["GlobalSecondaryIndexes"] = [
            index
            | {
                "ProvisionedThroughput": {
                    "Fn::If": [_SCALED, given if its == own else its, _NOTHING]
                }
            }
            for index, its in zip(indexes, units, strict=True)
        ]


def _choose_range(resource: dict[str, Any]) -> None:
    """Let parameters give the bounds and the target of scaling, which only such tables have."""
    properties = resource["Properties"]
    if resource["Type"].endswith("ScalableTarget"):
        kind = "Read" if "Read" in properties["ScalableDimension"] else "Write"
        properties |= {
            "MinCapacity": {"Ref": f"Min{kind}Units"},
            "MaxCapacity": {"Ref": f"Max{kind}Units"},
        }
        resource["Condition"] = _SCALED
    elif resource["Type"].endswith("ScalingPolicy"):
        name = "TargetTrackingScalingPolicyConfiguration"
        target = {"TargetValue": {"Ref": "TargetUtilization"}}
        properties[name] = properties[name] | target
        resource["Condition"] = _SCALED
