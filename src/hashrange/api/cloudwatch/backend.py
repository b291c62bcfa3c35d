"""CloudWatch on the port of the database.

Requests about dashboards need to be allowed on those that they name, others on `*`, as on AWS.
"""

from collections.abc import Callable
from typing import Any

from hashrange.access.policies.decisions import GovernedResource
from hashrange.api.cloudwatch.requests import CloudWatchContext, dashboard_arn, dashboards_of
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Requirement
from hashrange.tables.series.dashboards import Dashboards
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
            dashboards=Dashboards(self._series.engine),
            scope=f"{caller.account}:{caller.region}" if self._separate else "",
            account=caller.account,
            region=caller.region,
            now_ms=self._now_ms(),
        )

    async def requirements(
        self, action: str, typed: Any, caller: Caller, _context: CloudWatchContext
    ) -> list[Requirement]:
        """The operation on each dashboard that it names, or with its namespace."""
        names = dashboards_of(typed)
        if names:
            arns = (dashboard_arn(caller.account, name) for name in dict.fromkeys(names))
            return [Requirement(action, GovernedResource(arn, caller.account)) for arn in arns]
        namespace = getattr(typed, "namespace", None)
        keys = {} if namespace is None else {"cloudwatch:namespace": (namespace,)}
        return [Requirement(action, GovernedResource("*", caller.account), keys)]
