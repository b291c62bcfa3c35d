"""The requests that make a table with all of its settings, in order. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

import msgspec

from hashrange.tools.definition import TableDefinition
from hashrange.tools.design.alarms import alarms_of
from hashrange.tools.design.choices import DesignError

Service: TypeAlias = Literal["dynamodb", "application-autoscaling", "cloudwatch"]
"""The API of a request, by its name in boto3 and in AWS's command line."""

MEMBERS: Final = frozenset(
    {
        "TableName",
        "AttributeDefinitions",
        "KeySchema",
        "LocalSecondaryIndexes",
        "GlobalSecondaryIndexes",
        "BillingMode",
        "ProvisionedThroughput",
        "OnDemandThroughput",
        "StreamSpecification",
        "SSESpecification",
        "TableClass",
        "DeletionProtectionEnabled",
        "Tags",
    }
)
"""The members of CreateTable that every output has."""
_DIMENSIONS: Final = (
    ("ReadCapacityUnits", "DynamoDBReadCapacityUtilization"),
    ("WriteCapacityUnits", "DynamoDBWriteCapacityUtilization"),
)


class Step(msgspec.Struct, frozen=True):
    """One request to one API."""

    service: Service
    operation: str
    request: Mapping[str, Any]


class ScalableUnits(msgspec.Struct, frozen=True, kw_only=True):
    """Units that are scaled: of the table, or of one of its global indexes.

    Attributes:
        index: the index; None for the table.
        member: ReadCapacityUnits or WriteCapacityUnits.
        metric: the predefined metric that is tracked.
    """

    index: str | None
    member: str
    metric: str

    @property
    def dimension(self) -> str:
        """The scalable dimension."""
        return f"dynamodb:{'table' if self.index is None else 'index'}:{self.member}"

    def resource_id(self, table: str) -> str:
        """The id of the table or the index in the API of Application Auto Scaling."""
        return f"table/{table}" + ("" if self.index is None else f"/index/{self.index}")


def check_members(definition: TableDefinition) -> None:
    """Raise DesignError for a member of the request that outputs do not have."""
    unknown = sorted(definition.request.keys() - MEMBERS)
    if unknown:
        raise DesignError(f"{definition.name}: designs have no {', '.join(unknown)}")


def steps_of(definition: TableDefinition) -> list[Step]:
    """CreateTable first; the table must be active before the other requests are sent.

    Recovery is the last request to DynamoDB: the service refuses it for some seconds after the
    table has become active.
    """
    name = definition.name
    steps = [Step("dynamodb", "CreateTable", definition.request)]
    if definition.time_to_live is not None:
        expiry = {"Enabled": True, "AttributeName": definition.time_to_live}
        request = {"TableName": name, "TimeToLiveSpecification": expiry}
        steps.append(Step("dynamodb", "UpdateTimeToLive", request))
    if definition.insights:
        for index in (None, *definition.global_indexes):
            request = {"TableName": name, "ContributorInsightsAction": "ENABLE"}
            request |= {} if index is None else {"IndexName": index}
            steps.append(Step("dynamodb", "UpdateContributorInsights", request))
    if definition.recovery_days is not None:
        recovery = {
            "PointInTimeRecoveryEnabled": True,
            "RecoveryPeriodInDays": definition.recovery_days,
        }
        request = {"TableName": name, "PointInTimeRecoverySpecification": recovery}
        steps.append(Step("dynamodb", "UpdateContinuousBackups", request))
    steps += _scaling(definition)
    if definition.alarms:
        steps += [Step("cloudwatch", "PutMetricAlarm", each) for each in alarms_of(definition)]
    return steps


def scalable_units(definition: TableDefinition) -> list[ScalableUnits]:
    """The scaled units of a provisioned table; empty without scaling."""
    if definition.scaling is None:
        return []
    return [
        ScalableUnits(index=index, member=member, metric=metric)
        for index in (None, *definition.global_indexes)
        for member, metric in _DIMENSIONS
    ]


def policy_of(units: ScalableUnits, target_percent: int) -> dict[str, Any]:
    """Name and configuration of the policy that tracks the consumption of units."""
    return {
        "PolicyName": f"{units.metric}:{units.dimension.rpartition(':')[0]}",
        "PolicyType": "TargetTrackingScaling",
        "TargetTrackingScalingPolicyConfiguration": {
            "TargetValue": float(target_percent),
            "PredefinedMetricSpecification": {"PredefinedMetricType": units.metric},
        },
    }


def _scaling(definition: TableDefinition) -> Iterator[Step]:
    scaling = definition.scaling
    if scaling is None or not definition.is_provisioned:
        return
    for units in scalable_units(definition):
        place = {
            "ServiceNamespace": "dynamodb",
            "ResourceId": units.resource_id(definition.name),
            "ScalableDimension": units.dimension,
        }
        bounds = {"MinCapacity": scaling.units_min, "MaxCapacity": scaling.units_max}
        yield Step("application-autoscaling", "RegisterScalableTarget", place | bounds)
        policy = place | policy_of(units, scaling.target_percent)
        yield Step("application-autoscaling", "PutScalingPolicy", policy)


_words: Final = re.compile(r"[A-Za-z0-9]+").findall


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """An identifier of letters and digits for each name, such as `ByDate` for `by-date`.

    Names that differ in other signs only get numbers. An identifier begins with a letter.
    """
    taken: dict[str, str] = {}
    for name in names:
        text = "".join(word[0].upper() + word[1:] for word in _words(name)) or "Unnamed"
        if text[0].isdigit():
            text = f"N{text}"
        found, number = text, 1
        while found in taken.values():
            number += 1
            found = f"{text}{number}"
        taken[name] = found
    return taken
