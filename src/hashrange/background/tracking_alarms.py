"""Keeps the alarms of target tracking policies as their targets and tables are.

It runs after the evaluation of alarms. So an alarm whose policy has just changed the units is
evaluated on the units before, and shows why.
"""

from collections.abc import Callable

from hashrange.api.aws_services.scaling.tracking_alarms import (
    Address,
    Tracking,
    alarms_of,
    drop_alarms,
    keep_alarms,
)
from hashrange.background.scaler import catalog_of
from hashrange.storage.engine import Fences
from hashrange.tables.alarms.store import AlarmRows
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.jobs.scaling_store import ScalingRows


class TrackingAlarms:
    """Makes, changes and deletes the alarms of policies.

    An alarm that a user has changed or deleted stays so until the policy, the target or the units
    change, or another server begins to lead.

    Args:
        rows: of alarms.
        catalog: the tables.
        fences: those of the leader.
        now_ms: the clock.
    """

    def __init__(
        self,
        rows: AlarmRows,
        catalog: Catalog,
        fences: Callable[[], Fences],
        now_ms: Callable[[], int],
    ) -> None:
        self._rows = rows
        self._targets = ScalingRows(rows.engine)
        self._catalog = catalog
        self._fences = fences
        self._now_ms = now_ms
        self._known: dict[Address, Tracking] | None = None

    async def drain(self) -> None:
        """Do what is due. Raises StorageError."""
        wanted: dict[Address, Tracking] = {}
        async for target in self._targets.targets(None):
            opened = await catalog_of(self._catalog, target).open(target.names[0])
            wanted |= alarms_of(target, None if opened is None else opened.table)
        if wanted == self._known:
            return
        known = self._known
        if known is None:
            stored = [each async for each in self._rows.all(None) if each.policy is not None]
            gone = {(each.scope, each.name) for each in stored} - wanted.keys()
            changed = wanted
        else:
            gone = known.keys() - wanted.keys()
            changed = {at: each for at, each in wanted.items() if known.get(at) != each}
        now_ms, fences = self._now_ms(), self._fences()
        await keep_alarms(self._rows, changed, now_ms=now_ms, fences=fences)
        await drop_alarms(self._rows, gone, now_ms=now_ms, fences=fences)
        self._known = wanted
