"""The rows of alarms as the engine keeps them, as JSON. Members are never renamed."""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.model.structures.cloudwatch import PutCompositeAlarm, PutMetricAlarm
from hashrange.tables.alarms.notifications import Action

OK: Final = "OK"
ALARM: Final = "ALARM"
INSUFFICIENT_DATA: Final = "INSUFFICIENT_DATA"
METRIC_ALARM: Final = "MetricAlarm"
COMPOSITE_ALARM: Final = "CompositeAlarm"

ItemKind: TypeAlias = Literal["ConfigurationUpdate", "StateUpdate", "Action"]
SuppressedBy: TypeAlias = Literal["WaitPeriod", "ExtensionPeriod", "Alarm"]


class Judgement(msgspec.Struct, frozen=True):
    """The result of an evaluation: a state, its reason, and that as JSON if there is such."""

    value: str
    reason: str
    data: str | None = None


class State(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A state of an alarm.

    Attributes:
        reason: a text.
        data: the reason as JSON; None if there is none.
        updated_ms: when value or reason were set.
        since_ms: when the value was another last.
    """

    value: str
    reason: str
    data: str | None = None
    updated_ms: int
    since_ms: int


class Suppression(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Actions of a composite alarm that wait.

    Attributes:
        by: what they wait for.
        until_ms: the end of a period; None for that of an alarm.
        before: the state before the change whose actions wait.
    """

    by: SuppressedBy
    until_ms: int | None = None
    before: State


class StoredAlarm(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An alarm: one of `metric` and `composite` has what was put.

    Attributes:
        scope: whose alarm it is: `tables.keys.alarm_keys`.
        account: of the caller who has made it; with the region, part of its ARN.
        configured_ms: when it was put last.
        evaluation: the EvaluationState; None if it could be evaluated.
        policy: the ARN of the scaling policy that has made it.
    """

    scope: str
    account: str
    region: str
    name: str
    metric: PutMetricAlarm | None = None
    composite: PutCompositeAlarm | None = None
    configured_ms: int
    state: State
    tags: dict[str, str] = {}
    evaluation: str | None = None
    suppression: Suppression | None = None
    policy: str | None = None

    @property
    def put(self) -> PutMetricAlarm | PutCompositeAlarm:
        """The request that has configured it."""
        found = self.metric or self.composite
        assert found is not None, "one of both"
        return found

    @property
    def kind(self) -> str:
        """The AlarmType."""
        return METRIC_ALARM if self.composite is None else COMPOSITE_ALARM

    @property
    def arn(self) -> str:
        """Its ARN."""
        return f"arn:aws:cloudwatch:{self.region}:{self.account}:alarm:{self.name}"

    def actions(self, state: str) -> Sequence[str]:
        """The actions for a state, by their ARNs."""
        put = self.put
        by_state = {OK: put.ok_actions, ALARM: put.alarm_actions}
        return by_state.get(state, put.insufficient_data_actions) or ()

    @property
    def all_actions(self) -> Sequence[str]:
        """The actions for all states."""
        return [each for state in (OK, ALARM, INSUFFICIENT_DATA) for each in self.actions(state)]

    @property
    def does_actions(self) -> bool:
        """Whether its actions are enabled."""
        return self.put.actions_enabled is not False


class HistoryItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item of the history; `data` is JSON."""

    name: str
    alarm: str
    time_ms: int
    kind: ItemKind
    summary: str
    data: str


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A change of an alarm, which is written as a whole; None deletes the alarm."""

    alarm: StoredAlarm | None
    items: Sequence[HistoryItem] = ()
    actions: Sequence[Action] = ()
