"""Tables of CloudFormation templates, also of SAM. Pure.

Source: CloudFormation Template Reference, "AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable",
"AWS::ApplicationAutoScaling::ScalableTarget", "AWS::CloudWatch::Alarm".
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashrange.tools.definition import AutoScaling, TableDefinition
from hashrange.tools.models.intrinsics import Values
from hashrange.tools.models.schema import Model, ModelError
from hashrange.tools.models.table_parts import indexes_of

TABLE: Final = "AWS::DynamoDB::Table"
GLOBAL_TABLE: Final = "AWS::DynamoDB::GlobalTable"
SIMPLE_TABLE: Final = "AWS::Serverless::SimpleTable"
_TARGET: Final = "AWS::ApplicationAutoScaling::ScalableTarget"
_POLICY: Final = "AWS::ApplicationAutoScaling::ScalingPolicy"
_ALARM: Final = "AWS::CloudWatch::Alarm"
_PASSED_ON: Final = (
    *("AttributeDefinitions", "KeySchema", "LocalSecondaryIndexes", "BillingMode"),
    *("ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput", "TableClass", "Tags"),
    *("DeletionProtectionEnabled", "ResourcePolicy"),
)
"""Properties of a table that CreateTable has as well."""
_RECOVERY_DAYS: Final = 35
"""The default of CloudFormation."""
_INDEX_MEMBERS: Final = (
    *("IndexName", "KeySchema", "Projection", "ProvisionedThroughput", "OnDemandThroughput"),
    "WarmThroughput",
)


def model_of_template(template: Mapping[str, Any], name: str) -> Model:
    """The tables of a template, as a model without entities. Raises ModelError."""
    values = Values(template)
    resources = {
        logical: values.of(resource)
        for logical, resource in template["Resources"].items()
        if isinstance(resource, dict)
        and isinstance(resource.get("Type"), str)
        and resource["Type"] in {TABLE, GLOBAL_TABLE, SIMPLE_TABLE, _TARGET, _POLICY, _ALARM}
    }
    tables = []
    for logical, resource in resources.items():
        if resource["Type"] not in {TABLE, GLOBAL_TABLE, SIMPLE_TABLE}:
            continue
        properties = resource.get("Properties") or {}
        try:
            tables.append(_definition(logical, resource["Type"], properties, resources))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ModelError(f"Resources.{logical}: {_reason(error)}") from error
    if not tables:
        raise ModelError("Resources has no table of DynamoDB")
    description = template.get("Description")
    return Model(
        name=name,
        description=description if isinstance(description, str) else "",
        tables=tuple(tables),
    )


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"the member {error.args[0]} is missing"
    if isinstance(error, ModelError):
        return str(error)
    return "a member has a wrong type"


def _definition(
    logical: str, kind: str, properties: Mapping[str, Any], resources: Mapping[str, Any]
) -> TableDefinition:
    if kind == SIMPLE_TABLE:
        properties = _simple(properties)
    request: dict[str, Any] = {"TableName": str(properties.get("TableName", logical))}
    request |= {name: properties[name] for name in _PASSED_ON if name in properties}
    for member in ("AttributeDefinitions", "KeySchema"):
        _check_elements(properties[member], member)
    provisioned = properties.get("ProvisionedThroughput")
    request.setdefault("BillingMode", "PROVISIONED" if kind == TABLE else "PAY_PER_REQUEST")
    if provisioned is not None:
        request["ProvisionedThroughput"] = _numbers(provisioned)
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        if properties.get(member):
            request[member] = [_index(index) for index in properties[member]]
    stream = properties.get("StreamSpecification")
    if stream:
        view = stream.get("StreamViewType", "NEW_AND_OLD_IMAGES")
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": view}
    replica = (properties.get("Replicas") or [{}])[0] if kind == GLOBAL_TABLE else properties
    for member in ("TableClass", "DeletionProtectionEnabled", "Tags"):
        if member in replica:
            request[member] = replica[member]
    key = properties.get("SSESpecification") or {}
    if key.get("KMSMasterKeyId"):
        request["SSESpecification"] = {"Enabled": True, "SSEType": "KMS"} | {
            "KMSMasterKeyId": key["KMSMasterKeyId"]
        }
    indexes_of(request)
    return TableDefinition(
        request=request,
        time_to_live=_time_to_live(properties),
        recovery_days=_recovery_days(replica),
        insights=_is_on(replica.get("ContributorInsightsSpecification") or {}, "Enabled"),
        alarms=any(_is_of(each, _ALARM, request["TableName"]) for each in resources.values()),
        scaling=_scaling(request["TableName"], properties, resources),
    )


def _check_elements(elements: Any, member: str) -> None:
    for each in elements:
        if not isinstance(each.get("AttributeName"), str):
            raise ModelError(f"{member} has an element without AttributeName")


def _simple(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The properties of a table that has what SAM's SimpleTable has."""
    key = properties.get("PrimaryKey") or {"Name": "id", "Type": "String"}
    kind = {"String": "S", "Number": "N", "Binary": "B"}[key["Type"]]
    return {
        **properties,
        "AttributeDefinitions": [{"AttributeName": key["Name"], "AttributeType": kind}],
        "KeySchema": [{"AttributeName": key["Name"], "KeyType": "HASH"}],
        "Tags": [{"Key": name, "Value": text} for name, text in properties.get("Tags", {}).items()],
    }


def _index(index: Mapping[str, Any]) -> dict[str, Any]:
    _check_elements(index["KeySchema"], "KeySchema")
    made = {name: index[name] for name in _INDEX_MEMBERS if name in index}
    made["IndexName"] = str(index["IndexName"])
    made["Projection"] = dict(index["Projection"])
    made["Projection"].setdefault("ProjectionType", "ALL")
    if "ProvisionedThroughput" in index:
        made["ProvisionedThroughput"] = _numbers(index["ProvisionedThroughput"])
    return made


def _numbers(units: Mapping[str, Any]) -> dict[str, int]:
    return {name: int(units[name]) for name in ("ReadCapacityUnits", "WriteCapacityUnits")}


def _is_on(setting: Mapping[str, Any], member: str) -> bool:
    return str(setting.get(member)).lower() == "true"


def _time_to_live(properties: Mapping[str, Any]) -> str | None:
    setting = properties.get("TimeToLiveSpecification") or {}
    return setting.get("AttributeName") if _is_on(setting, "Enabled") else None


def _recovery_days(properties: Mapping[str, Any]) -> int | None:
    setting = properties.get("PointInTimeRecoverySpecification") or {}
    if not _is_on(setting, "PointInTimeRecoveryEnabled"):
        return None
    return int(setting.get("RecoveryPeriodInDays", _RECOVERY_DAYS))


def _is_of(resource: Mapping[str, Any], kind: str, table: str) -> bool:
    """Whether a resource of this kind is for the table."""
    if resource["Type"] != kind:
        return False
    properties = resource.get("Properties") or {}
    if kind == _ALARM:
        return any(
            each.get("Name") == "TableName" and each.get("Value") == table
            for each in _dimensions(properties)
        )
    return str(properties.get("ResourceId", "")) == f"table/{table}"


def _dimensions(properties: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The dimensions of an alarm and of its metrics."""
    yield from properties.get("Dimensions") or ()
    for metric in properties.get("Metrics") or ():
        yield from ((metric.get("MetricStat") or {}).get("Metric") or {}).get("Dimensions") or ()


def _scaling(
    table: str, properties: Mapping[str, Any], resources: Mapping[str, Any]
) -> AutoScaling | None:
    """The scaling of the write units of a table, else of its read units."""
    own = (properties.get("WriteProvisionedThroughputSettings") or {}).get(
        "WriteCapacityAutoScalingSettings"
    )
    if own:
        policy = own.get("TargetTrackingScalingPolicyConfiguration") or {}
        return _bounds(own, policy)
    targets = {
        logical: each["Properties"]
        for logical, each in resources.items()
        if _is_of(each, _TARGET, table)
    }
    for logical, target in sorted(
        targets.items(), key=lambda row: "Write" not in str(row[1].get("ScalableDimension"))
    ):
        policy = next(
            (
                each["Properties"].get("TargetTrackingScalingPolicyConfiguration") or {}
                for each in resources.values()
                if each["Type"] == _POLICY
                and each["Properties"].get("ScalingTargetId") in {logical, target["ResourceId"]}
            ),
            {},
        )
        return _bounds(target, policy)
    return None


def _bounds(target: Mapping[str, Any], policy: Mapping[str, Any]) -> AutoScaling:
    return AutoScaling(
        units_min=int(target["MinCapacity"]),
        units_max=int(target["MaxCapacity"]),
        target_percent=round(float(policy.get("TargetValue", 70))),
    )
