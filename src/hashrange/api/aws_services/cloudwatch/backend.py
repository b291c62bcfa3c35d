"""CloudWatch on the port of the database.

Requests about alarms and dashboards need to be allowed on those that they name, others on `*`, as
on AWS.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from hashrange.access.policies.decisions import GovernedResource
from hashrange.access.policies.resources import tag_keys
from hashrange.access.policies.service_keys import tag_keys_of
from hashrange.access.policies.variables import Context
from hashrange.api.aws_services.cloudwatch.requests import (
    CloudWatchContext,
    alarm_named,
    dashboard_arn,
    dashboard_named,
    dashboards_of,
)
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Requirement
from hashrange.tables.alarms.store import AlarmRows
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.series.dashboards import Dashboards
from hashrange.tables.series.store import SeriesStore
from hashrange.tables.writing.store import Store

_TAG: Final = "cloudwatch:TagResource"
_ACTIONS: Final = ("ok_actions", "alarm_actions", "insufficient_data_actions")


class CloudWatch:
    """The backend of CloudWatch: see `service_api.Backend`.

    Args:
        store: its engine has the metrics and alarms.
        catalog: the tables.
        webhooks: the ARNs of actions of alarms that have one.
        separate: each account and region has metrics of its own.
    """

    def __init__(
        self, store: Store, catalog: Catalog, webhooks: Collection[str], *, separate: bool
    ) -> None:
        self._clock = store.clock
        self._series = SeriesStore(store.engine)
        self._alarms = AlarmRows(store.engine, store.clock.random_bytes)
        self._catalog = catalog
        self._webhooks = webhooks
        self._separate = separate

    def context(self, caller: Caller) -> CloudWatchContext:
        """The metrics and alarms that a caller can see."""
        catalog = self._catalog
        if self._separate:
            catalog = catalog.within(caller.account, caller.region)
        return CloudWatchContext(
            catalog=catalog,
            series=self._series,
            dashboards=Dashboards(self._series.engine),
            alarms=self._alarms,
            webhooks=self._webhooks,
            new_id=self._clock.new_uuid,
            scope=f"{caller.account}:{caller.region}" if self._separate else "",
            account=caller.account,
            region=caller.region,
            now_ms=self._clock.now_ms(),
        )

    async def requirements(
        self, action: str, typed: Any, caller: Caller, context: CloudWatchContext
    ) -> list[Requirement]:
        """The operation on each alarm or dashboard that it names, or with its namespace."""
        names = _dashboards(typed, caller)
        if names:
            return await _on_dashboards(action, names, typed, context)
        if "Alarm" in action or hasattr(typed, "resource_arn"):
            return await _on_alarms(action, typed, caller, context)
        if "Rule" in action and action != "cloudwatch:DescribeInsightRules":
            return _on_rules(action, typed, caller)
        namespace = getattr(typed, "namespace", None)
        keys = {} if namespace is None else {"cloudwatch:namespace": (namespace,)}
        return [Requirement(action, GovernedResource("*", caller.account), keys)]


def _dashboards(typed: Any, caller: Caller) -> Sequence[str]:
    """The names of dashboards in a request."""
    named = dashboard_named(getattr(typed, "resource_arn", None) or "", caller.account)
    return dashboards_of(typed) if named is None else [named]


async def _on_dashboards(
    action: str, names: Sequence[str], typed: Any, context: CloudWatchContext
) -> list[Requirement]:
    tags, keys = _tags_in(typed)
    found = []
    for name in dict.fromkeys(names):
        known = await context.dashboards.get(context.dashboard_scope, name)
        of_dashboard = tag_keys({} if known is None else known.tags)
        arn = dashboard_arn(context.account, name)
        resource = GovernedResource(arn, context.account, keys=of_dashboard)
        found += _with_tags(action, resource, tags, keys)
    return found


def _tags_in(typed: Any) -> tuple[Mapping[str, str], Context]:
    """The tags that a request sets, and the condition keys of those that it sets or removes."""
    tags = {str(each.key): str(each.value) for each in getattr(typed, "tags", None) or ()}
    return tags, tag_keys_of(tags, tuple(getattr(typed, "tag_keys", None) or ()))


def _with_tags(
    action: str, resource: GovernedResource, tags: Mapping[str, str], keys: Context
) -> list[Requirement]:
    """A requirement, and that of its tags."""
    actions = [action, _TAG] if tags and action != _TAG else [action]
    return [Requirement(each, resource, keys) for each in actions]


def _on_rules(action: str, typed: Any, caller: Caller) -> list[Requirement]:
    """The operation on each rule that it names. They have no tags."""
    names = getattr(typed, "rule_names", None) or (getattr(typed, "rule_name", None) or "*",)
    prefix = f"arn:aws:cloudwatch:{caller.region}:{caller.account}:insight-rule/"
    return [
        Requirement(action, GovernedResource(prefix + name, caller.account))
        for name in dict.fromkeys(names)
    ]


async def _on_alarms(
    action: str, typed: Any, caller: Caller, context: CloudWatchContext
) -> list[Requirement]:
    names = _named(typed, caller)
    known = await context.alarms.get(context.scope, names)
    prefix = f"arn:aws:cloudwatch:{caller.region}:{caller.account}:alarm:"
    tags, keys = _tags_in(typed)
    actions = [arn for member in _ACTIONS for arn in getattr(typed, member, None) or ()]
    if actions:
        keys = {**keys, "cloudwatch:alarmactions": tuple(dict.fromkeys(actions))}
    found = []
    for name in names or ("*",):
        arn = known[name].arn if name in known else prefix + name
        of_alarm = tag_keys(known[name].tags if name in known else {})
        resource = GovernedResource(arn, caller.account, keys=of_alarm)
        found += _with_tags(action, resource, tags, keys)
    return found


def _named(typed: Any, caller: Caller) -> Sequence[str]:
    """The names of alarms in a request."""
    arn = getattr(typed, "resource_arn", None)
    if arn is not None:
        name = alarm_named(arn, account=caller.account, region=caller.region)
        return [] if name is None else [name]
    members = ("alarm_name", "children_of_alarm_name", "parents_of_alarm_name")
    names = [name for each in members if (name := getattr(typed, each, None)) is not None]
    return list(dict.fromkeys([*names, *(getattr(typed, "alarm_names", None) or ())]))
