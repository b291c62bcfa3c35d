"""CloudWatch on the port of the database. Its actions are allowed on `*`, as on AWS."""

from collections.abc import Callable
from typing import Any

from hashrange.access.policies.decisions import GovernedResource
from hashrange.api.cloudwatch.requests import CloudWatchContext
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Requirement
from hashrange.tables.series.store import SeriesStore


class CloudWatch:
    """The backend of CloudWatch: see `service_api.Backend`.

    Args:
        series: the metrics.
        now_ms: the clock.
        separate: each account and region has metrics of its own.
    """

    def __init__(self, series: SeriesStore, now_ms: Callable[[], int], *, separate: bool) -> None:
        self._series = series
        self._now_ms = now_ms
        self._separate = separate

    def context(self, caller: Caller) -> CloudWatchContext:
        """The metrics that a caller can see."""
        return CloudWatchContext(
            series=self._series,
            scope=f"{caller.account}:{caller.region}" if self._separate else "",
            account=caller.account,
            region=caller.region,
            now_ms=self._now_ms(),
        )

    async def requirements(
        self, action: str, typed: Any, caller: Caller, _context: CloudWatchContext
    ) -> list[Requirement]:
        """The operation, with the namespace that it writes to."""
        namespace = getattr(typed, "namespace", None)
        keys = {} if namespace is None else {"cloudwatch:namespace": (namespace,)}
        return [Requirement(action, GovernedResource("*", caller.account), keys)]
