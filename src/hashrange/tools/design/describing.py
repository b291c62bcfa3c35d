"""Reads the definition of a live table, with all settings that a definition has."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from hashrange.tools.copying.definitions import creation, not_copied
from hashrange.tools.copying.endpoint import NoApiError
from hashrange.tools.copying.place import CopyError, RefusedError
from hashrange.tools.copying.tables import definition_of_table, describe_table
from hashrange.tools.definition import AutoScaling, TableDefinition
from hashrange.tools.design.alarms import alarms_of
from hashrange.tools.design.apis import Services
from hashrange.tools.design.applying import ABSENT
from hashrange.tools.design.choices import RECOVERY_DAYS_DEFAULT
from hashrange.tools.design.steps import Service, Step, scalable_units

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

    Settings whose operations the endpoint does not have are off. Those that cannot be read are
    left out.
    """
    table = services.named(name)
    shown = await describe_table(services.place, table)
    if shown is None:
        return None
    found = await definition_of_table(services.place, table, shown)
    request = creation(name, found)
    if found["StreamSpecification"]:
        request["StreamSpecification"] = found["StreamSpecification"]
    if found["DeletionProtectionEnabled"]:
        request["DeletionProtectionEnabled"] = True
    definition = TableDefinition(request=request, time_to_live=found["TimeToLive"])
    settings = _Settings(services, definition, not_copied(shown, keeps_encryption=True))
    definition = msgspec.structs.replace(
        definition,
        recovery_days=await settings.recovery_days(),
        insights=await settings.has_insights(),
        scaling=await settings.scaling(),
        alarms=await settings.has_alarms(),
    )
    return Described(definition, settings.left_out)


class _Settings:
    """Reads the settings that DescribeTable does not have; what fails is left out."""

    def __init__(
        self, services: Services, definition: TableDefinition, left_out: list[str]
    ) -> None:
        self.left_out = left_out
        self._services = services
        self._definition = definition

    async def _answer(self, service: Service, operation: str, **request: Any) -> dict[str, Any]:
        """The answer; empty if the endpoint does not have the operation, or refuses it."""
        try:
            return await self._services.send(Step(service, operation, request))
        except NoApiError:
            return {}
        except CopyError as error:
            if not isinstance(error, RefusedError) or error.code not in ABSENT:
                self.left_out.append(f"what {operation} answers: {error}")
            return {}

    async def recovery_days(self) -> int | None:
        name = self._definition.name
        answer = await self._answer("dynamodb", "DescribeContinuousBackups", TableName=name)
        backups = answer.get("ContinuousBackupsDescription") or {}
        recovery = backups.get("PointInTimeRecoveryDescription") or {}
        if recovery.get("PointInTimeRecoveryStatus") != "ENABLED":
            return None
        return int(recovery.get("RecoveryPeriodInDays") or RECOVERY_DAYS_DEFAULT)

    async def has_insights(self) -> bool:
        """Whether they are on for the table and all of its global indexes."""
        states = []
        for index in (None, *self._definition.global_indexes):
            request = {"TableName": self._definition.name}
            request |= {} if index is None else {"IndexName": index}
            answer = await self._answer("dynamodb", "DescribeContributorInsights", **request)
            is_on = answer.get("ContributorInsightsStatus") in {"ENABLED", "ENABLING"}
            states.append(is_on and answer.get("ContributorInsightsMode", _MODE))
            if not answer:
                break
        are_on = all(state == _MODE for state in states)
        if any(states) and not are_on:
            self.left_out.append("contributor insights, which are of some keys only")
        return are_on

    async def scaling(self) -> AutoScaling | None:
        """Bounds and target, if they are the same for the table and all of its indexes."""
        targets = await self._scaled("DescribeScalableTargets", "ScalableTargets")
        policies = await self._scaled("DescribeScalingPolicies", "ScalingPolicies")
        if not targets:
            return None
        ranges = set(_ranges(targets, policies))
        any_range = msgspec.structs.replace(self._definition, scaling=_ANY_RANGE)
        expected = {
            (units.resource_id(self._definition.name), units.dimension)
            for units in scalable_units(any_range)
        }
        if len(ranges) > 1 or None in ranges or {_place(each) for each in targets} != expected:
            self.left_out.append("auto scaling, which differs between the table and its indexes")
            return None
        return ranges.pop()

    async def _scaled(self, operation: str, member: str) -> list[dict[str, Any]]:
        """The targets or the policies of the table and its indexes, of all pages."""
        found: list[dict[str, Any]] = []
        request = {"ServiceNamespace": "dynamodb"}
        while True:
            answer = await self._answer("application-autoscaling", operation, **request)
            found += [each for each in answer.get(member) or () if self._is_own(each)]
            if not answer.get("NextToken"):
                return found
            request["NextToken"] = answer["NextToken"]

    def _is_own(self, target: Mapping[str, Any]) -> bool:
        own, resource = f"table/{self._definition.name}", target.get("ResourceId", "")
        return bool(resource == own or resource.startswith(f"{own}/index/"))

    async def has_alarms(self) -> bool:
        """Whether all alarms of a design are there, by their names."""
        names = [alarm["AlarmName"] for alarm in alarms_of(self._definition)]
        answer = await self._answer("cloudwatch", "DescribeAlarms", AlarmNames=names)
        found = {alarm["AlarmName"] for alarm in answer.get("MetricAlarms") or ()}
        return set(names) <= found


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
