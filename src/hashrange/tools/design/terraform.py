"""A definition as a configuration of Terraform and OpenTofu, for the provider of AWS. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashrange.tools.definition import TableDefinition
from hashrange.tools.design.alarms import alarms_of
from hashrange.tools.design.choices import DesignError
from hashrange.tools.design.hcl_text import Block, Member, Reference, Template, hcl_of
from hashrange.tools.design.steps import identifiers, policy_of, scalable_units

_PROVIDER: Final = ">= 5.98"
"""The first version with `recovery_period_in_days`."""
_TABLE: Final = "aws_dynamodb_table.table"
_NAME: Final = Reference(f"{_TABLE}.name")


def configuration_of(definition: TableDefinition) -> str:
    """The text of a `.tf` file. Raises DesignError for keys that the provider does not have."""
    source = {"source": "hashicorp/aws", "version": _PROVIDER}
    providers = Block("required_providers", members=[("aws", source)])
    blocks = [Block("terraform", members=[providers]), _table(definition)]
    if definition.insights:
        blocks += _insights(definition)
    if definition.is_provisioned:
        blocks += _scaling(definition)
    if definition.alarms:
        blocks += _alarms(definition)
    return hcl_of(blocks)


def _resource(kind: str, label: str, members: list[Member]) -> Block:
    return Block("resource", (kind, label), members)


def _table(definition: TableDefinition) -> Block:
    request = definition.request
    members: list[Member] = [("name", definition.name), *_keys(definition.name, request)]
    members.append(("billing_mode", request.get("BillingMode", "PROVISIONED")))
    members += _units(request)
    if "TableClass" in request:
        members.append(("table_class", request["TableClass"]))
    if request.get("DeletionProtectionEnabled"):
        members.append(("deletion_protection_enabled", True))
    if (stream := request.get("StreamSpecification") or {}).get("StreamEnabled"):
        members += [("stream_enabled", True), ("stream_view_type", stream["StreamViewType"])]
    for each in request["AttributeDefinitions"]:
        attribute = [("name", each["AttributeName"]), ("type", each["AttributeType"])]
        members.append(Block("attribute", members=attribute))
    members += _limits(request)
    for kind, name in (("GlobalSecondaryIndexes", "global"), ("LocalSecondaryIndexes", "local")):
        members += [_index(f"{name}_secondary_index", each) for each in request.get(kind) or ()]
    members += _settings(definition)
    if tags := request.get("Tags"):
        members.append(("tags", {tag["Key"]: tag["Value"] for tag in tags}))
    if definition.scaling is not None and definition.is_provisioned:
        # The units of indexes cannot be ignored alone.
        ignored = ["read_capacity", "write_capacity"]
        ignored += ["global_secondary_index"] if definition.global_indexes else []
        changes = ("ignore_changes", [Reference(name) for name in ignored])
        members.append(Block("lifecycle", members=[changes]))
    return _resource("aws_dynamodb_table", "table", members)


def _settings(definition: TableDefinition) -> Iterator[Member]:
    if definition.time_to_live is not None:
        expiry = [("attribute_name", definition.time_to_live), ("enabled", True)]
        yield Block("ttl", members=expiry)
    if definition.recovery_days is not None:
        recovery = [("enabled", True), ("recovery_period_in_days", definition.recovery_days)]
        yield Block("point_in_time_recovery", members=recovery)
    encryption = definition.request.get("SSESpecification") or {}
    if encryption.get("Enabled"):
        key = encryption.get("KMSMasterKeyId")
        members: list[Member] = [("enabled", True)]
        members += [] if key is None else [("kms_key_arn", key)]
        yield Block("server_side_encryption", members=members)


def _keys(name: str, part: Mapping[str, Any]) -> list[Member]:
    found: list[Member] = []
    for kind, member in (("HASH", "hash_key"), ("RANGE", "range_key")):
        names = [each["AttributeName"] for each in part["KeySchema"] if each["KeyType"] == kind]
        if len(names) > 1:
            raise DesignError(f"{name}: this output has no keys of several attributes")
        found += [(member, each) for each in names]
    return found


def _units(part: Mapping[str, Any]) -> Iterator[Member]:
    units = part.get("ProvisionedThroughput") or {}
    for member, name in (("ReadCapacityUnits", "read"), ("WriteCapacityUnits", "write")):
        if member in units:
            yield f"{name}_capacity", units[member]


def _limits(part: Mapping[str, Any]) -> Iterator[Member]:
    limits = part.get("OnDemandThroughput") or {}
    names = (("MaxReadRequestUnits", "max_read"), ("MaxWriteRequestUnits", "max_write"))
    members = [(f"{name}_request_units", limits[each]) for each, name in names if each in limits]
    if members:
        yield Block("on_demand_throughput", members=members)


def _index(kind: str, index: Mapping[str, Any]) -> Block:
    name, projection = index["IndexName"], index["Projection"]
    keys = _keys(name, index)
    members: list[Member] = [("name", name), *(keys if kind[0] == "g" else keys[1:])]
    members.append(("projection_type", projection["ProjectionType"]))
    if "NonKeyAttributes" in projection:
        members.append(("non_key_attributes", list(projection["NonKeyAttributes"])))
    return Block(kind, members=[*members, *_units(index), *_limits(index)])


def _insights(definition: TableDefinition) -> Iterator[Block]:
    kind = "aws_dynamodb_contributor_insights"
    yield _resource(kind, "table", [("table_name", _NAME)])
    for index, name in identifiers(definition.global_indexes).items():
        yield _resource(kind, f"index_{name}", [("table_name", _NAME), ("index_name", index)])


def _scaling(definition: TableDefinition) -> Iterator[Block]:
    scaling = definition.scaling
    names = identifiers(definition.global_indexes)
    for units in scalable_units(definition):
        assert scaling is not None, "there are units to scale"
        kind = units.member.removesuffix("CapacityUnits").lower()
        label = kind if units.index is None else f"index_{names[units.index]}_{kind}"
        target = f"aws_appautoscaling_target.{label}"
        resource = Template("table/", _NAME.text, units.resource_id("").removeprefix("table/"))
        yield _resource(
            "aws_appautoscaling_target",
            label,
            [
                ("service_namespace", "dynamodb"),
                ("resource_id", resource),
                ("scalable_dimension", units.dimension),
                ("min_capacity", scaling.units_min),
                ("max_capacity", scaling.units_max),
            ],
        )
        policy = policy_of(units, scaling.target_percent)
        metric = Block(
            "predefined_metric_specification", members=[("predefined_metric_type", units.metric)]
        )
        tracking = Block(
            "target_tracking_scaling_policy_configuration",
            members=[("target_value", scaling.target_percent), metric],
        )
        yield _resource(
            "aws_appautoscaling_policy",
            label,
            [
                ("name", policy["PolicyName"]),
                ("policy_type", policy["PolicyType"]),
                *(
                    (name, Reference(f"{target}.{name}"))
                    for name in ("service_namespace", "resource_id", "scalable_dimension")
                ),
                tracking,
            ],
        )


_COMMON: Final = {
    "EvaluationPeriods": "evaluation_periods",
    "DatapointsToAlarm": "datapoints_to_alarm",
    "Threshold": "threshold",
    "ComparisonOperator": "comparison_operator",
    "TreatMissingData": "treat_missing_data",
}


def _alarms(definition: TableDefinition) -> Iterator[Block]:
    alarms = alarms_of(definition)
    names = identifiers(alarm["AlarmName"].removeprefix(definition.name) for alarm in alarms)
    for alarm in alarms:
        suffix = alarm["AlarmName"].removeprefix(definition.name)
        members: list[Member] = [
            ("alarm_name", Template("", _NAME.text, suffix)),
            ("alarm_description", alarm["AlarmDescription"]),
            *((name, alarm[member]) for member, name in _COMMON.items()),
        ]
        if "Metrics" in alarm:
            members += [_query(metric) for metric in alarm["Metrics"]]
        else:
            members += _metric(alarm, "statistic", alarm["Statistic"], alarm["Period"])
        yield _resource("aws_cloudwatch_metric_alarm", names[suffix], members)


def _metric(metric: Mapping[str, Any], member: str, kind: str, period: int) -> list[Member]:
    dimensions = {each["Name"]: each["Value"] for each in metric["Dimensions"]}
    return [
        ("namespace", metric["Namespace"]),
        ("metric_name", metric["MetricName"]),
        (member, kind),
        ("period", period),
        ("dimensions", dimensions | {"TableName": _NAME}),
    ]


def _query(metric: Mapping[str, Any]) -> Block:
    members: list[Member] = [("id", metric["Id"]), ("return_data", metric["ReturnData"])]
    if "Expression" in metric:
        members += [("expression", metric["Expression"]), ("label", metric["Label"])]
    else:
        stat = metric["MetricStat"]
        own = _metric(stat["Metric"], "stat", stat["Stat"], stat["Period"])
        members.append(Block("metric", members=own))
    return Block("metric_query", members=members)
