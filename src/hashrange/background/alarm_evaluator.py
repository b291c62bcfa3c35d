"""Evaluates alarms: those on metrics after each of their minutes, then those on other alarms."""

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

import msgspec

from hashrange.api.aws_services.cloudwatch.alarm_rules import Rule, in_order, name_in, rule_of
from hashrange.api.aws_services.cloudwatch.alarm_states import judgement_on
from hashrange.api.aws_services.cloudwatch.alarm_values import (
    composite_judgement,
    step_of,
    values_of,
)
from hashrange.api.aws_services.cloudwatch.requests import CloudWatchContext
from hashrange.background.tasks import Pacer
from hashrange.errors import ApiError
from hashrange.storage.engine import Fences
from hashrange.tables.alarms.rows import (
    ALARM,
    INSUFFICIENT_DATA,
    OK,
    Change,
    Judgement,
    StoredAlarm,
)
from hashrange.tables.alarms.store import AlarmRows
from hashrange.tables.alarms.transitions import moved, waited
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.series.dashboards import Dashboards
from hashrange.tables.series.store import SeriesStore
from hashrange.tables.writing.store import Store

_RULES_KEPT_MAX: Final = 1000
_DAY_MS: Final = 24 * 3600 * 1000
_ERROR: Final = "EVALUATION_ERROR"

_log: Final = logging.getLogger(__name__)

Address: TypeAlias = tuple[str, str]
"""The scope and the name of an alarm."""


@lru_cache(maxsize=_RULES_KEPT_MAX)
def _rule(text: str) -> Rule:
    return rule_of(text)


class AlarmEvaluator:
    """Evaluates the alarms of all scopes; keeps them in memory until one is changed.

    Args:
        store: its engine has the alarms and metrics.
        rows: the alarms.
        fences: those of the leader.
        catalog: the tables.
        pacer: gives turns, one for each alarm.

    Attributes:
        changes: how many states have changed.
    """

    def __init__(
        self,
        store: Store,
        rows: AlarmRows,
        fences: Callable[[], Fences],
        *,
        catalog: Catalog,
        pacer: Pacer,
    ) -> None:
        self._clock = store.clock
        self._series = SeriesStore(store.engine)
        self._rows = rows
        self._catalog = catalog
        self._fences = fences
        self._pacer = pacer
        self._seen = -1
        self._alarms: dict[Address, StoredAlarm] = {}
        self._evaluated: dict[Address, tuple[int, int]] = {}
        self._forgot = 0
        self.changes = 0

    def states(self) -> Mapping[str, int]:
        """How many alarms have each state."""
        found = Counter(each.state.value for each in self._alarms.values())
        return {state: found[state] for state in (OK, ALARM, INSUFFICIENT_DATA)}

    async def drain(self) -> None:
        """Evaluate all that is due. Raises StorageError."""
        now_ms = self._clock.now_ms()
        is_changed = await self._load()
        before = self.changes
        for address, alarm in [*self._alarms.items()]:
            if alarm.metric is None:
                continue
            due = now_ms // 1000 // step_of(alarm.metric), alarm.configured_ms
            if self._evaluated.get(address) != due:
                self._evaluated[address] = due
                async with self._pacer.turn():
                    await self._evaluate(alarm, now_ms)
        waits = any(each.suppression is not None for each in self._alarms.values())
        if is_changed or waits or self.changes != before:
            await self._evaluate_composites(now_ms)
        if now_ms // _DAY_MS != self._forgot:
            self._forgot = now_ms // _DAY_MS
            await self._rows.forget(now_ms, self._fences)

    async def _load(self) -> bool:
        """Read the alarms again, if one was changed since; whether one was."""
        changes = await self._rows.changes()
        if changes == self._seen:
            return False
        self._alarms = {(each.scope, each.name): each async for each in self._rows.all(None)}
        self._evaluated = {
            address: due for address, due in self._evaluated.items() if address in self._alarms
        }
        self._seen = changes
        return True

    async def _evaluate(self, alarm: StoredAlarm, now_ms: int) -> None:
        put = alarm.metric
        assert put is not None, "of a metric alarm"
        context = CloudWatchContext(
            series=self._series,
            dashboards=Dashboards(self._series.engine),
            alarms=self._rows,
            catalog=self._catalog,
            webhooks=(),
            new_id=self._clock.new_uuid,
            scope=alarm.scope,
            account=alarm.account,
            region=alarm.region,
            now_ms=now_ms,
        )
        judgement, error = None, None
        try:
            judgement = judgement_on(put, await values_of(put, context), alarm.state.value)
        except ApiError as refused:
            error = _ERROR
            if alarm.evaluation is None:
                _log.warning("alarm %s cannot be evaluated: %s", alarm.name, refused)
        if error != alarm.evaluation:
            after = msgspec.structs.replace(alarm, evaluation=error)
            alarm = await self._keep(alarm, Change(alarm=after)) or after
        if judgement is not None:
            await self._move(alarm, judgement, None, now_ms)

    async def _move(
        self, alarm: StoredAlarm, judgement: Judgement, suppressor: str | None, now_ms: int
    ) -> None:
        new_id = self._clock.new_uuid
        change = moved(alarm, judgement, suppressor=suppressor, now_ms=now_ms, new_id=new_id)
        if await self._keep(alarm, change) is None:
            return
        self.changes += 1
        level = logging.WARNING if judgement.value == ALARM else logging.INFO
        before = alarm.state.value
        _log.log(
            level, "alarm %s: %s, was %s: %s", alarm.name, judgement.value, before, judgement.reason
        )

    async def _keep(self, before: StoredAlarm, change: Change) -> StoredAlarm | None:
        """Store a change of an alarm; None if it was changed meanwhile."""

        def decide(stored: StoredAlarm | None) -> Change | None:
            return change if stored == before else None

        after = await self._rows.change(before.scope, before.name, decide, fences=self._fences())
        if after is None or after != change.alarm:
            return None
        self._alarms[before.scope, before.name] = after
        return after

    async def _evaluate_composites(self, now_ms: int) -> None:
        scopes: dict[str, dict[str, Rule]] = {}
        for (scope, name), alarm in self._alarms.items():
            if alarm.composite is not None:
                scopes.setdefault(scope, {})[name] = _rule(str(alarm.composite.alarm_rule))
        for scope, rules in scopes.items():
            for name in in_order(rules):
                await self._evaluate_composite(self._alarms[scope, name], rules[name], now_ms)

    async def _evaluate_composite(self, alarm: StoredAlarm, rule: Rule, now_ms: int) -> None:
        found = {name: self._alarms.get((alarm.scope, name)) for name in rule.children}
        children = {name: each for name, each in found.items() if each is not None}
        suppressor = self._suppressor(alarm)
        judgement = composite_judgement(alarm, rule, children)
        if judgement is not None:
            await self._move(alarm, judgement, suppressor, now_ms)
            return
        change = waited(alarm, suppressor, now_ms=now_ms, new_id=self._clock.new_uuid)
        if change is not None:
            await self._keep(alarm, change)

    def _suppressor(self, alarm: StoredAlarm) -> str | None:
        """The state of the alarm that suppresses the actions of one."""
        reference = None if alarm.composite is None else alarm.composite.actions_suppressor
        found = None if reference is None else self._alarms.get((alarm.scope, name_in(reference)))
        return None if found is None else found.state.value
