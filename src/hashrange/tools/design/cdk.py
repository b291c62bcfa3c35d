"""A definition as a program of the AWS CDK, in TypeScript or Python. Pure.

The program is made once, as a list of statements; `cdk_languages` writes them in a language.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashrange.tools.definition import TableDefinition
from hashrange.tools.design.alarms import PERIOD_SECONDS, alarms_of
from hashrange.tools.design.cdk_languages import (
    Call,
    Constant,
    Language,
    New,
    Statement,
    Struct,
    Verbatim,
    program_of,
)
from hashrange.tools.design.steps import identifiers

_TABLE: Final = "table"
_TYPES: Final = {"S": "STRING", "N": "NUMBER", "B": "BINARY"}
_ONLY_TABLES: Final = {"includeResourceTypes": ["AWS::DynamoDB::Table"]}
_COMPARISON: Final = Constant("cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD")
_MISSING: Final = Constant("cloudwatch.TreatMissingData.NOT_BREACHING")


def cdk_of(definition: TableDefinition, language: Language) -> str:
    """The program, with a stack and an app."""
    (name,) = identifiers([definition.name]).values()
    modules = ["dynamodb"]
    modules += ["cloudwatch"] if definition.alarms else []
    modules += ["kms"] if _key_of(definition.request) else []
    return program_of(language, f"{name}Stack", modules, list(_statements(definition)))


def _statements(definition: TableDefinition) -> Iterator[Statement]:
    request = definition.request
    types = {
        each["AttributeName"]: each["AttributeType"] for each in request["AttributeDefinitions"]
    }
    yield Statement(New("dynamodb.Table", "Table", _table(definition, types)), name=_TABLE)
    for index in request.get("GlobalSecondaryIndexes") or ():
        yield Statement(Call(_TABLE, "addGlobalSecondaryIndex", _global(definition, index, types)))
    for index in request.get("LocalSecondaryIndexes") or ():
        sort = _keys(index, types)[1]
        yield Statement(Call(_TABLE, "addLocalSecondaryIndex", _index(index) | {"sortKey": sort}))
    yield from _scaling(definition)
    for tag in request.get("Tags") or ():
        given = (tag["Key"], tag["Value"])
        yield Statement(Call("cdk.Tags.of(table)", "add", _ONLY_TABLES, arguments=given))
    if definition.alarms:
        yield from _alarms(definition)


def _table(definition: TableDefinition, types: Mapping[str, str]) -> dict[str, Any]:
    request = definition.request
    keys = _keys(request, types)
    properties: dict[str, Any] = {"tableName": definition.name, "partitionKey": keys[0]}
    properties |= {"sortKey": keys[1]} if len(keys) > 1 else {}
    mode = "PROVISIONED" if definition.is_provisioned else "PAY_PER_REQUEST"
    properties["billingMode"] = Constant(f"dynamodb.BillingMode.{mode}")
    properties |= _units(request)
    if (stream := request.get("StreamSpecification") or {}).get("StreamEnabled"):
        properties["stream"] = Constant(f"dynamodb.StreamViewType.{stream['StreamViewType']}")
    properties |= _encryption(request)
    if definition.time_to_live is not None:
        properties["timeToLiveAttribute"] = definition.time_to_live
    if definition.recovery_days is not None:
        recovery = {
            "pointInTimeRecoveryEnabled": True,
            "recoveryPeriodInDays": definition.recovery_days,
        }
        specification = Struct("dynamodb.PointInTimeRecoverySpecification", recovery)
        properties["pointInTimeRecoverySpecification"] = specification
    properties |= _insights(definition)
    if "TableClass" in request:
        properties["tableClass"] = Constant(f"dynamodb.TableClass.{request['TableClass']}")
    if request.get("DeletionProtectionEnabled"):
        properties["deletionProtection"] = True
    return properties | {"removalPolicy": Constant("cdk.RemovalPolicy.RETAIN")}


def _keys(part: Mapping[str, Any], types: Mapping[str, str]) -> list[Struct]:
    """The key attributes in the order of the schema."""
    return [
        Struct(
            "dynamodb.Attribute",
            {
                "name": each["AttributeName"],
                "type": Constant(f"dynamodb.AttributeType.{_TYPES[types[each['AttributeName']]]}"),
            },
        )
        for each in part["KeySchema"]
    ]


def _units(part: Mapping[str, Any]) -> dict[str, Any]:
    units, limits = part.get("ProvisionedThroughput") or {}, part.get("OnDemandThroughput") or {}
    named = {
        "readCapacity": units.get("ReadCapacityUnits"),
        "writeCapacity": units.get("WriteCapacityUnits"),
        "maxReadRequestUnits": limits.get("MaxReadRequestUnits"),
        "maxWriteRequestUnits": limits.get("MaxWriteRequestUnits"),
    }
    return {name: value for name, value in named.items() if value is not None}


def _index(index: Mapping[str, Any]) -> dict[str, Any]:
    projection = index["Projection"]
    kind = projection["ProjectionType"]
    properties = {
        "indexName": index["IndexName"],
        "projectionType": Constant(f"dynamodb.ProjectionType.{kind}"),
    }
    if kind == "INCLUDE":
        properties["nonKeyAttributes"] = list(projection["NonKeyAttributes"])
    return properties


def _global(
    definition: TableDefinition, index: Mapping[str, Any], types: Mapping[str, str]
) -> dict[str, Any]:
    of_kind: dict[str, list[Struct]] = {"HASH": [], "RANGE": []}
    for element, key in zip(index["KeySchema"], _keys(index, types), strict=True):
        of_kind[element["KeyType"]].append(key)
    keys: dict[str, Any] = {}
    for name, found in (("partitionKey", of_kind["HASH"]), ("sortKey", of_kind["RANGE"])):
        if len(found) == 1:
            keys[name] = found[0]
        elif found:
            keys[f"{name}s"] = found
    return _index(index) | keys | _units(index) | _insights(definition)


def _insights(definition: TableDefinition) -> dict[str, Any]:
    if not definition.insights:
        return {}
    enabled = Struct("dynamodb.ContributorInsightsSpecification", {"enabled": True})
    return {"contributorInsightsSpecification": enabled}


def _key_of(request: Mapping[str, Any]) -> str | None:
    key: str | None = (request.get("SSESpecification") or {}).get("KMSMasterKeyId")
    return key


def _encryption(request: Mapping[str, Any]) -> dict[str, Any]:
    if not (request.get("SSESpecification") or {}).get("Enabled"):
        return {}
    key = _key_of(request)
    kind = "AWS_MANAGED" if key is None else "CUSTOMER_MANAGED"
    properties: dict[str, Any] = {"encryption": Constant(f"dynamodb.TableEncryption.{kind}")}
    if key is not None:
        own = Call("kms.Key", "fromKeyArn", scoped=("Key", key))
        properties["encryptionKey"] = own
    return properties


def _scaling(definition: TableDefinition) -> Iterator[Statement]:
    scaling = definition.scaling
    if scaling is None or not definition.is_provisioned:
        return
    bounds = {"minCapacity": scaling.units_min, "maxCapacity": scaling.units_max}
    target = {"targetUtilizationPercent": scaling.target_percent}
    for index in (None, *definition.global_indexes):
        for kind in ("Read", "Write"):
            if index is None:
                call = Call(_TABLE, f"autoScale{kind}Capacity", bounds)
            else:
                method = f"autoScaleGlobalSecondaryIndex{kind}Capacity"
                call = Call(_TABLE, method, bounds, arguments=(index,))
            yield Statement(Call(call, "scaleOnUtilization", target))


def _alarms(definition: TableDefinition) -> Iterator[Statement]:
    alarms = alarms_of(definition)
    names = identifiers(alarm["AlarmName"].removeprefix(definition.name) for alarm in alarms)
    for alarm in alarms:
        suffix = alarm["AlarmName"].removeprefix(definition.name)
        properties = {
            "alarmName": alarm["AlarmName"],
            "alarmDescription": alarm["AlarmDescription"],
            "metric": _sum(alarm["Metrics"]) if "Metrics" in alarm else _metric(alarm),
            "threshold": int(alarm["Threshold"]),
            "comparisonOperator": _COMPARISON,
            "evaluationPeriods": alarm["EvaluationPeriods"],
            "datapointsToAlarm": alarm["DatapointsToAlarm"],
            "treatMissingData": _MISSING,
        }
        yield Statement(New("cloudwatch.Alarm", f"{names[suffix]}Alarm", properties))


_PERIOD: Final = Verbatim("cdk.Duration.seconds", (PERIOD_SECONDS,))


def _metric(metric: Mapping[str, Any], **more: Any) -> New:
    dimensions = {each["Name"]: each["Value"] for each in metric["Dimensions"]}
    dimensions["TableName"] = Constant("table.tableName")
    properties = {
        "namespace": metric["Namespace"],
        "metricName": metric["MetricName"],
        "dimensionsMap": dimensions,
        "statistic": "Sum",
        "period": _PERIOD,
        **more,
    }
    return New("cloudwatch.Metric", None, properties)


def _sum(metrics: list[dict[str, Any]]) -> New:
    total, *parts = metrics
    properties = {
        "expression": total["Expression"],
        "label": total["Label"],
        "usingMetrics": {part["Id"]: _metric(part["MetricStat"]["Metric"]) for part in parts},
        "period": _PERIOD,
    }
    return New("cloudwatch.MathExpression", None, properties)
