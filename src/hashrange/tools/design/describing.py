"""Reads the definition of a live table, with all settings that a definition has."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from hashrange.copying.definitions import creation, not_copied
from hashrange.copying.endpoint import NoApiError
from hashrange.copying.place import CopyError, RefusedError
from hashrange.copying.tables import definition_of_table, describe_table
from hashrange.tools.definition import AutoScaling, TableDefinition
from hashrange.tools.design.alarms import alarms_of
from hashrange.tools.design.services import Services
from hashrange.tools.design.steps import Service, Step, scalable_units

_KEPT: Final = ("StreamSpecification",)
_ANY_RANGE: Final = AutoScaling(units_min=1, units_max=1)
_MODE: Final = "ACCESSED_AND_THROTTLED_KEYS"


class Described(msgspec.Struct, frozen=True):
    """A live table.

    Attributes:
        definition: the table.
        left_out: what the definition lacks, each as a text for the operator.
    """

    definition: TableDefinition
    left_out: list[str]


async def described(name: str, services: Services) -> Described | None:
    """The definition of a table; None if there is no such table. Raises CopyError.

    Settings whose operations the endpoint does not have are off.
    """
    table = services.named(name)
    shown = await describe_table(services.place, table)
    if shown is None:
        return None
    found = await definition_of_table(services.place, table, shown)
    request = creation(name, found)
    request |= {member: found[member] for member in _KEPT if found[member]}
    if found["DeletionProtectionEnabled"]:
        request["DeletionProtectionEnabled"] = True
    left_out = not_copied(shown, keeps_encryption=True)
    definition = TableDefinition(
        request=request,
        time_to_live=found["TimeToLive"],
        recovery_days=await _recovery_days(name, services),
    )
    insights = await _insights(definition, services)
    scaling = await _scaling(definition, services)
    left_out += [*insights.left_out, *scaling.left_out]
    definition = msgspec.structs.replace(
        definition, insights=insights.are_on, scaling=scaling.range
    )
    alarms = await _has_alarms(definition, services)
    return Described(msgspec.structs.replace(definition, alarms=alarms), left_out)


async def _answer(
    services: Services, service: Service, operation: str, request: Mapping[str, Any]
) -> dict[str, Any]:
    """The answer to a request; empty if the endpoint does not have the operation."""
    try:
        return await services.send(Step(service, operation, request))
    except NoApiError:
        return {}
    except RefusedError as error:
        if error.code in {"UnknownOperationException", "UnknownOperation", "InvalidAction"}:
            return {}
        raise


async def _recovery_days(name: str, services: Services) -> int | None:
    answer = await _answer(services, "dynamodb", "DescribeContinuousBackups", {"TableName": name})
    backups = answer.get("ContinuousBackupsDescription") or {}
    recovery = backups.get("PointInTimeRecoveryDescription") or {}
    if recovery.get("PointInTimeRecoveryStatus") != "ENABLED":
        return None
    return int(recovery.get("RecoveryPeriodInDays") or 35)


class _Insights(msgspec.Struct, frozen=True):
    are_on: bool
    left_out: list[str] = []


async def _insights(definition: TableDefinition, services: Services) -> _Insights:
    """Whether they are on for the table and all of its global indexes."""
    states = []
    for index in (None, *definition.global_indexes):
        request = {"TableName": definition.name}
        request |= {} if index is None else {"IndexName": index}
        operation = "DescribeContributorInsights"
        answer = await _answer(services, "dynamodb", operation, request)
        is_on = answer.get("ContributorInsightsStatus") in {"ENABLED", "ENABLING"}
        states.append(is_on and answer.get("ContributorInsightsMode", _MODE))
    are_on = all(state == _MODE for state in states)
    if any(states) and not are_on:
        return _Insights(are_on=False, left_out=["contributor insights of some keys only"])
    return _Insights(are_on=are_on)


class _Scaling(msgspec.Struct, frozen=True):
    range: AutoScaling | None
    left_out: list[str] = []


async def _scaling(definition: TableDefinition, services: Services) -> _Scaling:
    """The bounds and the target, if they are the same for the table and all of its indexes."""
    name = definition.name
    targets: list[dict[str, Any]] = []
    policies: list[dict[str, Any]] = []
    for operation, member, found in (
        ("DescribeScalableTargets", "ScalableTargets", targets),
        ("DescribeScalingPolicies", "ScalingPolicies", policies),
    ):
        request: dict[str, Any] = {"ServiceNamespace": "dynamodb"}
        while True:
            answer = await _answer(services, "application-autoscaling", operation, request)
            found += [each for each in answer.get(member) or () if _is_of(name, each)]
            if not answer.get("NextToken"):
                break
            request["NextToken"] = answer["NextToken"]
    ranges = set(_ranges(targets, policies))
    if not ranges:
        return _Scaling(None)
    expected = {*_targets_of(definition)}
    if len(ranges) > 1 or None in ranges or {_place(each) for each in targets} != expected:
        return _Scaling(None, ["auto scaling, which differs between the table and its indexes"])
    return _Scaling(ranges.pop())


def _targets_of(definition: TableDefinition) -> Iterator[tuple[str, str]]:
    scaled = msgspec.structs.replace(definition, scaling=_ANY_RANGE)
    for units in scalable_units(scaled):
        yield units.resource_id(definition.name), units.dimension


def _is_of(name: str, target: Mapping[str, Any]) -> bool:
    resource: str = target.get("ResourceId", "")
    return resource == f"table/{name}" or resource.startswith(f"table/{name}/index/")


def _place(target: Mapping[str, Any]) -> tuple[str, str]:
    return target["ResourceId"], target["ScalableDimension"]


def _ranges(
    targets: list[dict[str, Any]], policies: list[dict[str, Any]]
) -> Iterator[AutoScaling | None]:
    """The range of each target; None for a target without a policy of its kind."""
    tracked = {
        _place(each): (each.get("TargetTrackingScalingPolicyConfiguration") or {}).get(
            "TargetValue"
        )
        for each in policies
    }
    for target in targets:
        percent = tracked.get(_place(target))
        if percent is None or percent != int(percent):
            yield None
            continue
        yield AutoScaling(
            units_min=int(target["MinCapacity"]),
            units_max=int(target["MaxCapacity"]),
            target_percent=int(percent),
        )


async def _has_alarms(definition: TableDefinition, services: Services) -> bool:
    """Whether all alarms of a design are there, by their names."""
    names = [alarm["AlarmName"] for alarm in alarms_of(definition)]
    try:
        answer = await _answer(services, "cloudwatch", "DescribeAlarms", {"AlarmNames": names})
    except CopyError:
        return False  # alarms may be in an account of their own, or reading them is not allowed
    found = {alarm["AlarmName"] for alarm in answer.get("MetricAlarms") or ()}
    return set(names) <= found
