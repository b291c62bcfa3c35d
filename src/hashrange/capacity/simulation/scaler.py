"""Auto scaling of a simulated table or index."""

from typing import Final, Literal

import msgspec

from hashrange.capacity.auto_scaling import (
    LOW_MINUTES,
    Decision,
    History,
    Policy,
    Sample,
    Target,
    decide,
    noted,
)
from hashrange.capacity.resources import Resource
from hashrange.capacity.schedules import Schedule, check_expression, next_run_ms
from hashrange.capacity.simulation.results import ScalingEvent
from hashrange.capacity.simulation.workload import Scaling
from hashrange.capacity.throughput import next_decrease_ms

Kind = Literal["read", "write"]

_DAY_MS: Final = 24 * 60 * 60 * 1000


class Scaler:
    """Auto scaling of the read or write units of a table or index.

    Args:
        place: the name in events.
        resource: the table or index.
        kind: `read` or `write`.
        scaling: the configuration.
        begin_ms: the time at the beginning of the workload.
        delay_ms: the time from a decision to the new capacity.
    """

    def __init__(
        self,
        place: str,
        resource: Resource,
        kind: Kind,
        scaling: Scaling,
        *,
        begin_ms: int,
        delay_ms: int,
    ) -> None:
        self._place = place
        self._resource = resource
        self._kind = kind
        self._target = Target(min_units=scaling.min, max_units=scaling.max)
        self._policy = Policy(
            percent=scaling.percent,
            out_cooldown_seconds=scaling.out_cooldown_seconds,
            in_cooldown_seconds=scaling.in_cooldown_seconds,
        )
        self._history = History()
        self._samples: list[Sample] = []
        self._begin_ms = begin_ms
        self._delay_ms = delay_ms
        self._pending: tuple[int, int] | None = None
        self._decreases: list[int] = []
        # The last event; the reason for no change is reported once and not each minute.
        self._last_event: tuple[int, int, str] | None = None
        for action in scaling.actions:
            check_expression(action.schedule)
        self._runs = [
            (action, Schedule(expression=action.schedule, timezone=action.timezone))
            for action in scaling.actions
        ]
        self._runs_seen_ms = begin_ms - 1

    def minute(self, consumed: float, now_ms: int) -> list[ScalingEvent]:
        """Evaluate the alarms after a minute with these consumed units."""
        current = self._current()
        self._samples.append(Sample(consumed or None, current))
        del self._samples[:-LOW_MINUTES]
        self._run_actions(now_ms)
        if self._pending is not None:
            return []
        decision = decide(
            current,
            self._samples,
            self._target,
            [self._policy],
            history=self._history,
            now_ms=now_ms,
        )
        return [] if decision is None else self._carried_out(decision, current, now_ms)

    def apply_due(self, now_ms: int) -> None:
        """Apply a pending change if its time has come."""
        if self._pending is not None and now_ms >= self._pending[0]:
            units = self._pending[1]
            self._pending = None
            terms = self._resource.terms
            named = {f"{self._kind}_units": float(units)}
            self._resource.apply(
                msgspec.structs.replace(terms, **named), float(now_ms - self._begin_ms)
            )

    def _carried_out(self, decision: Decision, current: int, now_ms: int) -> list[ScalingEvent]:
        units = decision.units
        note: str = decision.not_scaled or decision.cause
        if units is None:
            units = current
        elif units < current:
            today = [each for each in self._decreases if each // _DAY_MS == now_ms // _DAY_MS]
            last_ms = today[-1] if today else None
            if next_decrease_ms(len(today), last_ms, now_ms) > now_ms:
                units, note = current, "LimitExceededException"
            else:
                self._decreases.append(now_ms)
        if units != current:
            self._history = noted(self._history, decision, current, now_ms)
            self._pending = (now_ms + self._delay_ms, units)
        event = (current, units, note)
        if units == current and event == self._last_event:
            return []
        self._last_event = event
        second = (now_ms - self._begin_ms) / 1000
        return [ScalingEvent(second, self._place, self._kind, current, units, note)]

    def _run_actions(self, now_ms: int) -> None:
        for action, schedule in self._runs:
            run_ms = next_run_ms(schedule, self._runs_seen_ms)
            if run_ms is not None and run_ms <= now_ms:
                least = self._target.min_units if action.min is None else action.min
                most = self._target.max_units if action.max is None else action.max
                self._target = Target(min_units=least, max_units=max(least, most))
        self._runs_seen_ms = now_ms

    def _current(self) -> int:
        terms = self._resource.terms
        return int(terms.read_units if self._kind == "read" else terms.write_units)
