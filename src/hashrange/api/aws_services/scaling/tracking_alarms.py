"""The alarms of target tracking policies: rows of CloudWatch that follow targets and their tables.

They show what the evaluation sees, and it does not read them: an action of theirs is done without
effect, so no state can change a table twice.

Source: alarms of the service that users have published, 2022 to 2026.
"""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

import msgspec

from hashrange.api.aws_services.scaling.evaluation import units_of
from hashrange.capacity.auto_scaling import HIGH_MINUTES, LOW_MINUTES, LOW_POINTS
from hashrange.messages import scaling as messages
from hashrange.model.structures.cloudwatch import Dimension, PutMetricAlarm
from hashrange.model.table import Table
from hashrange.observe.figure_points import DYNAMODB
from hashrange.storage.engine import NO_FENCES, Fences
from hashrange.tables.alarms.rows import Change, StoredAlarm
from hashrange.tables.alarms.store import AlarmRows
from hashrange.tables.alarms.transitions import created, deleted, initial_state, updated
from hashrange.tables.jobs.scaling_rows import StoredPolicy, StoredTarget

HIGH: Final = "AlarmHigh"
LOW: Final = "AlarmLow"
_CAPACITY_HIGH: Final = "ProvisionedCapacityHigh"
_CAPACITY_LOW: Final = "ProvisionedCapacityLow"
_ABOVE: Final = "GreaterThanThreshold"
_BELOW: Final = "LessThanThreshold"
_MINUTE: Final = 60
_GAUGE_SECONDS: Final = 300
_GAUGE_PERIODS: Final = 3
_DIMENSIONS: Final = ("TableName", "GlobalSecondaryIndexName")

Address: TypeAlias = tuple[str, str]
"""The scope and the name of an alarm."""


class Tracking(msgspec.Struct, frozen=True, kw_only=True):
    """An alarm of a policy as it should be.

    Attributes:
        policy: its ARN.
    """

    account: str
    region: str
    policy: str
    put: PutMetricAlarm


def kinds_of(policy: StoredPolicy) -> list[str]:
    """The alarms of a policy: without scaling in there is none for it.

    Source: captures of the service, September 2026.
    """
    low = [] if policy.in_disabled else [LOW]
    return [HIGH, *low, _CAPACITY_HIGH, _CAPACITY_LOW]


def alarms_of(target: StoredTarget | None, table: Table | None) -> dict[Address, Tracking]:
    """The alarms of the policies of a target; none while its units cannot be changed."""
    units = None if target is None or table is None else units_of(target, table)
    if target is None or units is None:
        return {}
    found = {}
    for policy in target.policies:
        arn = target.policy_arn(policy)
        for kind in kinds_of(policy):
            name = target.alarm_name(policy, kind)
            put = _put(target, policy, kind, units, name=name, arn=arn)
            found[target.scope, name] = Tracking(
                account=target.account, region=target.region, policy=arn, put=put
            )
    return found


def _put(
    target: StoredTarget, policy: StoredPolicy, kind: str, units: int, *, name: str, arn: str
) -> PutMetricAlarm:
    is_of_use = kind in {HIGH, LOW}
    percent = policy.percent - (LOW_POINTS if kind == LOW else 0)
    periods = {HIGH: HIGH_MINUTES, LOW: LOW_MINUTES}.get(kind, _GAUGE_PERIODS)
    verb = "Consumed" if is_of_use else "Provisioned"
    named = zip(_DIMENSIONS, target.names, strict=False)
    return PutMetricAlarm(
        alarm_name=name,
        alarm_description=messages.alarm_description(arn=arn),
        actions_enabled=True,
        alarm_actions=[arn],
        namespace=DYNAMODB,
        metric_name=f"{verb}{'Write' if target.is_write else 'Read'}CapacityUnits",
        dimensions=[Dimension(name=each, value=value) for each, value in named],
        statistic="Sum" if is_of_use else "Average",
        period=_MINUTE if is_of_use else _GAUGE_SECONDS,
        evaluation_periods=periods,
        threshold=percent * units * _MINUTE / 100 if is_of_use else float(units),
        comparison_operator=_ABOVE if kind in {HIGH, _CAPACITY_HIGH} else _BELOW,
    )


async def keep_alarms(
    rows: AlarmRows,
    wanted: Mapping[Address, Tracking],
    *,
    now_ms: int,
    fences: Fences = NO_FENCES,
) -> None:
    """Make alarms what they should be; their states stay."""
    for (scope, name), alarm in wanted.items():

        def decide(
            before: StoredAlarm | None, scope: str = scope, name: str = name, own: Tracking = alarm
        ) -> Change | None:
            if before is None:
                new = StoredAlarm(
                    scope=scope,
                    account=own.account,
                    region=own.region,
                    name=name,
                    metric=own.put,
                    configured_ms=now_ms,
                    state=initial_state(now_ms),
                    policy=own.policy,
                )
                return created(new, now_ms)
            if before.composite is not None or (before.metric, before.policy) == (
                own.put,
                own.policy,
            ):
                return None
            after = msgspec.structs.replace(
                before, metric=own.put, policy=own.policy, configured_ms=now_ms
            )
            return updated(after, now_ms)

        await rows.change(scope, name, decide, fences=fences)


async def drop_alarms(
    rows: AlarmRows, gone: Iterable[Address], *, now_ms: int, fences: Fences = NO_FENCES
) -> None:
    """Delete alarms of policies that are gone."""

    def decide(before: StoredAlarm | None) -> Change | None:
        if before is None or before.policy is None:
            return None
        return deleted(before, now_ms)

    for scope, name in gone:
        await rows.change(scope, name, decide, fences=fences)


async def follow(
    rows: AlarmRows,
    table: Table | None,
    before: StoredTarget | None,
    after: StoredTarget | None,
    *,
    now_ms: int,
) -> None:
    """Change the alarms of a target that a request has changed; `table` is that of it."""
    old, new = alarms_of(before, table), alarms_of(after, table)
    await keep_alarms(rows, new, now_ms=now_ms)
    await drop_alarms(rows, [each for each in old if each not in new], now_ms=now_ms)
