"""The evaluation of a scalable target after a minute: scheduled actions, alarms, the new units."""

import logging
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Final

import msgspec

from hashrange.api.admission.consumption import MINUTE_MS
from hashrange.capacity.auto_scaling import (
    LOW_MINUTES,
    Decision,
    Policy,
    Sample,
    Target,
    decide,
    noted,
)
from hashrange.capacity.schedules import Schedule, ScheduleError, next_run_ms
from hashrange.errors import DynamoError
from hashrange.limits.tables import SCALING_RUNS_KEPT_MAX
from hashrange.model.table import Table
from hashrange.optional_packages import MissingPackageError
from hashrange.storage.engine import Fences
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.jobs.scaling_rows import Activity, StoredAction, StoredTarget
from hashrange.tables.jobs.scaling_store import ScalingRows

_log: Final = logging.getLogger(__name__)

SetUnits = Callable[[StoredTarget, Table, int], Awaitable[None]]
"""Changes the units of a target's table or index as UpdateTable does. Raises DynamoError."""


@lru_cache(maxsize=SCALING_RUNS_KEPT_MAX)
def found_run_ms(schedule: Schedule, after_ms: int) -> int | None:
    """As `next_run_ms`: milliseconds of CPU for days that never come, and asked in each round."""
    return next_run_ms(schedule, after_ms)


def schedule_of(action: StoredAction) -> Schedule:
    """The schedule of an action."""
    return Schedule(
        expression=action.schedule,
        timezone=action.timezone or "UTC",
        created_ms=action.created_ms,
        start_ms=action.start_ms,
        end_ms=action.end_ms,
    )


def units_of(target: StoredTarget, table: Table) -> int | None:
    """The provisioned units of a target's table or index; None if none can be changed."""
    if table.billing_mode != "PROVISIONED":
        return None
    throughput = table.throughput
    if len(target.names) > 1:
        index = table.index(target.names[1])
        if index is None or index.state != "ACTIVE":
            return None
        throughput = index.throughput
    return throughput.write_units if target.is_write else throughput.read_units


class Evaluator:
    """Evaluates targets.

    Args:
        rows: the rows of the engine.
        catalog_of: the catalog that has the tables of a target.
        set_units: changes a table.
        new_id: draws a UUID.
        fences: those of the leader, for all writes of rows.
    """

    def __init__(
        self,
        rows: ScalingRows,
        catalog_of: Callable[[StoredTarget], Catalog],
        set_units: SetUnits,
        new_id: Callable[[], str],
        *,
        fences: Callable[[], Fences],
    ) -> None:
        self._rows = rows
        self._catalog_of = catalog_of
        self._set_units = set_units
        self._new_id = new_id
        self._fences = fences

    async def evaluate(self, target: StoredTarget, now_ms: int) -> None:
        """Run what is due of the target's actions, and evaluate the last minute once."""
        target = await self._with_actions_run(target, now_ms)
        table = await self._table(target)
        if table is None:
            return
        current = _units(target, table)
        minute = now_ms // MINUTE_MS
        is_out = not target.min_units <= current <= target.max_units
        # One that is later was evaluated before the clock was set back.
        if minute <= target.evaluated_minute <= minute + 1 and not is_out:
            return
        consumed = await self._rows.consumed(target, range(minute - LOW_MINUTES, minute))
        decision = decide(
            current,
            [Sample(units, current) for units in consumed],
            Target(
                min_units=target.min_units,
                max_units=target.max_units,
                in_suspended=target.suspended.scale_in,
                out_suspended=target.suspended.scale_out,
            ),
            [
                Policy(
                    percent=policy.percent,
                    out_cooldown_seconds=policy.out_cooldown_seconds or 0,
                    in_cooldown_seconds=policy.in_cooldown_seconds or 0,
                    in_disabled=bool(policy.in_disabled),
                )
                for policy in target.policies
            ],
            history=target.history,
            now_ms=now_ms,
        )
        after = msgspec.structs.replace(target, evaluated_minute=minute)
        if decision is None:
            after = msgspec.structs.replace(after, reported=None)
        elif decision.units is None:
            after = await self._not_scaled(after, decision, current, now_ms)
        else:
            after = await self._scaled(after, table, decision, now_ms)
        await self._keep(target, after)

    async def _with_actions_run(self, target: StoredTarget, now_ms: int) -> StoredTarget:
        """The target with the bounds that actions have set; actions without a next run are gone."""
        after = target
        left: list[StoredAction] = []
        for action in target.actions:
            schedule = schedule_of(action)
            try:
                run_ms = found_run_ms(schedule, action.seen_ms)
            except (ScheduleError, MissingPackageError) as error:  # it was accepted before
                text = "the scheduled action %s of %s cannot be run: %s"
                _log.warning(text, action.name, target.resource, error)
                run_ms = None
            if run_ms is None or run_ms > now_ms:
                left.append(action)
                continue
            if not target.suspended.scheduled:
                after = _bounded(after, action)
                await self._note_run(after, action, now_ms)
            if next_run_ms(schedule, now_ms) is not None:
                left.append(msgspec.structs.replace(action, seen_ms=now_ms))
        after = msgspec.structs.replace(after, actions=tuple(left))
        if after != target:
            await self._keep(target, after)
        return after

    async def _scaled(
        self, target: StoredTarget, table: Table, decision: Decision, now_ms: int
    ) -> StoredTarget:
        units = decision.units
        assert units is not None, "the caller looks"
        kind = "write" if target.is_write else "read"
        activity = Activity(
            id=self._new_id(),
            resource=target.resource,
            dimension=target.dimension,
            description=f"Setting {kind} capacity units to {units}.",
            cause=_cause(target, decision),
            start_ms=now_ms,
            end_ms=now_ms,
            status="Successful",
            message=(
                f"Successfully set {kind} capacity units to {units}. "
                "Change successfully fulfilled by dynamodb."
            ),
        )
        before = _units(target, table)
        try:
            await self._set_units(target, table, units)
        except DynamoError as error:
            reason = f"{error.fault.wire_name.rpartition('#')[2]}: {error.message}"
            text = f"Failed to set {kind} capacity units to {units}. Reason: {reason}"
            failed = msgspec.structs.replace(activity, status="Failed", message=text)
            if target.reported != text:
                await self._rows.note(target.address, failed, fences=self._fences())
            return msgspec.structs.replace(target, reported=text)
        await self._rows.note(target.address, activity, fences=self._fences())
        history = noted(target.history, decision, before, now_ms)
        return msgspec.structs.replace(target, history=history, reported=None)

    async def _not_scaled(
        self, target: StoredTarget, decision: Decision, current: int, now_ms: int
    ) -> StoredTarget:
        assert decision.not_scaled is not None, "the reason for no change"
        if target.reported == decision.not_scaled:
            return target
        activity = Activity(
            id=self._new_id(),
            resource=target.resource,
            dimension=target.dimension,
            description="Attempting to scale due to alarm triggered",
            cause=_cause(target, decision),
            start_ms=now_ms,
            status="Unfulfilled",
            not_scaled=decision.not_scaled,
            min_units=target.min_units,
            max_units=target.max_units,
            current_units=current,
        )
        await self._rows.note(target.address, activity, fences=self._fences())
        return msgspec.structs.replace(target, reported=decision.not_scaled)

    async def _note_run(self, target: StoredTarget, action: StoredAction, now_ms: int) -> None:
        bounds = f"min capacity to {target.min_units} and max capacity to {target.max_units}"
        activity = Activity(
            id=self._new_id(),
            resource=target.resource,
            dimension=target.dimension,
            description=f"Setting {bounds}",
            cause=f"scheduled action name {action.name} was triggered",
            start_ms=now_ms,
            end_ms=now_ms,
            status="Successful",
            message=f"Successfully set {bounds}",
        )
        await self._rows.note(target.address, activity, fences=self._fences())

    async def _table(self, target: StoredTarget) -> Table | None:
        """The table, if its units, or those of the index, can be changed."""
        opened = await self._catalog_of(target).open(target.names[0])
        if opened is None or units_of(target, opened.table) is None:
            return None
        return opened.table

    async def _keep(self, before: StoredTarget, after: StoredTarget) -> None:
        """Store what the evaluation has changed, unless the target has changed meanwhile."""

        def change(stored: StoredTarget | None) -> StoredTarget | None:
            if stored is None or stored.id != before.id:
                return stored
            changed = {
                name: getattr(after, name)
                for name in StoredTarget.__struct_fields__
                if getattr(after, name) != getattr(before, name)
                and getattr(stored, name) == getattr(before, name)
            }
            return msgspec.structs.replace(stored, **changed)

        await self._rows.change(before.address, change, fences=self._fences())


def _bounded(target: StoredTarget, action: StoredAction) -> StoredTarget:
    least = target.min_units if action.min_units is None else action.min_units
    most = target.max_units if action.max_units is None else action.max_units
    if action.min_units is None:
        least = min(least, most)
    return msgspec.structs.replace(target, min_units=least, max_units=max(least, most))


def _units(target: StoredTarget, table: Table) -> int:
    units = units_of(target, table)
    assert units is not None, "found before"
    return units


def _cause(target: StoredTarget, decision: Decision) -> str:
    if decision.cause == "BOUNDS":
        kind = "maximum" if decision.units == target.max_units else "minimum"
        return f"{kind} capacity was set to {decision.units}"
    policy = target.policies[0]
    alarm = target.alarm_name(policy, "AlarmHigh" if decision.cause == "HIGH" else "AlarmLow")
    return f"monitor alarm {alarm} in state ALARM triggered policy {policy.name}"
