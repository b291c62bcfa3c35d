"""The JSON of alarms: descriptions, the data of histories, the messages of notifications. Pure.

Source: histories and notifications of the service that users have published, 2021 to 2026.
"""

from typing import Any, Final

import msgspec

from hashrange.model.structures.cloudwatch import (
    CompositeAlarm,
    Dimension,
    MetricAlarm,
    PutMetricAlarm,
)
from hashrange.tables.alarms.notifications import iso
from hashrange.tables.alarms.rows import State, StoredAlarm, Suppression

VERSION: Final = "1.0"
_MS: Final = 1000
_OF_PUT: Final = frozenset(PutMetricAlarm.__struct_fields__) - {"tags", "actions_enabled"}
_LISTS: Final = ("ok_actions", "alarm_actions", "insufficient_data_actions")
_ACTIONS: Final = ("OKActions", "AlarmActions", "InsufficientDataActions")
_STATISTIC: Final = {"SampleCount": "SAMPLE_COUNT"}


class TriggerState(msgspec.Struct, frozen=True):
    """The state of an alarm that has triggered a composite alarm."""

    value: str
    timestamp: str


class Triggering(msgspec.Struct, frozen=True):
    """An alarm that has triggered a composite alarm."""

    arn: str
    state: TriggerState


class CompositeReason(msgspec.Struct, frozen=True):
    """The StateReasonData of a composite alarm."""

    alarms: tuple[Triggering, ...] = msgspec.field(default=(), name="triggeringAlarms")


_reason: Final = msgspec.json.Decoder(CompositeReason).decode


def metric_alarm(alarm: StoredAlarm) -> MetricAlarm:
    """The description of a metric alarm."""
    put = alarm.metric
    assert put is not None, "of a metric alarm"
    given = {name: getattr(put, name) for name in _OF_PUT}
    given |= {name: given[name] or [] for name in (*_LISTS, "dimensions")}
    return MetricAlarm(
        **given,
        alarm_arn=alarm.arn,
        alarm_configuration_updated_timestamp=alarm.configured_ms / _MS,
        actions_enabled=alarm.does_actions,
        evaluation_state=alarm.evaluation,
        **_state_members(alarm.state),
    )


def composite_alarm(alarm: StoredAlarm) -> CompositeAlarm:
    """The description of a composite alarm."""
    put, suppression = alarm.composite, alarm.suppression
    assert put is not None, "of a composite alarm"
    return CompositeAlarm(
        actions_enabled=alarm.does_actions,
        alarm_actions=put.alarm_actions or [],
        alarm_arn=alarm.arn,
        alarm_configuration_updated_timestamp=alarm.configured_ms / _MS,
        alarm_description=put.alarm_description,
        alarm_name=alarm.name,
        alarm_rule=put.alarm_rule,
        insufficient_data_actions=put.insufficient_data_actions or [],
        ok_actions=put.ok_actions or [],
        actions_suppressed_by=None if suppression is None else suppression.by,
        actions_suppressed_reason=None if suppression is None else suppressed_text(suppression),
        actions_suppressor=put.actions_suppressor,
        actions_suppressor_wait_period=put.actions_suppressor_wait_period,
        actions_suppressor_extension_period=put.actions_suppressor_extension_period,
        **_state_members(alarm.state),
    )


def suppressed_text(suppression: Suppression) -> str:
    """The ActionsSuppressedReason."""
    return f"Actions suppressed by {suppression.by}"


def _state_members(state: State) -> dict[str, Any]:
    return {
        "state_value": state.value,
        "state_reason": state.reason,
        "state_reason_data": state.data,
        "state_updated_timestamp": state.updated_ms / _MS,
        "state_transitioned_timestamp": state.since_ms / _MS,
    }


def configuration(alarm: StoredAlarm) -> dict[str, Any]:
    """The configuration of an alarm as its history has it."""
    described = metric_alarm(alarm) if alarm.composite is None else composite_alarm(alarm)
    found: dict[str, Any] = _lowered(msgspec.to_builtins(described))
    for name, ms in (
        ("alarmConfigurationUpdatedTimestamp", alarm.configured_ms),
        ("stateUpdatedTimestamp", alarm.state.updated_ms),
        ("stateTransitionedTimestamp", alarm.state.since_ms),
    ):
        found[name] = iso(ms)
    return found


def _lowered(found: Any) -> Any:
    if isinstance(found, dict):
        return {_lower(name): _lowered(value) for name, value in found.items()}
    return [_lowered(each) for each in found] if isinstance(found, list) else found


def _lower(name: str) -> str:
    return "okactions" if name == _ACTIONS[0] else name[0].lower() + name[1:]


def state_document(state: State) -> dict[str, Any]:
    """A state as the history of its alarm has it."""
    found: dict[str, Any] = {"stateValue": state.value, "stateReason": state.reason}
    if state.data is not None:
        found["stateReasonData"] = msgspec.Raw(state.data.encode())
    return found


def notification(alarm: StoredAlarm, old: State) -> dict[str, Any]:
    """The message of a notification of a change of state."""
    put, state = alarm.put, alarm.state
    found: dict[str, Any] = {
        "AlarmName": alarm.name,
        "AlarmDescription": put.alarm_description,
        "AWSAccountId": alarm.account,
        "AlarmConfigurationUpdatedTimestamp": iso(alarm.configured_ms),
        "NewStateValue": state.value,
        "NewStateReason": state.reason,
        "StateChangeTime": iso(state.updated_ms),
        "Region": alarm.region,
        "AlarmArn": alarm.arn,
        "OldStateValue": old.value,
        "OKActions": put.ok_actions or [],
        "AlarmActions": put.alarm_actions or [],
        "InsufficientDataActions": put.insufficient_data_actions or [],
    }
    if alarm.metric is not None:
        return {**found, "Trigger": _trigger(alarm.metric)}
    assert alarm.composite is not None, "one of both"
    return {
        **found,
        "AlarmRule": alarm.composite.alarm_rule,
        "TriggeringChildren": _triggering(state.data),
    }


def _triggering(data: str | None) -> list[dict[str, Any]]:
    """The alarms that have triggered a composite alarm, if the data says so."""
    try:
        found = _reason(data or "{}").alarms
    except msgspec.DecodeError:
        return []
    return [
        {"Arn": each.arn, "State": {"Value": each.state.value, "Timestamp": each.state.timestamp}}
        for each in found
    ]


def _trigger(put: PutMetricAlarm) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if put.metrics is None:
        statistic = str(put.statistic)
        found |= {
            "MetricName": put.metric_name,
            "Namespace": put.namespace,
            "StatisticType": "ExtendedStatistic" if put.extended_statistic else "Statistic",
        }
        if put.extended_statistic is not None:
            found["ExtendedStatistic"] = put.extended_statistic
        else:
            found["Statistic"] = _STATISTIC.get(statistic, statistic.upper())
        found |= {
            "Unit": put.unit,
            "Dimensions": [_dimension(each) for each in put.dimensions or ()],
        }
    found |= {"Period": period_of(put), "EvaluationPeriods": put.evaluation_periods}
    if put.datapoints_to_alarm is not None:
        found["DatapointsToAlarm"] = put.datapoints_to_alarm
    found |= {
        "ComparisonOperator": put.comparison_operator,
        "Threshold": put.threshold,
        "TreatMissingData": put.treat_missing_data or "missing",
        "EvaluateLowSampleCountPercentile": put.evaluate_low_sample_count_percentile or "",
    }
    if put.metrics is not None:
        found["Metrics"] = msgspec.to_builtins(put.metrics)
    return found


def _dimension(dimension: Dimension) -> dict[str, Any]:
    return {"value": dimension.value, "name": dimension.name}


def period_of(put: PutMetricAlarm) -> int:
    """The period of an alarm in seconds; of metric math that of its metrics."""
    if put.period is not None:
        return put.period
    periods = [
        period
        for each in put.metrics or ()
        for period in (each.metric_stat.period if each.metric_stat else None, each.period)
        if period is not None
    ]
    return max(periods, default=60)
