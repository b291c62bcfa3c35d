"""Keeps alarms: evaluates them, does their actions, makes those of scaling policies.

What that needs is imported with the first alarm or scalable target.

A metric is stored at the end of its minute; an alarm is evaluated some seconds later.
"""

# ruff: noqa: PLC0415 - most servers have no alarms
import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from hashrange.background.tasks import Pacer
from hashrange.observe.figures import Figures, labelled
from hashrange.settings.webhooks import webhooks_of
from hashrange.storage.engine import Fences, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.keys.alarm_keys import changes_key
from hashrange.tables.keys.scaling_keys import targets_range
from hashrange.tables.writing.store import Store

if TYPE_CHECKING:
    from hashrange.background.alarm_actions import AlarmActions
    from hashrange.background.alarm_evaluator import AlarmEvaluator
    from hashrange.background.tracking_alarms import TrackingAlarms

LOOK_MS: Final = 10_000
"""Between two rounds."""
AFTER_MS: Final = 5_000
"""A round comes so long after the minute, or a part of it."""
ACTIONS_SECONDS: Final = 2.0
"""Between two looks for actions."""

_log: Final = logging.getLogger(__name__)


class AlarmKeeper:
    """A background task of the leader.

    Args:
        store: its engine has the alarms and metrics.
        catalog: the tables of scaling policies.
        webhooks: the setting.
        fences: those of the leader.
        pacer: gives turns, one for each alarm.
    """

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        webhooks: str | None,
        fences: Callable[[], Fences],
        *,
        pacer: Pacer,
    ) -> None:
        self._store = store
        self._catalog = catalog
        self._webhooks = webhooks_of(webhooks)
        self._fences = fences
        self._pacer = pacer
        self._turn = asyncio.Lock()
        self._made: tuple[AlarmEvaluator, AlarmActions, TrackingAlarms] | None = None

    async def run(self) -> None:
        """Evaluate in rounds, and do the actions, until it is cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._evaluate())
            tasks.create_task(self._act())

    async def _evaluate(self) -> None:
        failures = Failures(_log, "the evaluation of alarms")
        while True:
            since_ms = (self._store.clock.now_ms() - AFTER_MS) % LOOK_MS
            await asyncio.sleep((LOOK_MS - since_ms) / 1000)
            with failures.suppressed(StorageError):
                await self._evaluated()

    async def _act(self) -> None:
        failures = Failures(_log, "actions of alarms")
        while True:
            await asyncio.sleep(ACTIONS_SECONDS)
            if self._made is None:  # the first alarm is yet to be evaluated
                continue
            with failures.suppressed(StorageError):
                await self._made[1].drain()

    async def drain(self) -> None:
        """Do all that is due now. Raises StorageError."""
        await self._evaluated()
        if self._made is not None:
            await self._made[1].drain()

    async def _evaluated(self) -> None:
        async with self._turn:
            if self._made is None:
                if not await self._is_needed():
                    return
                self._made = self._parts()
            evaluator, _, tracking = self._made
            await evaluator.drain()
            await tracking.drain()

    async def _is_needed(self) -> bool:
        """Whether there was an alarm, or is a scalable target."""
        engine = self._store.engine
        (changes,) = await engine.read([changes_key()])
        if changes is not None:
            return True
        start, end = targets_range(None)
        return bool(await engine.scan(start, end, limit=1, bytes_max=1))

    def _parts(self) -> "tuple[AlarmEvaluator, AlarmActions, TrackingAlarms]":
        from hashrange.background.alarm_actions import AlarmActions
        from hashrange.background.alarm_evaluator import AlarmEvaluator
        from hashrange.background.tracking_alarms import TrackingAlarms
        from hashrange.tables.alarms.store import AlarmRows

        store, clock = self._store, self._store.clock
        rows = AlarmRows(store.engine, clock.random_bytes)
        evaluator = AlarmEvaluator(
            store, rows, self._fences, catalog=self._catalog, pacer=self._pacer
        )
        actions = AlarmActions(rows, clock, self._webhooks, self._fences)
        return evaluator, actions, TrackingAlarms(rows, self._catalog, self._fences, clock.now_ms)

    def figures(self) -> Figures:
        """Figures for metrics; none before the first alarm."""
        if self._made is None:
            return {}
        evaluator, actions, _ = self._made
        return {
            **{labelled("alarms", state): count for state, count in evaluator.states().items()},
            "alarm_state_changes_total": evaluator.changes,
            "alarm_actions_total": actions.done,
            "alarm_action_failures_total": actions.failed,
        }
