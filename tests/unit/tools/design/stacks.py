"""Reads CloudFormation templates and configurations of Terraform back into requests.

Written after the guides of both, not after the code that writes them. A request is a service, an
operation and its members, in a form that can be compared.
"""

import json
import re

import hcl2
import yaml

NOTHING = {"Ref": "AWS::NoValue"}
PSEUDO = {"AWS::Partition": "aws", "AWS::AccountId": "123456789012", "AWS::Region": "us-east-1"}


def normal(service, operation, request):
    """A request whose lists without an order are sorted, and whose numbers are alike."""
    return json.dumps([service, operation, _sorted(request)], sort_keys=True)


def _sorted(value, member=""):
    match value:
        case dict():
            kept = {name: _sorted(each, name) for name, each in value.items()}
            return {name: each for name, each in kept.items() if name != "PolicyName"}
        case list():
            parts = [_sorted(each) for each in value]
            if member == "KeySchema":
                return parts
            return sorted(parts, key=lambda each: json.dumps(each, sort_keys=True))
        case bool() | str() | None:
            return value
        case _:
            return float(value)


class Loader(yaml.SafeLoader):
    """YAML with the short forms of functions."""


def _function(loader, suffix, node):
    name = suffix if suffix in {"Ref", "Condition"} else f"Fn::{suffix}"
    match node:
        case yaml.ScalarNode():
            return {name: loader.construct_scalar(node)}
        case yaml.SequenceNode():
            return {name: loader.construct_sequence(node, deep=True)}
        case _:
            return {name: loader.construct_mapping(node, deep=True)}


Loader.add_multi_constructor("!", _function)


def template_in(text):
    return yaml.load(text, Loader)


class Stack:
    """A template with values of its parameters."""

    def __init__(self, template, **parameters):
        self.resources = template["Resources"]
        declared = template.get("Parameters") or {}
        defaults = {name: each.get("Default") for name, each in declared.items()}
        self.values = {**PSEUDO, **defaults, **parameters}
        self.conditions = template.get("Conditions") or {}

    def requests(self):
        found = []
        for resource in self.resources.values():
            if "Condition" in resource and not self.holds(resource["Condition"]):
                continue
            properties = self.value(resource.get("Properties") or {})
            reader = READERS.get(resource["Type"])
            if reader is not None:
                found += reader(self, properties)
        return {normal(*each) for each in found}

    def holds(self, name):
        return self.value(self.conditions[name])

    def value(self, value):
        if isinstance(value, list):
            return [each for each in map(self.value, value) if each != NOTHING]
        if not isinstance(value, dict) or value == NOTHING:
            return value
        if len(value) == 1:
            ((name, argument),) = value.items()
            if name == "Ref" or name.startswith("Fn::"):
                return self.function(name, argument)
        members = {name: self.value(each) for name, each in value.items()}
        return {name: each for name, each in members.items() if each != NOTHING}

    def function(self, name, argument):
        match name, argument:
            case "Ref", _:
                return self.reference(argument)
            case "Fn::Sub", _:
                return re.sub(r"\$\{([^}]+)\}", lambda each: self.reference(each[1]), argument)
            case "Fn::If", [condition, yes, no]:
                return self.value(yes if self.holds(condition) else no)
            case "Fn::Equals", [one, other]:
                return self.value(one) == self.value(other)
            case "Fn::Not", [condition]:
                return not self.value(condition)
            case "Fn::Join", [sign, parts]:
                return sign.join(self.value(parts))
            case _:
                raise AssertionError(f"{name}: {argument}")

    def reference(self, name):
        if name in self.values:
            return self.values[name]
        resource = self.resources[name]
        if resource["Type"] == "AWS::DynamoDB::Table":
            return self.value(resource["Properties"]["TableName"])
        return name

    def scaled(self, name):
        properties = self.value(self.resources[name]["Properties"])
        return {each: properties[each] for each in ("ServiceNamespace", *PLACE)}


PLACE = ("ResourceId", "ScalableDimension")
INSIGHTS = "ContributorInsightsSpecification"


def _table(stack, properties):
    name = properties["TableName"]
    expiry = properties.pop("TimeToLiveSpecification", None)
    recovery = properties.pop("PointInTimeRecoverySpecification", None)
    indexes = properties.get("GlobalSecondaryIndexes") or []
    counted = [{}] if (properties.pop(INSIGHTS, None) or {}).get("Enabled") else []
    counted += [
        {"IndexName": index["IndexName"]}
        for index in indexes
        if (index.pop(INSIGHTS, None) or {}).get("Enabled")
    ]
    if "StreamSpecification" in properties:
        properties["StreamSpecification"]["StreamEnabled"] = True
    yield "dynamodb", "CreateTable", properties
    if expiry:
        yield "dynamodb", "UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": expiry}
    if recovery:
        members = {"TableName": name, "PointInTimeRecoverySpecification": recovery}
        yield "dynamodb", "UpdateContinuousBackups", members
    for index in counted:
        members = {"TableName": name, "ContributorInsightsAction": "ENABLE", **index}
        yield "dynamodb", "UpdateContributorInsights", members


def _target(stack, properties):
    properties.pop("RoleARN", None)
    yield "application-autoscaling", "RegisterScalableTarget", properties


def _policy(stack, properties):
    place = stack.scaled(properties.pop("ScalingTargetId"))
    yield "application-autoscaling", "PutScalingPolicy", properties | place


def _alarm(stack, properties):
    properties.pop("AlarmActions", None)
    yield "cloudwatch", "PutMetricAlarm", properties


READERS = {
    "AWS::DynamoDB::Table": _table,
    "AWS::ApplicationAutoScaling::ScalableTarget": _target,
    "AWS::ApplicationAutoScaling::ScalingPolicy": _policy,
    "AWS::CloudWatch::Alarm": _alarm,
}


def terraform_requests(text):
    """The requests of a configuration."""
    resources = {}
    for block in hcl2.loads(text)["resource"]:
        ((kind, labelled),) = block.items()
        ((label, members),) = labelled.items()
        resources[f"{_plain(kind, {})}.{_plain(label, {})}"] = members
    read = {}
    for address, members in resources.items():
        read[address] = _plain(members, read)
    found = []
    for address, members in read.items():
        found += TERRAFORM[address.partition(".")[0]](members)
    return {normal(*each) for each in found}


def _plain(value, read):
    """Values without quotes and escapes; references to resources that were read before."""

    def reference(found):
        kind, label, member = found[1].split(".")
        return read[f"{kind}.{label}"][member]

    match value:
        case dict():
            members = {_plain(name, read): _plain(each, read) for name, each in value.items()}
            return {name: each for name, each in members.items() if name != "__is_block__"}
        case list():
            return [_plain(each, read) for each in value]
        case str() if re.fullmatch(r"\$\{[^}]+\}", value):
            return reference([value, value[2:-1]])
        case str() if value.startswith('"'):
            text = re.sub(r"(?<!\$)\$\{(aws_[^}]+)\}", reference, value)
            return json.loads(text.replace("$${", "${").replace("%%{", "%{"))
        case _:
            return value


def _key_schema(members):
    names = (("hash_key", "HASH"), ("range_key", "RANGE"))
    return [
        {"AttributeName": members[each], "KeyType": kind} for each, kind in names if each in members
    ]


def _throughput(members):
    if "read_capacity" not in members and "write_capacity" not in members:
        return {}
    units = {
        "ReadCapacityUnits": members["read_capacity"],
        "WriteCapacityUnits": members["write_capacity"],
    }
    return {"ProvisionedThroughput": units}


def _index_of(members, partition=None):
    projection = {"ProjectionType": members["projection_type"]}
    if "non_key_attributes" in members:
        projection["NonKeyAttributes"] = members["non_key_attributes"]
    return {
        "IndexName": members["name"],
        "KeySchema": _key_schema({"hash_key": partition, **members}),
        "Projection": projection,
        **_throughput(members),
    }


def _terraform_table(members):
    name = members["name"]
    request = {
        "TableName": name,
        "KeySchema": _key_schema(members),
        "BillingMode": members["billing_mode"],
        "AttributeDefinitions": [
            {"AttributeName": each["name"], "AttributeType": each["type"]}
            for each in members["attribute"]
        ],
        **_throughput(members),
    }
    if "global_secondary_index" in members:
        indexes = [_index_of(each) for each in members["global_secondary_index"]]
        request["GlobalSecondaryIndexes"] = indexes
    if "local_secondary_index" in members:
        partition = members["hash_key"]
        indexes = [_index_of(each, partition) for each in members["local_secondary_index"]]
        request["LocalSecondaryIndexes"] = indexes
    for each, member in (
        ("table_class", "TableClass"),
        ("deletion_protection_enabled", "DeletionProtectionEnabled"),
    ):
        if each in members:
            request[member] = members[each]
    if members.get("stream_enabled"):
        view = members["stream_view_type"]
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": view}
    if "tags" in members:
        request["Tags"] = [{"Key": key, "Value": text} for key, text in members["tags"].items()]
    yield "dynamodb", "CreateTable", request
    for block in members.get("ttl", ()):
        expiry = {"Enabled": block["enabled"], "AttributeName": block["attribute_name"]}
        yield "dynamodb", "UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": expiry}
    for block in members.get("point_in_time_recovery", ()):
        recovery = {
            "PointInTimeRecoveryEnabled": block["enabled"],
            "RecoveryPeriodInDays": block["recovery_period_in_days"],
        }
        request = {"TableName": name, "PointInTimeRecoverySpecification": recovery}
        yield "dynamodb", "UpdateContinuousBackups", request


def _terraform_insights(members):
    request = {"TableName": members["table_name"], "ContributorInsightsAction": "ENABLE"}
    if "index_name" in members:
        request["IndexName"] = members["index_name"]
    yield "dynamodb", "UpdateContributorInsights", request


def _terraform_place(members):
    return {
        "ServiceNamespace": members["service_namespace"],
        "ResourceId": members["resource_id"],
        "ScalableDimension": members["scalable_dimension"],
    }


def _terraform_target(members):
    bounds = {"MinCapacity": members["min_capacity"], "MaxCapacity": members["max_capacity"]}
    request = _terraform_place(members) | bounds
    yield "application-autoscaling", "RegisterScalableTarget", request


def _terraform_policy(members):
    (tracking,) = members["target_tracking_scaling_policy_configuration"]
    (metric,) = tracking["predefined_metric_specification"]
    configuration = {
        "TargetValue": tracking["target_value"],
        "PredefinedMetricSpecification": {"PredefinedMetricType": metric["predefined_metric_type"]},
    }
    request = _terraform_place(members) | {
        "PolicyType": members["policy_type"],
        "TargetTrackingScalingPolicyConfiguration": configuration,
    }
    yield "application-autoscaling", "PutScalingPolicy", request


def _terraform_metric(members):
    dimensions = [{"Name": name, "Value": each} for name, each in members["dimensions"].items()]
    return {
        "Namespace": members["namespace"],
        "MetricName": members["metric_name"],
        "Dimensions": dimensions,
    }


def _terraform_alarm(members):
    request = {
        "AlarmName": members["alarm_name"],
        "AlarmDescription": members["alarm_description"],
        "EvaluationPeriods": members["evaluation_periods"],
        "DatapointsToAlarm": members["datapoints_to_alarm"],
        "Threshold": members["threshold"],
        "ComparisonOperator": members["comparison_operator"],
        "TreatMissingData": members["treat_missing_data"],
    }
    if "metric_query" not in members:
        request |= _terraform_metric(members)
        request |= {"Statistic": members["statistic"], "Period": members["period"]}
        yield "cloudwatch", "PutMetricAlarm", request
        return
    request["Metrics"] = []
    for query in members["metric_query"]:
        metric = {"Id": query["id"], "ReturnData": query["return_data"]}
        if "expression" in query:
            metric |= {"Expression": query["expression"], "Label": query["label"]}
        for each in query.get("metric", ()):
            stat = {"Metric": _terraform_metric(each), "Period": each["period"]}
            metric["MetricStat"] = stat | {"Stat": each["stat"]}
        request["Metrics"].append(metric)
    yield "cloudwatch", "PutMetricAlarm", request


TERRAFORM = {
    "aws_dynamodb_table": _terraform_table,
    "aws_dynamodb_contributor_insights": _terraform_insights,
    "aws_appautoscaling_target": _terraform_target,
    "aws_appautoscaling_policy": _terraform_policy,
    "aws_cloudwatch_metric_alarm": _terraform_alarm,
}
