"""The context of a request, the metrics and periods that it names, and pages of lists."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

import msgspec

from hashrange.api.aws_services.cloudwatch.service import invalid, invalid_value, refusal
from hashrange.limits.cloudwatch import SHORT_PERIODS, TAGS_MAX
from hashrange.messages import cloudwatch as messages
from hashrange.model.structures import cloudwatch as structures
from hashrange.tables.alarms.store import AlarmRows
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.series.dashboards import Dashboards
from hashrange.tables.series.samples import Dimensions, Metric
from hashrange.tables.series.store import SeriesStore

MINUTE: Final = 60
_TOKEN_CHARS_MAX: Final = 10


class CloudWatchContext(msgspec.Struct, frozen=True, kw_only=True):
    """The context of one request.

    Attributes:
        scope: whose metrics the caller sees: `tables.keys.metric_keys`.
        catalog: the tables that the caller sees.
        webhooks: the ARNs of actions that have one.
        new_id: draws a UUID.
    """

    series: SeriesStore
    dashboards: Dashboards
    alarms: AlarmRows
    catalog: Catalog
    webhooks: Collection[str]
    new_id: Callable[[], str]
    scope: str
    account: str
    region: str
    now_ms: int

    @property
    def now_seconds(self) -> int:
        """The time in seconds."""
        return self.now_ms // 1000

    @property
    def dashboard_scope(self) -> str:
        """The scope of the dashboards that the caller sees, which have no region."""
        return self.account if self.scope else ""


def dashboard_arn(account: str, name: str) -> str:
    """The ARN of a dashboard, which has no region."""
    return f"arn:aws:cloudwatch::{account}:dashboard/{name}"


def dashboard_named(arn: str, account: str) -> str | None:
    """The name of the dashboard in an ARN of an account; None in other ARNs."""
    name = arn.removeprefix(dashboard_arn(account, ""))
    return None if name == arn or not name else name


def alarm_named(arn: str, *, account: str, region: str) -> str | None:
    """The name of the alarm in an ARN of an account and region; None in other ARNs."""
    name = arn.removeprefix(f"arn:aws:cloudwatch:{region}:{account}:alarm:")
    return None if name == arn or not name else name


def dashboards_of(request: object) -> list[str]:
    """The names of the dashboards in a request."""
    match request:
        case (
            structures.GetDashboard(dashboard_name=name)
            | structures.PutDashboard(dashboard_name=name)
        ):
            return [str(name)]
        case structures.DeleteDashboards(dashboard_names=names):
            return names or []
        case _:
            return []


def dimensions_of(given: Sequence[structures.Dimension] | None) -> Dimensions:
    """Dimensions as they identify a metric. Raises InvalidParameterValueException."""
    found = sorted((str(each.name), str(each.value)) for each in given or ())
    for name, value in found:
        check_text("Dimensions", name)
        check_text("Dimensions", value)
    if len({name for name, _ in found}) < len(found):
        raise invalid_value(messages.statistic(name="Dimensions", value="a repeated name"))
    return tuple(found)


def named(
    context: CloudWatchContext,
    namespace: str | None,
    name: str | None,
    dimensions: Sequence[structures.Dimension] | None,
) -> Metric:
    """The metric that a request names. Raises InvalidParameterValueException."""
    assert namespace is not None
    assert name is not None, "required"
    check_text("Namespace", namespace)
    check_text("MetricName", name)
    return Metric(
        scope=context.scope,
        namespace=namespace,
        name=name,
        dimensions=dimensions_of(dimensions),
    )


def check_text(member: str, text: str) -> None:
    """Refuse control characters in a name."""
    if not text.isprintable():
        raise invalid_value(messages.statistic(name=member, value=repr(text)))


def check_period(period: int) -> None:
    """Refuse a period that CloudWatch does not have."""
    if period % MINUTE and period not in SHORT_PERIODS:
        raise invalid_value(messages.period())


def offset_of(token: str | None) -> int:
    """How many elements the pages before had. Raises InvalidNextToken."""
    if token is None:
        return 0
    if not (token.isascii() and token.isdecimal() and len(token) <= _TOKEN_CHARS_MAX):
        raise refusal("InvalidNextToken", messages.next_token())
    return int(token)


def tags_of(tags: Sequence[structures.Tag] | None) -> dict[str, str]:
    """The tags of a request. Raises ValidationException."""
    found = {str(each.key): str(each.value) for each in tags or ()}
    if len(found) < len(tags or ()) or any(key.lower().startswith("aws:") for key in found):
        raise invalid(messages.tags(most=TAGS_MAX))
    check_count(found)
    return found


def check_count(tags: Mapping[str, str]) -> None:
    """Refuse more tags than an alarm or a dashboard may have."""
    if len(tags) > TAGS_MAX:
        raise invalid(messages.tags(most=TAGS_MAX))
