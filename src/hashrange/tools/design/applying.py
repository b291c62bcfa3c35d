"""Makes a table with all of its settings on an endpoint."""

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

import msgspec

from hashrange.tools.copying.endpoint import NoApiError
from hashrange.tools.copying.place import CopyError, Pause, RefusedError
from hashrange.tools.copying.tables import describe_table, wait_until_active
from hashrange.tools.definition import TableDefinition
from hashrange.tools.design.apis import Services
from hashrange.tools.design.steps import Step, steps_of

Outcome: TypeAlias = Literal["done", "absent", "refused"]
ABSENT: Final = {"UnknownOperationException", "UnknownOperation", "InvalidAction"}
"""Names of errors of endpoints that do not have an operation."""
_NOT_YET: Final = "ContinuousBackupsUnavailableException"
_NOT_YET_TRIES_MAX: Final = 60
FEATURES: Final = {
    "UpdateTimeToLive": "time to live",
    "UpdateContributorInsights": "contributor insights",
    "UpdateContinuousBackups": "point-in-time recovery",
    "RegisterScalableTarget": "auto scaling",
    "PutScalingPolicy": "auto scaling",
    "PutMetricAlarm": "alarms",
}
"""The purpose of requests after CreateTable."""


class FeatureResult(msgspec.Struct, frozen=True):
    """The result of one feature of the table.

    Attributes:
        feature: a name in `FEATURES`.
        outcome: whether the endpoint has it now, does not have the operation, or refused it.
        text: the reason, or empty.
    """

    feature: str
    outcome: Outcome
    text: str = ""


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """A table that was made.

    Attributes:
        place: the endpoint.
        table: its description by DescribeTable.
        features: what became of the settings that follow CreateTable.
    """

    place: str
    table: dict[str, Any]
    features: Sequence[FeatureResult]

    def features_with(self, outcome: Outcome) -> list[FeatureResult]:
        """The features that ended so."""
        return [each for each in self.features if each.outcome == outcome]


async def apply(definition: TableDefinition, services: Services, pause: Pause) -> Applied:
    """Make the table, then each of its settings; a setting that fails does not stop the others.

    Raises RefusedError if the table cannot be made, such as one that exists already; CopyError.
    """
    create, *steps = steps_of(definition)
    table = services.named(definition.name)
    await services.send(create)
    shown = await wait_until_active(services.place, table, pause)
    results: dict[str, FeatureResult] = {}
    for step in steps:
        feature = FEATURES[step.operation]
        if results.get(feature, _DONE).outcome == "done":
            results[feature] = await _performed(step, feature, services, pause)
    return Applied(
        place=services.place.shown,
        table=await describe_table(services.place, table) or shown,
        features=list(results.values()),
    )


_DONE: Final = FeatureResult("", "done")


async def _performed(step: Step, feature: str, services: Services, pause: Pause) -> FeatureResult:
    for tries in range(_NOT_YET_TRIES_MAX):
        try:
            await services.send(step)
        except NoApiError as error:
            return FeatureResult(feature, "absent", str(error))
        except RefusedError as error:
            if error.code == _NOT_YET and tries + 1 < _NOT_YET_TRIES_MAX:
                await pause(1)
                continue
            outcome: Outcome = "absent" if error.code in ABSENT else "refused"
            return FeatureResult(feature, outcome, error.text or error.code)
        except CopyError as error:
            return FeatureResult(feature, "refused", str(error))
        break
    return FeatureResult(feature, "done")
