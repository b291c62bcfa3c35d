"""Auto scaling in the background: evaluates the scalable targets, and changes their tables."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from hashrange.api.admission.consumption import MINUTE_MS, ConsumptionLog
from hashrange.api.steps.operation import Caller, RequestContext, TableChoices
from hashrange.background.tasks import Pacer
from hashrange.capacity.auto_scaling import LOW_MINUTES
from hashrange.model.table import Table
from hashrange.storage.engine import Fences, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.jobs.scaling_rows import StoredTarget
from hashrange.tables.jobs.scaling_store import ScalingRows
from hashrange.tables.writing.store import Store

if TYPE_CHECKING:
    from hashrange.api.aws_services.scaling.evaluation import Evaluator

LOOK_SECONDS: Final = 5.0
"""Between two rounds: AWS moves units into new bounds within seconds."""

_log: Final = logging.getLogger(__name__)


def catalog_of(catalog: Catalog, target: StoredTarget) -> Catalog:
    """The tables that a target is about, in the catalog of a server."""
    if not target.scope:
        return catalog
    account, _, region = target.scope.partition(":")
    return catalog.within(account, region)


class Scaler:
    """A background task of the leader.

    Args:
        store: holds the rows and tables.
        catalog: the tables.
        consumption: of this process, added to the counters before each round.
        pacer: gives turns, one for each target.
        fences: those of the leader.
        transient_ms: how long tables show a change.
    """

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        consumption: ConsumptionLog,
        *,
        pacer: Pacer,
        fences: Callable[[], Fences],
        transient_ms: int,
    ) -> None:
        self._store = store
        self._catalog = catalog
        self._consumption = consumption
        self._pacer = pacer
        self._transient_ms = transient_ms
        self._rows = ScalingRows(store.engine)
        self._fences = fences
        self._made: Evaluator | None = None

    async def run(self) -> None:
        """Work in rounds until it is cancelled."""
        failures = Failures(_log, "auto scaling")
        while True:
            with failures.suppressed(StorageError):
                await self.drain()
            await asyncio.sleep(LOOK_SECONDS)

    async def drain(self) -> None:
        """Evaluate each target as of now. Raises StorageError."""
        await self._consumption.flush()
        targets = [target async for target in self._rows.targets(None)]
        now_ms = self._store.clock.now_ms()
        for target in targets:
            async with self._pacer.turn():
                await self._evaluator().evaluate(target, now_ms)
        if targets:
            await self._rows.forget(now_ms // MINUTE_MS - 2 * LOW_MINUTES)

    def _evaluator(self) -> "Evaluator":
        """The evaluator, whose modules most servers do not need."""
        from hashrange.api.aws_services.scaling.evaluation import Evaluator  # noqa: PLC0415 - see above

        if self._made is None:
            new_id = self._store.clock.new_uuid
            find = partial(catalog_of, self._catalog)
            self._made = Evaluator(self._rows, find, self._set_units, new_id, fences=self._fences)
        return self._made

    async def _set_units(self, target: StoredTarget, table: Table, units: int) -> None:
        """Change the table by UpdateTable, the one way to do it. Raises DynamoError."""
        from hashrange.api.dynamodb.tables import update_table  # noqa: PLC0415 - see above
        from hashrange.background.scaling_requests import request_of  # noqa: PLC0415

        request = request_of(target, table, units)
        clock = self._store.clock
        context = RequestContext(
            Caller(target.account, target.region, ""),
            self._store,
            catalog_of(self._catalog, target),
            self._transient_ms,
            TableChoices(),
            {},
            clock.now_ms(),
            clock.new_uuid(),
        )
        await update_table.run(update_table.check(request), context)
        _log.info("auto scaling: %s has %d of %s", target.resource, units, target.dimension)
